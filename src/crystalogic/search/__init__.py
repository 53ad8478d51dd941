"""Lattice search: learn the integer network directly, and the front of accuracy against size."""

from crystalogic.search.changes import Changes, changes
from crystalogic.search.front import Candidate, Front
from crystalogic.search.knowledge import Knowledge
from crystalogic.search.learn import search
from crystalogic.search.polish import polish
from crystalogic.search.prune import prune
from crystalogic.search.recover import Recovery, recover
from crystalogic.search.result import SearchResult
from crystalogic.search.strategy import Annealing

__all__ = [
    "Annealing",
    "Candidate",
    "Changes",
    "Front",
    "Knowledge",
    "Recovery",
    "SearchResult",
    "changes",
    "polish",
    "prune",
    "recover",
    "search",
]
