"""Lattice search: learn the integer network directly, and the front of accuracy against size."""

from crystalogic.annealing import Annealing
from crystalogic.candidates import Knowledge
from crystalogic.search.learn import polish, search
from crystalogic.search.recover import Recovery, recover

__all__ = ["Annealing", "Knowledge", "Recovery", "polish", "recover", "search"]
