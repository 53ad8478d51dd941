"""Search in stages: several searches on a small sample, their best formulas raced on a larger one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.scale.plan import Plan
from crystalogic.scale.sample import Sample
from crystalogic.scale.score import Aim
from crystalogic.search import Annealing, Features, Knowledge
from crystalogic.search.clock import Clock
from crystalogic.search.crossval import in_threads
from crystalogic.search.engine import FULL, Pool, fill
from crystalogic.search.race import neighbours, race
from crystalogic.search.rows import Rows
from crystalogic.search.screen import working_rows
from crystalogic.search.table import Table, make_table

Array = NDArray[Any]
EVEN = 1.01  # classes drawn at rates this close are drawn alike


@dataclass(frozen=True)
class Stages:
    """The sample of a table with its truth values, and how to search it for one aim."""

    sample: Sample
    features: Features
    plan: Plan
    settings: Annealing
    knowledge: Knowledge
    seed: int

    def table(self, aim: Aim, indices: Array) -> Table:
        """Some rows of the sample with the target of this aim; each class weighs what it weighs in the whole table."""
        code, rate = self.sample.code[indices], self.sample.rate
        weight = aim.class_weight[code] * (rate[code] if rate.max() > EVEN * rate.min() else 1.0)
        if self.sample.weight is not None:
            weight = weight * self.sample.weight[indices]
        target = self.sample.target[indices] if aim.classes is None else code == aim.index
        return make_table(self.features.take(indices), target, weight, is_class=aim.classes is not None)

    def searched(self, aim: Aim, starts: Sequence[Crystal], clock: Clock) -> Pool:
        """The best crystals of each size on the whole sample."""
        seed = self.seed + aim.index
        small = self.table(aim, self.sample.first(self.plan.samples[0]))
        rows = working_rows(small, self.settings, self.knowledge, seed, clock, starts)
        knowledge = self.knowledge.within(rows.names)

        def search(restart: int) -> Pool:
            found = fill(rows, self.settings, knowledge, FULL, seed + 7919 * restart, clock, starts)
            clock.tick("search")
            return found

        jobs = list(range(self.plan.n_restarts))
        pools = in_threads(search, jobs, self.settings.n_threads, clock)
        crystals = [crystal for pool in pools if pool is not None for _, _, crystal in pool.front()]
        pool = race(crystals, self.working(aim, rows.names), self.settings, knowledge, seed, clock)
        clock.tick("race")
        return pool

    def working(self, aim: Aim, names: Sequence[str]) -> Rows:
        """The whole sample with these features."""
        place = {name: index for index, name in enumerate(self.features.names)}
        chosen = np.array([place[name] for name in names])
        thin = replace(self, features=self.features.only(chosen))
        return thin.table(aim, np.arange(len(self.sample.key))).rows()

    def around(self, crystal: Crystal, rows: Rows) -> list[Crystal]:
        """Crystals one change away that may be better on all rows."""
        return neighbours(crystal, rows, self.settings, self.knowledge.within(rows.names))
