"""Scoring where the data are: DuckDB reads Parquet, evaluates the exported SQL and writes the result itself."""

from crystalogic.scoring.engine import Layout, score

__all__ = ["Layout", "score"]
