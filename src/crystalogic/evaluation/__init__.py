"""How good a model is on rows whose classes are known: typed values, and a page of text."""

from crystalogic.evaluation.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
