"""The six benchmarks of the paper, inside the package, with their provenance (PROVENANCE.md beside this file)."""

from crystalogic.datasets.paper import ENRICHED, TruthTable, encode_split, paper_table
from crystalogic.datasets.splits import Split, split, stratified
from crystalogic.datasets.tables import NAMES, Table, load, load_test

__all__ = [
    "ENRICHED",
    "NAMES",
    "Split",
    "Table",
    "TruthTable",
    "encode_split",
    "load",
    "load_test",
    "paper_table",
    "split",
    "stratified",
]
