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
N_FIRST = 3  # splits that come first


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
    """All jobs: splits in turn, new tables before those used in development, three splits of all before the rest.

    Of these splits, tables that are not large come first. The defaults come before the sizes, the tuned round is last.
    The quick version is the default round of tables that are not large, on two splits.
    """
    chosen = sorted(read_suite().pick(tables), key=lambda table: table.developed)
    small, large = (
        [table for table in chosen if (table.rows > QUICK_MOST_ROWS) == is_large] for is_large in (False, True)
    )
    peers = pick_peers(learners)
    if quick:
        return _default_jobs(small, peers, QUICK_SEEDS)
    seeds = sorted({seed for table in chosen for seed in table.seeds})
    jobs = []
    for part, some in ((small, seeds[:N_FIRST]), (large, seeds[:N_FIRST]), (chosen, seeds[N_FIRST:])):
        jobs += _default_jobs(part, peers, some) + _sized_jobs(part, peers, some)
    return jobs + _tuned_jobs(chosen, peers)


def _default_jobs(tables: Sequence[Table], peers: Sequence[Peer], seeds: Sequence[int]) -> list[Job]:
    return [
        Job("bench", table.name, peer.name, DEFAULT, seed)
        for seed in seeds
        for table in tables
        if seed in seeds_of(table.name)
        for peer in peers
    ]


def _sized_jobs(tables: Sequence[Table], peers: Sequence[Peer], seeds: Sequence[int]) -> list[Job]:
    """Tables with two classes only: of several, a size would be shared out among them."""
    return [
        Job("bench", table.name, peer.name, f"size-{size}", seed)
        for seed in seeds
        for table in tables
        if table.classes == 2 and seed in seeds_of(table.name)
        for size in SIZES
        for peer in peers
        if peer.sized is not None
    ]


def _tuned_jobs(tables: Sequence[Table], peers: Sequence[Peer]) -> list[Job]:
    suite = read_suite()
    return [
        Job("bench", table.name, peer.name, TUNED, seed)
        for seed in suite.tuned_seeds
        for table in tables
        if table.rows <= suite.tuned_most_rows and seed in seeds_of(table.name)
        for peer in peers
    ]


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
