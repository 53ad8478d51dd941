"""Learn from a table: fill the front on all rows, judge each size on rows it was not learned from, choose.

The kernels are compiled once on a machine, kept on disk by numba, and no part of anyone's time budget.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from crystalogic.search.engine import FOLD, FULL, fill, offer_simplest
from crystalogic.search.pool import Pool, Rows, lost, make_rows, merge_equal
from crystalogic.search.recover import decompose, next_within

Names = Sequence[str] | None
# What Python calls: each with one combination of types only, and each keeps the kernels that it calls itself.
ENTRIES: tuple[Any, ...] = (lanes.anneal, lanes.link, next_within)


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
        if y.ndim != 1 or len(found) != 2:
            message = f"the search learns two classes, one for each row; got {len(found)} in the shape {y.shape}."
            raise TrainingDataError(message)
        mass = np.bincount(goal, weights=own)
        weight = own * candidates.class_weights(found, mass, class_weight)[goal]
        order, classes = tuple(np.argsort(-mass, kind="stable").tolist()), tuple(found.tolist())
    rows = merge_equal(make_rows(features, goal, weight, is_class=not degrees), weight, count)
    refuse_knowledge(knowledge, settings, rows.names, crystal)
    front = front_of(FormulaProblem(rows, knowledge, seed, settings, crystal), clock).over(rows.names)
    chosen = front.chosen.crystal
    return SearchResult(chosen, (front,), classes, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def polish(
    crystal: Crystal, X: ArrayLike, y: ArrayLike, names: Names = None, strategy: Annealing | None = None, **options: Any
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
    """A TrainingDataError for knowledge, or a first crystal, that no formula over these features can have."""
    given = [each for each in (crystal, knowledge.start) if each is not None]
    n, most = len(knowledge.required), settings.max_literals
    too_many = (
        f"{n} truth values are required, more than a formula may have (max_literals = {most}). "
        "Require fewer, or allow longer formulas."
    )
    nothing = "every feature is forbidden; there is nothing left to learn from."
    outputs = [len(each.outputs) for each in given]
    problems = {f"the crystal has {found} outputs, the target needs 1.": found != 1 for found in outputs}
    refuse_first(TrainingDataError, problems | {too_many: n > most, nothing: not knowledge.permitted(names).any()})
    bounds = [Knowledge(monotone={name: sign}) for name, sign in knowledge.monotone.items()]
    bounds += [Knowledge(forbidden=[name]) for name in knowledge.forbidden]
    for each in given:
        Knowledge(start=each).refuse_unknown(names)
        for bound in bounds:
            if not keeps_to(each, bound):
                message = f"the formula to start from goes against a constraint: {bound}. Change one of them."
                raise TrainingDataError(message)


@dataclass(frozen=True)
class FormulaProblem:
    """Rows with the target of one formula, what is known of it, and a crystal to improve, if any."""

    rows: Rows
    knowledge: Knowledge
    seed: int
    settings: Annealing
    crystal: Crystal | None = None

    def pool(self, clock: Clock) -> Pool:
        """The best crystal of each size on all rows; a single literal where there was no time for more."""
        pool = Pool(self.rows, self.settings, self.knowledge)
        fill(pool, FULL, self.seed, clock, self.crystal)
        if not pool.front():
            offer_simplest(pool)
        clock.tick("front")
        return pool

    def held_out(self, number: int, out: Array, clock: Clock) -> Array | None:
        """What the rows held out lose (rows × sizes) with the best formulas of at most 0, 1, 2, … literals that were
        learned without them; None when time is over. `out` is how many of each row are held out."""
        if clock.is_over():
            return None
        inside, outside = self.rows.share(self.rows.count - out), self.rows.share(out)
        part = Pool(inside, self.settings, self.knowledge)
        fill(part, FOLD, self.seed * 1000 + 1 + number, clock)
        is_over = clock.is_over()
        clock.tick("fold")
        if is_over:
            return None
        losses = np.empty((outside.n_rows, self.settings.max_literals + 1))
        for size, _, crystal in [(0, 0.0, constant_of(inside).crystal), *part.front()]:
            losses[:, size:] = lost(crystal, outside)[:, None]
        return losses

    def folds(self) -> list[Array]:
        """How many of what each row stands for are held out in each fold, each label spread evenly over the folds."""
        count, folds = self.rows.count, []
        n_folds = min(self.settings.folds, int(count.sum()))
        every, rest = np.divmod(count, max(n_folds, 1))  # so many in every fold, the rest is dealt out
        for repeat in range(self.settings.repeats if n_folds > 1 else 0):
            generator = np.random.default_rng(self.seed * 7919 + repeat)
            shuffled = generator.permutation(np.repeat(np.arange(len(count)), rest))
            dealt = shuffled[np.argsort(self.rows.target[shuffled] >= self.rows.one / 2, kind="stable")]
            folds += [every + np.bincount(dealt[fold::n_folds], minlength=len(count)) for fold in range(n_folds)]
        return folds


def front_of(problem: FormulaProblem, clock: Clock) -> Front:
    """The front of the problem, judged by cross-validation."""
    rows, outs = problem.rows, problem.folds()
    clock.total += 1 + len(outs)
    with clock.part(0, 2):  # half of the time is for the front, half for judging it
        (pool,) = in_threads(lambda each: each.pool(clock), [problem], 1, clock)
    with clock.part():
        jobs = list(enumerate(outs))
        found = in_threads(lambda job: problem.held_out(*job, clock), jobs, problem.settings.n_threads, clock)
    if pool is None:  # interrupted: what is required alone takes no search
        pool = Pool(rows, problem.settings, replace(problem.knowledge, start=None))
        if problem.knowledge.required:
            offer_simplest(pool)
    if not pool.front():
        return Front((constant_of(rows),), 0, "no formula was found in time: the constant")
    total, times = np.zeros((rows.n_rows, problem.settings.max_literals + 1)), np.zeros(rows.n_rows)
    for out, losses in zip(outs, found, strict=True):
        if losses is not None:
            held = np.flatnonzero(out)
            total[held] += losses * out[held, None]
            times += out
    return judge(pool, total / np.maximum(times, 1)[:, None], times > 0)


def judge(pool: Pool, held_out: Array, seen: Array) -> Front:
    """The front of the pool with its cross-validated scores and the choice: no constant where something is required.

    `held_out` is what each row lost (rows × sizes), on average over the repeats, where it was `seen` at all.
    """
    front, rows, settings = pool.front(), pool.rows, pool.settings
    constant, may_be_idle = constant_of(rows), not pool.knowledge.required
    if not seen.any():
        reason = "no cross-validation: errors plus literals are least"
        costs = [loss + size for size, loss, _ in front]
        found = [_candidate(rows, crystal, size) for size, _, crystal in front]
        if may_be_idle and rows.weight @ lost(constant.crystal, rows) <= min(costs):
            return _with_constant(constant, found, reason)
        return Front(tuple(found), costs.index(min(costs)), reason)
    count, each = rows.count[seen], (rows.weight / rows.count)[seen]  # what one of those weighs that a row stands for
    weighted = held_out[seen] * each[:, None]
    losses = weighted.take([size for size, _, _ in front], axis=1)
    mean, error = mean_and_error(losses, count)
    found = [
        _candidate(rows, crystal, size, float(at), float(off))
        for (size, _, crystal), at, off in zip(front, mean, error, strict=True)
    ]
    idle = float(mean_and_error(lost(constant.crystal, rows)[seen] * each, count)[0]) if may_be_idle else np.inf
    if idle <= mean.min():
        at, off = map(float, mean_and_error(weighted[:, 0], count))  # learned anew: a constant too
        alone = _candidate(rows, constant.crystal, 0, at, off)
        return _with_constant(alone, found, "no formula is better than the constant on rows it has not seen")
    reason = f"the shortest within {settings.standard_errors:g} standard error of the best cross-validated score"
    return Front(tuple(found), choose(losses, count, settings.standard_errors, idle), reason)


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


def _with_constant(constant: Candidate, found: list[Candidate], reason: str) -> Front:
    """The front that begins with the constant, which is chosen; the search may have found it too."""
    return Front((constant, *(each for each in found if each.n_literals)), 0, reason)


def _candidate(
    rows: Rows, crystal: Crystal, size: int, held_out: float | None = None, error: float | None = None
) -> Candidate:
    """A formula of the front; `held_out` is what it loses on rows held out."""
    training = 1 - float(np.average(lost(crystal, rows), weights=rows.weight))
    return Candidate(crystal, size, len(crystal.live), training, None if held_out is None else 1 - held_out, error)


def constant_of(rows: Rows) -> Candidate:
    """The best constant, 0 or 1."""
    constants = (Crystal(rows.names, [Neuron([], [], value)], [len(rows.names)]) for value in (0, 1))
    return max((_candidate(rows, crystal, 0) for crystal in constants), key=lambda each: each.training)


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
