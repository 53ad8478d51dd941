"""The plan of a search in stages: how many rows each stage sees, and how much memory that takes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crystalogic.parts import AT_ONCE

if TYPE_CHECKING:
    from crystalogic.stages.overview import Overview

FIRST, LAST = 8192, 1 << 16  # rows of the first and of the last sample
MOST_VALUES = 1 << 25  # of a sample as it came: fewer rows of a wide table
WORKING = 512  # features that a search works on, each a float
RESTARTS = 2


@dataclass(frozen=True)
class Plan:
    """Sizes that follow from the table alone, so that the same table and seed give the same rule anywhere."""

    n_rows: int
    n_columns: int
    values_a_row: float  # stored values: fewer than columns in a sparse table
    n_restarts: int = RESTARTS

    @staticmethod
    def of(overview: "Overview") -> "Plan":
        """The plan for this table."""
        return Plan(overview.n_rows, len(overview.survey.columns), overview.n_values / overview.n_rows)

    @property
    def samples(self) -> tuple[int, ...]:
        """How many rows each stage searches."""
        last = int(max(FIRST, min(LAST, MOST_VALUES / max(1.0, self.values_a_row), self.n_rows / 2)))
        return (FIRST, last) if last > FIRST else (last,)

    @property
    def n_bytes(self) -> int:
        """About how much memory the search takes beside the table: the sample, its features, and one part."""
        last = self.samples[-1]
        sample = int(last * self.values_a_row * 8)
        working = last * min(WORKING, 6 * self.n_columns) * 4
        part = int(min(AT_ONCE, self.n_rows) * self.values_a_row * 8)
        return 2 * sample + 3 * working + 2 * part

    def __str__(self) -> str:
        stages = " and ".join(f"{n:,}" for n in self.samples)
        return (
            f"{self.n_rows:,} rows × {self.n_columns:,} columns, in stages: {self.n_restarts} searches on samples of "
            f"{stages} rows;\nthe best are judged on the rows that no search saw, polished and scored on all rows.\n"
            f"Memory beside the table: about {self.n_bytes / 2**20:,.0f} MiB."
        )
