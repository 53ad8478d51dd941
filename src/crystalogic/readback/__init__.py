"""Exports read back: whether a text that runs elsewhere is the function of a model, by code that shares none with `export`."""

from crystalogic.readback.proving import Difference, Readback, read_back

__all__ = ["Difference", "Readback", "read_back"]
