"""What can be found when a table is set beside another: kinds of change, and one value for each change."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What changed; the value is what people read in the table of findings."""

    GONE = "column missing"
    RENAMED = "column renamed"
    SWAPPED = "columns exchanged"
    TYPE = "no numbers"
    UNIT = "another unit"
    CODE = "values written differently"
    NEW = "new values"
    VANISHED = "values vanished"
    MISSING = "missing values"
    SHIFTED = "column moved"
    FACT = "fact moved"
    SCORES = "scores moved"
    DECIDED = "decisions moved"
    FLIPPED = "labels exchanged"
    ACCURACY = "less accurate"
    CALIBRATION = "risks off"

    @property
    def is_of_column(self) -> bool:
        """Whether it is about how the values of a column are distributed, which a picture shows."""
        return self in (Kind.UNIT, Kind.CODE, Kind.NEW, Kind.VANISHED, Kind.SHIFTED, Kind.SWAPPED, Kind.FACT)

    @property
    def has_shares(self) -> bool:
        """Whether its figures are shares of rows."""
        return self not in (Kind.UNIT, Kind.SCORES)


@dataclass(frozen=True)
class Finding:
    """One change.

    Attributes:
        kind: what changed.
        column: where: a column that the rule reads, or the target.
        about: the value, the fact, the unit or the other column that it is about.
        known: the share of rows, the median or the mean that was known, where there is one.
        seen: the same in the new table.
        effect: how large the change is: a difference of shares, or the distance of two distributions from 0 to 1.
        p_value: how likely it would be by chance, were it the only test; None where no test is needed.
        factor: of another unit, what the numbers seem to be multiplied by.
        is_number: whether a column of numbers moved; `about` is then the number up to which the shares are counted.
    """

    kind: Kind
    column: str
    about: str = ""
    known: float | None = None
    seen: float | None = None
    effect: float = 0.0
    p_value: float | None = None
    factor: float | None = None
    is_number: bool = False

    def __str__(self) -> str:
        from crystalogic.watching.text import sentence

        return sentence(self)

    def content(self) -> dict[str, object]:
        """The finding as plain JSON data, with its sentence."""
        return {**vars(self), "kind": self.kind.name.lower(), "sentence": str(self)}
