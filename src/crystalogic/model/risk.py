"""The risk: how likely the class that a formula speaks for is, for each score of the formula (`logic.score`).

The table was made when the rule was learned, from rows that were held out in turn. It is measured, not proved. Shares
are whole numbers of 10,000 rows, so that whoever reads the file has the same probability to the last digit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from crystalogic.errors import DocumentError
from crystalogic.untrusted import each, table, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 1
OUT_OF = 10_000
LEVEL = 1e-9  # by which a class is above others that are level with it


@dataclass(frozen=True)
class Risk:
    """For each score, from 0 on, how many of 10,000 rows have the class: never none or all, and no less for more.

    >>> Risk((700, 2400, 7700, 9700)).of(2)
    Fraction(77, 100)
    """

    shares: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.shares or not all(0 < share < OUT_OF for share in self.shares):
            message = f"the risk of a score is a share between 0 and {OUT_OF}, and neither of them."
            raise DocumentError(message)
        if any(share > after for share, after in pairwise(self.shares)):
            message = "the risk of a score is less than that of a smaller score."
            raise DocumentError(message)

    def of(self, score: Fraction | int) -> Fraction:
        """The probability at a score, which is a whole number."""
        return Fraction(self.shares[int(score)], OUT_OF)

    def of_rows(self, scores: "NDArray[Any]") -> "NDArray[Any]":
        """The probabilities of the other class and of this one for many scores (rows × 2); NaN for NaN."""
        import numpy as np

        judged = ~np.isnan(scores)
        result = np.full((len(scores), 2), np.nan)
        shares = np.array(self.shares)[scores[judged].astype(np.intp)]
        result[judged] = np.column_stack([OUT_OF - shares, shares]) / OUT_OF
        return result

    def content(self) -> dict[str, Any]:
        """The risk as plain JSON data."""
        return {"version": VERSION, "out_of": OUT_OF, "shares": self.shares}


def share_out(told: "NDArray[Any]", order: Sequence[int], decided: "NDArray[Any]") -> "NDArray[Any]":
    """How likely each class of a list is (rows × classes), given what its rules tell of their own (rows × rules).

    Each rule has its share of what the rules before it leave over, and the last class has the rest. No class is told
    to be likelier than the one decided for: where another would be, that one gets of all just enough to be level.
    """
    import numpy as np

    left = np.cumprod(np.column_stack([np.ones(len(told)), 1 - told]), axis=1)
    found = np.empty_like(left)
    found[:, list(order)] = left * np.column_stack([told, np.ones(len(told))])
    rows = np.arange(len(found))
    lacking = found.max(axis=1) - found[rows, decided]
    moved = np.where(lacking > 0, lacking / (1 + lacking) + LEVEL, 0.0)
    found *= (1 - moved)[:, None]
    found[rows, decided] += moved
    return found


def read_risk(value: Any, what: str) -> Risk:
    """The risk with this plain JSON data, validated."""
    body = table(value, what)
    version, out_of = (whole(body.get(name), f"{what}, {name}") for name in ("version", "out_of"))
    if version != VERSION or out_of != OUT_OF:
        message = f"{what} has the version {version}, out of {out_of}; this library reads {VERSION}, out of {OUT_OF}."
        raise DocumentError(message)
    return Risk(each(whole, body.get("shares"), f"{what}, shares"))
