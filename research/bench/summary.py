"""What the results say: means over splits, ranks over tables, wins and losses, the share of tables at each size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.bench.jobs import DEFAULT
from research.bench.peers import OURS, PEERS, SIZES
from research.bench.statistics import (
    Interval,
    Odds,
    bootstrap_mean,
    compare_splits,
    critical_difference,
    jaccard,
    rank_rows,
    signed_rank_odds,
)
from research.study import Job, Record

Cells = Mapping[tuple[str, str, str], Mapping[int, Record]]  # by table, learner and variant; then by split
Floats = NDArray[np.float64]


def gather(found: Mapping[Job, Record]) -> Cells:
    """The records by table, learner and variant."""
    cells: dict[tuple[str, str, str], dict[int, Record]] = {}
    for job, record in found.items():
        cells.setdefault((job.data, job.learner, job.variant), {})[job.seed] = record
    return cells


def values_of(cells: Cells, table: str, learner: str, measure: str, variant: str = DEFAULT) -> dict[int, float]:
    """A measure on each split where the learner ran and has it."""
    records = cells.get((table, learner, variant), {})
    return {seed: float(record[measure]) for seed, record in sorted(records.items()) if measure in record}


def mean_of(cells: Cells, table: str, learner: str, measure: str, variant: str = DEFAULT) -> float | None:
    """Its mean over splits, None where there is none."""
    values = values_of(cells, table, learner, measure, variant)
    return float(np.mean(list(values.values()))) if values else None


def shared_tables(
    cells: Cells, tables: Sequence[str], learners: Sequence[str], measure: str, variant: str = DEFAULT
) -> list[str]:
    """The tables on which all of these learners have the measure."""
    return [
        table
        for table in tables
        if all(mean_of(cells, table, learner, measure, variant) is not None for learner in learners)
    ]


@dataclass(frozen=True)
class Ranking:
    """Mean ranks over the tables on which all of these learners ran, and how far apart they must be to differ."""

    measure: str
    tables: tuple[str, ...]
    ranks: Mapping[str, float]
    difference: float


def rank_learners(
    cells: Cells, tables: Sequence[str], learners: Sequence[str], measure: str, variant: str = DEFAULT
) -> Ranking | None:
    """None where there are fewer than two learners or tables."""
    there = shared_tables(cells, tables, learners, measure, variant)
    if len(there) < 2 or len(learners) < 2:
        return None
    scores = np.array([[mean_of(cells, table, name, measure, variant) for name in learners] for table in there])
    ranks = rank_rows(scores.astype(float)).mean(axis=0)
    return Ranking(
        measure,
        tuple(there),
        dict(zip(learners, (float(each) for each in ranks), strict=True)),
        critical_difference(len(learners), len(there)),
    )


@dataclass(frozen=True)
class Duel:
    """Ours against one learner over tables; differences are ours minus theirs."""

    peer: str
    n_tables: int
    gap: Interval
    odds: Odds
    ahead: tuple[str, ...]
    behind: tuple[str, ...]


def duel(
    cells: Cells, tables: Sequence[str], peer: str, measure: str, variant: str = DEFAULT, other: str | None = None
) -> Duel | None:
    """The comparison on the tables where both ran, split by split; `other` is the variant of the peer."""
    theirs_variant = variant if other is None else other
    gaps: dict[str, Floats] = {}
    for table in tables:
        ours = values_of(cells, table, OURS, measure, variant)
        theirs = values_of(cells, table, peer, measure, theirs_variant)
        seeds = sorted(ours.keys() & theirs.keys())
        if seeds:
            gaps[table] = np.array([ours[seed] - theirs[seed] for seed in seeds])
    if len(gaps) < 2:
        return None
    means = np.array([gap.mean() for gap in gaps.values()])
    beyond = {table: compare_splits(gap) for table, gap in gaps.items()}
    return Duel(
        peer,
        len(gaps),
        bootstrap_mean(means),
        signed_rank_odds(means),
        tuple(table for table, sign in beyond.items() if sign > 0),
        tuple(table for table, sign in beyond.items() if sign < 0),
    )


@dataclass(frozen=True)
class AtSize:
    """Tables on which no rule learner of at most this size is ahead of ours beyond noise."""

    size: int
    n_tables: int
    unbeaten: int
    beaten_by: Mapping[str, tuple[str, ...]]


def compare_at_size(cells: Cells, tables: Sequence[str], size: int, measure: str = "accuracy") -> AtSize:
    """Ours of at most `size` literals against each rule learner asked for the same size.

    Tables are judged on which ours and one of them ran on two splits or more: of one, nobody knows what is noise.
    """
    variant = f"size-{size}"
    rivals = [name for name, peer in PEERS.items() if peer.is_rule and peer.sized is not None and name != OURS]
    beaten: dict[str, list[str]] = {}

    def share_splits(table: str, rival: str) -> bool:
        both = (values_of(cells, table, name, measure, variant).keys() for name in (OURS, rival))
        return len(set.intersection(*map(set, both))) >= 2

    judged = [table for table in tables if any(share_splits(table, rival) for rival in rivals)]
    for rival in rivals:
        found = duel(cells, judged, rival, measure, variant)
        for table in found.behind if found else ():
            beaten.setdefault(table, []).append(rival)
    return AtSize(
        size, len(judged), len(judged) - len(beaten), {table: tuple(names) for table, names in beaten.items()}
    )


def curve(cells: Cells, tables: Sequence[str], learner: str, measure: str = "accuracy") -> list[tuple[float, float]]:
    """Mean size and mean measure over these tables at each size; only where all tables have a result."""
    points = []
    for variant in (f"size-{size}" for size in SIZES):
        sizes = [mean_of(cells, table, learner, "size", variant) for table in tables]
        values = [mean_of(cells, table, learner, measure, variant) for table in tables]
        if tables and None not in sizes and None not in values:
            points.append((float(np.mean(np.array(sizes, float))), float(np.mean(np.array(values, float)))))
    return points


def stability(cells: Cells, table: str, learner: str) -> float | None:
    """How alike the columns are that the models of different splits read; None where that is not known."""
    records = cells.get((table, learner, DEFAULT), {}).values()
    used = [int(record["columns"], 16) for record in records if "columns" in record]
    return jaccard(used) if len(used) > 1 else None
