"""The six benchmarks of the paper, inside the package, with their provenance (PROVENANCE.md beside this file)."""

from crystalogic.datasets.tables import NAMES, Dataset, load, load_test

__all__ = ["NAMES", "Dataset", "load", "load_test"]
