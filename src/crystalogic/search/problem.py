"""One formula to be learned: its rows, its front, and what each size loses on rows held out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Front
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.progress import Clock, in_threads
from crystalogic.search.crossval import Tally, constant_of, degrees_of, folds_of, judge
from crystalogic.search.engine import FOLD, FULL, fill, offer_simplest
from crystalogic.search.pool import Pool
from crystalogic.search.table import SearchTable, working_rows


@dataclass(frozen=True)
class FormulaProblem:
    """Rows with the target of one formula, what is known of it, and a crystal to improve, if any."""

    table: SearchTable
    knowledge: Knowledge
    seed: int
    crystal: Crystal | None = None

    @property
    def starts(self) -> list[Crystal]:
        """The formula of an expert to start from."""
        return [self.knowledge.start] if self.knowledge.start else []

    def pool(self, settings: Annealing, clock: Clock) -> Pool:
        """The best crystal of each size on all rows; a single literal where there was no time for more."""
        kept = self.starts if self.crystal is None else [self.crystal]
        rows = working_rows(self.table, self.knowledge, kept)
        knowledge, is_polished = self.knowledge.within(rows.names), self.crystal is not None
        pool = fill(rows, settings, knowledge, FULL, self.seed, clock, kept, only_starts=is_polished)
        if not pool.front():
            offer_simplest(pool)
        clock.tick("front")
        return pool

    def pool_of_required(self, settings: Annealing) -> Pool:
        """The pool of what is required alone, which takes no search; empty if nothing is."""
        rows = self.table.rows(self._places(self.knowledge.required))
        pool = Pool(rows, settings, replace(self.knowledge, start=None).within(rows.names))
        if self.knowledge.required:
            offer_simplest(pool)
        return pool

    def held_out(self, number: int, out: Array, settings: Annealing, clock: Clock) -> Array | None:
        """The degrees of the rows held out with formulas of each size learned without them; None when time is over."""
        if clock.is_over():
            return None
        seed = self.seed * 1000 + 1 + number
        inside = working_rows(self.table.share(self.table.count - out), self.knowledge, self.starts)
        part = fill(inside, settings, self.knowledge.within(inside.names), FOLD, seed, clock, self.starts)
        outside = self.table.share(out).rows(None if inside.names == self.table.names else self._places(inside.names))
        degrees = None if clock.is_over() else degrees_of(part.front(), inside, outside, settings.max_literals)
        clock.tick("fold")
        return degrees

    def _places(self, names: Sequence[str]) -> Array:
        place = {name: index for index, name in enumerate(self.table.names)}
        return np.array([place[name] for name in names], np.int64)


def front_of(problem: FormulaProblem, settings: Annealing, clock: Clock) -> Front:
    """The front of the problem, judged by cross-validation."""
    table, seeds = problem.table, [problem.seed * 7919 + repeat for repeat in range(settings.repeats)]
    labels = table.target >= table.one / 2
    outs = [out for seed in seeds for out in folds_of(table, labels, settings.folds, seed)]
    clock.total += 1 + len(outs)
    tally = Tally(table, settings.max_literals)
    with clock.part(0, 2):  # half of the time is for the front, half for judging it
        (pool,) = in_threads(lambda each: each.pool(settings, clock), [problem], 1, clock)
    with clock.part():
        jobs = list(enumerate(outs))
        found = in_threads(lambda job: problem.held_out(*job, settings, clock), jobs, settings.n_threads, clock)
        for out, degrees in zip(outs, found, strict=True):
            if degrees is not None:
                tally.add(out, degrees)
    pool = pool or problem.pool_of_required(settings)
    if not pool.front():
        return Front((constant_of(table),), 0, "no formula was found in time: the constant")
    return judge(pool, tally, settings)
