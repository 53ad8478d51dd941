"""Learn from a table in parts: survey, sample, search in stages, judge on unseen rows, polish and score on all rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Encoding
from crystalogic.features import Features
from crystalogic.parts import Parts
from crystalogic.progress import Clock, Stop
from crystalogic.request import Request
from crystalogic.search import Annealing, Candidate, Front, Knowledge, SearchResult
from crystalogic.search.crossval import Tally, constants_of, judge, trimmed
from crystalogic.search.engine import Pool
from crystalogic.search.front import Judgement, choose
from crystalogic.search.learn import chosen_together, joined_crystals, refuse_knowledge
from crystalogic.search.learn import learn as search_counted
from crystalogic.search.rows import Rows, are_counts, rounding_of
from crystalogic.search.states import output_of, over, size_of
from crystalogic.search.together import Degrees, Held, Jury
from crystalogic.stages.merge import Merged, merged_parts
from crystalogic.stages.overview import Overview, weights_of_classes
from crystalogic.stages.plan import Plan
from crystalogic.stages.sample import Encode, Sample, encoded_sample
from crystalogic.stages.score import FormulaTarget, Scores, score
from crystalogic.stages.searches import Stages

Array = NDArray[Any]
JURY = 50_000  # rows held out to choose the formulas of several classes together
SEARCHED = 0.75  # of the rows drawn of a class at most, so that the jury has some
FEW = 0.25  # where a sample has no more different rows than this share, the whole table is merged
MOST_DIFFERENT = 50_000  # rows of the merged table
ROUNDS = 3  # of the polish on all rows


@dataclass(frozen=True)
class Learned:
    """The encoding, and what the search found."""

    encoding: Encoding
    result: SearchResult
    is_unseen: bool  # whether the sizes were judged on rows that no search saw; else by cross-validation


def learn_in_stages(
    parts: Parts,
    overview: Overview,
    request: Request,
    encode: Encode,
    knowledge_of: Callable[[Encoding], Knowledge],
) -> Learned:
    """The rule of a table too long to be searched whole; the same however the table is cut into parts.

    The request is one for a lattice search, `knowledge_of` what it declares of truth values.
    """
    clock = Clock(request.time_budget, request.callback)
    classes, plan = overview.classes, Plan.of(overview)
    if request.announce:
        request.announce(plan)
    several = classes is not None and len(classes) > 2
    drawn, encoding = encoded_sample(parts, overview, encode, plan.samples[-1] + JURY * several, request.seed)
    knowledge = knowledge_of(encoding)
    weight = weights_of_classes(overview, request.class_weight)
    n_formulas = len(weight) if several else 1
    refuse_knowledge(knowledge, request.lattice, encoding.names, n_formulas)
    if request.prepare:
        with clock.standing():
            request.prepare()
    features = encoding.features(drawn.rows)
    small = _merged_whole(parts, encoding, features, drawn)
    if small is not None:
        return Learned(encoding, _searched_whole(small, knowledge, request), is_unseen=False)
    aims = [FormulaTarget(classes, index if several else 1, weight) for index in range(n_formulas)]
    searched = drawn.first(plan.samples[-1], SEARCHED) if several else np.arange(len(drawn.key))
    settings = request.lattice.graded_for(n_formulas)
    stages = Stages(drawn.take(searched), features.take(searched), plan, settings, knowledge, request.seed)
    fronts, constants = _fronts(parts, stages, encoding, aims, clock)
    order = overview.order
    if several:
        rest = np.setdiff1d(np.arange(len(drawn.key)), searched)
        jury = _jury(fronts, features.take(rest), drawn.code[rest], weight * drawn.rate, request.seed)
        fronts, order = chosen_together(fronts, constants, jury, order, settings)
    crystal = joined_crystals([over(front.chosen.crystal, encoding.names) for front in fronts])
    known = None if classes is None else tuple(classes.tolist())
    stop = clock.stop or Stop.DONE
    result = SearchResult(crystal, tuple(fronts), known, knowledge, stop, clock.seconds, order)
    return Learned(encoding, result, is_unseen=True)


def _merged_whole(parts: Parts, encoding: Encoding, features: Features, drawn: Sample) -> Merged | None:
    """The different rows of the whole table, if the sample shows that they are few."""
    n = len(drawn.key)
    sampled = Merged.of(features, drawn.target, np.ones(n, np.int64), np.ones(n))
    return merged_parts(parts, encoding, MOST_DIFFERENT) if len(sampled.count) <= FEW * n else None


def _searched_whole(merged: Merged, knowledge: Knowledge, request: Request) -> SearchResult:
    """The ordinary search, with cross-validation, on all rows: each different one with how often it occurs."""
    return search_counted(
        merged.features,
        merged.target,
        merged.features.names,
        request.lattice,
        degrees=request.degrees,
        knowledge=knowledge,
        seed=request.seed,
        sample_weight=merged.weight,
        count=merged.weight if are_counts(merged.weight) else merged.count,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
    )


def _fronts(
    parts: Parts, stages: Stages, encoding: Encoding, aims: list[FormulaTarget], clock: Clock
) -> tuple[list[Front], list[tuple[Candidate, ...]]]:
    """The front of each aim, scored on all rows and judged on those that no search saw, and its constants 0 and 1."""
    clock.total = len(aims) * (stages.plan.n_restarts + 1) + 2
    start = stages.knowledge.start
    pools: list[Pool] = []
    for index, aim in enumerate(aims):
        with clock.part(index, len(aims)):
            pools.append(stages.search(parts, aim, [] if start is None else [output_of(start, index)], clock))
    try:
        return _scored_fronts(parts, stages, encoding, aims, pools, clock)
    except KeyboardInterrupt:
        clock.stop = Stop.INTERRUPTED
        return _sampled_fronts(pools, stages.settings, stages.knowledge)


def _sampled_fronts(
    pools: list[Pool], settings: Annealing, knowledge: Knowledge
) -> tuple[list[Front], list[tuple[Candidate, ...]]]:
    """The fronts as the sample knows them, where all rows were not seen in time."""
    empty = Front((), 0, "")
    fronts = [
        judge(pool, Tally(pool.rows, settings.max_literals), settings) if pool.front() else empty for pool in pools
    ]
    n = pools[0].rows.n_counted
    reason = f"interrupted before all rows were scored; these scores are of the {n:,} rows of the sample"
    constants = constants_of([pool.rows for pool in pools], knowledge)
    kept = [
        replace(front, candidates=front.candidates or (max(pair, key=lambda each: each.training),), reason=reason)
        for front, pair in zip(fronts, constants, strict=True)
    ]
    return kept, constants


def _scored_fronts(
    parts: Parts, stages: Stages, encoding: Encoding, aims: list[FormulaTarget], pools: list[Pool], clock: Clock
) -> tuple[list[Front], list[tuple[Candidate, ...]]]:
    """The fronts scored on all rows, and their constants, if nothing is required."""
    found = [[each.narrow() for _, _, each in trimmed(pool, stages.settings.min_gain)] for pool in pools]
    idle = [Crystal(encoding.names[:1], [Neuron([], [], value)], [1]) for value in (0, 1)]
    groups = [[*idle, *crystals] for crystals in found]
    asked = [(crystal, aim) for group, aim in zip(groups, aims, strict=True) for crystal in group]
    scores = score(parts, encoding, asked, stages.sample, stages.seed)
    clock.tick("score")
    fronts, constants, first = [], [], 0
    for group in groups:
        candidates = _candidates(group, scores, first)
        judged = scores.unseen.only(slice(first, first + len(group)))
        first += len(group)
        is_idle = not stages.knowledge.required
        constants.append(tuple(candidates[:2]) if is_idle else ())
        fronts.append(_front(candidates, judged, stages.settings, may_be_idle=is_idle))
    if len(fronts) == 1 and fronts[0].chosen.n_literals:
        fronts = [_polish(fronts[0], parts, stages, encoding, aims[0], pools[0].rows)]
    clock.tick("polish")
    return fronts, constants


def _candidates(crystals: Sequence[Crystal], scores: Scores, first: int) -> list[Candidate]:
    """Crystals with their scores, the first of which stands at this place."""
    found = []
    for place, crystal in enumerate(crystals, first):
        training, unseen, error = (
            each[place] for each in (scores.all_rows.mean, scores.unseen.mean, scores.unseen.error)
        )
        size = size_of(crystal)
        found.append(Candidate(crystal, size, len(crystal.live), 1 - float(training), 1 - float(unseen), float(error)))
    return found


def _front(candidates: list[Candidate], judged: Judgement, settings: Annealing, *, may_be_idle: bool) -> Front:
    """The candidates better on all rows than every shorter one, and the choice; the first two are constants."""
    constant = float(judged.mean[:2].min()) if may_be_idle else np.inf
    idle = max(candidates[:2], key=lambda each: each.training)
    kept: list[int] = []
    for place in range(2, len(candidates)):
        if not kept or candidates[place].training > candidates[kept[-1]].training:
            kept.append(place)
    front = tuple(candidates[place] for place in kept)
    if not front or 1 - constant >= max(each.cross_validated or 0 for each in front):
        return Front((idle, *front), 0, "no formula is better than the constant on rows it has not seen")
    chosen = choose(judged.only(np.array(kept)), settings.standard_errors, constant)
    reason = (
        f"the shortest within {settings.standard_errors:g} standard error of the best score on the "
        f"{int(judged.n):,} rows that no search saw; polished and scored on all rows"
    )
    return Front(front, chosen, reason)


def _polish(front: Front, parts: Parts, stages: Stages, encoding: Encoding, aim: FormulaTarget, rows: Rows) -> Front:
    """The front with its chosen formula exchanged for a neighbour as long as one is better on all rows."""
    chosen = front.chosen
    for _ in range(ROUNDS):
        near = [each.narrow() for each in stages.around(over(chosen.crystal, rows.names), rows)]
        if not near:
            break
        scores = score(parts, encoding, [(each, aim) for each in near], stages.sample, stages.seed)
        best = int(np.argmin(scores.all_rows.sums))
        training = 1 - float(scores.all_rows.mean[best])
        if training <= chosen.training:
            break
        chosen = replace(
            chosen,
            crystal=near[best],
            n_literals=size_of(near[best]),
            n_neurons=len(near[best].live),
            training=training,
        )
    shorter = tuple(each for each in front.candidates if each.n_literals < chosen.n_literals)
    longer = tuple(each for each in front.candidates if each.n_literals > front.chosen.n_literals)
    return Front((*shorter, chosen, *longer), len(shorter), front.reason)


def _jury(fronts: Sequence[Front], features: Features, code: Array, weight: Array, seed: int) -> Jury:
    """Rows that no search saw, with the degrees that the formulas of each class give them."""
    place = {name: index for index, name in enumerate(features.names)}
    largest = max(each.n_literals for front in fronts for each in front.candidates)
    degrees = []
    for front in fronts:
        each, off = np.zeros((features.n_rows, largest + 1), np.float32), np.zeros(largest + 1)
        for candidate in front.candidates:
            X = features.dense(np.array([place[name] for name in candidate.crystal.inputs])).T
            each[:, candidate.n_literals :] = candidate.crystal.run_rows(X)
            off[candidate.n_literals :] = rounding_of(candidate.crystal)
        degrees.append(Degrees(each, off))
    held = Held(np.arange(len(code)), np.ones(len(code)), tuple(degrees))
    return Jury([held], code, weight[code] / weight[code].mean(), seed)
