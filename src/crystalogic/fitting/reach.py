"""What the learner is told of facts: how far apart rows are that differ in one alone, for the distances of a teacher;
which are values of one column, or cuts at even steps; and finer cuts, for between a cut and its neighbours every gap
between two numbers of the table can be a cut as well.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.encoding import Cut, Encoding, Is, Ladder, OneOf, Reaches
from crystalogic.encoding.fit import round_step, short_between
from crystalogic.encoding.own import include_facts, read_fact
from crystalogic.features import Features
from crystalogic.learner.settings import MOST_GROUPED

MOST_FINER = 48  # cuts near one; of many numbers, some that are evenly spaced
N_RUNGS = 4  # of a ladder: few enough to be read at a glance
MOST_STEPS = 25  # from the least cut of a column to the greatest: of smaller ones a ladder is as good as one cut
TINY_SPAN = 1e-300  # of cuts: doubles near the smallest have too few digits to step between them
TIMES = (1, 2, 3, 4)  # a round number that rungs are apart
LONGEST_LIST = 400  # characters, beyond which nobody reads what it says
OTHER_VALUE = 0.5  # between two rows with different categories; of two facts that differ then, each has half of it


def group_values(encoding: Encoding) -> tuple[tuple[str, ...], ...]:
    """For each column the facts that it has one value or another, if a list of these is known by its name."""
    found = []
    for column in encoding.columns:
        values = [each for each in column.literals if isinstance(each, Is)]
        longest = sorted((len(ascii(each.value)) for each in values), reverse=True)[:MOST_GROUPED]
        if len(values) > 1 and len(ascii(column.name)) + sum(longest) <= LONGEST_LIST:
            found.append(tuple(each.name for each in values))
    return tuple(names for names in found if _is_known(encoding, names))


def say_together(encoding: Encoding, names: Sequence[str]) -> OneOf | Ladder:
    """The literal that says whether a column has one of these values, or how many of these cuts it reaches."""
    said = [encoding.literals[name] for name in names]
    if all(isinstance(each, Cut) for each in said):
        return Ladder(said[0].column, tuple(sorted(at for each in said for at in each.cuts)))
    return OneOf(said[0].column, tuple(each.value for each in said if isinstance(each, Is)))


def find_ladders(encoding: Encoding) -> tuple[tuple[str, ...], ...]:
    """Cuts of one number at even, round steps, in ascending order: so many, each as far from the next."""
    found: list[tuple[str, ...]] = []
    for column in encoding.columns:
        cuts = {Fraction(repr(at)): each.name for each in column.literals if isinstance(each, Cut) for at in each.cuts}
        if column.kind == "number" and len(cuts) >= N_RUNGS:
            ladders = tuple(dict.fromkeys(_climb(cuts)))
            found += ladders if ladders and _is_known(encoding, ladders[0]) else ()
    return tuple(found)


def _climb(cuts: Mapping[Fraction, str]) -> Iterator[tuple[str, ...]]:
    """The names of cuts that are as far from each other as a round number, or some times that."""
    if (span := max(cuts) - min(cuts)) < TINY_SPAN:
        return
    unit = round_step(float(span) / MOST_STEPS)
    while (N_RUNGS - 1) * unit <= span:
        places = {int(at / unit): name for at, name in cuts.items() if not at % unit}
        for times, first in product(TIMES, places):
            if None not in (rungs := [places.get(first + times * step) for step in range(N_RUNGS)]):
                yield tuple(name for name in rungs if name is not None)
        unit = round_step(float(unit) * 1.01)


def _is_known(encoding: Encoding, names: Sequence[str]) -> bool:
    literal = say_together(encoding, names)
    return read_fact(encoding, literal.name) == literal


def measure_reach(encoding: Encoding, features: Features, weight: Array | None = None) -> Array:
    """For a cut half the share of the rows between its neighbours, so that numbers are as far apart as their ranks."""
    shares = dict(zip(features.names, features.shares(weight), strict=True))
    reach = dict.fromkeys(features.names, OTHER_VALUE / 2)
    for column in encoding.columns:
        chain = [each.name for each in column.literals if isinstance(each, (Cut, Reaches))]
        is_mixed = any(not isinstance(each, (Cut, Reaches)) for each in column.literals)
        if len(column.literals) == 1:
            reach[column.literals[0].name] = OTHER_VALUE
        elif (chain and not is_mixed) or column.kind == "number":
            stairs = np.array([1.0, *(shares[name] for name in chain), 0.0])
            reach |= dict(zip(chain, ((stairs[:-2] - stairs[2:]) / 2).tolist(), strict=True))
    return np.array([reach[name] for name in features.names])


def find_finer_cuts(encoding: Encoding, rows: Any) -> Callable[[Sequence[str]], tuple[Features, tuple[str, ...]]]:
    """A function from truth values to finer ones, and which of them each is near to; cuts alone have any."""

    def find(names: Sequence[str]) -> tuple[Features, tuple[str, ...]]:
        known = include_facts(encoding, names)[0]
        found: dict[str, tuple[str, Any]] = {}
        for name in names:
            literal = known.literals[name]
            if not isinstance(literal, Cut) or known.by_name[literal.column].kind != "number":
                continue
            numbers = known.read(rows, literal.column).numbers
            for cut in _nearby(literal, known, np.unique(numbers[np.isfinite(numbers)])):
                found.setdefault(cut.name, (name, numbers >= cut.at))
        finer = {name: each for name, each in found.items() if name not in known.literals}
        n_rows = len(next(iter(finer.values()))[1]) if finer else 0
        features = Features.of((truth for _, truth in finer.values()), tuple(finer), n_rows)
        return features, tuple(near for near, _ in finer.values())

    return find


def _nearby(cut: Cut, encoding: Encoding, numbers: Any) -> list[Cut]:
    """Cuts at other gaps between the numbers, as far as the neighbours of this one."""
    cuts = np.array([each.at for each in encoding.by_name[cut.column].literals if isinstance(each, Cut)])
    low = cuts[cuts < cut.at].max(initial=-np.inf)
    high = cuts[cuts > cut.at].min(initial=np.inf)
    first = max(int(np.searchsorted(numbers, low)) + 1, 1)  # the number from which on a cut is beyond the lower one
    places = np.arange(first, int(np.searchsorted(numbers, high)))
    if len(places) > MOST_FINER:
        places = places[np.linspace(0, len(places) - 1, MOST_FINER).astype(np.int64)]
    here = int(np.searchsorted(numbers, cut.at))
    pairs = ((float(numbers[place - 1]), float(numbers[place])) for place in places if place != here)
    return [Cut(cut.column, short_between(below, above)) for below, above in pairs]
