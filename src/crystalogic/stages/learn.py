"""Learn from a table in parts: draw a sample, learn from a half, judge on the other, score on all rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Front, SearchResult
from crystalogic.candidates.weights import settled_weight
from crystalogic.crystal import join_crystals
from crystalogic.encoding import Encoding
from crystalogic.encoding.survey import Survey
from crystalogic.parts import Parts
from crystalogic.progress import Clock, Progress, Stop
from crystalogic.request import Request
from crystalogic.stages.overview import Overview, weights_of_classes
from crystalogic.stages.sample import Sample, draw, size_of_sample
from crystalogic.stages.score import FormulaTarget, score

Encode = Callable[[Any, "Array | None", Survey], Encoding]  # of a sample, its weights, and the survey of all rows
Learn = Callable[[Request, Encoding, Any, Array, "Array | None", Array], tuple[Encoding, SearchResult]]
"""Of what is asked, an encoding, rows, their targets, their weights, and which of them only judge."""


def learn_in_stages(
    parts: Parts, overview: Overview, request: Request, encode: Encode, learn: Learn
) -> tuple[Encoding, SearchResult, Sample]:
    """The rule of a table too long to be learned whole, its encoding and the sample; the same however it is cut."""
    clock = Clock(request.time_budget)
    n, counts = size_of_sample(overview), overview.of_class(overview.counts)
    drawn = draw(parts, counts, n, request.seed, overview.classes)
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
        reason = (
            f"interrupted before all rows were scored; these scores are of the {len(drawn.key):,} rows of the sample"
        )
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
    classes = overview.classes
    rows = zip(*(front.candidates for front in found.fronts), strict=True)  # one place in all fronts is a list of rules
    crystals = [join_crystals([each.crystal for each in row]).narrow() for row in rows]
    aim = FormulaTarget(classes, found.order if len(found.fronts) > 1 else ())
    scores = score(parts, encoding, crystals, aim, learned, request.seed)
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
