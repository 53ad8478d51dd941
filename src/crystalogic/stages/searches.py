"""Search in stages: several searches on a small sample, their best formulas raced on a larger one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.features import Features
from crystalogic.parts import Parts
from crystalogic.progress import Clock
from crystalogic.search import Annealing, Knowledge
from crystalogic.search.engine import FULL, Pool, fill
from crystalogic.search.race import neighbours, race
from crystalogic.search.rows import Rows
from crystalogic.search.screen import working_rows
from crystalogic.search.single import offer_simplest
from crystalogic.search.table import SearchTable, make_table
from crystalogic.stages.plan import Plan
from crystalogic.stages.sample import Sample
from crystalogic.stages.score import FormulaTarget

Array = NDArray[Any]


@dataclass(frozen=True)
class Stages:
    """The sample of a table with its truth values, and how to search it for one aim."""

    sample: Sample
    features: Features
    plan: Plan
    settings: Annealing
    knowledge: Knowledge
    seed: int

    def table(self, aim: FormulaTarget, indices: Array) -> SearchTable:
        """Some rows of the sample with the target of this aim; each class weighs what it weighs in the whole table."""
        code, weight = self.sample.code[indices], aim.class_weight[self.sample.code[indices]]
        if self.sample.table_weight is not None:
            weight = weight * self.sample.table_weight[indices]
        target = self.sample.target[indices] if aim.classes is None else code == aim.index
        return make_table(self.features.take(indices), target, weight, is_class=aim.classes is not None)

    def search(self, parts: Parts, aim: FormulaTarget, starts: Sequence[Crystal], clock: Clock) -> Pool:
        """The best crystals of each size on the whole sample."""
        seed = self.seed + aim.index
        small = self.table(aim, self.sample.first(self.plan.samples[0]))
        rows = working_rows(small, self.settings, self.knowledge, seed, clock, starts)
        knowledge = self.knowledge.within(rows.names)

        seeds = [seed + 7919 * restart for restart in range(self.plan.n_restarts)]
        found = parts.spread(_front, (rows, self.settings, knowledge, tuple(starts)), seeds, clock)
        crystals = [crystal for front in found if front is not None for crystal in front]
        pool = race(crystals, self.working_rows(aim, rows.names), self.settings, knowledge, seed, clock)
        if knowledge.required and not pool.front():
            offer_simplest(pool)
        clock.tick("race")
        return pool

    def working_rows(self, aim: FormulaTarget, names: Sequence[str]) -> Rows:
        """The whole sample with these features."""
        thin = replace(self, features=self.features.only(names))
        return thin.table(aim, np.arange(len(self.sample.key))).rows()

    def around(self, crystal: Crystal, rows: Rows) -> list[Crystal]:
        """Crystals one change away that may be better on all rows."""
        return neighbours(crystal, rows, self.settings, self.knowledge.within(rows.names))


def _front(shared: tuple[Rows, Annealing, Knowledge, tuple[Crystal, ...]], seed: int, clock: Clock) -> list[Crystal]:
    """The best crystals of each size that one search finds."""
    rows, settings, knowledge, starts = shared
    found = fill(rows, settings, knowledge, FULL, seed, clock, starts).front()
    clock.tick("search")
    return [crystal for _, _, crystal in found]
