"""A rule in one JSON file, for use without the training half."""

from crystalogic.model.classes import Label, class_level, class_naming
from crystalogic.model.explanation import Explanation
from crystalogic.model.front import FrontRow
from crystalogic.model.model import BLOCK, Model, Unknown, load

__all__ = ["BLOCK", "Explanation", "FrontRow", "Label", "Model", "Unknown", "class_level", "class_naming", "load"]
