"""Choose the formulas of several classes together: what counts is the class with the largest degree.

Each class has a front of its own, judged as "this class or another". The choice among the fronts is joint: held-out
rows say how often the largest degree names the right class, for any choice of a size for each class (or never, or
always: with the last place in the order of ties, "always" is "otherwise") and any order in which ties are decided.
The class is decided as a model decides it (`decision`); degrees that single precision cannot tell apart are ties.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.candidates.front import mean_and_error
from crystalogic.decision import classes_of

Array = NDArray[Any]
NEVER, ALWAYS = -1, 0  # choices besides the sizes 1, 2, …
MOST_ROWS = 50_000  # held-out rows are enough to choose with
ALL_ORDERS = 4  # classes up to which every order of ties is tried


@dataclass(frozen=True)
class Degrees:
    """The degree of each row with each size of formula (rows × sizes), and by how much those of a size can be off."""

    each: Array
    off: Array


@dataclass(frozen=True)
class Held:
    """Rows held out once: which, how many of each, and the degrees of each class."""

    rows: Array
    count: Array
    degrees: tuple[Degrees, ...]


@dataclass(frozen=True)
class Choice:
    """A size for each class (or NEVER, ALWAYS), and the order in which ties are decided."""

    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def n_literals(self) -> int:
        """The literals of all formulas."""
        return sum(max(0, size) for size in self.sizes)

    @property
    def rank(self) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """Which of two choices to prefer when both lose the same: the shorter."""
        return self.n_literals, self.sizes, self.order


class Jury:
    """The held-out rows, and what each choice loses on them."""

    def __init__(self, held: Sequence[Held], labels: Array, weight: Array, seed: int) -> None:
        rows = np.concatenate([each.rows for each in held])
        kept = np.sort(np.random.default_rng(seed).permutation(len(rows))[:MOST_ROWS])
        n_sizes = min(each.degrees[0].each.shape[1] for each in held)
        self._rows = rows[kept]
        self._count = np.concatenate([each.count for each in held])[kept]
        classes = range(len(held[0].degrees))
        self._degrees = [np.concatenate([each.degrees[c].each[:, :n_sizes] for each in held])[kept] for c in classes]
        self._off = [np.max([each.degrees[c].off[:n_sizes] for each in held], axis=0) for c in classes]
        self.largest = n_sizes - 1
        self._labels = labels[self._rows]
        self._times = np.bincount(self._rows, self._count, minlength=len(labels))
        self._weight = weight
        self._known: dict[Choice, tuple[float, Array]] = {}

    def _degree(self, index: int, size: int) -> tuple[Array, float]:
        if size in (NEVER, ALWAYS):
            return np.full(len(self._rows), float(size == ALWAYS), np.float32), 0.0
        return np.asarray(self._degrees[index][:, size]), float(self._off[index][size])

    def losses(self, choice: Choice) -> tuple[float, Array]:
        """The mean loss, and the loss of each row that was held out."""
        if choice not in self._known:
            degrees, off = zip(*(self._degree(index, size) for index, size in enumerate(choice.sizes)), strict=True)
            wrong = classes_of(np.stack(degrees, axis=1), choice.order, off=np.array(off)) != self._labels
            lost = np.bincount(self._rows, wrong * self._count, minlength=len(self._times))
            each = np.divide(lost, self._times, where=self._times > 0, out=np.zeros(len(lost))) * self._weight
            self._known[choice] = float(mean_and_error(each, self._times)[0]), each
        return self._known[choice]

    def mean(self, choice: Choice) -> float:
        """The mean loss."""
        return self.losses(choice)[0]

    def cost(self, choice: Choice) -> tuple[Any, ...]:
        """The mean loss, and the length between equals."""
        return round(self.mean(choice), 12), choice.rank

    def is_close(self, choice: Choice, best: Choice, standard_errors: float) -> bool:
        """Whether the choice is not clearly worse than the best."""
        worse, error = mean_and_error(self.losses(choice)[1] - self.losses(best)[1], self._times)
        return bool(worse <= standard_errors * error + 1e-12)


def choose_together(
    jury: Jury,
    sizes: Sequence[Sequence[int]],
    start: Choice,
    standard_errors: float,
    idle: Sequence[int] = (NEVER, ALWAYS),
) -> Choice:
    """The shortest choice that is not clearly worse than the best one found by changing one class at a time.

    `idle` are the constants that a class may have instead of a formula of one of these sizes.
    """
    sizes = [(*idle, *each) for each in sizes]
    best = _descended(jury, sizes, start)
    path = [best]
    while shorter := [each for each in _neighbours(path[-1], sizes) if each.n_literals < path[-1].n_literals]:
        path.append(min(shorter, key=jury.cost))
    return next(each for each in reversed(path) if jury.is_close(each, best, standard_errors))


def _descended(jury: Jury, sizes: Sequence[Sequence[int]], start: Choice) -> Choice:
    best = start
    while True:
        found = min(_neighbours(best, sizes), key=jury.cost)
        if not jury.cost(found) < jury.cost(best):
            return best
        best = found


def _neighbours(choice: Choice, sizes: Sequence[Sequence[int]]) -> Iterator[Choice]:
    """All choices with another size for one class, in any order of ties (for many classes: one class moved)."""
    n = len(sizes)
    if n <= ALL_ORDERS:
        orders = list(permutations(range(n)))
    else:
        orders = [choice.order, *(_moved(choice.order, i, j) for i in range(n) for j in (0, i - 1, n - 1) if j >= 0)]
    for index in range(n):
        for size in sizes[index]:
            changed = (*choice.sizes[:index], size, *choice.sizes[index + 1 :])
            same = [choice.order] if n > ALL_ORDERS and size != choice.sizes[index] else orders
            yield from (Choice(changed, order) for order in same)


def _moved(order: tuple[int, ...], place: int, to: int) -> tuple[int, ...]:
    rest = [*order[:place], *order[place + 1 :]]
    return (*rest[:to], order[place], *rest[to:])
