"""From a table to a model: `fit` is the one way."""

from crystalogic.fitting.learning import identity_of
from crystalogic.fitting.pipeline import Fitted, fit
from crystalogic.fitting.reading import model_of
from crystalogic.request import LARGEST_SEED, LATTICE, Request, limit_strategy

__all__ = ["LARGEST_SEED", "LATTICE", "Fitted", "Request", "fit", "identity_of", "limit_strategy", "model_of"]
