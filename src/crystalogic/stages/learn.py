"""Learn from a table in parts: look at all, draw a sample, learn from a half, judge on the other, score on all rows."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates import Front, SearchResult, class_weights, settled_weight
from crystalogic.crystal import join_crystals
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import column_names
from crystalogic.encoding.sparse import SparseColumns
from crystalogic.encoding.survey import Survey, survey
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.parts import Part, Parts, refuse_mixture
from crystalogic.progress import Clock, Progress, Stop
from crystalogic.request import Request
from crystalogic.stages.sample import Sample, draw, size_of_sample
from crystalogic.stages.score import Judge, score

MOST_CLASSES = 100
Encode = Callable[[Any, "Array | None", Survey], Encoding]  # of a sample, its weights, and the survey of all rows
Learn = Callable[[Request, Encoding, Any, Array, "Array | None", Array], tuple[Encoding, SearchResult]]
"""Of what is asked, an encoding, rows, their targets, their weights, and which of them only judge."""


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


def weights_of_classes(overview: Overview, class_weight: str | Mapping[Hashable, float] | None) -> Array:
    """What a row of each class weighs if its own weight is 1; together all rows weigh as much as there are."""
    classes, mass = overview.classes, np.array(overview.of_class(overview.mass))
    weight = np.ones(1) if classes is None else class_weights(classes, mass, class_weight)
    return np.asarray(weight * (overview.n_rows / (weight @ mass)))


def look_over(parts: Parts, *, degrees: bool, kinds: Mapping[str, Any], missing: frozenset[str]) -> Overview:
    """The overview of a table; an error for a target that cannot be learned."""
    overview = parts.fold(partial(_look, degrees=degrees, kinds=kinds, missing=missing), Overview.join)
    if overview is None or not overview.n_rows:
        refuse(TrainingDataError, "the table has no rows; there is nothing to learn from.")
    if not degrees:
        refuse_mixture(overview.counts)
    n_classes, n_heavy = len(overview.counts), sum(mass > 0 for mass in overview.mass.values())
    strange = f"expected between two and {MOST_CLASSES} classes, got {n_classes:,}."
    problems = {
        strange: not degrees and not 2 <= n_classes <= MOST_CLASSES,
        "every row has the weight 0; there is nothing to learn.": n_heavy == 0,
        "all rows that weigh something have the same target; there is nothing to learn.": not degrees and n_heavy < 2,
    }
    refuse_first(TrainingDataError, problems)
    return overview


def _look(part: Part, *, degrees: bool, kinds: Mapping[str, Any] | None, missing: frozenset[str]) -> Overview:
    found, codes = part.classes(degrees=degrees)
    labels = found.tolist()
    counts = np.bincount(codes, minlength=len(labels)).tolist()
    mass = np.bincount(codes, weights=part.weight, minlength=len(labels)).tolist()
    is_sparse = isinstance(part.rows, SparseColumns)
    n_values = part.rows.n_stored if is_sparse else len(part) * len(column_names(part.rows))
    surveyed = survey(part.rows, part.first_row, weight=part.weight, kinds=kinds, missing=missing)
    counted, weighed = (Counter(dict(zip(labels, each, strict=True))) for each in (counts, mass))
    return Overview(surveyed, counted, weighed, n_values)


def learn_in_stages(
    parts: Parts, overview: Overview, request: Request, encode: Encode, learn: Learn
) -> tuple[Encoding, SearchResult, Sample]:
    """The rule of a table too long to be learned whole, its encoding and the sample; the same however it is cut."""
    clock = Clock(request.time_budget)
    n = size_of_sample(overview.survey.columns, overview.n_rows, overview.n_values)
    drawn = draw(parts, overview.of_class(overview.counts), n, request.seed, overview.classes)
    weight = drawn.table_weight
    settled = None if weight is None else settled_weight(weight, len(weight))
    encoding = encode(drawn.rows, settled, overview.survey)
    learned = drawn.first(0.5)
    only_judge = np.ones(len(drawn.key), bool)
    only_judge[learned] = False
    asked = replace(request, callback=_leave_one(request), time_budget=clock.left)
    encoding, found = learn(asked, encoding, drawn.rows, drawn.target, weight, only_judge)
    found = found if len(found.fronts) > 1 else replace(found, order=overview.order)
    try:
        found = _score(parts, overview, found, encoding, drawn.take(learned), request)
    except KeyboardInterrupt:
        judged = f"these scores are of the {len(drawn.key):,} rows of the sample"
        reason = f"interrupted before all rows were scored; {judged}"
        fronts = tuple(replace(front, reason=reason) for front in found.fronts)
        found = replace(found, fronts=fronts, stop=Stop.INTERRUPTED)
    return encoding, replace(found, seconds=clock.seconds), drawn


def _leave_one(request: Request) -> Callable[[Progress], Any] | None:
    """The callback, told that one more part is to come: the scores of all rows."""
    call = request.callback
    return None if call is None else lambda progress: call(replace(progress, total=progress.total + 1))


def _score(
    parts: Parts, overview: Overview, found: SearchResult, encoding: Encoding, learned: Sample, request: Request
) -> SearchResult:
    """The fronts with their scores on all rows, and on those that nothing was learned from."""
    rows = zip(*(front.candidates for front in found.fronts), strict=True)  # one place in all fronts is a list of rules
    crystals = [join_crystals([each.crystal for each in row]).narrow() for row in rows]
    order = found.order if len(found.fronts) > 1 else ()
    scores = score(parts, Judge(encoding, crystals, overview.classes, order, learned.last, request.seed))
    weight = weights_of_classes(overview, request.class_weight)
    training, _ = scores.all_rows.scores(weight)
    unseen, error = scores.unseen.scores(weight * scores.unseen_weight)
    told = list(zip(training.tolist(), unseen.tolist(), error.tolist(), strict=True))
    scored = []
    for front in found.fronts:
        candidates = tuple(
            replace(each, training=all_rows, cross_validated=new_rows, standard_error=off)
            for each, (all_rows, new_rows, off) in zip(front.candidates, told, strict=True)
        )
        scored.append(Front(candidates, front.chosen_index, f"{front.reason}; scored on all {overview.n_rows:,} rows"))
    return replace(found, fronts=tuple(scored))
