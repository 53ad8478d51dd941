"""Rows prepared for learning: facts by their names, rows by their facts, so that no order and no name matters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates import Knowledge
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.features import Features
from crystalogic.learner.crystals import NameGroup
from crystalogic.learner.limits import Limits
from crystalogic.learner.settings import Likelihood
from crystalogic.learner.task import Task
from crystalogic.learner.teacher import MOST_ROWS, Lessons, choose_teacher, soften, teach
from crystalogic.progress import Clock

Finer = Callable[[Sequence[str]], tuple[Features, tuple[str, ...]]]  # facts near these, and which one each is near to
Goals = Callable[[Array], Task]  # some rows, with what is to be learned of them
NEVER_SURE = 0.02  # no label is more certain than this
FEWEST_GROUPED = 4  # values of a category; of three, one tells what two others do
TAUGHT = 5000  # up to so many rows have a teacher; the labels of more tell good facts from chance by themselves
ENOUGH = 5000  # held-out rows tell sizes and shapes apart: of many rows, not every one is held out


@dataclass(frozen=True, eq=False)
class Study:
    """Rows in an order of their own, with what they are to tell, and how; what is learned does not hang on names.

    Attributes:
        task: its goal are the labels: of two classes those of the rarer one, of more a column for each.
        names: of the facts.
        ranked: the classes, by their codes, from the commonest on.
        rows: the place of each row in the table.
        fold: of each row the number of the fold that it is held out in, -1 for none.
        only_judge: whether nothing is learned from the rows that are held out.
        name_group: what the fact is called that says that one of several holds.
        settings: what is asked for.
        clock: when it must end.
        finer: facts near others, if there are any, which the chosen rule may take in place of its own.
    """

    task: Task
    names: tuple[str, ...]
    ranked: tuple[int, ...]
    rows: Array
    fold: Array
    only_judge: bool
    name_group: NameGroup
    settings: Likelihood
    clock: Clock
    finer: Finer | None

    @property
    def is_other(self) -> bool:
        """Whether the labels are those of the first of two classes, not of the second."""
        return self.ranked == (1, 0)

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def learned(self) -> Array:
        """The rows that the rules are learned from in the end."""
        return np.flatnonzero(self.fold < 0) if self.only_judge else np.arange(self.task.n_rows)

    @property
    def to_learn(self) -> Task:
        """These rows, with their labels."""
        return self.task.take(self.learned) if self.only_judge else self.task

    @cached_property
    def judged(self) -> Task:
        """The rows that are held out."""
        return self.task.take(np.flatnonzero(self.fold >= 0))

    def split(self, fold: int) -> tuple[Array, Array]:
        """The rows to learn from, and those that are held out, for one of the folds."""
        inside = self.fold < 0 if self.only_judge else self.fold != fold
        return np.flatnonzero(inside), np.flatnonzero(self.fold == fold)

    def add_facts(self, features: Features, near: Array) -> "Study":
        """With more facts, each of which goes the way of the one that it is near to."""
        truths = features.dense(np.arange(len(features))).take(self.rows, axis=1).T
        return self._append(truths, self.task.of_facts(near), features.names)

    def narrow(self, places: Sequence[int]) -> "Study":
        """With these facts alone."""
        task = self.task
        required = tuple(index for index, place in enumerate(places) if place in task.required)
        known = task.of_facts(places) | {"truths": np.asfortranarray(task.truths[:, places])}
        narrow = replace(task, required=required, groups=(), ladders=(), **known)
        return replace(self, task=narrow, names=tuple(self.names[place] for place in places))

    def adopt_facts(self, other: "Study", places: Sequence[int]) -> "tuple[Study, list[int]]":
        """With these facts of another study of the same rows, and where they are."""
        known = {name: place for place, name in enumerate(self.names)}
        fresh = [place for place in places if other.names[place] not in known]
        names = [other.names[place] for place in fresh]
        known |= {name: len(self.names) + index for index, name in enumerate(names)}
        found = self._append(other.task.truths[:, fresh], other.task.of_facts(fresh), names) if fresh else self
        return found, [known[other.names[place]] for place in places]

    def _append(self, truths: Array, known: Mapping[str, Any], names: Sequence[str]) -> "Study":
        more: dict[str, Any] = {name: np.append(getattr(self.task, name), each) for name, each in known.items()}
        wider = replace(self.task, truths=np.concatenate([self.task.truths, truths], axis=1), **more)
        return replace(self, task=wider, names=(*self.names, *names))

    def harden(self, rows: Array) -> Task:
        """Some rows with their own labels, which are never quite certain."""
        task = self.task.take(rows)
        return replace(task, goal=_doubt(task.goal))

    def teach(self) -> tuple[Array | None, Task, Goals]:
        """What a teacher tells of each row, the rows to learn from in the end, and how others are made of some rows."""
        task = self.task
        if self.only_judge or task.n_rows > TAUGHT:
            return None, self.harden(self.learned), self.harden
        teacher = choose_teacher(task)
        lessons = Lessons.of(task, teacher) if task.n_rows <= MOST_ROWS else None
        told = teach(task, teacher) if lessons is None else lessons.teach(self.learned)
        soft = replace(task, goal=soften(task.goal, told), teacher=teacher)
        return told, soft, soft.take if lessons is None else partial(self.soften, lessons)

    def soften(self, lessons: Lessons, rows: Array) -> Task:
        """Some rows with soft targets, of which the others know nothing."""
        task = self.task.take(rows)
        return replace(task, goal=soften(task.goal, lessons.teach(rows)), teacher=lessons.teacher)


def prepare(
    features: Features,
    codes: Array,
    weight: Array,
    reach: Array,
    knowledge: Knowledge,
    groups: Sequence[Sequence[str]],
    ladders: Sequence[Sequence[str]],
    held_out: Array | None,
    settings: Likelihood,
    limits: Limits | None = None,
    column: Array | None = None,
    **others: Any,
) -> Study:
    """Facts in the order of their names, rows in an order that hangs on their facts alone.

    Nothing is learned from rows that are `held_out`; without these, each is in one of several folds.
    """
    forbidden = set(knowledge.forbidden)
    facts = zip(features.names, range(len(features)), strict=True)
    kept = sorted(each for each in facts if each[0] not in forbidden and features.place[each[1]] >= 0)
    if not kept:
        refuse(TrainingDataError, "every fact is forbidden; there is nothing left to learn from.")
    names, places = (list(each) for each in zip(*kept, strict=True))
    truths = np.ascontiguousarray(features.dense(places).T)
    hashes = _hashes(truths)
    ranked = _rank(codes, weight, hashes)
    rank = np.argsort(ranked)[codes]
    rows = np.lexsort((rank, hashes))
    goal = (rank == 1).astype(np.float64) if len(ranked) == 2 else np.eye(len(ranked))[rank]
    turn = -1 if ranked == (1, 0) else 1
    signs = np.array([turn * knowledge.monotone.get(name, 0) for name in names])
    for name in set(knowledge.required).difference(names):
        way_out = "this learner requires facts. Name one, such as a cut, or use strategy='annealing'."
        refuse(TrainingDataError, f"{name!r} is required and true to a degree; {way_out}")
    known = {name: place for place, name in enumerate(names)}
    required = tuple(known[name] for name in knowledge.required)
    free = known.keys() - knowledge.monotone
    together = [tuple(sorted(known[name] for name in group if name in free)) for group in groups]
    grouped = tuple(sorted(group for group in together if len(group) >= FEWEST_GROUPED))
    climbed = sorted(tuple(known[name] for name in each) for each in ladders if known.keys() >= set(each))
    column = None if column is None else column[places]
    given = truths[rows], goal[rows], weight[rows], reach[places], signs, required, grouped, tuple(climbed)
    task = Task(*given, limits=limits, column=column)
    folds = _deal(rank[rows], settings.folds) if held_out is None else np.where(held_out[rows], 0, -1)
    return Study(task, tuple(names), ranked, rows, folds, held_out is not None, settings=settings, **others)


def _deal(labels: Array, n_folds: int) -> Array:
    """The fold of each row that has one of these labels, or -1; classes are in proportion."""
    folds = np.empty(len(labels), np.int64)
    folds[np.argsort(labels, kind="stable")] = np.arange(len(labels)) % n_folds
    return np.where(folds < -(-n_folds * ENOUGH // len(labels)), folds, -1)


def _rank(codes: Array, weight: Array, hashes: Array) -> tuple[int, ...]:
    """The classes from the commonest on; which rows they have tells equally common ones apart."""
    mass = np.bincount(codes, weights=weight)
    marks = [int(np.unique(hashes[codes == code]).sum()) for code in range(len(mass))]
    return tuple(sorted(range(len(mass)), key=lambda code: (-mass[code], marks[code])))


def _hashes(truths: Array) -> Array:
    """A number for each row that hangs on its facts alone."""
    mixed = np.full(len(truths), 0x9E3779B97F4A7C15, np.uint64)
    for word in np.packbits(truths > 0.5, axis=1).T:
        mixed = (mixed ^ word) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _doubt(labels: Array) -> Array:
    """Labels that are never quite certain; those of several classes add up to 1."""
    if labels.ndim == 1:
        return np.clip(labels, NEVER_SURE, 1 - NEVER_SURE)
    return np.asarray((1 - NEVER_SURE) * labels + NEVER_SURE / labels.shape[1])
