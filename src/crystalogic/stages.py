"""Rules from tables too long to be learned whole: an overview, a sample, a learner, scores on all rows.

One half of the sample is learned from, the other judges. The scores are what formulas lose on every row of the table,
and on the rows that nothing was learned from.

Samples do not depend on how a table was cut. Every row has a key, a hash of the seed and of its number. The sample of n
rows of a class are those with the n least keys, so that a smaller sample is the beginning of a larger one, and a row's
key tells whether it was drawn.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates import Front, SearchResult, class_weights, settled_weight
from crystalogic.crystal import Crystal, join_crystals
from crystalogic.decision import classes_of
from crystalogic.encoding.encoding import Encoding, column_names
from crystalogic.encoding.survey import Survey, survey
from crystalogic.encoding.values import SparseColumns
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.parts import Part, Parts, join_parts, refuse_mixture
from crystalogic.progress import Clock, Stop
from crystalogic.request import MOST_CLASSES, Request

Encode = Callable[[Any, "Array | None", Survey], Encoding]  # of a sample, its weights, and the survey of all rows
# of what is asked, an encoding, rows, their targets and weights, and which of them only judge
Learn = Callable[[Request, Encoding, Any, Array, "Array | None", Array], tuple[Encoding, SearchResult]]
EVEN = 1.01  # classes drawn at rates this close are drawn alike
LEAST = 4096  # rows of each class, where there are so many: a rare class is drawn more densely
FEWEST, MOST = 8192, 40_000  # rows of the sample: one half is learned from, the other judges
MOST_VALUES = 1 << 25  # of the sample as it came: fewer rows of a wide table
MOST_TRUTHS = 1 << 26  # of the sample as facts
MANY = 40  # facts of a column whose values are many


def keys_of(first_row: int, n: int, seed: int) -> Array:
    """The keys of rows with consecutive numbers, uniform in 0 … 2⁶⁴-1 (splitmix64)."""
    start = (seed * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) % 2**64
    x = np.arange(first_row, first_row + n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(start)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


@dataclass(frozen=True)
class Sample:
    """Rows drawn, in ascending order of their keys, with the codes of their classes (0 for truth degrees) and weights.
    `last` is the greatest key drawn of each class; `rate` says how many rows of its class a drawn row stands for."""

    rows: Any
    target: Array
    code: Array
    weight: Array | None
    key: Array
    last: Array
    rate: Array

    @property
    def table_weight(self) -> Array | None:
        """How many rows of the table each row stands for, times its weight; None where all are alike."""
        if self.rate.max() <= EVEN * self.rate.min():
            return self.weight
        return np.asarray(self.rate[self.code] * (1.0 if self.weight is None else self.weight))

    def last_of(self, share: float) -> Array:
        """The greatest key of each class in a smaller sample, with this share of its rows."""
        of_classes = (self.key[self.code == code] for code in range(len(self.last)))
        return np.array([keys[ceil(share * len(keys)) - 1] for keys in of_classes], np.uint64)


def rows_within(n_rows: int, values_a_row: float, n_facts: int) -> int:
    """How many rows of a table are drawn; a sparse one has fewer stored values a row than columns. It follows from the
    table alone, so that the same table gives the same rule anywhere."""
    return int(max(FEWEST, min(MOST, MOST_VALUES / max(1.0, values_a_row), MOST_TRUTHS / n_facts, n_rows / 2)))


def sizes_of(counts: Sequence[int], n: int) -> list[int]:
    """How many rows of each class to draw: its share of n, at least LEAST, and at most half of what there is."""
    total = sum(counts)
    return [min(max(round(n * count / total), LEAST), max(1, count // 2)) for count in counts]


def draw(parts: Parts, counts: Sequence[int], n: int, seed: int, classes: Array | None) -> Sample:
    """A sample of about n rows, stratified by class."""
    wanted = sizes_of(counts, n)
    # so many and a few more, of which the least are kept
    bounds = (min(1.0, (size + 6 * size**0.5 + 20) / count) for size, count in zip(wanted, counts, strict=True))
    limits = np.array([min(2**64 - 1, int(bound * 2**64)) for bound in bounds], np.uint64)
    drawn, keys, all_codes = zip(*parts.each(partial(_draw, seed=seed, limits=limits, classes=classes)), strict=True)
    together, key, code = join_parts(drawn), np.concatenate(keys), np.concatenate(all_codes)
    kept = np.zeros(len(key), bool)
    last, rate = np.zeros(len(counts), np.uint64), np.ones(len(counts))
    for index, size in enumerate(wanted):
        here = np.flatnonzero(code == index)
        least = here[np.argsort(key[here])[:size]]
        kept[least] = True
        last[index], rate[index] = key[least].max(), counts[index] / len(least)
    order = np.flatnonzero(kept)
    order = order[np.argsort(key[order])]
    sample = together.take(order)
    return Sample(sample.rows, sample.target, code[order], sample.weight, key[order], last, rate)


def _draw(part: Part, seed: int, limits: Array, classes: Array | None) -> tuple[Part, Array, Array]:
    """The rows of a part that may be in the sample, with their keys and classes."""
    key, code = keys_of(part.first_row, len(part), seed), codes_of(part.target, classes)
    chosen = np.flatnonzero(key <= limits[code])
    return part.take(chosen), key[chosen], code[chosen]


def codes_of(target: Array, classes: Array | None) -> Array:
    """The index of each row's class; 0 for truth degrees."""
    return np.zeros(len(target), np.int64) if classes is None else np.searchsorted(classes, target)


