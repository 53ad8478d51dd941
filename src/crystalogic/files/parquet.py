"""Parquet, by way of pyarrow where it is installed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from crystalogic.errors import TableError
from crystalogic.files.source import Source, one_line

if TYPE_CHECKING:
    import pandas as pd


def parquet_columns(source: Source) -> tuple[str, ...]:
    """The names of the columns."""
    return tuple(map(str, _opened(source).schema_arrow.names))


def parquet_parts(source: Source, rows_at_once: int, columns: Sequence[str]) -> "Iterator[pd.DataFrame]":
    """The table in parts, only these columns."""
    for batch in _opened(source).iter_batches(batch_size=min(rows_at_once, 1 << 20), columns=list(columns)):
        yield batch.to_pandas()


def _opened(source: Source) -> Any:
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        message = f"{source.name}: reading Parquet needs pyarrow; install it with: pip install 'crystalogic[parquet]'"
        raise TableError(message) from None
    try:
        return parquet.ParquetFile(source.path)
    except (OSError, ValueError) as error:
        message = f"{source.name}: cannot be read as Parquet ({one_line(error)})."
        raise TableError(message) from None
