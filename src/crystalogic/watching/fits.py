"""What can be found when a table is set beside another, one value for each change; and how well two columns fit."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import sqrt
from typing import Any

from crystalogic.arrays import np
from crystalogic.cells import NO_WORDS, level_number, level_of, number_text
from crystalogic.intervals import Share
from crystalogic.model.profile import ColumnProfile
from crystalogic.words.tables import fill_macro, package_file


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
        given = vars(self) | {"about": self.about or "another value", "figure": self.figure}
        return fill_macro("watching", "findings.txt", self.kind.name.lower(), **given)

    def figure(self, number: float | None) -> str:
        """One of its figures as people read it: a share of rows, or a number."""
        if number is None:
            return "–"
        is_share = self.kind not in (Kind.UNIT, Kind.SCORES)
        return f"{100 * number:.{int(0 < number < 0.1)}f} %" if is_share else number_text(float(f"{number:.4g}"))

    def content(self) -> dict[str, Any]:
        """The finding as plain JSON data, with its sentence."""
        return {**vars(self), "kind": self.kind.name.lower(), "sentence": str(self)}


def surprise_of_shares(one: Share, other: Share) -> float:
    """Fisher's exact test, two-sided: tables that are no likelier than this one, the sums being what they are.

    >>> round(surprise_of_shares(Share(3, 4), Share(1, 4)), 4)
    0.4857
    """
    from scipy.stats import fisher_exact

    return float(fisher_exact([[one.yes, one.n - one.yes], [other.yes, other.n - other.yes]])[1])


def surprise_of_curves(distance: float, n: int, m: int) -> float:
    """The test of Kolmogorov and Smirnov for the greatest distance of two shares of n and m numbers up to a point.

    >>> round(surprise_of_curves(0.2, 100, 100), 3)
    0.031
    """
    from scipy.special import kolmogorov

    root = sqrt(n * m / (n + m)) if n and m else 0.0
    return float(kolmogorov(distance * (root + 0.12 + 0.11 / root))) if root else 1.0


def are_beyond_chance(p_values: Sequence[float], level: float) -> list[bool]:
    """Which tests to believe if all of them together may err with the probability `level` (Holm, 1979).

    >>> are_beyond_chance([0.06, 0.001, 0.02], 0.05)
    [False, True, True]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    held = [p_values[place] <= level / (len(order) - rank) for rank, place in enumerate(order)]
    n = held.index(False) if False in held else len(held)
    return [place in order[:n] for place in range(len(order))]


CLOSE = 0.08  # a distance of distributions that fit each other well enough
CHANCE = 0.01  # a distance that chance makes so often is no distance
FAR, SAME_UNIT, SURELY = 0.1, 0.4, 0.12  # a unit explains a move of FAR if it leaves so much of it; SURELY always does
_IGNORED = re.compile(r"[\s_.\-/]+")


@dataclass(frozen=True)
class Fit:
    """The greatest distance of two distributions, how surprising it is, where it is, and both shares there."""

    distance: float
    p_value: float
    at: str = ""
    known: float = 0.0
    seen: float = 0.0

    @property
    def is_close(self) -> bool:
        """Whether one can be the other."""
        return self.distance <= CLOSE or self.p_value > CHANCE


def fit_column(now: ColumnProfile, before: ColumnProfile, scale: float = 1.0, offset: float = 0.0) -> Fit:
    """How a column fits what is known of one, once its numbers are those of the known unit, x · scale + offset."""
    if not (now.n_present and before.n_present):
        return Fit(0.0, 1.0)
    if not before.edges:
        return _fit_levels(now, before)
    n = sum(now.counts)
    if now.n_present - n > CLOSE * now.n_present:  # texts
        return Fit(1 - n / now.n_present, 0.0)
    points = np.array([*before.edges, *(() if scale == 1 else np.array(now.edges) * scale + offset)])
    (low, high), (least, most) = before.bound_share(points), now.bound_share((points - offset) / scale)
    apart = np.maximum(low - most, least - high)  # for certain: where either is between two edges, it can be anywhere
    place = int(apart.argmax())
    distance = max(0.0, float(apart[place]))
    known, seen = (low, most) if low[place] > most[place] else (high, least)
    p_value = surprise_of_curves(distance, n, sum(before.counts))
    return Fit(distance, p_value, f"at most {number_text(points[place])}", float(known[place]), float(seen[place]))


