"""scikit-learn estimators: a short formula as classifier or regressor."""

from crystalogic.estimator.base import LukasiewiczRegressor
from crystalogic.estimator.classifier import LukasiewiczClassifier

__all__ = ["LukasiewiczClassifier", "LukasiewiczRegressor"]