@dataclass(frozen=True)
class Overview:
    """The survey of the columns, and the number of rows and their weight for each class (None for truth degrees)."""

    survey: Survey
    counts: Counter[Any]
    mass: Counter[Any]
    n_values: int

    def join(self, other: "Overview") -> "Overview":
        """The overview of these rows and the other's after them; a part without rows says nothing."""
        if not (self.n_rows and other.n_rows):
            return self if self.n_rows else other
        counts, mass = self.counts + other.counts, self.mass + other.mass
        return Overview(self.survey.join(other.survey), counts, mass, self.n_values + other.n_values)

    @property
    def n_rows(self) -> int:
        return self.survey.n_rows

    @property
    def classes(self) -> Array | None:
        """The classes in order; None for truth degrees."""
        return None if None in self.counts else np.unique(np.array(list(self.counts)))

    def of_class(self, what: Counter[Any]) -> list[Any]:
        """Counts or masses in the order of the classes."""
        return [what[None]] if self.classes is None else [what[label] for label in self.classes.tolist()]

    @property
    def order(self) -> tuple[int, ...]:
        """The classes from the heaviest on; empty for truth degrees."""
        mass = [] if self.classes is None else self.of_class(self.mass)
        return tuple(int(index) for index in np.argsort(-np.array(mass), kind="stable"))


def look_over(parts: Parts, *, degrees: bool, kinds: Mapping[str, Any], missing: frozenset[str]) -> Overview:
    """The overview of a table; an error for a target that cannot be learned."""
    overview = parts.fold(partial(_look, degrees=degrees, kinds=kinds, missing=missing), Overview.join)
    if overview is None or not overview.n_rows:
        refuse(TrainingDataError, "the table has no rows; there is nothing to learn from.")
    if not degrees:
        refuse_mixture(overview.counts)
    n_classes, n_heavy = len(overview.counts), sum(mass > 0 for mass in overview.mass.values())
    if not degrees and not 2 <= n_classes <= MOST_CLASSES:
        refuse(TrainingDataError, f"expected between two and {MOST_CLASSES} classes, got {n_classes:,}.")
    if n_heavy == 0:
        refuse(TrainingDataError, "every row has the weight 0; there is nothing to learn.")
    if not degrees and n_heavy < 2:
        refuse(TrainingDataError, "all rows that weigh something have the same target; there is nothing to learn.")
    return overview


def _look(part: Part, *, degrees: bool, kinds: Mapping[str, Any] | None, missing: frozenset[str]) -> Overview:
    found, codes = part.classes(degrees=degrees)
    sums = (np.bincount(codes, weight, len(found)).tolist() for weight in (None, part.weight))
    counts, mass = (Counter(dict(zip(found.tolist(), each, strict=True))) for each in sums)
    n_values = part.rows.n_stored if isinstance(part.rows, SparseColumns) else len(part) * len(column_names(part.rows))
    surveyed = survey(part.rows, part.first_row, weight=part.weight, kinds=kinds, missing=missing)
    return Overview(surveyed, counts, mass, n_values)


def learn_in_stages(
    parts: Parts, overview: Overview, request: Request, encode: Encode, learn: Learn
) -> tuple[Encoding, SearchResult, Sample]:
    """The rule of a table too long to be learned whole, its encoding and the sample; the same however it is cut."""
    clock, call = Clock(request.time_budget), request.callback
    # about as many facts as a column has values, where these are few
    n_facts = sum(MANY if each.texts is None else min(MANY, len(each.texts)) for each in overview.survey.columns)
    n = rows_within(overview.n_rows, overview.n_values / overview.n_rows, max(1, n_facts))
    drawn = draw(parts, overview.of_class(overview.counts), n, request.seed, overview.classes)
    weight = drawn.table_weight
    encoding = encode(drawn.rows, None if weight is None else settled_weight(weight, len(weight)), overview.survey)
    last = drawn.last_of(0.5)
    one_more = call and (lambda progress: call(replace(progress, total=progress.total + 1)))  # the scores of all rows
    asked = replace(request, callback=one_more, time_budget=clock.left)
    encoding, found = learn(asked, encoding, drawn.rows, drawn.target, weight, drawn.key > last[drawn.code])
    found = found if len(found.fronts) > 1 else replace(found, order=overview.order)
    try:
        found = _score(parts, overview, found, encoding, last, request)
    except KeyboardInterrupt:
        judged = f"these scores are of the {len(drawn.key):,} rows of the sample"
        reason = f"interrupted before all rows were scored; {judged}"
        fronts = tuple(replace(front, reason=reason) for front in found.fronts)
        found = replace(found, fronts=fronts, stop=Stop.INTERRUPTED)
    return encoding, replace(found, seconds=clock.seconds), drawn


