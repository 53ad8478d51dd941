"""Cross-validation inside the training rows: what each size of formula loses on rows it was not learned from."""

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Candidate, Front, mean_and_error
from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.pool import Pool, loss_of, lost
from crystalogic.search.table import Rows, RowTargets, SearchTable

Sized = tuple[int, float, Crystal]  # literals, loss, crystal


def folds_of(rows: RowTargets, labels: Array, n_folds: int, seed: int) -> list[Array]:
    """How many of what each row stands for are held out in each fold, each label spread evenly over the folds."""
    n_folds = min(n_folds, rows.n_counted)
    if n_folds < 2:
        return []
    every, rest = np.divmod(rows.count, n_folds)  # so many in every fold, the rest is dealt out
    shuffled = np.random.default_rng(seed).permutation(np.repeat(np.arange(rows.n_rows), rest))
    dealt = shuffled[np.argsort(labels[shuffled], kind="stable")]
    return [every + np.bincount(dealt[fold::n_folds], minlength=rows.n_rows) for fold in range(n_folds)]


def degrees_of(front: list[Sized], inside: Rows, outside: Rows, max_literals: int) -> Array:
    """The degree of each held-out row (rows × sizes) with the best formula of at most 0, 1, 2, … literals."""
    degrees = np.empty((outside.n_rows, max_literals + 1), np.float32)
    for size, _, crystal in [(0, 0.0, constant_of(inside).crystal), *front]:
        degrees[:, size:] = outside.degrees(crystal)
    return degrees


class Tally:
    """The mean loss of each held-out row with each size, over the repeats in which it was judged."""

    def __init__(self, rows: RowTargets, max_literals: int) -> None:
        self._rows = rows
        self._weight = rows.weight / rows.count
        self._total = np.zeros((rows.n_rows, max_literals + 1))
        self._times = np.zeros(rows.n_rows)

    def add(self, out: Array, degrees: Array) -> None:
        """Count what the held-out rows lost with these degrees; `out` is how many of each row were held out."""
        held = np.flatnonzero(out)
        self._total[held] += loss_of(degrees, self._rows.goal(held)) * out[held, None]
        self._times += out

    @property
    def seen(self) -> Array:
        """Which rows were held out at least once."""
        return np.asarray(self._times > 0)

    @property
    def count(self) -> Array:
        """What each row seen stands for."""
        return np.asarray(self._rows.count[self.seen])

    def losses(self, sizes: list[int]) -> Array:
        """What formulas of these sizes lost on the rows seen (rows × sizes), weighted."""
        mean = self._total[self.seen][:, sizes] / self._times[self.seen, None]
        return np.asarray(mean * self._weight[self.seen, None])


def judge(pool: Pool, tally: Tally, settings: Annealing) -> Front:
    """The front of the pool with its cross-validated scores and the choice: no constant where something is required."""
    front, rows = pool.front(), pool.rows
    constant, may_be_idle = constant_of(rows), not pool.knowledge.required
    if not tally.seen.any():
        reason = "no cross-validation: errors plus literals are least"
        chosen = min(range(len(front)), key=lambda index: front[index][1] + front[index][0])
        found = [_candidate(rows, crystal, size, None) for size, _, crystal in front]
        if may_be_idle and rows.weight @ lost(constant.crystal, rows) <= front[chosen][1] + front[chosen][0]:
            return _with_constant(constant, found, reason)
        return Front(tuple(found), chosen, reason)
    losses = tally.losses([size for size, _, _ in front])
    mean, error = mean_and_error(losses, tally.count)
    scores = zip(mean, error, strict=True)
    found = [_candidate(rows, each[2], each[0], score) for each, score in zip(front, scores, strict=True)]
    idle_losses = (lost(constant.crystal, rows) * rows.weight / rows.count)[tally.seen]
    idle = float(mean_and_error(idle_losses, tally.count)[0]) if may_be_idle else np.inf
    if idle <= mean.min():
        shortest = mean_and_error(tally.losses([0])[:, 0], tally.count)  # learned anew with no literals: a constant too
        alone = _candidate(rows, constant.crystal, 0, (float(shortest[0]), float(shortest[1])))
        return _with_constant(alone, found, "no formula is better than the constant on rows it has not seen")
    reason = f"the shortest within {settings.standard_errors:g} standard error of the best cross-validated score"
    return Front(tuple(found), choose(losses, tally.count, settings.standard_errors, idle), reason)


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


def _candidate(rows: Rows, crystal: Crystal, size: int, judged: tuple[float, float] | None) -> Candidate:
    training = 1 - float(np.average(lost(crystal, rows), weights=rows.weight))
    if judged is None:
        return Candidate(crystal, size, len(crystal.live), training, None, None)
    return Candidate(crystal, size, len(crystal.live), training, 1 - float(judged[0]), float(judged[1]))


def constant_of(rows: Rows | SearchTable) -> Candidate:
    """The best constant, 0 or 1."""
    losses = loss_of(np.tile(np.array([0, 1], np.float32), (rows.n_rows, 1)), rows)
    scores = [1 - float(np.average(losses[:, value], weights=rows.weight)) for value in (0, 1)]
    value = int(scores[1] > scores[0])
    crystal = Crystal(rows.names, [Neuron([], [], value)], [len(rows.names)])
    return Candidate(crystal, 0, 1, scores[value], None, None)