def _fit_levels(now: ColumnProfile, before: ColumnProfile) -> Fit:
    """The value whose share differs most surprisingly; those that were not counted one by one are one more."""
    pairs = {level: (n, now.levels.get(level, 0)) for level, n in before.levels.items()}
    known, seen = sum(before.levels.values()), sum(n for _, n in pairs.values())
    pairs[""] = before.n_present - known, now.n_present - seen
    found = []
    for level, (known, seen) in pairs.items():
        one, other = Share(known, before.n_present), Share(seen, now.n_present)
        found.append((surprise_of_shares(one, other), level, known / one.n, seen / other.n))
    p_value, level, *shares = min(found)
    return Fit(abs(shares[0] - shares[1]), min(1.0, len(found) * p_value), level, *shares)


def find_unit(now: ColumnProfile, before: ColumnProfile, distance: float) -> tuple[str, float] | None:
    """The unit in which numbers fit what is known, and what they seem to be multiplied by; None if none explains it."""
    turns = [
        ("degrees Fahrenheit instead of Celsius", 1.8, 1 / 1.8, -32 / 1.8),
        ("degrees Celsius instead of Fahrenheit", 1 / 1.8, 1.8, 32.0),
    ]
    for name, factor in tomllib.loads(package_file("watching", "units.toml")).items():
        turned = " instead of ".join(reversed(name.split(" instead of ")))
        turns += [(name, factor, 1 / factor, 0.0), (turned, 1 / factor, factor, 0.0)]
    digits = next((n for n in range(6) if not _leaves_rest(before.edges, 10.0**n)), 6)
    own = sorted(set(now.edges) - set(before.edges))  # numbers of this column
    fitting = []
    for name, factor, scale, offset in turns:
        fit = fit_column(now, before, scale, offset)
        is_small = fit.distance <= (SAME_UNIT if fit.is_close else SURELY) * distance
        if is_small and distance >= FAR:  # first of those that turn whole numbers into whole ones
            fitting.append((_leaves_rest(own, scale * 10**digits, offset * 10**digits), fit.distance, name, factor))
    return min(fitting)[2:] if fitting else None


def _leaves_rest(numbers: Iterable[float], scale: float, offset: float = 0.0) -> bool:
    """Whether some of them are no whole numbers, once they are turned."""
    turned = np.array([*numbers]) * scale + offset
    return not np.allclose(turned, turned.round(), rtol=0, atol=1e-6)


def repair_levels(now: ColumnProfile, known: Iterable[str]) -> tuple[ColumnProfile, dict[str, str]]:
    """The column with values as they are known, and which were written differently: in case, spaces, leading zeros."""
    levels = [level_of(value, NO_WORDS) or "" for value in known]
    looks = [skeleton(level) for level in levels]
    plain = {look: level for look, level in zip(looks, levels, strict=True) if looks.count(look) == 1}
    meant = {new: plain[skeleton(new)] for new in now.levels if new not in levels and skeleton(new) in plain}
    counted: dict[str, int] = {}
    for level, n in now.levels.items():
        counted[meant.get(level, level)] = counted.get(meant.get(level, level), 0) + n
    return replace(now, levels=counted), meant


def skeleton(level: str) -> str:
    """What is left of a value without case, spaces, signs between words, and leading zeros; a number stays as it is.

    >>> skeleton("Never-Married"), skeleton("never  married"), skeleton("007"), skeleton("-1.5")
    ('nevermarried', 'nevermarried', '7', '-1.5')
    """
    return level if level_number(level) is not None else _IGNORED.sub("", level.casefold()).lstrip("0") or level
