"""How the default learner stands to each rule peer on one table: ahead, level with fewer literals, or behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt
from statistics import fmean, stdev

from research.bench.peers import OURS, PEERS
from research.bench.run import by_cell
from research.study import Job, Record


class Standing(Enum):
    """The comparison of two means on the same splits."""

    AHEAD = "ahead"
    EQUAL = "equal"
    SHORTER = "within one standard error, with fewer literals"
    LONGER = "within one standard error, without fewer literals"
    BEHIND = "behind"


@dataclass(frozen=True)
class Pairing:
    """Ours against one peer on one table: the mean difference of accuracy, its standard error, and the literals."""

    table: str
    peer: str
    gap: float
    standard_error: float
    literals: float
    peer_literals: float

    @property
    def standing(self) -> Standing:
        """Ahead by mean accuracy, or level within one standard error, or behind."""
        if self.gap > 0:
            return Standing.AHEAD
        is_shorter = self.literals < self.peer_literals
        if self.gap == 0:
            return Standing.SHORTER if is_shorter else Standing.EQUAL
        if -self.gap <= self.standard_error:
            return Standing.SHORTER if is_shorter else Standing.LONGER
        return Standing.BEHIND


def pairings(found: Mapping[Job, Record]) -> list[Pairing]:
    """Ours against every rule peer that ran, table by table; the standard error is that of the paired differences."""
    cells = by_cell(found)
    pairs = []
    for (table, peer), records in cells.items():
        ours = cells.get((table, OURS))
        if peer == OURS or not PEERS[peer].is_rule or ours is None or not have_run(records):
            continue
        gaps = [one["accuracy"] - other["accuracy"] for one, other in zip(ours, records, strict=True)]
        error = stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else 0.0
        pairs.append(
            Pairing(table, peer, fmean(gaps), error, mean(ours, "literals"), mean(records, "literals")),
        )
    return pairs


def have_run(records: Sequence[Record]) -> bool:
    """Whether every split has a result."""
    return all("problem" not in record for record in records)


def mean(records: Sequence[Record], field: str) -> float:
    """The mean of a field."""
    return fmean(record[field] for record in records)
