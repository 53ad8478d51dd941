"""The paper's claims, read from claims.toml: what it says, where, and which computation checks it."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from research.errors import StudyError

LABELS = {
    "levenberg_marquardt": "LM-Res",
    "straight_through": "STE",
    "proximal": "Proximal",
    "annealing": "Search",
    "mushroom-enriched": "Mushroom (enriched)",
    "mushroom": "Mushroom",
    "heart": "Heart",
    "monks-1": "MONK-1",
    "monks-2": "MONK-2",
    "monks-3": "MONK-3",
    "breast-cancer": "Breast cancer",
    "f1": "f₁",
    "f2": "f₂",
}


def label(name: str) -> str:
    """The name as the paper writes it; a pair `a>b` becomes 'A over B'.

    >>> label("levenberg_marquardt>proximal")
    'LM-Res over Proximal'
    """
    return " over ".join(LABELS.get(part, part) for part in name.split(">"))


@dataclass(frozen=True)
class Claim:
    """One number or statement of the paper; `row` and `column` say which cell, data set or learner it is about."""

    id: str
    place: str
    says: str
    check: str
    value: float | str | None = None
    row: str = ""
    column: str = ""

    @property
    def number(self) -> float:
        """The printed number."""
        if not isinstance(self.value, (int, float)):
            message = f"the claim {self.id!r} of claims.toml prints no number, got {self.value!r}."
            raise StudyError(message)
        return float(self.value)

    @property
    def pair(self) -> tuple[str, str]:
        """The two learners that a comparison is about."""
        left, _, right = self.column.partition(">")
        return left, right


@cache
def load_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file.

    >>> len(load_claims()) > 150
    True
    """
    content = tomllib.loads(resources.files(__package__).joinpath("claims.toml").read_text(encoding="utf-8"))
    claims = [cell for table in content["table"] for cell in _cells(table)]
    claims += [Claim(**entry) for entry in content["claim"]]
    twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
    if twice:
        message = f"claims.toml: the id {min(twice)!r} stands twice."
        raise StudyError(message)
    return tuple(claims)


@cache
def printed(table: str, row: str, column: str) -> float:
    """A cell of one of the paper's tables.

    >>> printed("accuracy", "monks-3", "levenberg_marquardt")
    0.714
    """
    return next(claim for claim in load_claims() if claim.id == f"{table}/{row}/{column}").number


def _cells(table: Mapping[str, Any]) -> Iterator[Claim]:
    for row, values in table["rows"].items():
        for column, value in zip(table["columns"], values, strict=False):  # a row may have fewer cells
            says = table["says"].format(row=label(row), column=label(column), value=label(str(value)))
            yield Claim(f"{table['id']}/{row}/{column}", table["place"], says, table["check"], value, row, column)
