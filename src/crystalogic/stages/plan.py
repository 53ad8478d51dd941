"""The plan for a long table: how many rows are drawn to learn from and to judge, and how much memory that takes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crystalogic.parts import AT_ONCE

if TYPE_CHECKING:
    from crystalogic.encoding.survey import ColumnSurvey
    from crystalogic.stages.overview import Overview

LEAST, MOST = 8192, 40_000  # rows of the sample: one half is learned from, the other judges
MOST_VALUES = 1 << 25  # of the sample as it came: fewer rows of a wide table
MOST_TRUTHS = 1 << 26  # of the sample as facts
MANY = 40  # facts of a column whose values are many


@dataclass(frozen=True)
class Plan:
    """Sizes that follow from the table alone, so that the same table and seed give the same rule anywhere."""

    n_rows: int
    n_columns: int
    values_a_row: float  # stored values: fewer than columns in a sparse table
    n_facts: int  # at most, about

    @staticmethod
    def of(overview: "Overview") -> "Plan":
        """The plan for this table."""
        columns = overview.survey.columns
        n_facts = max(1, sum(map(_n_facts, columns)))
        return Plan(overview.n_rows, len(columns), overview.n_values / overview.n_rows, n_facts)

    @property
    def n_sampled(self) -> int:
        """How many rows are drawn."""
        few = min(MOST_VALUES / max(1.0, self.values_a_row), MOST_TRUTHS / self.n_facts)
        return int(max(LEAST, min(MOST, few, self.n_rows / 2)))

    @property
    def n_bytes(self) -> int:
        """About how much memory learning takes beside the table: the sample, its facts, and one part."""
        sample = int(self.n_sampled * self.values_a_row * 8)
        truths = self.n_sampled * self.n_facts * 4
        part = int(min(AT_ONCE, self.n_rows) * self.values_a_row * 8)
        return 2 * sample + 3 * truths + 2 * part

    def __str__(self) -> str:
        half = self.n_sampled // 2
        return (
            f"{self.n_rows:,} rows × {self.n_columns:,} columns: {half:,} rows are learned from, "
            f"{self.n_sampled - half:,} others judge the rules, and all rows score them.\n"
            f"Memory beside the table: about {self.n_bytes / 2**20:,.0f} MiB."
        )


def _n_facts(column: "ColumnSurvey") -> int:
    """About how many facts a column has: one for each value, where these are few."""
    return MANY if column.texts is None else min(MANY, len(column.texts))
