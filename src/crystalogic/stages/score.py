"""What formulas lose on every row of a table in parts, and on the rows that no search has seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.errors import TrainingDataError
from crystalogic.parts import Part, Parts
from crystalogic.search.engine import loss_of
from crystalogic.search.front import Judgement
from crystalogic.search.rows import RowTargets
from crystalogic.stages.sample import Sample, codes_of, keys_of

Array = NDArray[Any]


@dataclass(frozen=True)
class FormulaTarget:
    """What a formula is for: one class among others, or truth degrees (`classes` None); the weight of each class."""

    classes: Array | None
    index: int
    class_weight: Array

    def goal(self, part: Part, code: Array) -> RowTargets:
        """Targets and weights of the rows of a part."""
        target = part.target if self.classes is None else code == self.index
        weight = self.class_weight[code] * (1.0 if part.weight is None else part.weight)
        count = np.ones(len(part), np.int64)
        return RowTargets(np.asarray(target, np.float32), weight, count, 1.0, 0.0 if self.classes is None else 0.5)


@dataclass(frozen=True)
class Scores:
    """The judgement of formulas on all rows, and on the rows outside the sample."""

    all_rows: Judgement
    unseen: Judgement

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(self.all_rows + other.all_rows, self.unseen + other.unseen)


def score(
    parts: Parts, encoding: Encoding, crystals: Sequence[tuple[Crystal, FormulaTarget]], sample: Sample, seed: int
) -> Scores:
    """The scores of all these formulas, each for its own aim; one pass over the table."""
    drawn = (sample.last, seed)
    columns = encoding.columns_of(name for crystal, _ in crystals for name in crystal.inputs)
    look = partial(_score_part, encoding=encoding, crystals=tuple(crystals), drawn=drawn)
    found = parts.fold(look, Scores.__add__, columns)
    if found is None:
        message = "the table has no rows any more."
        raise TrainingDataError(message)
    return found


def _score_part(
    part: Part, encoding: Encoding, crystals: Sequence[tuple[Crystal, FormulaTarget]], drawn: tuple[Array, int]
) -> Scores:
    last, seed = drawn
    code = codes_of(part.target, crystals[0][1].classes)
    names = list(dict.fromkeys(name for crystal, _ in crystals for name in crystal.inputs))
    truths = encoding.transform(part.rows, names, first_row=part.first_row)
    place = {name: index for index, name in enumerate(names)}
    losses = np.empty((len(part), len(crystals)))
    for index, (crystal, aim) in enumerate(crystals):
        goal = aim.goal(part, code)
        degrees = crystal.run_rows(truths[:, [place[name] for name in crystal.inputs]])
        losses[:, index] = loss_of(degrees, goal)[:, 0] * goal.weight
    is_unseen = keys_of(part.first_row, len(part), seed) > last[code]
    return Scores(Judgement.of(losses), Judgement.of(losses[is_unseen]))
