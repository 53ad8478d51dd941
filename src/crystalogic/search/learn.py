"""Learn from a table: fill the front on all rows, judge each size by cross-validation, choose."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError
from crystalogic.search.clock import Callback, Clock, Stop
from crystalogic.search.crossval import Tally, constant_of, folds_of, in_threads, judge, losses_of
from crystalogic.search.engine import FOLD, FULL, SHORT, Pool, fill, fill_from
from crystalogic.search.front import Front
from crystalogic.search.knowledge import NOTHING, Knowledge
from crystalogic.search.result import SearchResult
from crystalogic.search.rows import Rows, checked_weight, make_rows, merged
from crystalogic.search.states import output_of
from crystalogic.search.strategy import Annealing

Array = NDArray[Any]


def search(
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    strategy: Annealing | None = None,
    *,
    degrees: bool = False,
    knowledge: Knowledge = NOTHING,
    seed: int = 0,
    sample_weight: ArrayLike | None = None,
    class_weight: str | dict[Hashable, float] | None = None,
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
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None,
    settings: Annealing,
    *,
    degrees: bool,
    knowledge: Knowledge,
    seed: int,
    sample_weight: ArrayLike | None,
    class_weight: str | dict[Hashable, float] | None,
    callback: Callback | None,
    time_budget: float | None,
    crystal: Crystal | None = None,
) -> SearchResult:
    """What `search` and `polish` share: one front for each formula; with a crystal, the fronts that start from it."""
    clock = Clock(time_budget, callback)
    X, y, counted = _present(X, y, sample_weight)
    classes: tuple[Hashable, ...] | None = None
    order: tuple[int, ...] = ()
    if degrees:
        if class_weight is not None:
            message = "class_weight goes with classes; for truth degrees give sample_weight."
            raise TrainingDataError(message)
        targets, weight = [y], counted
    else:
        found, codes = np.unique(y, return_inverse=True)
        if y.ndim != 1 or len(found) < 2:
            message = (
                f"expected a class for each row and at least two classes, got {len(found)} in the shape {y.shape}."
            )
            raise TrainingDataError(message)
        weight = _weights(found, codes, counted, class_weight)
        targets = [codes] if len(found) == 2 else [codes == index for index in range(len(found))]
        order = tuple(int(i) for i in np.lexsort((np.arange(len(found)), -np.bincount(codes, weights=counted))))
        classes = tuple(found.tolist())
    for given in (crystal, knowledge.start):
        if given is not None and len(given.outputs) != len(targets):
            message = f"the crystal has {len(given.outputs)} outputs, the target needs {len(targets)}."
            raise TrainingDataError(message)
    fronts = []
    count = counted.astype(np.int64) if (counted == np.rint(counted)).all() else np.ones(len(counted), np.int64)
    for index, target in enumerate(targets):
        rows = merged(make_rows(X, target, names, weight, is_class=not degrees), weight, count)
        begin = None if crystal is None else output_of(crystal, index)
        start = None if knowledge.start is None else output_of(knowledge.start, index)
        with clock.part(index, len(targets)):
            fronts.append(_front(rows, settings, replace(knowledge, start=start), seed + index, clock, begin))
    chosen = _merged([front.chosen.crystal for front in fronts])
    return SearchResult(chosen, tuple(fronts), classes, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _present(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Array, Array, Array]:
    """The rows that weigh something, their targets and their weights."""
    features, target = np.asarray(X), np.asarray(y)
    weight = checked_weight(sample_weight, len(target))
    if weight.all() or len(features) != len(weight):
        return features, target, weight
    return features[weight > 0], target[weight > 0], weight[weight > 0]


def _weights(classes: Array, codes: Array, weight: Array, class_weight: str | dict[Hashable, float] | None) -> Array:
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            message = f"class_weight is 'balanced', a weight for each class, or None. Got {class_weight!r} instead."
            raise TrainingDataError(message)
        total = np.bincount(codes, weights=weight, minlength=len(classes))
        return np.asarray(weight / np.maximum(total, 1e-300)[codes])
    each = np.array(
        [class_weight.get(label.item() if isinstance(label, np.generic) else label, 1.0) for label in classes]
    )
    return np.asarray(weight * each[codes])


def _front(
    rows: Rows, settings: Annealing, knowledge: Knowledge, seed: int, clock: Clock, crystal: Crystal | None
) -> Front:
    """The front on all rows, judged by cross-validation inside them.

    The first repeat judges every size. The others need only tell apart the sizes that can still be chosen, so they stop
    a little above twice the size that is best so far, and are left out where the choice is clear.
    """
    knowledge.refuse_unknown(rows.names)
    starts = [knowledge.start] if knowledge.start else []
    repeats = [
        folds_of(rows, settings.folds, seed * 7919 + repeat) for repeat in range(settings.n_repeats(rows.n_counted))
    ]
    clock.total += 1 + sum(map(len, repeats))
    tally = Tally(rows, settings.max_literals)

    def whole(_: object) -> Pool:
        if crystal is None:
            pool = fill(rows, settings, knowledge, FULL, seed, clock, starts)
        else:
            pool = fill_from(crystal, rows, settings, knowledge, FULL, seed, clock)
        clock.tick("front")
        return pool

    def held_out(job: tuple[int, Array, int]) -> Array | None:
        number, out, largest = job
        if clock.is_over():
            return None
        inside, limited = rows.share(rows.count - out), replace(settings, max_literals=largest)
        effort = FOLD if largest == settings.max_literals else SHORT
        part = fill(inside, limited, knowledge, effort, seed * 1000 + 1 + number, clock, starts)
        losses = None if clock.is_over() else losses_of(part.front(), inside, rows.share(out), largest)
        clock.tick("fold")
        return losses

    (pool,) = in_threads(whole, [None], 1, clock)
    for first, later in ((0, 1), (1, len(repeats))):
        if first and pool and pool.front() and tally.is_clear([size for size, _, _ in pool.front()]):
            clock.total -= sum(map(len, repeats[1:]))
            break
        outs = [out for folds in repeats[first:later] for out in folds]
        largest = min(settings.max_literals, 2 * tally.best_size + 4) if first else settings.max_literals
        jobs = [(first * settings.folds + index, out, largest) for index, out in enumerate(outs)]
        for (_, out, _), losses in zip(jobs, in_threads(held_out, jobs, settings.n_threads, clock), strict=True):
            if losses is not None:
                tally.add(out, losses)
    if pool is None or not pool.front():
        return Front((constant_of(rows),), 0, "no formula was found in time: the constant")
    return judge(rows, pool, tally, settings)


def _merged(crystals: list[Crystal]) -> Crystal:
    """Crystals over the same inputs as one, with one output each."""
    n_inputs = len(crystals[0].inputs)
    neurons: list[Neuron] = []
    outputs = []
    for crystal in crystals:
        shift = len(neurons)
        for neuron in crystal.neurons:
            neurons.append(Neuron([s + shift * (s >= n_inputs) for s in neuron.sources], neuron.weights, neuron.bias))
        outputs += [output + shift * (output >= n_inputs) for output in crystal.outputs]
    return Crystal(crystals[0].inputs, neurons, outputs)
