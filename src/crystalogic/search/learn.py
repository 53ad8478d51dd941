"""Learn from a table: fill the front on all rows, judge each size by cross-validation, choose."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError
from crystalogic.search.clock import Callback, Clock, Stop
from crystalogic.search.engine import FOLD, FULL, Pool, fill, fill_from, lost
from crystalogic.search.front import Candidate, Front, choose
from crystalogic.search.knowledge import NOTHING, Knowledge
from crystalogic.search.result import SearchResult
from crystalogic.search.rows import Rows, make_rows
from crystalogic.search.states import output_of
from crystalogic.search.strategy import Annealing

Array = NDArray[Any]
T = TypeVar("T")


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
    classes: tuple[Hashable, ...] | None = None
    order: tuple[int, ...] = ()
    if degrees:
        if class_weight is not None:
            message = "class_weight goes with classes; for truth degrees give sample_weight."
            raise TrainingDataError(message)
        targets, weight = [np.asarray(y)], sample_weight
    else:
        labels = np.asarray(y)
        found, codes = np.unique(labels, return_inverse=True)
        if labels.ndim != 1 or len(found) < 2:
            message = (
                f"expected a class for each row and at least two classes, got {len(found)} in the shape {labels.shape}."
            )
            raise TrainingDataError(message)
        weight = _weights(found, codes, sample_weight, class_weight)
        targets = [codes] if len(found) == 2 else [codes == index for index in range(len(found))]
        order = tuple(int(i) for i in np.lexsort((np.arange(len(found)), -np.bincount(codes))))
        classes = tuple(found.tolist())
    for given in (crystal, knowledge.start):
        if given is not None and len(given.outputs) != len(targets):
            message = f"the crystal has {len(given.outputs)} outputs, the target needs {len(targets)}."
            raise TrainingDataError(message)
    fronts = []
    for index, target in enumerate(targets):
        rows = make_rows(X, target, names, weight, is_class=not degrees)
        begin = None if crystal is None else output_of(crystal, index)
        start = None if knowledge.start is None else output_of(knowledge.start, index)
        fronts.append(_front(rows, settings, replace(knowledge, start=start), seed + index, clock, begin))
    chosen = _merged([front.chosen.crystal for front in fronts])
    return SearchResult(chosen, tuple(fronts), classes, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _weights(
    classes: Array, codes: Array, sample_weight: ArrayLike | None, class_weight: str | dict[Hashable, float] | None
) -> ArrayLike | None:
    if class_weight is None:
        return sample_weight
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
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
    """The front on all rows, judged by cross-validation inside them."""
    knowledge.refuse_unknown(rows.names)
    starts = [knowledge.start] if knowledge.start else []
    repeats = settings.n_repeats(rows.n_rows)
    folds = [(fold, repeat) for repeat in range(repeats) for fold in _folds(rows, settings.folds, seed * 7919 + repeat)]
    clock.total += 1 + len(folds)

    def whole() -> Pool:
        if crystal is None:
            pool = fill(rows, settings, knowledge, FULL, seed, clock, starts)
        else:
            pool = fill_from(crystal, rows, settings, knowledge, FULL, seed, clock)
        clock.tick("front")
        return pool

    def held_out(job: tuple[int, tuple[Array, int]]) -> Array | None:
        number, (out, _) = job
        if clock.is_over():
            return None
        inside = rows.take(np.setdiff1d(np.arange(rows.n_rows), out))
        part = fill(inside, settings, knowledge, FOLD, seed * 1000 + 1 + number, clock, starts)
        losses = None if clock.is_over() else _losses(part.front(), inside, rows.take(out), settings.max_literals)
        clock.tick("fold")
        return losses

    pool, judged = _in_threads(whole, held_out, list(enumerate(folds)), settings.n_threads, clock)
    if pool is None or not pool.front():
        return Front((_constant(rows),), 0, "no formula was found in time: the constant")
    complete = [(out, losses) for (out, _), losses in zip(folds, judged, strict=True) if losses is not None]
    return _judged(rows, settings, _trimmed(pool, settings.min_gain), complete)


def _in_threads(
    first: Callable[[], T], each: Callable[[Any], Any], jobs: list[Any], n_threads: int, clock: Clock
) -> tuple[T | None, list[Any]]:
    """The results in the order of the jobs, however many threads; Ctrl-C keeps what is ready."""
    result: T | None = None
    done: list[Any] = [None] * len(jobs)
    if n_threads == 1:
        try:
            result = first()
            for index, job in enumerate(jobs):
                done[index] = each(job)
        except KeyboardInterrupt:
            clock.stop = Stop.INTERRUPTED
        return result, done
    with ThreadPoolExecutor(n_threads) as threads:
        begun, others = threads.submit(first), [threads.submit(each, job) for job in jobs]
        try:
            result = begun.result()
            done = [other.result() for other in others]
        except KeyboardInterrupt:
            clock.stop = Stop.INTERRUPTED
            for other in others:
                other.cancel()
            result = begun.result()
    return result, done


def _folds(rows: Rows, n_folds: int, seed: int) -> Iterable[Array]:
    """Held-out rows, each class spread evenly over the folds."""
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(rows.n_rows)
    dealt = shuffled[np.argsort(rows.target[shuffled] >= max(rows.cut, rows.one / 2), kind="stable")]
    folds = min(n_folds, rows.n_rows)
    return [np.sort(dealt[fold::folds]) for fold in range(folds)] if folds > 1 else []


def _losses(front: list[tuple[int, float, Crystal]], inside: Rows, outside: Rows, max_literals: int) -> Array:
    """What each held-out row loses (rows × sizes) with the best formula of at most 0, 1, 2, … literals."""
    losses = np.empty((outside.n_rows, max_literals + 1))
    X = outside.truth_values()
    for size, _, crystal in [(0, 0.0, _constant(inside).crystal), *front]:
        losses[:, size:] = lost(crystal, X, outside)[:, None]
    return losses


def _trimmed(pool: Pool, min_gain: float) -> list[tuple[int, float, Crystal]]:
    """The front without the formulas whose further literals gain too little."""
    kept: list[tuple[int, float, Crystal]] = []
    total = float(pool.rows.weight.sum())
    for size, loss, crystal in pool.front():
        if not kept or (kept[-1][1] - loss) / total >= min_gain * (size - kept[-1][0]):
            kept.append((size, loss, crystal))
    return kept


def _judged(
    rows: Rows, settings: Annealing, front: list[tuple[int, float, Crystal]], folds: list[tuple[Array, Array]]
) -> Front:
    X, weight = rows.truth_values(), rows.weight / rows.weight.mean()
    sizes = [size for size, _, _ in front]
    total, times = np.zeros((rows.n_rows, len(sizes))), np.zeros(rows.n_rows)
    for out, losses in folds:
        total[out] += losses[:, sizes]
        times[out] += 1
    seen = times > 0
    constant = _constant(rows)
    if not seen.any():
        chosen = min(range(len(front)), key=lambda index: front[index][1] + front[index][0])
        found = [_candidate(rows, X, crystal, size, None) for size, _, crystal in front]
        return Front(tuple(found), chosen, "no cross-validation: errors plus literals are least")
    judged = total[seen] / times[seen, None] * weight[seen, None]
    found = [_candidate(rows, X, crystal, size, judged[:, i]) for i, (size, _, crystal) in enumerate(front)]
    idle = lost(constant.crystal, X, rows)[seen] * weight[seen]
    if idle.mean() <= judged.mean(axis=0).min():
        return Front((constant, *found), 0, "no formula is better than the constant on rows it has not seen")
    chosen = choose(judged, settings.standard_errors, float(idle.mean()))
    reason = f"the shortest within {settings.standard_errors:g} standard error of the best cross-validated score"
    return Front(tuple(found), chosen, reason)


def _candidate(rows: Rows, X: Array, crystal: Crystal, size: int, judged: Array | None) -> Candidate:
    training = 1 - float(np.average(lost(crystal, X, rows), weights=rows.weight))
    if judged is None:
        return Candidate(crystal, size, len(crystal.live), training, None, None)
    error = float(judged.std() / np.sqrt(len(judged)))
    return Candidate(crystal, size, len(crystal.live), training, 1 - float(judged.mean()), error)


def _constant(rows: Rows) -> Candidate:
    """The best constant, 0 or 1."""
    n = len(rows.names)
    both = [Crystal(rows.names, [Neuron([], [], bias)], [n]) for bias in (0, 1)]
    found = [_candidate(rows, rows.truth_values(), crystal, 0, None) for crystal in both]
    return max(found, key=lambda each: each.training)


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
