"""Encoding: columns of a table as named truth values, learned from training rows and then frozen."""

from crystalogic.encoding.encoding import Encoding
from crystalogic.encoding.fit import fit_encoding
from crystalogic.encoding.literals import Cut, Degree, Is, Ladder, Literal, Missing, OneOf, Reaches

__all__ = ["Cut", "Degree", "Encoding", "Is", "Ladder", "Literal", "Missing", "OneOf", "Reaches", "fit_encoding"]
