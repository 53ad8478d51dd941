"""What is asked, of which rows, rules and the functions they can be, and what is known of the best."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, product
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError, TrainingDataError, refuse, refuse_first
from crystalogic.features import Features, unpack
from crystalogic.progress import Stop

SHAPES = ("checklist", "points")
MOST_SIZE = 8
MOST_WITHIN = 1_000_000
MOST_WEIGHT = 1 << 30  # of all rows together, times what an error costs


@dataclass(frozen=True)
class Counted:
    """Different rows (rows × facts), with the weight of yes and of no.

    `twins` has a member for each fact: the places of all given facts that are equal to it on every row, ~place of those
    that are its opposite, the fact itself first. A rule uses at most one of several twins, and any of them will do.
    """

    names: tuple[str, ...]  # of all given facts
    twins: tuple[tuple[int, ...], ...]
    truth: Array
    yes: Array
    no: Array


def count_rows(features: Features, labels: Any, weight: Any = None) -> Counted:
    """The different rows of facts that are 0 or 1, with the weight of yes and of no: whole numbers, 1 for each row."""
    given = np.ones(features.n_rows) if weight is None else np.asarray(weight, np.float64)
    is_yes, whole = np.asarray(labels).astype(bool), given.astype(np.int64)
    if len(features.graded) or not features.n_rows or {is_yes.shape, given.shape} != {(features.n_rows,)}:
        message = f"expected facts that are 0 or 1, a label and a weight for each of {features.n_rows} rows."
        raise TrainingDataError(message)
    if (whole != given).any() or whole.min() < 0 or not 0 < given.sum() < MOST_WEIGHT:
        refuse(TrainingDataError, f"weights are whole numbers of at least 0 with a sum below {MOST_WEIGHT:,}.")
    truth = unpack(features.bits[features.place], features.n_rows)[:, whole > 0]
    twins: dict[bytes, list[int]] = {}
    for place, column in enumerate(truth):
        twins.setdefault((column ^ column[0]).tobytes(), []).append(place)
    twins.pop(bytes(truth.shape[1]), None)  # facts that are the same on all rows
    first = [places[0] for places in twins.values()]
    rows, inverse = np.unique(np.packbits(truth[first], axis=0).T, axis=0, return_inverse=True)
    weights = (np.where(side, whole, 0)[whole > 0] for side in (is_yes, ~is_yes))
    yes, no = (np.bincount(inverse.ravel(), each, len(rows)).astype(np.int64) for each in weights)
    signed = (tuple(p if truth[p, 0] == truth[own[0], 0] else ~p for p in own) for own in twins.values())
    return Counted(features.names, tuple(signed), np.unpackbits(rows, axis=1, count=len(first)), yes, no)


@dataclass(frozen=True)
class Objective:
    """What an error costs."""

    missed: int = 1
    false_alarm: int = 1


ERRORS = Objective()


@dataclass(frozen=True)
class Needs:
    """What a rule must keep, by names of facts: which it uses, which it does not, which must hold (1) or fail (-1)."""

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    signs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Rules of this shape over at most `size` facts; those at most `within` above the best are counted."""

    size: int
    shape: str
    objective: Objective
    within: int
    needs: Needs

    def __post_init__(self) -> None:
        size, within, shape, costs = self.size, self.within, self.shape, self.objective
        problems = {
            f"the shape is {' or '.join(map(repr, SHAPES))}, got {shape!r}.": shape not in SHAPES,
            f"the size is a number of facts from 0 to {MOST_SIZE}, got {size}.": not 0 <= size <= MOST_SIZE,
            f"the margin is a whole number from 0 to {MOST_WITHIN:,}, got {within}.": not 0 <= within <= MOST_WITHIN,
            "what an error costs is a whole number of at least 1.": min(costs.missed, costs.false_alarm) < 1,
        }
        refuse_first(TrainingDataError, problems)

    def functions(self, size: int) -> "Functions":
        """The functions of this shape."""
        return threshold_functions(size) if self.shape == "points" and size else checklists(size)


