"""What formulas lose on every row of a table in parts, and on the rows that nothing was learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of
from crystalogic.encoding import Encoding
from crystalogic.errors import TrainingDataError
from crystalogic.parts import Part, Parts
from crystalogic.stages.sample import Sample, codes_of, keys_of


@dataclass(frozen=True)
class FormulaTarget:
    """What a formula is for: the second of two classes, or truth degrees (`classes` None).

    With an `order` of the classes there is a formula for each, and what they decide together is judged.
    """

    classes: Array | None
    order: tuple[int, ...] = ()

    def losses(self, degrees: Array, part: Part, code: Array) -> Array:
        """What the rows of a part lose with these degrees (rows × formulas), weighed.

        That is 1 for the wrong class, or the wrong side of 1/2; of truth degrees it is the error.
        """
        if self.order:
            lost = np.asarray(classes_of(degrees, self.order) != code, np.float64)
        elif self.classes is None:
            lost = np.abs(degrees[:, 0] - np.asarray(part.target, np.float32)).astype(np.float64)
        else:
            lost = np.asarray((degrees[:, 0] >= 0.5) != (code == 1), np.float64)
        return lost if part.weight is None else np.asarray(lost * part.weight)


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


def score(
    parts: Parts, encoding: Encoding, crystals: Sequence[Crystal], aim: FormulaTarget, sample: Sample, seed: int
) -> Scores:
    """The scores of all these formulas, or lists of them; one pass over the table."""
    columns = encoding.columns_of(name for crystal in crystals for name in crystal.inputs)
    look = partial(_score_part, encoding=encoding, crystals=tuple(crystals), aim=aim, drawn=(sample.last, seed))
    found = parts.fold(look, Scores.__add__, columns)
    if found is None:
        message = "the table has no rows any more."
        raise TrainingDataError(message)
    return found


def _score_part(
    part: Part, encoding: Encoding, crystals: Sequence[Crystal], aim: FormulaTarget, drawn: tuple[Array, int]
) -> Scores:
    last, seed = drawn
    code = codes_of(part.target, aim.classes)
    names = list(dict.fromkeys(name for crystal in crystals for name in crystal.inputs))
    truths = encoding.transform(part.rows, names, first_row=part.first_row)
    place = {name: index for index, name in enumerate(names)}
    losses = np.empty((len(part), len(crystals)))
    for index, crystal in enumerate(crystals):
        degrees = crystal.run_rows(truths[:, [place[name] for name in crystal.inputs]])
        losses[:, index] = aim.losses(degrees, part, code)
    is_unseen = keys_of(part.first_row, len(part), seed) > last[code]
    every = Tally.of(losses, code, len(last))
    return Scores(every, Tally.of(losses[is_unseen], code[is_unseen], len(last)))
