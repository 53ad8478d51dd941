"""The degree of a short formula as a regressor."""

from typing import Any, Self

from sklearn.base import RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from crystalogic.arrays import np
from crystalogic.cells import MISSING_WORDS
from crystalogic.cluster import by_partition, is_cluster_frame
from crystalogic.encoding.literals import LARGEST_FLOAT
from crystalogic.errors import TrainingDataError
from crystalogic.estimator.base import Lukasiewicz


class LukasiewiczRegressor(RegressorMixin, Lukasiewicz):  # type: ignore[misc]
    """A regressor for truth degrees: targets between 0 and 1, predicted by the degree of a formula.

    Other targets are scaled by the least and the greatest of the training rows, and back; a saved model gives the
    degree. The parameters are those of `LukasiewiczClassifier` without `class_weight` and `positive`.

    >>> degree = LukasiewiczRegressor().fit([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, [0, 1, 1, 1] * 10)
    >>> print(degree.formula_)
    {x0=1} ⊕ {x1=1}
    """

    _degrees = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns the formula whose degree is closest to the target.

        The targets of a Dask dataframe lie between 0 and 1.
        """
        if is_cluster_frame(X):
            self._fit_cluster(X, y, sample_weight)
            self.low_, self.high_ = 0.0, 1.0
            return self
        rows, y, target = self._rows_to_learn(X, y, MISSING_WORDS)
        y = check_array(y, ensure_2d=False, dtype=np.float64)
        rows, y, sample_weight = self._drop_weightless(rows, y, sample_weight)
        inside = 0 <= y.min() and y.max() <= 1
        self.low_, self.high_ = (0.0, 1.0) if inside else (float(y.min()), float(y.max()))
        if not 0 < self.high_ - self.low_ <= LARGEST_FLOAT:
            what = "there is nothing to learn" if self.low_ == self.high_ else "the range is too wide, scale it"
            message = f"the target ranges from {self.low_:g} to {self.high_:g}; {what}."
            raise TrainingDataError(message)
        self._fit(rows, (y - self.low_) / (self.high_ - self.low_), target, sample_weight)
        if not inside:
            self.model_ = self.model_.with_facts(range=(self.low_, self.high_))
        return self

    def predict(self, X: Any) -> Any:
        """The degree of the formula for every row, in the units of the target."""
        check_is_fitted(self)
        if is_cluster_frame(X):
            return by_partition(X, self.predict, np.dtype(np.float64))
        degrees = self.model_.degrees(self._rows_to_judge(X), unknown="false")[:, 0]
        return np.asarray(self.low_ + (self.high_ - self.low_) * degrees)