@dataclass(frozen=True, order=True)
class Rule:
    """Facts by their places, ~place where a fact is to be false; with points and a threshold. Without, a constant."""

    facts: tuple[int, ...]
    points: tuple[int, ...]
    threshold: int

    def score(self, truths: Array) -> Array:
        """The score of each row of given facts (rows × facts)."""
        total = np.zeros(len(truths), np.int64)
        for fact, points in zip(self.facts, self.points, strict=True):
            total += points * (truths[:, fact] if fact >= 0 else 1 - truths[:, ~fact])
        return total

    def decide(self, truths: Array) -> Array:
        """Whether each row is a yes."""
        return np.asarray(self.score(truths) >= self.threshold)

    def expand(self, counted: Counted) -> "list[Rule]":
        """The rule with each fact replaced by each of its twins: all are the same on the rows that were counted."""
        own = {fact: twins for twins in counted.twins for fact in (twins[0], ~twins[0])}
        options = [[twin if fact == own[fact][0] else ~twin for twin in own[fact]] for fact in self.facts]
        return [replace(self, facts=facts) for facts in product(*options)]


@dataclass(frozen=True)
class Optimum:
    """The best rule, its cost, and what is proved: no rule of the scope costs less than `bound`.

    `counts` says how many rules there are at each cost from the best on: rules that depend on all of their facts. A
    fact stands for its twins, which `Rule.expand` writes out. If the search ended early, these are the rules that were
    found. Costs include the unavoidable ones. `rules` lists rules with their costs, the best first, then those of few
    facts, then in order; `is_complete` says that these are all.
    """

    question: Question
    rule: Rule
    cost: int
    bound: int
    counts: tuple[int, ...]
    rules: tuple[tuple[int, Rule], ...]
    is_complete: bool
    n_sets: int  # of facts in the scope
    stop: Stop
    n_scanned: int = field(compare=False)  # sets of facts, or of blocks of facts, whose least cost was computed
    seconds: float = field(compare=False)

    @property
    def is_proved(self) -> bool:
        """Whether no rule of the scope is better."""
        return self.bound == self.cost

    @property
    def is_whole(self) -> bool:
        """Whether all rules were counted."""
        return not self.stop.is_early


MOST_POINTS = (0, 1, 1, 2, 3, 5)  # of one of so many facts (Muroga, Threshold Logic and Its Applications, 1971)


@dataclass(frozen=True)
class Functions:
    """Each is true where its parent is and in one cell more; the first is never true, and only whole ones are meant.

    The first fact is the highest bit of a cell's number. A threshold function has a parent: with points that make all
    scores different, a higher threshold takes away a single cell.
    """

    points: Array
    threshold: Array
    parent: Array
    cell: Array
    is_whole: Array


@cache
def checklists(size: int) -> Functions:
    """At least k of the facts, for each k, of none the constants: the cells are added from all facts to none."""
    held = np.array([cell.bit_count() for cell in range(1 << size)])
    order = np.argsort(-held, kind="stable")
    threshold = np.append(size + 1, held[order])
    is_constant = (threshold == 0) | (threshold > size)
    is_whole = np.append(threshold[1:] < threshold[:-1], True) & (is_constant == (size == 0))
    points = np.ones((len(threshold), size), np.int64)
    return Functions(points, threshold, np.arange(-1, 1 << size), np.append(0, order), is_whole)


@cache
def threshold_functions(size: int) -> Functions:
    """Every threshold function with points of at least 0, once: points of least sum, then the least in order."""
    if size >= len(MOST_POINTS):
        refuse(TooLargeError, f"points are proved for at most {len(MOST_POINTS) - 1} facts, got {size}: ask for fewer.")
    points = np.indices((MOST_POINTS[size] + 1,) * size).reshape(size, -1).T
    points = points[np.lexsort((*points.T[::-1], points.sum(axis=1)))]
    cells = np.arange(1 << size)
    scores = points @ (cells >> np.arange(size)[::-1, None] & 1)
    known: dict[int, tuple[int, int]] = {}
    for threshold in range(1 + int(scores.max()), -1, -1):
        for place, mask in enumerate(((scores >= threshold) << cells).sum(axis=1).tolist()):
            if mask not in known or known[mask][0] > place:
                known[mask] = place, threshold
    masks = sorted(known, key=lambda mask: (mask.bit_count(), mask))
    place_of = {mask: place for place, mask in enumerate(masks)}
    steps = [(place_of.get(mask & ~(1 << c), -1), c) for mask in masks for c in cells.tolist() if mask >> c & 1]
    ends = np.cumsum([mask.bit_count() for mask in masks])
    parent, cell = np.array([(0, 0)] + [max(steps[a:b]) for a, b in pairwise(ends)]).T.copy()
    used, truth = np.array([known[mask] for mask in masks]), np.array(masks)[:, None] >> cells & 1
    depends = [(truth[:, cells & 1 << b > 0] != truth[:, cells & 1 << b == 0]).any(axis=1) for b in range(size)]
    return Functions(points[used[:, 0]], used[:, 1], parent, cell, np.all(depends, axis=0))
