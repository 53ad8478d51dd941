"""Learn from a table: fill the front on all rows, judge each size on rows it was not learned from, choose."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from crystalogic import candidates
from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates import NOTHING, Candidate, Front, Knowledge, SearchResult, keeps_to, mean_and_error
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.features import Features
from crystalogic.progress import Callback, Clock, Stop, in_threads
from crystalogic.search import lanes
from crystalogic.search.engine import FOLD, FULL, Pool, Rows, fill, lost, make_rows, merge_equal, offer_simplest
from crystalogic.search.recover import decompose, next_within

Names = Sequence[str] | None
# What Python calls: each with one combination of types only, and each keeps the kernels that it calls itself.
ENTRIES: tuple[Any, ...] = (lanes.anneal, next_within)


def search(
    X: ArrayLike | Features,
    y: ArrayLike,
    names: Names = None,
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
    features, y = X if isinstance(X, Features) else Features.of_rows(X, names), np.asarray(y)
    own = candidates.settled_weight(sample_weight, len(y))
    count = (own if candidates.are_counts(own) else np.ones(len(own))).astype(np.int64)
    if not own.all() and features.n_rows == len(own):  # rows that weigh nothing are not there
        kept = np.flatnonzero(own)
        features, y, own, count = features.take(kept), y[kept], own[kept], count[kept]
    classes: tuple[Hashable, ...] | None = None
    order: tuple[int, ...] = ()
    goal, weight = y, own
    if degrees and class_weight is not None:
        refuse(TrainingDataError, "class_weight goes with classes; for truth degrees give sample_weight.")
    if not degrees:
        found, goal = np.unique(y, return_inverse=True)
        message = f"the search learns two classes, one for each row; got {len(found)} in the shape {y.shape}."
        refuse_first(TrainingDataError, {message: y.ndim != 1 or len(found) != 2})
        mass = np.bincount(goal, weights=own)
        weight = own * candidates.class_weights(found, mass, class_weight)[goal]
        order, classes = tuple(np.argsort(-mass, kind="stable").tolist()), tuple(found.tolist())
    rows = merge_equal(make_rows(features, goal, weight, is_class=not degrees), weight, count)
    refuse_knowledge(knowledge, settings, rows.names, crystal)
    front, stop = front_of(Pool(rows, settings, knowledge), seed, clock, crystal).over(rows.names), clock.stop
    return SearchResult(front.chosen.crystal, (front,), classes, knowledge, stop or Stop.DONE, clock.seconds, order)


def polish(
    crystal: Crystal, X: ArrayLike, y: ArrayLike, names: Names = None, strategy: Annealing | None = None, **options: Any
) -> SearchResult:
    """A crystal, of a gradient strategy or an expert's formula, annealed from where it stands.

    The size is chosen as in `search`, whose other options are taken too: each size is judged by formulas learned anew
    without the rows they are judged on, so that what the crystal already knows of those rows does not count.
    """
    return search(X, y, names or crystal.inputs, strategy, crystal=crystal, **options)


def refuse_knowledge(knowledge: Knowledge, settings: Annealing, names: Sequence[str], crystal: Crystal | None) -> None:
    """A TrainingDataError for knowledge, or a first crystal, that no formula over these features can have."""
    given = [each for each in (crystal, knowledge.start) if each is not None]
    n, most = len(knowledge.required), settings.max_literals
    what = f"{n} truth values are required, more than a formula may have (max_literals = {most})"
    too_many = f"{what}. Require fewer, or allow longer formulas."
    nothing = "every feature is forbidden; there is nothing left to learn from."
    outputs = [len(each.outputs) for each in given]
    problems = {f"the crystal has {found} outputs, the target needs 1.": found != 1 for found in outputs}
    refuse_first(TrainingDataError, problems | {too_many: n > most, nothing: not knowledge.permitted(names).any()})
    for each in given:
        Knowledge(start=each).refuse_unknown(names)
        message = f"the formula to start from goes against a constraint: {knowledge}. Change one of them."
        refuse_first(TrainingDataError, {message: not keeps_to(each, knowledge)})


def front_of(pool: Pool, seed: int, clock: Clock, crystal: Crystal | None) -> Front:
    """The front on the rows of an empty pool, judged by cross-validation; `crystal` is one to improve, if any."""
    rows, settings, outs = pool.rows, pool.settings, deal_folds(pool.rows, pool.settings, seed)
    clock.total += 1 + len(outs)
    with clock.part(0, 2):  # half of the time is for the front, half for judging it
        fill(pool, FULL, seed, clock, crystal)
        if not pool.front():  # there was no time
            offer_simplest(pool)
        clock.tick("front")

    def hold_out(number: int) -> Array | None:
        inside, outside = rows.share(rows.count - outs[number]), rows.share(outs[number])
        part = Pool(inside, settings, pool.knowledge)
        return None if clock.is_over() else lose_outside(part, outside, seed * 1000 + 1 + number, clock)

    with clock.part():
        found = in_threads(hold_out, list(range(len(outs))), settings.n_threads, clock)
    total, times = np.zeros((rows.n_rows, settings.max_literals + 1)), np.zeros(rows.n_rows)
    for out, losses in zip(outs, found, strict=True):
        if losses is not None:
            held = np.flatnonzero(out)
            total[held] += losses * out[held, None]
            times += out
    return judge(pool, total / np.maximum(times, 1)[:, None], times > 0)


def deal_folds(rows: Rows, settings: Annealing, seed: int) -> list[Array]:
    """How many of what each row stands for are held out in each fold, each label spread evenly over the folds."""
    count, folds = rows.count, []
    n_folds = min(settings.folds, int(count.sum()))
    every, rest = np.divmod(count, max(n_folds, 1))  # so many in every fold, the rest is dealt out
    for repeat in range(settings.repeats if n_folds > 1 else 0):
        shuffled = np.random.default_rng(seed * 7919 + repeat).permutation(np.repeat(np.arange(len(count)), rest))
        dealt = shuffled[np.argsort(rows.target[shuffled] >= rows.one / 2, kind="stable")]
        folds += [every + np.bincount(dealt[fold::n_folds], minlength=len(count)) for fold in range(n_folds)]
    return folds


def lose_outside(part: Pool, outside: Rows, seed: int, clock: Clock) -> Array | None:
    """What rows held out lose (rows × sizes) with the best formulas of at most 0, 1, 2, … literals that were learned
    without them, on the rows of an empty pool; None when time is over."""
    fill(part, FOLD, seed, clock)
    is_over = clock.is_over()
    clock.tick("fold")
    losses = np.empty((outside.n_rows, len(part.loss)))
    for size, _, crystal in [(0, 0.0, constant_of(part.rows)), *part.front()]:
        losses[:, size:] = lost(crystal, outside)[:, None]
    return None if is_over else losses


def judge(pool: Pool, held_out: Array, seen: Array) -> Front:
    """The front of the pool with its cross-validated scores and the choice: no constant where something is required.

    `held_out` is what each row lost (rows × sizes), on average over the repeats, where it was `seen` at all.
    """
    rows, width = pool.rows, pool.settings.standard_errors
    found = [(0, constant_of(rows)), *((size, crystal) for size, _, crystal in pool.front() if size)]
    n_idle = 0 if pool.knowledge.required and len(found) > 1 else 1
    sizes, crystals = zip(*found[1 - n_idle :], strict=True)
    here, scores = np.column_stack([lost(crystal, rows) for crystal in crystals]), [(None, None)] * len(sizes)
    if seen.any():
        count, each = rows.count[seen], (rows.weight / rows.count)[seen]  # what one of those weighs that a row is for
        losses = np.hstack([here[:, :n_idle], held_out[:, list(sizes[n_idle:])]])[seen] * each[:, None]
        mean, error = mean_and_error(losses, count)
        scores = list(zip((1 - mean).tolist(), error.tolist(), strict=True))
        reason, chosen = "no formula is better than the constant on rows it has not seen", int(mean.argmin())
        if chosen >= n_idle:
            reason = f"the shortest within {width:g} standard error of the best cross-validated score"
            chosen = n_idle + choose(losses[:, n_idle:], count, width, min(mean[:n_idle], default=np.inf))
    else:
        reason = "no cross-validation: errors plus literals are least"
        chosen = int((rows.weight @ here + sizes).argmin())
    training = 1 - np.average(here, axis=0, weights=rows.weight)
    candidates = [
        Candidate(crystal, size, len(crystal.live), float(score), *judged)
        for size, crystal, score, judged in zip(sizes, crystals, training, scores, strict=True)
    ]
    first = min(chosen, n_idle)  # a constant that is not chosen is left out
    return Front(tuple(candidates[first:]), chosen - first, reason)


def choose(losses: Array, count: Array, standard_errors: float = 1.0, constant: float = np.inf) -> int:
    """The index that the one-standard-error rule picks: the shortest formula that is not clearly worse than the best.

    The formulas are judged in ascending order of their sizes, by what they lost on rows (rows × formulas), each of
    which stands for `count`. "Clearly" is judged on the same rows: the mean difference to the best must exceed its own
    standard error (times `standard_errors`). The difference varies less than the losses themselves, so a clause that
    mends three rows and breaks none is seen. A size that a shorter one, or the best constant (its mean loss is
    `constant`), matches or beats is no candidate.
    """
    mean, _ = mean_and_error(losses, count)
    best = int(np.argmin(mean))
    for size in range(best):
        if mean[size] >= min([constant, *mean[:size]]):
            continue
        worse, error = mean_and_error(losses[:, size] - losses[:, best], count)
        if worse <= standard_errors * error + 1e-12:
            return size
    return best


def constant_of(rows: Rows) -> Crystal:
    """The best constant, 0 or 1."""
    constants = (Crystal(rows.names, [Neuron([], [], value)], [len(rows.names)]) for value in (0, 1))
    return min(constants, key=lambda each: float(rows.weight @ lost(each, rows)))


def kernels_are_compiled() -> bool:
    """Whether a search can start at once: this process, or an earlier one by numba's index, compiled every kernel."""
    try:
        new = [entry for entry in ENTRIES if not getattr(entry, "signatures", True)]
        kept = [(entry.targetctx.codegen().magic_tuple(), entry._cache._cache_file._load_index()) for entry in new]
    except AttributeError:  # a numba that keeps its index in another way: it will do its best
        return True
    return all(any(processor in key for key in index) for processor, index in kept)


def compile_kernels() -> None:
    """Compile every kernel that a search uses, by searching a few rows."""
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    rows = make_rows(Features.of_rows(table, None), table.min(axis=1), is_class=True)
    fill(Pool(rows, Annealing(max_literals=2, effort=0.001), NOTHING), FOLD, 0, Clock())
    decompose(table.T, table.min(axis=1), 1, ("a", "b"), 2)
