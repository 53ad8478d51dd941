"""Tables too large to be searched whole: surveyed, sampled and scored part by part, on one machine or a cluster."""

from crystalogic.scale.learn import Learned, Wish, learn_in_parts
from crystalogic.scale.overview import Overview, look_over
from crystalogic.scale.parts import FileParts, MemoryParts, Part, Parts, gathered
from crystalogic.scale.plan import Plan

__all__ = [
    "FileParts",
    "Learned",
    "MemoryParts",
    "Overview",
    "Part",
    "Parts",
    "Plan",
    "Wish",
    "gathered",
    "learn_in_parts",
    "look_over",
]
