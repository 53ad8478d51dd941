"""Results as tidy tables in files: one row for each experiment, one column for each measure."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crystalogic.document import write_atomically
from research.study.job import Job, Record


def tidy_rows(records: Mapping[Job, Record]) -> list[dict[str, Any]]:
    """Every record with the labels of its job; yes and no as 1 and 0, nested values left out."""
    return [
        job.labels()
        | {
            name: int(value) if isinstance(value, bool) else value
            for name, value in record.items()
            if not isinstance(value, (list, dict))
        }
        for job, record in records.items()
    ]


def write_table(rows: list[dict[str, Any]], path: Path) -> list[Path]:
    """Writes `path` as CSV, and beside it as Parquet where pyarrow is installed; returns what was written."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    write_atomically(path, frame.to_csv(index=False, float_format="%.6g"))
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return [path]
    other = path.with_suffix(".parquet")
    frame.to_parquet(other, index=False)
    return [path, other]
