"""scikit-learn estimators: a short formula as classifier or regressor."""

from crystalogic.estimator.classifier import LukasiewiczClassifier
from crystalogic.estimator.regressor import LukasiewiczRegressor

__all__ = ["LukasiewiczClassifier", "LukasiewiczRegressor"]
