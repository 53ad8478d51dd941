"""Which experiments a reproduction runs: all of them, or a few to see that everything works."""

from dataclasses import dataclass
from itertools import product

from crystalogic.datasets import NAMES
from research.paper.settings import DATA, STRATEGIES, VARIANTS
from research.study import Job

N_TRIALS, QUICK_TRIALS = 10, 2
ABLATION_SPLITS = 3
TABLES = ("f1 on S1", "f1 on S2", "f2 on S1", "f2 on S2")


@dataclass(frozen=True)
class Plan:
    """The jobs of a reproduction and how many trials each cell has."""

    name: str
    n_trials: int
    jobs: tuple[Job, ...]


def plan(*, quick: bool = False) -> Plan:
    """All jobs: the paper's protocol, ours, the lattice search, truth tables, ablations.

    >>> plan().n_trials, len(plan(quick=True).jobs) < len(plan().jobs) / 5
    (10, True)
    """
    n = QUICK_TRIALS if quick else N_TRIALS
    seeds, once = range(n), range(1) if quick else range(n)
    searches = [
        Job("search", data, "annealing", "quick" if quick else "default", seed) for data, seed in product(NAMES, once)
    ]
    searches.sort(key=lambda job: (job.data != "heart", job.seed))
    jobs = searches[:1]  # compiles the kernels of the search while other processes train
    jobs += [
        Job("paper", data, strategy, "chosen" if quick else "grid", seed)
        for data, strategy, seed in product(DATA, STRATEGIES, seeds)
    ]
    jobs += [
        Job("ours", data, strategy, f"{_restarts(data, quick)} restarts", seed)
        for data, strategy, seed in product(NAMES, STRATEGIES, seeds)
        if not (quick and data == "mushroom")
    ]
    for table, strategy, seed in product(TABLES, STRATEGIES, seeds):
        jobs.append(Job("table", table, strategy, "paper", seed))
        if not quick:
            jobs.append(Job("table", table, strategy, "ours", seed))
    jobs += [Job("table", table, "recover", "ours", seed) for table, seed in product(TABLES, once)]
    for name, variant in VARIANTS.items():
        data_sets = [data for data in variant.data if not quick or data in ("monks-3", "heart")]
        some = range(1) if quick else range(ABLATION_SPLITS)
        jobs += [Job("ablation", data, variant.strategy, name, seed) for data, seed in product(data_sets, some)]
    return Plan("quick" if quick else "full", n, (*jobs, *searches[1:]))


def _restarts(data: str, quick: bool) -> int:
    if quick:
        return 4
    return 8 if data == "mushroom" else 32
