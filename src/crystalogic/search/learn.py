"""Learn from a table: fill the front on all rows, judge each size by cross-validation, choose."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.annealing import Annealing
from crystalogic.candidates.front import Candidate, Front
from crystalogic.candidates.knowledge import NOTHING, Knowledge, keeps_to
from crystalogic.candidates.result import SearchResult
from crystalogic.candidates.weights import are_counts, class_weights, settled_weight
from crystalogic.crystal import Crystal, join_crystals
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features
from crystalogic.progress import Callback, Clock, Stop
from crystalogic.search.crossval import constants_of
from crystalogic.search.problem import FormulaProblem, fronts_of
from crystalogic.search.states import output_of
from crystalogic.search.table import SearchTable, make_table, merged
from crystalogic.search.together import ALWAYS, NEVER, Choice, Jury, choose_together
from crystalogic.search.warm import compile_kernels

Array = NDArray[Any]


def search(
    X: ArrayLike | Features,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    strategy: Annealing | None = None,
    *,
    degrees: bool = False,
    knowledge: Knowledge = NOTHING,
    seed: int = 0,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Hashable, float] | None = None,
    callback: Callback | None = None,
    time_budget: float | None = None,
) -> SearchResult:
    """Short formulas for a table of truth values (rows × features in [0,1]), with the front they were chosen from.

    `y` holds the classes: two give one formula (for the greater of them), more give one formula for each. With
    `degrees` it holds truth degrees in [0,1]. `class_weight` is "balanced" or a weight for each class. Nothing but the
    given rows is seen, and the seed alone decides the result, unless a time budget, a callback or Ctrl-C ends it early.

    >>> X = [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]] * 8
    >>> print(search(X, [a and b for a, b, _ in X], names=["a", "b", "c"]).formula)
    a ⊗ b
    """
    return learn(
        X,
        y,
        names,
        strategy or Annealing(),
        degrees=degrees,
        knowledge=knowledge,
        seed=seed,
        sample_weight=sample_weight,
        class_weight=class_weight,
        callback=callback,
        time_budget=time_budget,
    )


def learn(
    X: ArrayLike | Features,
    y: ArrayLike,
    names: Sequence[str] | None,
    settings: Annealing,
    *,
    degrees: bool,
    knowledge: Knowledge,
    seed: int,
    sample_weight: ArrayLike | None,
    class_weight: str | Mapping[Hashable, float] | None,
    callback: Callback | None,
    time_budget: float | None,
    crystal: Crystal | None = None,
) -> SearchResult:
    """What `search` and `polish` share: one front for each formula; with a crystal, the fronts that start from it."""
    if time_budget is not None:
        compile_kernels()  # once on a machine, no part of the budget
    clock = Clock(time_budget, callback)
    features, y, own, count = _present(X, y, names, sample_weight)
    classes: tuple[Hashable, ...] | None = None
    order: tuple[int, ...] = ()
    if degrees:
        if class_weight is not None:
            message = "class_weight goes with classes; for truth degrees give sample_weight."
            raise TrainingDataError(message)
        targets, weight = [y], own
    else:
        found, codes = np.unique(y, return_inverse=True)
        if y.ndim != 1 or len(found) < 2:
            message = (
                f"expected a class for each row and at least two classes, got {len(found)} in the shape {y.shape}."
            )
            raise TrainingDataError(message)
        mass = np.bincount(codes, weights=own)
        weight = own * class_weights(found, mass, class_weight)[codes]
        targets = [codes] if len(found) == 2 else [codes == index for index in range(len(found))]
        order = tuple(int(i) for i in np.lexsort((np.arange(len(found)), -mass)))
        classes = tuple(found.tolist())
    settings = settings.graded_for(len(targets))
    table, labels = _table(features, targets[0], weight, count, None if degrees else codes)
    refuse_knowledge(knowledge, settings, table.names, len(targets), crystal)
    problems = []
    for index in range(len(targets)):
        one = table if len(targets) == 1 else replace(table, target=(labels == index) * np.float32(table.one))
        begin = None if crystal is None else output_of(crystal, index)
        start = None if knowledge.start is None else output_of(knowledge.start, index)
        problems.append(FormulaProblem(one, replace(knowledge, start=start), seed + index, begin))
    spread = table.target >= table.one / 2 if degrees else labels
    fronts, held = fronts_of(problems, spread, settings, seed, clock)
    if len(fronts) > 1 and held:
        jury = Jury(held, labels, table.weight / table.count, seed)
        constants = constants_of([problem.table for problem in problems], knowledge)
        fronts, order = chosen_together(fronts, constants, jury, order, settings)
    fronts = [front.over(table.names) for front in fronts]
    chosen = join_crystals([front.chosen.crystal for front in fronts])
    return SearchResult(chosen, tuple(fronts), classes, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _table(
    features: Features, target: Array, weight: Array, count: Array, codes: Array | None
) -> tuple[SearchTable, Array]:
    """The table of merged rows and their labels: the codes of their classes, or the target itself."""
    table = make_table(features, target, weight, is_class=codes is not None)
    return merged(table, table.target if codes is None else codes, weight, count)


def refuse_knowledge(
    knowledge: Knowledge, settings: Annealing, names: Sequence[str], n_formulas: int, crystal: Crystal | None = None
) -> None:
    """A TrainingDataError for knowledge, or a crystal to begin with, that these features and formulas cannot have."""
    if n_formulas > 1 and knowledge.monotone:
        message = "directions need two classes or truth degrees: with more classes, no formula alone decides."
        raise TrainingDataError(message)
    for given in (crystal, knowledge.start):
        if given is not None and len(given.outputs) != n_formulas:
            message = f"the crystal has {len(given.outputs)} outputs, the target needs {n_formulas}."
            raise TrainingDataError(message)
    if len(knowledge.required) > settings.max_literals:
        message = (
            f"{len(knowledge.required)} truth values are required, more than a formula may have "
            f"(max_literals = {settings.max_literals}). Require fewer, or allow longer formulas."
        )
        raise TrainingDataError(message)
    if not knowledge.permitted(names).any():
        message = "every feature is forbidden; there is nothing left to learn from."
        raise TrainingDataError(message)
    for given in (crystal, knowledge.start):
        if given is not None:
            _refuse_against(given, names, knowledge)


def _refuse_against(crystal: Crystal, names: Sequence[str], knowledge: Knowledge) -> None:
    """A TrainingDataError for a crystal to start from that no search may keep; what it lacks can still be added."""
    Knowledge(start=crystal).refuse_unknown(names)
    bounds = [Knowledge(monotone={name: sign}) for name, sign in knowledge.monotone.items()]
    bounds += [Knowledge(forbidden=[name]) for name in knowledge.forbidden]
    for bound in bounds:
        for index in range(len(crystal.outputs)):
            if not keeps_to(output_of(crystal, index), bound):
                message = f"the formula to start from goes against a constraint: {bound}. Change one of them."
                raise TrainingDataError(message)


def chosen_together(
    fronts: Sequence[Front],
    constants: Sequence[tuple[Candidate, ...]],
    jury: Jury,
    order: tuple[int, ...],
    settings: Annealing,
) -> tuple[list[Front], tuple[int, ...]]:
    """The fronts with the choices that are best together, and the order in which ties are decided.

    `constants` are the formulas 0 and 1 of each front, none where a formula must read something.
    """
    sizes = [[each.n_literals for each in front.candidates if 0 < each.n_literals <= jury.largest] for front in fronts]
    start = Choice(tuple(front.chosen.n_literals or NEVER for front in fronts), order)
    idle = (NEVER, ALWAYS) if all(constants) else ()
    choice = choose_together(jury, sizes, start, settings.standard_errors, idle)
    score = 1 - jury.mean(choice)
    reason = f"chosen together: on rows held out, the largest degree names the right class in {score:.1%}"
    found = zip(fronts, choice.sizes, constants, strict=True)
    return [_chosen(front, size, pair, reason) for front, size, pair in found], choice.order


def _chosen(front: Front, size: int, constants: tuple[Candidate, ...], reason: str) -> Front:
    """The front with the candidate of this size marked, a constant added where that is the choice."""
    candidates = tuple(each for each in front.candidates if each.n_literals)
    if size in (NEVER, ALWAYS):
        return Front((constants[size == ALWAYS], *candidates), 0, reason)
    return Front(candidates, [each.n_literals for each in candidates].index(size), reason)


def _present(
    X: ArrayLike | Features,
    y: ArrayLike,
    names: Sequence[str] | None,
    sample_weight: ArrayLike | None,
) -> tuple[Features, Array, Array, Array]:
    """The rows that weigh something, their targets and weights, and how many rows each stands for."""
    features, target = X if isinstance(X, Features) else Features.of_rows(X, names), np.asarray(y)
    weight = settled_weight(sample_weight, len(target))
    count = (weight if are_counts(weight) else np.ones(len(weight))).astype(np.int64)
    if weight.all() or features.n_rows != len(weight):
        return features, target, weight, count
    kept = np.flatnonzero(weight)
    return features.take(kept), target[kept], weight[kept], count[kept]
