"""Finer cuts: between a cut and its neighbours every gap between two numbers of the table can be a cut as well."""

from collections.abc import Callable, Sequence
from typing import Any

from crystalogic.arrays import np
from crystalogic.encoding import Cut, Encoding
from crystalogic.encoding.fit import short_between
from crystalogic.encoding.own import include_facts
from crystalogic.features import Features

MOST = 48  # finer cuts of one; of many numbers, some that are evenly spaced


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
    if len(places) > MOST:
        places = places[np.linspace(0, len(places) - 1, MOST).astype(np.int64)]
    here = int(np.searchsorted(numbers, cut.at))
    pairs = ((float(numbers[place - 1]), float(numbers[place])) for place in places if place != here)
    return [Cut(cut.column, short_between(below, above)) for below, above in pairs]
