"""What can be found when a table is set beside another: kinds of change, and one value for each change."""

import tomllib
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any

from crystalogic.cells import number_text
from crystalogic.logic.names import one_line


class Kind(Enum):
    """What changed, the plainest first; the value is what people read in the table of findings."""

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


@dataclass(frozen=True)
class Finding:
    """One change; `str` gives a sentence that says what was seen, what was known, and the way out."""

    kind: Kind
    column: str  # that the rule reads, or the target
    about: str = ""  # the value, the fact, the unit or the other column that it is about
    known: float | None = None  # the share of rows, the median or the mean that was known, where there is one
    seen: float | None = None  # the same in the new table
    effect: float = 0.0  # a difference of shares, or the distance of two distributions from 0 to 1
    p_value: float | None = None  # by chance alone, were it the only test; None where no test is needed
    factor: float | None = None  # of another unit, what the numbers seem to be multiplied by

    def __str__(self) -> str:
        remedy = "Convert it"
        if self.factor is not None and not self.about.startswith("degrees"):
            up = self.factor > 1
            remedy = f"{'Divide' if up else 'Multiply'} it by {self.factor if up else 1 / self.factor:.5g}"
        return str(words()["sentences"][self.kind.name.lower()]).format(
            column=one_line(self.column),
            about=one_line(self.about) or "another value",
            known=self.figure(self.known),
            seen=self.figure(self.seen),
            otherwise=self.figure((self.seen or 0.0) + self.effect),
            remedy=remedy,
        )

    def figure(self, number: float | None) -> str:
        """One of its figures as people read it: a share of rows, or a number."""
        if number is None:
            return "–"
        is_share = self.kind not in (Kind.UNIT, Kind.SCORES)
        return f"{100 * number:.{int(0 < number < 0.1)}f} %" if is_share else number_text(float(f"{number:.4g}"))

    def content(self) -> dict[str, Any]:
        """The finding as plain JSON data, with its sentence."""
        return {**vars(self), "kind": self.kind.name.lower(), "sentence": str(self)}


@cache
def words() -> dict[str, Any]:
    """Sentences and units, from the file beside this one."""
    return tomllib.loads(resources.files("crystalogic.watching").joinpath("words.toml").read_text("utf-8"))
