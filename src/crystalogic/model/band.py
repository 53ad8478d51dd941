"""The band: scores of which a person is asked, because a decision would be wrong too often.

It is made by conformal prediction for each class apart (Vovk, Gammerman and Shafer, Algorithmic learning in a random
world, 2005): a class is told without asking only of scores that few rows of the other class have. If rows to come and
those that were counted are exchangeable, and the rule did not learn from the latter, then of the rows of each class no
more than the stated share are told the other class without asking, on average over what could have been counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import DocumentError, RiskError
from crystalogic.intervals import Share
from crystalogic.untrusted import each, table, whole

VERSION = 1
OUT_OF = 10_000


@dataclass(frozen=True)
class Band:
    """Of scores from `low` on, but under `high`, a person is asked.

    Attributes:
        error: how many of 10,000 rows of a class are told the other one without asking, at most.
        rows: how many rows of the first and of the second class it was made from.
    """

    low: int
    high: int
    error: int
    rows: tuple[int, int]

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high or not 0 < self.error < OUT_OF or min(self.rows) < 0:
            message = f"the band asks from {self.low} to {self.high}, with an error of {self.error} in {OUT_OF}."
            raise DocumentError(message)

    def asks(self, scores: Array) -> Array:
        """Of which scores a person is asked."""
        return np.asarray((scores >= self.low) & (scores < self.high))

    def content(self) -> dict[str, Any]:
        """The band as plain JSON data."""
        return {"version": VERSION, "out_of": OUT_OF, **vars(self)}


def find_band(counted: Sequence[Share], threshold: int, error: Fraction) -> Band:
    """The narrowest band around a threshold that keeps this error rate, by counted rows of each score from 0 on.

    >>> counted = [Share(1, 40), Share(4, 20), Share(15, 20), Share(20, 20)]
    >>> find_band(counted, 2, Fraction(1, 10))
    Band(low=1, high=2, error=1000, rows=(60, 40))
    """
    n_yes = sum(each.yes for each in counted)
    n_no = sum(each.n for each in counted) - n_yes
    least = Fraction(1, 1 + min(n_yes, n_no))
    if error < least:
        message = (
            f"an error rate of {float(error):g} needs at least {-(-1 // error) - 1} rows of each class; "
            f"there are {n_no} and {n_yes}."
        )
        raise RiskError(message)
    below = accumulate(share.yes for share in counted)
    low = sum(yes + 1 <= error * (n_yes + 1) for yes in below)  # as far as few rows of the class are below
    above = accumulate(share.n - share.yes for share in reversed(counted))
    high = len(counted) - sum(no + 1 <= error * (n_no + 1) for no in above)  # and few of the other class above
    return Band(min(threshold, low), max(threshold, high), round(OUT_OF * error), (n_no, n_yes))


def read_band(value: Any, what: str) -> Band:
    """The band with this plain JSON data, validated."""
    body = table(value, what)
    version, low, high, error = (
        whole(body.get(name), f"{what}, {name}") for name in ("version", "low", "high", "error")
    )
    rows = each(whole, body.get("rows"), f"{what}, rows")
    if version != VERSION or body.get("out_of") != OUT_OF or len(rows) != 2:
        message = f"{what} has the version {version}; this library reads {VERSION}, out of {OUT_OF}, for two classes."
        raise DocumentError(message)
    return Band(low, high, error, (rows[0], rows[1]))
