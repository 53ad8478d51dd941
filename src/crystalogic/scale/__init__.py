"""Tables too large to be searched whole: surveyed, sampled and scored part by part, on one machine or a cluster."""

from crystalogic.scale.learn import Learned, learn_in_parts
from crystalogic.scale.parts import FileParts, MemoryParts, Part, Parts
from crystalogic.scale.plan import Plan

__all__ = ["FileParts", "Learned", "MemoryParts", "Part", "Parts", "Plan", "learn_in_parts"]
