"""What formulas lose on every row of a table in parts, and on the rows that nothing was learned from."""

from collections.abc import Sequence
from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of
from crystalogic.encoding import Encoding
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.parts import Part, Parts
from crystalogic.stages.sample import codes_of, keys_of


@dataclass(frozen=True)
class Tally:
    """For each class how many rows there are, and (× formulas) the sums of what was lost and of its squares.

    Without weights of rows the sums of lost classes are whole numbers: the same however the table is cut.
    """

    n: Array
    sums: Array
    squares: Array

    @staticmethod
    def of(losses: Array, code: Array, n_classes: int) -> "Tally":
        """The losses (rows × formulas) of rows of these classes."""
        is_class = (code == np.arange(n_classes)[:, None]).astype(np.float64)
        return Tally(is_class.sum(axis=1), is_class @ losses, is_class @ losses**2)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.n + other.n, self.sums + other.sums, self.squares + other.squares)

    def scores(self, weight: Array) -> tuple[Array, Array]:
        """The score of each formula, and its standard error, where a row of each class weighs so much."""
        n = self.n.sum()
        mean, square = weight @ self.sums / n, weight**2 @ self.squares / n
        return 1 - mean, np.sqrt(np.maximum(square - mean**2, 0) / n)


@dataclass(frozen=True)
class Scores:
    """What formulas lost on all rows, and on the rows outside the sample."""

    all_rows: Tally
    unseen: Tally

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(self.all_rows + other.all_rows, self.unseen + other.unseen)

    @property
    def unseen_weight(self) -> Array:
        """What an unseen row of each class weighs, so that its class is as heavy as in the table.

        Of a class that was drawn densely few rows are unseen.
        """
        share = np.maximum(self.unseen.n, 1) / self.all_rows.n
        return np.asarray(self.unseen.n.sum() / self.all_rows.n.sum() / share)


@dataclass(frozen=True)
class Judge:
    """What formulas lose on the rows of a part.

    A formula is for the second of two classes, or for truth degrees (`classes` None). With an `order` of the classes a
    crystal has a formula for each, and what they decide together is judged. A row loses 1 for the wrong class, or the
    wrong side of 1/2; of truth degrees it loses the error. `last` are the greatest keys of the sample, by class.
    """

    encoding: Encoding
    crystals: Sequence[Crystal]
    classes: Array | None
    order: tuple[int, ...]
    last: Array
    seed: int

    def __call__(self, part: Part) -> Scores:
        code, names = codes_of(part.target, self.classes), self.names
        truths = self.encoding.transform(part.rows, names, first_row=part.first_row)
        place = {name: index for index, name in enumerate(names)}
        losses = np.empty((len(part), len(self.crystals)))
        for index, crystal in enumerate(self.crystals):
            degrees = crystal.run_rows(truths[:, [place[name] for name in crystal.inputs]])
            if self.order:
                losses[:, index] = classes_of(degrees, self.order) != code
            elif self.classes is None:
                losses[:, index] = np.abs(degrees[:, 0] - np.asarray(part.target, np.float32))
            else:
                losses[:, index] = (degrees[:, 0] >= 0.5) != (code == 1)
        losses *= 1.0 if part.weight is None else part.weight[:, None]
        is_unseen = keys_of(part.first_row, len(part), self.seed) > self.last[code]
        every = Tally.of(losses, code, len(self.last))
        return Scores(every, Tally.of(losses[is_unseen], code[is_unseen], len(self.last)))

    @property
    def names(self) -> list[str]:
        """The truth values that the formulas read."""
        return list(dict.fromkeys(name for crystal in self.crystals for name in crystal.inputs))


def score(parts: Parts, judge: Judge) -> Scores:
    """The scores of all formulas of a judge; one pass over the table."""
    found = parts.fold(judge, Scores.__add__, judge.encoding.columns_of(judge.names))
    if found is None:
        refuse(TrainingDataError, "the table has no rows any more.")
    return found
