"""How many rows of a long table are drawn to learn from and to judge."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crystalogic.encoding.survey import ColumnSurvey
    from crystalogic.stages.overview import Overview

LEAST, MOST = 8192, 40_000  # rows of the sample: one half is learned from, the other judges
MOST_VALUES = 1 << 25  # of the sample as it came: fewer rows of a wide table
MOST_TRUTHS = 1 << 26  # of the sample as facts
MANY = 40  # facts of a column whose values are many


def size_of_sample(overview: "Overview") -> int:
    """How many rows are drawn; it follows from the table alone, so that the same table gives the same rule anywhere."""
    n_facts = max(1, sum(map(_n_facts, overview.survey.columns)))
    return rows_within(overview.n_rows, overview.n_values / overview.n_rows, n_facts)


def rows_within(n_rows: int, values_a_row: float, n_facts: int) -> int:
    """How many rows of a table fit; a sparse one has fewer stored values a row than columns."""
    few = min(MOST_VALUES / max(1.0, values_a_row), MOST_TRUTHS / n_facts)
    return int(max(LEAST, min(MOST, few, n_rows / 2)))


def _n_facts(column: "ColumnSurvey") -> int:
    """About how many facts a column has: one for each value, where these are few."""
    return MANY if column.texts is None else min(MANY, len(column.texts))
