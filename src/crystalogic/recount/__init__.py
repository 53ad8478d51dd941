"""Certificates of optimality, checked by counting again; no code is shared with the search."""

from crystalogic.recount.check import Confirmed, check

__all__ = ["Confirmed", "check"]
