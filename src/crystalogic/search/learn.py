"""Learn from a table: fill the front on all rows, judge each size by cross-validation, choose."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.front import SearchResult
from crystalogic.candidates.knowledge import NOTHING, Knowledge, keeps_to
from crystalogic.candidates.weights import are_counts, class_weights, settled_weight
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.features import Features
from crystalogic.progress import Callback, Clock, Stop
from crystalogic.search.crossval import FormulaProblem, front_of
from crystalogic.search.table import make_rows, merge_equal
from crystalogic.search.warm import compile_kernels


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
    crystal: Crystal | None = None,
) -> SearchResult:
    """Short formulas for a table of truth values (rows × features in [0,1]), with the front they were chosen from.

    `y` holds two classes, and the formula is for the greater of them. With `degrees` it holds truth degrees in [0,1].
    `class_weight` is "balanced" or a weight for each class. Nothing but the given rows is seen, and the seed alone
    decides the result, unless a time budget, a callback or Ctrl-C ends it early. With a `crystal` the front is what
    the search passes through that starts there (`polish`).

    >>> X = [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]] * 8
    >>> print(search(X, [a and b for a, b, _ in X], names=["a", "b", "c"]).formula)
    a ⊗ b
    """
    settings = strategy or Annealing()
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
        codes, weight = None, own
    else:
        found, codes = np.unique(y, return_inverse=True)
        if y.ndim != 1 or len(found) != 2:
            message = f"the search learns two classes, one for each row; got {len(found)} in the shape {y.shape}."
            raise TrainingDataError(message)
        mass = np.bincount(codes, weights=own)
        weight = own * class_weights(found, mass, class_weight)[codes]
        order = tuple(int(i) for i in np.argsort(-mass, kind="stable"))
        classes = tuple(found.tolist())
    goal = y if codes is None else codes
    rows = merge_equal(make_rows(features, goal, None, weight, is_class=not degrees), weight, count)
    refuse_knowledge(knowledge, settings, rows.names, crystal)
    front = front_of(FormulaProblem(rows, knowledge, seed, settings, crystal), clock).over(rows.names)
    chosen = front.chosen.crystal
    return SearchResult(chosen, (front,), classes, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def polish(
    crystal: Crystal,
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    strategy: Annealing | None = None,
    **options: Any,
) -> SearchResult:
    """A crystal, of a gradient strategy or an expert's formula, annealed from where it stands.

    The size is chosen as in `search`, whose other options are taken too: each size is judged by formulas learned anew
    without the rows they are judged on, so that what the crystal already knows of those rows does not count. `names`
    default to the crystal's inputs.
    """
    return search(X, y, names or crystal.inputs, strategy, crystal=crystal, **options)


def refuse_knowledge(
    knowledge: Knowledge, settings: Annealing, names: Sequence[str], crystal: Crystal | None = None
) -> None:
    """A TrainingDataError for knowledge, or a crystal to begin with, that no formula over these features can have."""
    for given in (crystal, knowledge.start):
        if given is not None and len(given.outputs) != 1:
            message = f"the crystal has {len(given.outputs)} outputs, the target needs 1."
            raise TrainingDataError(message)
    n, most = len(knowledge.required), settings.max_literals
    too_many = (
        f"{n} truth values are required, more than a formula may have (max_literals = {most}). "
        "Require fewer, or allow longer formulas."
    )
    nothing = "every feature is forbidden; there is nothing left to learn from."
    refuse_first(TrainingDataError, {too_many: n > most, nothing: not knowledge.permitted(names).any()})
    for given in (crystal, knowledge.start):
        if given is not None:
            _refuse_against(given, names, knowledge)


def _refuse_against(crystal: Crystal, names: Sequence[str], knowledge: Knowledge) -> None:
    """A TrainingDataError for a crystal to start from that no search may keep; what it lacks can still be added."""
    Knowledge(start=crystal).refuse_unknown(names)
    bounds = [Knowledge(monotone={name: sign}) for name, sign in knowledge.monotone.items()]
    bounds += [Knowledge(forbidden=[name]) for name in knowledge.forbidden]
    for bound in bounds:
        if not keeps_to(crystal, bound):
            message = f"the formula to start from goes against a constraint: {bound}. Change one of them."
            raise TrainingDataError(message)


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
