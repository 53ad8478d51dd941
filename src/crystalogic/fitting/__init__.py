"""From a table to a model: `fit` is the one way."""

from crystalogic.fitting.learning import identity_of
from crystalogic.fitting.pipeline import Fitted, fit
from crystalogic.fitting.reading import model_of
from crystalogic.request import AUTO, LARGEST_SEED, Request, are_graded, limit_strategy

__all__ = [
    "AUTO",
    "LARGEST_SEED",
    "Fitted",
    "Request",
    "are_graded",
    "fit",
    "identity_of",
    "limit_strategy",
    "model_of",
]
