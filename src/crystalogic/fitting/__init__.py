"""From a table to a model."""

from crystalogic.fitting.learning import WHOLE, fingerprint_of, fit_model, fit_parts, identity_of
from crystalogic.fitting.reading import finished, model_of
from crystalogic.fitting.request import LARGEST_SEED, LATTICE, Request, limited

__all__ = [
    "LARGEST_SEED",
    "LATTICE",
    "WHOLE",
    "Request",
    "fingerprint_of",
    "finished",
    "fit_model",
    "fit_parts",
    "identity_of",
    "limited",
    "model_of",
]
