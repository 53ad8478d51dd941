"""The settings of the learner."""

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral

from crystalogic.errors import TrainingDataError, refuse

MOST_LITERALS, MOST_FACTS = 30, 20  # of a rule that a person reads; of a checklist, and of the score of grades
MOST_POINTS = 5
MOST_GROUPED = 8  # values that a literal lists
WORTH = 0.0004  # of log likelihood for each row: what a literal has to earn, for less is not worth reading
EVERY = 6  # size up to this one is judged, by itself; longer ones are a quarter longer each
CLEAN = 0.03  # where no more rows are wrong, labels are certain: nothing is to be softened, and decisions are counted


class Shape(StrEnum):
    """What a rule may look like, from the plainest on."""

    CHECKLIST = "checklist"
    POINTS = "points"
    FORMULA = "formula"


@dataclass(frozen=True, order=True)
class Kind:
    """A shape, and its limit of literals; and which of several tilts it has."""

    shape: Shape
    limit: int
    tilt: int = 0

    @property
    def most_points(self) -> int:
        """The most points that an item of such a rule may have."""
        return 1 if self.shape is Shape.CHECKLIST else MOST_POINTS


@dataclass(frozen=True)
class Likelihood:
    """Rules of least log loss, their size and shape chosen on held-out rows.

    >>> Likelihood(shape="checklist", max_literals=5).most_literals
    5

    Parameters:
        shape: "checklist" counts facts and steps of ladders, "points" adds whole points of them, "formula" also has
            neurons; None takes what predicts held-out rows best, and the plainer one where it is as good.
        max_literals: a limit that no rule of the front exceeds, up to which the best on held-out rows is taken; None
            is 30, and 20 for a checklist, and every literal has to be worth reading then. A list of rules for several
            classes keeps it as a whole; None is 8 for each class but the last there, and at least 24, with neurons 60.
        folds: how many times a part of the rows is held out to choose the size.
        n_threads: how many parts of a long table are looked at side by side; the result does not depend on it.
    """

    shape: str | None = None
    max_literals: int | None = None
    folds: int = 5
    n_threads: int = 1

    def __post_init__(self) -> None:
        if self.shape is not None and self.shape not in list(Shape):
            shapes = ", ".join(map(repr, map(str, Shape)))
            refuse(TrainingDataError, f"the 'shape' parameter must be None, {shapes}. Got {self.shape!r} instead.")
        for name, least in (("max_literals", 1), ("folds", 2), ("n_threads", 1)):
            value = getattr(self, name)
            is_whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not ((is_whole and value >= least) or (value is None and name == "max_literals")):
                wanted = f"the {name!r} parameter must be a whole number from {least} on"
                refuse(TrainingDataError, f"{wanted}. Got {value!r} instead.")

    @property
    def most_literals(self) -> int:
        """The literals that a rule may have."""
        return MOST_LITERALS if self.max_literals is None else self.max_literals

    @property
    def is_frugal(self) -> bool:
        """Whether literals have to be worth reading: who gives a limit has said what is."""
        return self.max_literals is None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that are asked for."""
        return tuple(Shape) if self.shape is None else (Shape(self.shape),)

    @property
    def width(self) -> int:
        """How many checklists of a size grow side by side: more where nothing else is asked for."""
        return 4 if self.shape == Shape.CHECKLIST else 1


def sizes_up_to(most: int) -> list[int]:
    """The sizes that are judged: of long rules few, for what one literal more brings is little there.

    >>> sizes_up_to(30)
    [0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 15, 19, 24, 30]
    """
    long = [most]
    while long[-1] > EVERY:
        long.append(long[-1] * 4 // 5)
    return [*range(min(most, EVERY) + 1), *reversed(long[:-1])]
