"""A rule in one JSON file, for use without the training half."""

from crystalogic.model.file import load
from crystalogic.model.model import Model
from crystalogic.model.record import ChosenBy, FrontRow, Group, HeldOut, JudgedBy, Limited, Proved, Record
from crystalogic.model.risk import Risk
from crystalogic.model.rows import Explanation, Label, Unknown, class_level, class_naming

__all__ = ["ChosenBy", "Explanation", "FrontRow", "Group", "HeldOut", "JudgedBy", "Label", "Limited", "Model"]
__all__ += ["Proved", "Record", "Risk", "Unknown", "class_level", "class_naming", "load"]
