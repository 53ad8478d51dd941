"""What is run: every learner on every split, with defaults, at fixed sizes, tuned; any beginning of it tells much."""

from collections.abc import Sequence
from typing import Any

from research.bench.peers import PEERS, SIZES, Peer
from research.bench.suite import Table, read_suite
from research.bench.tables import seeds_of
from research.errors import StudyError
from research.study import Job

DEFAULT, TUNED = "default", "tuned"
QUICK_MOST_ROWS = 6000
QUICK_SEEDS = (0, 1)


def pick_peers(names: Sequence[str] | None) -> list[Peer]:
    """The learners of these names, or all of them; one that does not exist is refused."""
    for name in names or ():
        if name not in PEERS:
            message = f"no learner {name!r}; there are {', '.join(PEERS)}."
            raise StudyError(message)
    return [PEERS[name] for name in names or PEERS]


def plan_jobs(
    tables: Sequence[str] | None = None, learners: Sequence[str] | None = None, *, quick: bool = False
) -> list[Job]:
    """All jobs: the first split of all tables before the second, new tables before those used in development.

    Within a split the default round comes first, then the sizes, then the tuned round. The quick version is the default
    round of small and middling tables, on two splits.
    """
    suite = read_suite()
    chosen = sorted(suite.pick(tables), key=lambda table: table.developed)
    peers = pick_peers(learners)
    jobs: list[Job] = []
    for seed in sorted({seed for table in chosen for seed in table.seeds}):
        there = [table for table in chosen if seed in seeds_of(table.name)]
        if quick:
            there = [table for table in there if seed in QUICK_SEEDS and table.rows <= QUICK_MOST_ROWS]
        jobs += [Job("bench", table.name, peer.name, DEFAULT, seed) for table in there for peer in peers]
        if quick:
            continue
        jobs += [
            Job("bench", table.name, peer.name, f"size-{size}", seed)
            for table in there
            if table.classes == 2
            for size in SIZES
            for peer in peers
            if peer.sized is not None
        ]
        if seed in suite.tuned_seeds:
            small = [table for table in there if table.rows <= suite.tuned_most_rows]
            jobs += [Job("bench", table.name, peer.name, TUNED, seed) for table in small for peer in peers]
    return jobs


def settings_of(job: Job) -> dict[str, Any]:
    """The settings of a job that is not tuned."""
    peer = PEERS[job.learner]
    if not job.variant.startswith("size-"):
        return {}
    assert peer.sized is not None
    return dict(peer.sized(int(job.variant.removeprefix("size-"))))


def headline(tables: Sequence[Table]) -> list[Table]:
    """The tables that were not used in development."""
    return [table for table in tables if not table.developed]
