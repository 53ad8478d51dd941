"""The risk: how likely the class that a formula speaks for is, for each score of the formula (`logic.score`).

The table was made when the rule was learned, from rows that were held out in turn. It is measured, not proved. Shares
are whole numbers of 10,000 rows, so that whoever reads the file has the same probability to the last digit. The band
is of scores for which a person is asked, because a decision would be wrong too often.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from typing import Annotated, Any

from crystalogic.arrays import Array, np
from crystalogic.errors import DocumentError, RiskError, refuse, refuse_first
from crystalogic.intervals import Share, total
from crystalogic.untrusted import each, read_fields, table, whole

VERSION = 2  # the first had no rows; without rows it is still the first
BAND_VERSION = 2  # of several classes; the first was of two, whose bands still are
OUT_OF = 10_000
LEVEL = 1e-9  # by which a class is above others that are level with it


@dataclass(frozen=True)
class Risk:
    """For each score, from 0 on, how many of 10,000 rows have the class: never none or all, and no less for more.

    `seen` are rows that were held out when the rule was learned: of those that a rule of the same kind told what the
    score tells, how many have the class. They are nothing where rows were not held out, or were weighed.

    >>> risk = Risk((700, 2400, 7700, 9700), (Share(6, 88), Share(19, 80), Share(47, 62), Share(39, 40)))
    >>> risk.of(2), [round(end, 2) for end in risk.counted(2, 3).interval()]
    (Fraction(77, 100), [0.77, 0.9])
    """

    shares: tuple[int, ...]
    seen: tuple[Share, ...] = ()

    def __post_init__(self) -> None:
        if self.seen and len(self.seen) != len(self.shares):
            refuse(DocumentError, f"a risk has {len(self.shares)} scores and counts rows of {len(self.seen)}.")
        if any(not 0 <= each.yes <= each.n for each in self.seen):
            refuse(DocumentError, "of the rows with a score, more have the class than there are.")
        if not self.shares or not all(0 < share < OUT_OF for share in self.shares):
            refuse(DocumentError, f"the risk of a score is a share between 0 and {OUT_OF}, and neither of them.")
        if any(share > after for share, after in pairwise(self.shares)):
            refuse(DocumentError, "the risk of a score is less than that of a smaller score.")

    def of(self, score: Fraction | int) -> Fraction:
        """The probability at a score, which is a whole number."""
        return Fraction(self.shares[int(score)], OUT_OF)

    def counted(self, low: int, high: int) -> Share:
        """The rows held out that were told what scores from low to high tell."""
        return total(self.seen[low : high + 1])

    def interval(self, low: int, high: int) -> tuple[float, float]:
        """The shares that these rows speak for, and what the scores tell: the map of all is wiser than few rows."""
        least, most = self.counted(low, high).interval()
        return min(least, self.shares[low] / OUT_OF), max(most, self.shares[high] / OUT_OF)

    def of_rows(self, scores: Array) -> Array:
        """The probabilities of the other class and of this one for many scores (rows × 2); NaN for NaN."""
        judged, result = ~np.isnan(scores), np.full((len(scores), 2), np.nan)
        shares = np.array(self.shares)[scores[judged].astype(np.intp)]
        result[judged] = np.column_stack([OUT_OF - shares, shares]) / OUT_OF
        return result

    def content(self) -> dict[str, Any]:
        plain = {"version": VERSION if self.seen else 1, "out_of": OUT_OF, "shares": self.shares}
        rows = {"rows": [each.n for each in self.seen], "with_class": [each.yes for each in self.seen]}
        return plain | (rows if self.seen else {})


def share_out(told: Array, order: Sequence[int], decided: Array) -> Array:
    """How likely each class of a list is (rows × classes): each rule has its share (rows × rules) of what those before
    it leave over, the last class the rest. The class decided for gets of all just enough to be level with any other."""
    left = np.cumprod(np.column_stack([np.ones(len(told)), 1 - told]), axis=1)
    found = np.empty_like(left)
    found[:, list(order)] = left * np.column_stack([told, np.ones(len(told))])
    rows = np.arange(len(found))
    lacking = found.max(axis=1) - found[rows, decided]
    moved = np.where(lacking > 0, lacking / (1 + lacking) + LEVEL, 0.0)
    found *= (1 - moved)[:, None]
    found[rows, decided] += moved
    return found


def exact_percent(share: Fraction) -> str:
    """A share in percent, with as many digits as a share of 10,000 needs: 47.12 %, but 10 %."""
    return f"{float(100 * share):g} %"


def read_risk(value: Any, what: str) -> Risk:
    body = table(value, what)
    version, out_of = (whole(body.get(name), f"{what}, {name}") for name in ("version", "out_of"))
    if not 1 <= version <= VERSION or out_of != OUT_OF:
        problem = f"{what} has the version {version}, out of {out_of};"
        refuse(DocumentError, f"{problem} this library reads 1 to {VERSION}, out of {OUT_OF}.")
    rows, having = (each(whole, body.get(name, []), f"{what}, {name}") for name in ("rows", "with_class"))
    message = f"{what} counts the rows of {len(rows)} scores, and those with the class of {len(having)}."
    refuse_first(DocumentError, {message: len(rows) != len(having)})
    return Risk(each(whole, body.get("shares"), f"{what}, shares"), tuple(map(Share, having, rows)))


@dataclass(frozen=True)
class Band:
    """Of scores from `low` on, but under `high`, a person is asked; of several classes, of likelihoods in 10,000."""

    low: Annotated[int, whole]
    high: Annotated[int, whole]
    error: Annotated[int, whole]  # of 10,000 rows of a class, how many are told another one without asking, at most
    rows: Annotated[tuple[int, ...], partial(each, whole)]  # of each class that it was made from

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high or not 0 < self.error < OUT_OF or min(self.rows, default=0) < 0:
            message = f"the band asks from {self.low} to {self.high}, with an error of {self.error} in {OUT_OF}."
            raise DocumentError(message)

    @property
    def ends(self) -> tuple[float, float]:
        """The scores or, of several classes, the probabilities from which on and under which a person is asked."""
        return (self.low, self.high) if len(self.rows) == 2 else (self.low / OUT_OF, self.high / OUT_OF)

    def asks(self, told: Array) -> Array:
        """Where a person is asked, given scores or, of several classes, how likely the class is that is told."""
        return np.asarray((told >= self.ends[0]) & (told < self.ends[1]))

    def content(self) -> dict[str, Any]:
        return {"version": 1 if len(self.rows) == 2 else BAND_VERSION, "out_of": OUT_OF, **vars(self)}


def find_band(counted: Sequence[Share], threshold: int, error: Fraction) -> Band:
    """The narrowest band around a threshold that keeps this error rate, by counted rows of each score from 0 on.

    It is made by conformal prediction for each class apart (Vovk, Gammerman and Shafer, Algorithmic learning in a
    random world, 2005): a class is told without asking only of scores that few rows of the other class have. If rows to
    come and those counted are exchangeable, and the rule did not learn from the latter, then of the rows of each class
    no more than this share are told the other one without asking, on average over what could have been counted.

    >>> counted = [Share(1, 40), Share(4, 20), Share(15, 20), Share(20, 20)]
    >>> find_band(counted, 2, Fraction(1, 10))
    Band(low=1, high=2, error=1000, rows=(60, 40))
    """
    n_yes = sum(each.yes for each in counted)
    n_no = sum(each.n for each in counted) - n_yes
    _refuse_few((n_no, n_yes), error)
    below = accumulate(share.yes for share in counted)
    low = sum(yes + 1 <= error * (n_yes + 1) for yes in below)  # as far as few rows of the class are below
    above = accumulate(share.n - share.yes for share in reversed(counted))
    high = len(counted) - sum(no + 1 <= error * (n_no + 1) for no in above)  # and few of the other class above
    return Band(min(threshold, low), max(threshold, high), round(OUT_OF * error), (n_no, n_yes))


def find_least(likely: Array, decided: Array, labels: Array, error: Fraction) -> Band:
    """The band of several classes that asks least and keeps this error rate, by rows of which all three are known.

    A person is asked where the class decided for is less likely than one share, the same for all classes. It is the
    least of which, for each class apart, few of its rows are told another one without asking: conformal risk control
    (Angelopoulos and others, 2022), whose promise is that of `find_band`.
    """
    rows = tuple(np.bincount(labels, minlength=likely.shape[1]).tolist())
    _refuse_few(rows, error)
    told, least = likely.max(axis=1), 0
    for place, n in enumerate(rows):
        wrong = np.sort(told[(labels == place) & (decided != place)])[::-1]
        allowed = int(error * (n + 1)) - 1  # the next row may be wrong, too
        for share in wrong[allowed : allowed + 1]:
            above = round(OUT_OF * share)  # as rows are compared with it, which are doubles
            least = max(least, above + int(share >= above / OUT_OF))
    return Band(0, min(least, OUT_OF), round(OUT_OF * error), rows)


def _refuse_few(rows: Sequence[int], error: Fraction) -> None:
    """A RiskError for an error rate that so few rows of a class cannot promise."""
    if error < Fraction(1, 1 + min(rows)):
        problem = f"an error rate of {float(error):g} needs at least {-(-1 // error) - 1} rows of each class;"
        refuse(RiskError, f"{problem} there are {', '.join(map(str, rows[:-1]))} and {rows[-1]}.")


def read_band(value: Any, what: str) -> Band:
    """The band with this plain JSON data, validated."""
    band, version = read_fields(Band, value, what), value.get("version")
    if version != band.content()["version"] or value.get("out_of") != OUT_OF or len(band.rows) < 2:
        problem = f"{what} has the version {version} for {len(band.rows)} classes;"
        refuse(DocumentError, f"{problem} this library reads 1 for two and {BAND_VERSION} for more, out of {OUT_OF}.")
    return band
