"""Exports read back: is a text that runs elsewhere the function of a model? By code that shares none with `export`."""

from crystalogic.readback.proving import read_back
from crystalogic.readback.telling import Difference, Readback, add_proof, stated_in

__all__ = ["Difference", "Readback", "add_proof", "read_back", "stated_in"]
