"""How well a column fits one of another table: as it is, in another unit, with its values written differently."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from crystalogic.arrays import np
from crystalogic.cells import NO_WORDS, level_number, level_of, number_text
from crystalogic.intervals import Share
from crystalogic.model.profile import ColumnProfile
from crystalogic.watching.chance import surprise_of_curves, surprise_of_shares

CLOSE = 0.08  # a distance of distributions that fit each other well enough
CHANCE = 0.01  # a distance that chance makes so often is no distance
SAME_UNIT, FAR = 0.4, 0.1  # a unit explains a move of at least FAR if it leaves at most this share of it
UNITS = (  # how many of the finer make one of the coarser, and what these can be
    (12.0, "months", "years"),
    (30.0, "days", "months"),
    (7.0, "days", "weeks"),
    (24.0, "hours", "days"),
    (60.0, "minutes", "hours (or seconds, minutes)"),
    (100.0, "hundredths (percent, cents, centimetres)", "ones"),
    (1000.0, "thousandths (grams, millimetres, millilitres)", "ones"),
    (10.0, "tenths (millimetres, decilitres)", "ones"),
    (365.25, "days", "years"),
    (52.18, "weeks", "years"),
    (2.54, "centimetres", "inches"),
    (1 / 0.4536, "pounds", "kilograms"),
    (1.609344, "kilometres", "miles"),
    (18.016, "mg/dl of glucose", "mmol/l"),
    (38.67, "mg/dl of cholesterol", "mmol/l"),
)
_IGNORED = re.compile(r"[\s_.\-/]+")


@dataclass(frozen=True)
class Fit:
    """The greatest distance of two distributions, and how surprising it is; `level` is where they differ most."""

    distance: float
    p_value: float
    level: str = ""

    @property
    def is_close(self) -> bool:
        """Whether one can be the other."""
        return self.distance <= CLOSE or self.p_value > CHANCE


def fit_column(now: ColumnProfile, before: ColumnProfile, scale: float = 1.0, offset: float = 0.0) -> Fit:
    """How a column fits what is known of one, once its numbers are those of the known unit, x · scale + offset."""
    if not before.edges:
        return _fit_levels(now, before)
    n = sum(now.counts)
    strange = 1 - n / now.n_present if now.n_present else 0.0
    if not n or strange > CLOSE:
        return Fit(strange, float(not now.n_present))
    there = replace(now, edges=tuple((np.array(now.edges) * scale + offset).tolist()))
    points = np.array([*before.edges, *(() if scale == 1 else there.edges)])
    apart = np.abs(there.share_up_to(points) - before.share_up_to(points))
    distance, at = float(apart.max()), float(points[apart.argmax()])
    return Fit(distance, surprise_of_curves(distance, n, sum(before.counts)), number_text(at))


def _fit_levels(now: ColumnProfile, before: ColumnProfile) -> Fit:
    """The value whose share differs most surprisingly; values that are not counted one by one are one more."""
    shares = {
        level: (Share(now.levels.get(level, 0), now.n_present), Share(n, before.n_present))
        for level, n in before.levels.items()
    }
    strange = now.n_present - sum(one.yes for one, _ in shares.values())
    left = max(0, before.n_present - sum(before.levels.values()))  # counts that are rounded can add up to more
    shares[""] = Share(strange, now.n_present), Share(left, before.n_present)
    if not (now.n_present and before.n_present):
        return Fit(0.0, 1.0)
    found = [(surprise_of_shares(*pair), -abs(difference(*pair)), level) for level, pair in shares.items()]
    p_value, distance, level = min(found)
    return Fit(-distance, min(1.0, len(found) * p_value), level)


def difference(one: Share, other: Share) -> float:
    """How much greater a share is."""
    return (one.value or 0.0) - (other.value or 0.0)


def find_unit(now: ColumnProfile, before: ColumnProfile, distance: float) -> tuple[str, float] | None:
    """The unit in which numbers fit what is known, and what they seem to be multiplied by; None if none explains it."""
    turns = [
        ("degrees Fahrenheit instead of Celsius", 1.8, 1 / 1.8, -32 / 1.8),
        ("degrees Celsius instead of Fahrenheit", 1 / 1.8, 1.8, 32.0),
    ]
    for factor, finer, coarser in UNITS:
        turns.append((f"{finer} instead of {coarser}", factor, 1 / factor, 0.0))
        turns.append((f"{coarser} instead of {finer}", 1 / factor, factor, 0.0))
    fits = [fit_column(now, before, *turn[2:]) for turn in turns]
    best = min(range(len(fits)), key=lambda place: fits[place].distance)
    explains = fits[best].is_close and fits[best].distance <= SAME_UNIT * distance
    return turns[best][:2] if explains and distance >= FAR else None


def repair_levels(now: ColumnProfile, known: Iterable[str]) -> tuple[ColumnProfile, dict[str, str]]:
    """The column with values as they are known, and which were written differently: in case, spaces, leading zeros."""
    levels = [level_of(value, NO_WORDS) or "" for value in known]
    plain: dict[str, str | None] = {}
    for level in levels:
        plain[skeleton(level)] = None if skeleton(level) in plain else level  # of two that look alike neither is meant
    meant = {new: old for new in now.levels if new not in levels and (old := plain.get(skeleton(new))) is not None}
    counted: dict[str, int] = {}
    for level, n in now.levels.items():
        counted[meant.get(level, level)] = counted.get(meant.get(level, level), 0) + n
    return replace(now, levels=counted), meant


def skeleton(level: str) -> str:
    """What is left of a value without case, spaces, signs between words, and leading zeros; a number stays as it is.

    >>> skeleton("Never-Married"), skeleton("never  married"), skeleton("007"), skeleton("-1.5")
    ('nevermarried', 'nevermarried', '7', '-1.5')
    """
    is_number = level_number(level) is not None
    return level if is_number else _IGNORED.sub("", level.casefold()).lstrip("0") or level