def _score(
    parts: Parts, overview: Overview, found: SearchResult, encoding: Encoding, last: Array, request: Request
) -> SearchResult:
    """The fronts with their scores on all rows, and on those beyond the last keys that something was learned from."""
    rows = zip(*(front.candidates for front in found.fronts), strict=True)  # one place in all fronts is a list of rules
    crystals = [join_crystals([each.crystal for each in row]).narrow() for row in rows]
    order = found.order if len(found.fronts) > 1 else ()
    tally = score(parts, Judge(encoding, crystals, overview.classes, order, last, request.seed))
    classes, mass = overview.classes, np.array(overview.of_class(overview.mass))
    weight = np.ones(1) if classes is None else class_weights(classes, mass, request.class_weight)
    weight = weight * (overview.n_rows / (weight @ mass))  # together all rows weigh as much as there are
    (training, unseen), (_, error) = (each.tolist() for each in tally.scores(weight))
    scored = []
    for front in found.fronts:
        candidates = tuple(
            replace(each, training=right, cross_validated=judged, standard_error=spread)
            for each, right, judged, spread in zip(front.candidates, training, unseen, error, strict=True)
        )
        scored.append(Front(candidates, front.chosen_index, f"{front.reason}; scored on all {overview.n_rows:,} rows"))
    return replace(found, fronts=tuple(scored))


@dataclass(frozen=True)
class Tally:
    """For all rows and those outside the sample, by class: how many there are, and (× formulas) the sums of what was
    lost and of its squares. Without weights of rows these are whole numbers: the same however the table is cut."""

    n: Array
    sums: Array
    squares: Array

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.n + other.n, self.sums + other.sums, self.squares + other.squares)

    def scores(self, weight: Array) -> tuple[Array, Array]:
        """The scores of each formula on all rows and on unseen ones, by the weight of each class, and standard errors.
        Of a class that was drawn densely few rows are unseen; they weigh more, so that it is as heavy as in the table.
        """
        (n_classes, n_unseen), n = self.n, self.n.sum(axis=1)
        weights = np.stack([weight, weight * (n[1] / n[0] / (np.maximum(n_unseen, 1) / n_classes))])[:, None]
        mean, square = ((each[:, 0].T / n).T for each in (weights @ self.sums, weights**2 @ self.squares))
        return 1 - mean, np.sqrt(np.maximum(square - mean**2, 0).T / n).T


@dataclass(frozen=True)
class Judge:
    """What formulas lose on the rows of a part.

    A formula is for the second of two classes, or for truth degrees (`classes` None). With an `order` of the classes a
    crystal has a formula for each, and what they decide together is judged. A row loses 1 for the wrong class, or the
    wrong side of 1/2; of truth degrees it loses the error. `last` are the greatest keys of the sample, by class.
    """

    encoding: Encoding
    crystals: Sequence[Crystal]
    classes: Array | None
    order: tuple[int, ...]
    last: Array
    seed: int

    def __call__(self, part: Part) -> Tally:
        code, names = codes_of(part.target, self.classes), self.names
        truths = self.encoding.transform(part.rows, names, first_row=part.first_row)
        place = {name: index for index, name in enumerate(names)}
        losses = np.empty((len(part), len(self.crystals)))
        for index, crystal in enumerate(self.crystals):
            degrees = crystal.run_rows(truths[:, [place[name] for name in crystal.inputs]])
            if self.order:
                losses[:, index] = classes_of(degrees, self.order) != code
            elif self.classes is None:
                losses[:, index] = np.abs(degrees[:, 0] - np.asarray(part.target, np.float32))
            else:
                losses[:, index] = (degrees[:, 0] >= 0.5) != (code == 1)
        losses *= 1.0 if part.weight is None else part.weight[:, None]
        is_unseen = keys_of(part.first_row, len(part), self.seed) > self.last[code]
        is_class = code == np.arange(len(self.last))[:, None]
        counted = np.stack([is_class, is_class & is_unseen]).astype(np.float64)
        return Tally(counted.sum(axis=2), counted @ losses, counted @ losses**2)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for crystal in self.crystals for name in crystal.inputs))


def score(parts: Parts, judge: Judge) -> Tally:
    """What all formulas of a judge lose; one pass over the table."""
    if (found := parts.fold(judge, Tally.__add__, judge.encoding.columns_of(judge.names))) is None:
        refuse(TrainingDataError, "the table has no rows any more.")
    return found
