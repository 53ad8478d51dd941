"""Float networks of clamp neurons, many restarts at once: forward pass, gradient and Jacobian."""

from crystalogic.network.engine import Engine, Engines, with_ones
from crystalogic.network.shape import Layer, Shape, Stage

__all__ = ["Engine", "Engines", "Layer", "Shape", "Stage", "with_ones"]
