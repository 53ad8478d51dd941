"""One formula to be learned: its front, what each size loses on rows it was not learned from, and the choice."""

from dataclasses import dataclass, replace

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Candidate, Front, mean_and_error
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal, Neuron
from crystalogic.progress import Clock, in_threads
from crystalogic.search.engine import FOLD, FULL, fill, offer_simplest
from crystalogic.search.pool import Pool, loss_of, lost
from crystalogic.search.table import Rows


@dataclass(frozen=True)
class FormulaProblem:
    """Rows with the target of one formula, what is known of it, and a crystal to improve, if any."""

    rows: Rows
    knowledge: Knowledge
    seed: int
    settings: Annealing
    crystal: Crystal | None = None

    @property
    def starts(self) -> list[Crystal]:
        return [self.knowledge.start] if self.knowledge.start else []

    def pool(self, clock: Clock) -> Pool:
        """The best crystal of each size on all rows; a single literal where there was no time for more."""
        kept, is_polished = self.starts if self.crystal is None else [self.crystal], self.crystal is not None
        pool = fill(self.rows, self.settings, self.knowledge, FULL, self.seed, clock, kept, only_starts=is_polished)
        if not pool.front():
            offer_simplest(pool)
        clock.tick("front")
        return pool

    def held_out(self, number: int, out: Array, clock: Clock) -> Array | None:
        """The degrees of the rows held out (rows × sizes) with the best formulas of at most 0, 1, 2, … literals that
        were learned without them; None when time is over. `out` is how many of each row are held out."""
        if clock.is_over():
            return None
        inside, outside = self.rows.share(self.rows.count - out), self.rows.share(out)
        seed = self.seed * 1000 + 1 + number
        part = fill(inside, self.settings, self.knowledge, FOLD, seed, clock, self.starts)
        is_over = clock.is_over()
        clock.tick("fold")
        if is_over:
            return None
        degrees = np.empty((outside.n_rows, self.settings.max_literals + 1), np.float32)
        for size, _, crystal in [(0, 0.0, constant_of(inside).crystal), *part.front()]:
            degrees[:, size:] = outside.degrees(crystal)
        return degrees

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
    outs, tally = problem.folds(), Tally(problem.rows, problem.settings.max_literals)
    clock.total += 1 + len(outs)
    with clock.part(0, 2):  # half of the time is for the front, half for judging it
        (pool,) = in_threads(lambda each: each.pool(clock), [problem], 1, clock)
    with clock.part():
        jobs = list(enumerate(outs))
        found = in_threads(lambda job: problem.held_out(*job, clock), jobs, problem.settings.n_threads, clock)
        for out, degrees in zip(outs, found, strict=True):
            if degrees is not None:
                tally.add(out, degrees)
    if pool is None:  # interrupted: what is required alone takes no search
        pool = Pool(problem.rows, problem.settings, replace(problem.knowledge, start=None))
        if problem.knowledge.required:
            offer_simplest(pool)
    if not pool.front():
        return Front((constant_of(problem.rows),), 0, "no formula was found in time: the constant")
    return judge(pool, tally, problem.settings)


class Tally:
    """The mean loss of each held-out row with each size, over the repeats in which it was judged."""

    def __init__(self, rows: Rows, max_literals: int) -> None:
        self._rows = rows
        self._total = np.zeros((rows.n_rows, max_literals + 1))
        self._times = np.zeros(rows.n_rows)

    def add(self, out: Array, degrees: Array) -> None:
        """Count what the held-out rows lost with these degrees; `out` is how many of each row were held out."""
        held = np.flatnonzero(out)
        self._total[held] += loss_of(degrees, self._rows, held) * out[held, None]
        self._times += out

    @property
    def seen(self) -> Array:
        """Which rows were held out at least once."""
        return np.asarray(self._times > 0)

    def weigh(self, losses: Array) -> Array:
        """What all rows lost, of the rows seen, each with the weight of one of those that it stands for."""
        return np.asarray((losses.T * (self._rows.weight / self._rows.count)).T[self.seen])

    def losses(self, sizes: list[int]) -> Array:
        """What formulas of these sizes lost on the rows seen (rows × sizes), weighted."""
        return self.weigh(self._total[:, sizes] / np.maximum(self._times, 1)[:, None])


def judge(pool: Pool, tally: Tally, settings: Annealing) -> Front:
    """The front of the pool with its cross-validated scores and the choice: no constant where something is required."""
    front, rows, count = pool.front(), pool.rows, pool.rows.count[tally.seen]
    constant, may_be_idle = constant_of(rows), not pool.knowledge.required
    if not tally.seen.any():
        reason = "no cross-validation: errors plus literals are least"
        costs = [loss + size for size, loss, _ in front]
        found = [_candidate(rows, crystal, size) for size, _, crystal in front]
        if may_be_idle and rows.weight @ lost(constant.crystal, rows) <= min(costs):
            return _with_constant(constant, found, reason)
        return Front(tuple(found), costs.index(min(costs)), reason)
    losses = tally.losses([size for size, _, _ in front])
    mean, error = mean_and_error(losses, count)
    found = [
        _candidate(rows, crystal, size, float(at), float(off))
        for (size, _, crystal), at, off in zip(front, mean, error, strict=True)
    ]
    idle = float(mean_and_error(tally.weigh(lost(constant.crystal, rows)), count)[0]) if may_be_idle else np.inf
    if idle <= mean.min():
        at, off = map(float, mean_and_error(tally.losses([0])[:, 0], count))  # learned anew: a constant too
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

    >>> choose(np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]), np.ones(4))
    1
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
