"""From a table to a model: `fit` is the one way."""

from crystalogic.fitting.learning import identity_of
from crystalogic.fitting.pipeline import Fitted, fit
from crystalogic.fitting.reading import model_of
from crystalogic.learner.limits import Limits
from crystalogic.request import Request

__all__ = ["Fitted", "Limits", "Request", "fit", "identity_of", "model_of"]
