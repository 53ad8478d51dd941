"""Tables in files: CSV, TSV, JSON lines and Parquet, compressed or not, read whole or in parts."""

from crystalogic.files.table import TableFile, open_table

__all__ = ["TableFile", "open_table"]
