"""The six benchmarks of the paper, inside the package, with their provenance (PROVENANCE.md beside this file)."""

from crystalogic.datasets.splits import Split, split, stratify
from crystalogic.datasets.tables import NAMES, Dataset, load, load_test

__all__ = ["NAMES", "Dataset", "Split", "load", "load_test", "split", "stratify"]
