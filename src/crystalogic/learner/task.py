"""What a learner sees: the facts of each row, what they should tell, and how much each row weighs."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.learner.limits import Limits

EXACT_BITS, TINY = 23, 1e-30
OF_FACTS = ("reach", "signs", "column")  # that a task has for each fact, besides its truths

if TYPE_CHECKING:
    from crystalogic.learner.rule import Item
    from crystalogic.learner.teacher import Teacher


@dataclass(frozen=True, eq=False)
class Task:
    """Rows of facts with a goal between 0 and 1.

    Attributes:
        truths: rows × facts, 0 or 1 in single precision.
        goal: for each row the probability to be learned: its class, perhaps softened by a teacher. Of several classes
            there is a column for each.
        weight: for each row how many it counts as.
        reach: for each fact how far apart two rows are that differ in it alone; see `measure_reach`.
        signs: for each fact +1 if it may only raise the goal, -1 if it may only lower it, 0 if it may do both.
        required: the facts that every rule has.
        groups: facts that exclude each other, such as the values of a category; a rule may take several as one item.
        ladders: facts each of which holds only where the one before it does, such as cuts of a number at even steps; a
            rule may take them as one item, which has its points for each of them that holds.
        teacher: who softened the goal; None where it is the class.
        limits: on what a rule may read together; None for none.
        column: that each fact is about, where there are limits.
        tilt: for each row what was added to its goal, against a gap between groups; None for nothing.
    """

    truths: Array
    goal: Array
    weight: Array
    reach: Array
    signs: Array
    required: tuple[int, ...] = field(default=())
    groups: tuple[tuple[int, ...], ...] = field(default=())
    ladders: tuple[tuple[int, ...], ...] = field(default=())
    teacher: "Teacher | None" = None
    limits: Limits | None = None
    column: Array | None = None
    tilt: Array | None = None

    @cached_property
    def rungs(self) -> Array:
        """The facts of each ladder (ladders × facts)."""
        return np.array(self.ladders)

    @property
    def n_rows(self) -> int:
        return len(self.goal)

    @property
    def n_facts(self) -> int:
        return int(self.truths.shape[1])

    @property
    def base_rate(self) -> float:
        """The mean of the goal."""
        return float(self.weight @ self.goal / self.weight.sum())

    @property
    def labels(self) -> Array:
        """The class of each row, where the goal are the labels: whether it is the rarer of two, or which column."""
        return np.asarray(self.goal > 0.5 if self.goal.ndim == 1 else self.goal.argmax(axis=1))

    def sum_facts(self, amounts: Array) -> Array:
        """The sum of each amount (rows × amounts) over the rows for which a fact holds (amounts × facts)."""
        return np.asarray(round_sums(amounts).T @ self.truths, np.float64)

    def take(self, rows: Array) -> "Task":
        """These rows alone."""
        tilt = None if self.tilt is None else self.tilt[rows]
        return replace(self, truths=self.truths[rows], goal=self.goal[rows], weight=self.weight[rows], tilt=tilt)

    def of_facts(self, places: Array | Sequence[int]) -> dict[str, Any]:
        """What is known of the facts at these places."""
        return {name: each[places] for name in OF_FACTS if (each := getattr(self, name)) is not None}

    @property
    def level(self) -> "Task":
        """The same without the tilt."""
        return self if self.tilt is None else replace(self, goal=self.goal - self.tilt, tilt=None)

    def allows(self, items: Iterable["Item"]) -> bool:
        """Whether a rule may have these items, by the columns that they read."""
        return self.limits is None or self.limits.permits(self._columns(items))

    def bars(self, items: Iterable["Item"]) -> Array:
        """The facts that may not be beside these items, by the columns that they read."""
        if self.limits is None or self.column is None:
            return np.zeros(self.n_facts, bool)
        read = self._columns(items)
        return np.isin(self.column, [each for each in {*self.column} if not self.limits.permits(read | {each})])

    def _columns(self, items: Iterable["Item"]) -> Set[str]:
        return {str(self.column[place]) for item in items for place in item.places if self.column is not None}


def round_sums(amounts: Array) -> Array:
    """Amounts (rows × amounts) in single precision, with so few digits that all sums of them are exact.

    Then no order of additions changes what facts tell, and a table has the same rule on every processor.
    """
    total = 1.001 * np.abs(amounts).sum(axis=0) + TINY  # a little more: a power of two is on one side everywhere
    unit = 2.0 ** np.ceil(np.log2(total) - EXACT_BITS)
    return np.asarray(np.rint(amounts / unit) * unit, np.float32)


def coarsen(values: ArrayLike) -> Array:
    """Values in single precision, for comparisons: what differs by how it was rounded is the same there."""
    return np.asarray(values, np.float32)


def logistic(z: Array) -> Array:
    """The probability of each log odds."""
    return np.asarray(1 / (1 + np.exp(np.minimum(np.maximum(-z, -30), 30))))


def log_loss(z: Array, goal: Array) -> Array:
    """What each row costs, given its log odds."""
    return np.asarray(np.logaddexp(0, z) - goal * z)


def spread_evenly(n_rows: int, most: int) -> Array:
    """So many of the rows, or all of them, evenly spaced."""
    return np.arange(n_rows) if n_rows <= most else np.linspace(0, n_rows - 1, most).astype(np.int64)
