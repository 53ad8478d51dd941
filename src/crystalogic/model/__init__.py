"""A rule in one JSON file, for use without the training half."""

from crystalogic.model.file import load
from crystalogic.model.model import Model
from crystalogic.model.record import ChosenBy, FrontRow, Group, HeldOut, JudgedBy, Proved, Record
from crystalogic.model.risk import Risk
from crystalogic.model.rows import Explanation, Label, Unknown, class_level, class_naming

__all__ = ["ChosenBy", "Explanation", "FrontRow", "Group", "HeldOut", "JudgedBy", "Label", "Model", "Proved", "Record"]
__all__ += ["Risk", "Unknown", "class_level", "class_naming", "load"]
