"""What can be worth a look after a fit: a value for each kind of remark, whose sentences stand in `words.toml`."""

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from crystalogic.cells import number_text
from crystalogic.counts import count
from crystalogic.logic.names import one_line

_FILE = resources.files("crystalogic.fitting").joinpath("words.toml")
WORDS: dict[str, dict[str, str]] = tomllib.loads(_FILE.read_text("utf-8"))


@dataclass(frozen=True)
class Remark:
    """Something worth a look; `str` gives its sentence."""

    def words(self) -> dict[str, Any]:
        """Its fields as the sentence takes them: names on one line, while facts stand in quotes as they are."""
        given = vars(self).items()
        return {name: one_line(each) if isinstance(each, str) and name != "fact" else each for name, each in given}

    def __str__(self) -> str:
        return WORDS["sentences"][type(self).__name__].format(**self.words())


@dataclass(frozen=True)
class LooksProtected(Remark):
    """The rule reads a column that may be about what people must not be judged by."""

    column: str
    what: str

    def words(self) -> dict[str, Any]:
        told = super().words()
        return told | {"what": "" if told["column"].lower() == self.what else f" ({self.what})"}


@dataclass(frozen=True)
class StandsFor(Remark):
    """Facts of the rule tell a group of a protected column from all others."""

    column: str
    value: str
    auc: float  # of all facts together, on rows held out
    fact: str  # the one that tells most
    alone: float  # its AUC


@dataclass(frozen=True)
class GivesAway(Remark):
    """One fact decides the class in nearly every row, so it may be known only afterwards."""

    column: str
    fact: str
    target: str
    label: str
    share: float  # of the rows in which it tells the class
    others: float | None = None  # of the rows in which all other columns together tell it, where that is far less

    def words(self) -> dict[str, Any]:
        share = "every row" if self.share == 1 else f"{self.share:.1%} of the rows"
        others = "" if self.others is None else f", all other columns together in about {self.others:.0%}"
        return super().words() | {"share": share + others}


@dataclass(frozen=True)
class IsIdentifier(Remark):
    """A column of numbers was left out, because they only tell rows apart."""

    column: str
    note: str


@dataclass(frozen=True)
class HasUnit(Remark):
    """A category is a number with its unit."""

    column: str
    unit: str


@dataclass(frozen=True)
class StandsIn(Remark):
    """A number far from all others, such as 999, may stand for a missing value."""

    column: str
    value: float
    n_rows: int  # that have it
    low: float  # of the other numbers
    high: float

    def words(self) -> dict[str, Any]:
        numbers = {name: number_text(getattr(self, name)) for name in ("value", "low", "high")}
        return super().words() | numbers | {"rows": count(self.n_rows, "row")}


@dataclass(frozen=True)
class Overlooks(Remark):
    """The rule overlooks most rows of a rare class."""

    target: str
    label: str
    n_rows: int  # of the class
    n_all: int
    n_found: int


@dataclass(frozen=True)
class FewRows(Remark):
    """There are few rows to learn from."""

    n_rows: int
