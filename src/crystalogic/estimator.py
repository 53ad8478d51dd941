"""scikit-learn estimators: a short formula as classifier or regressor.

`__init__` only stores; whatever is learned ends in an underscore. A fitted estimator holds a `Model`, and `print` shows
it: the front with the chosen row marked, and the rule as a checklist.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import column_names, raw_column, read_column
from crystalogic.encoding.sparse import SparseColumns
from crystalogic.encoding.values import Values
from crystalogic.errors import EncodingError
from crystalogic.fitting import LATTICE, Request, fit_model, fit_parts
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.model import Explanation
from crystalogic.presentation import model_html, model_text
from crystalogic.scale.cluster import by_partition, is_cluster_frame
from crystalogic.untrusted import repeated
from crystalogic.verify.certificate import Certificate

Array = NDArray[Any]


class _Lukasiewicz(BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

    _degrees: bool

    def __init__(
        self,
        strategy: Any = LATTICE,
        *,
        kinds: Mapping[str, Any] | None = None,
        numbers: str = "auto",
        n_cuts: int = 5,
        max_literals: int | None = None,
        max_neurons: int | None = None,
        min_gain: float | None = None,
        monotone: Mapping[str, int] | None = None,
        forbidden: Sequence[str] = (),
        required: Sequence[str] = (),
        start: Formula | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_budget: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.strategy = strategy
        self.kinds = kinds
        self.numbers = numbers
        self.n_cuts = n_cuts
        self.max_literals = max_literals
        self.max_neurons = max_neurons
        self.min_gain = min_gain
        self.monotone = monotone
        self.forbidden = forbidden
        self.required = required
        self.start = start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_budget = time_budget
        self.callback = callback

    def _strategy(self) -> Any:
        """The strategy with the limits given here; they are fields of the lattice search alone."""
        if self.strategy != LATTICE and isinstance(self.strategy, str):
            return self.strategy
        from dataclasses import replace

        from crystalogic.search import Annealing

        strategy = Annealing() if self.strategy == LATTICE else self.strategy
        if not isinstance(strategy, Annealing):
            return strategy
        limits = {"max_literals": self.max_literals, "max_neurons": self.max_neurons, "min_gain": self.min_gain}
        given: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
        from joblib import effective_n_jobs

        n_jobs = effective_n_jobs(self.n_jobs)  # None is 1, or what joblib.parallel_config says
        if self.n_jobs is not None or n_jobs > 1:
            given["n_threads"] = n_jobs
        return replace(strategy, **given)

    def _weighty(self, rows: Any, y: Array, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """The rows that weigh something, with their targets and weights: a row with weight 0 is as good as absent."""
        from sklearn.utils.validation import _check_sample_weight

        if sample_weight is None:
            return rows, y, None
        weight = _check_sample_weight(sample_weight, np.zeros((len(y), 1)), ensure_non_negative=True)
        keep = np.flatnonzero(weight)
        if len(keep) in (0, len(weight)):
            return rows, y, weight
        if isinstance(rows, SparseColumns):
            return rows.take(keep), y[keep], weight[keep]
        return (
            {name: Values(name, raw_column(rows, name)).array[keep] for name in column_names(rows)},
            y[keep],
            weight[keep],
        )

    def _fit(self, rows: Any, y: Any, target: str, sample_weight: Any, class_weight: Any = None) -> None:
        self.model_ = fit_model(rows, y, target, self._request(class_weight), sample_weight)

    def _fit_cluster(self, X: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> None:
        """Learns from a Dask dataframe where its partitions are."""
        from crystalogic.scale.cluster import ClusterParts

        validate_data(self, X._meta, reset=True, skip_check_array=True)
        target = str(getattr(y, "name", None) or "y")
        self.model_ = fit_parts(ClusterParts(X, y, sample_weight), target, self._request(class_weight))

    def _request(self, class_weight: Any) -> Request:
        from sklearn.utils import check_random_state

        if self.time_budget is not None:
            from crystalogic.search.warm import compile_kernels

            compile_kernels()  # once on a machine, and no part of the budget
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        return Request(
            strategy=self._strategy(),
            kinds=self.kinds or {},
            numbers=self.numbers,
            n_cuts=self.n_cuts,
            degrees=self._degrees,
            monotone=self.monotone or {},
            forbidden=self.forbidden,
            required=self.required,
            start=parse(self.start) if isinstance(self.start, str) else self.start,
            class_weight=class_weight,
            seed=int(seed),
            time_budget=self.time_budget,
            callback=self.callback,
        )

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """The table as named columns: a frame as it is, an array with the names x0, x1, ….

        Where one of fitted and given rows has names and the other has none, scikit-learn warns, and places decide.
        """
        least = 2 if reset else 1
        if hasattr(X, "columns"):
            twice = repeated(column_names(X))
            if twice is not None:
                message = f"two columns are called {twice!r}; rename one of them."
                raise EncodingError(message)
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) < least:
                message = f"Found array with {len(X)} sample(s) while a minimum of {least} is required."
                raise ValueError(message)
            if reset or hasattr(self, "feature_names_in_") or column_names(X) == self._names:
                return X
            return dict(zip(self._names, (raw_column(X, name) for name in column_names(X)), strict=True))
        table = validate_data(
            self,
            X,
            reset=reset,
            dtype=None,
            ensure_all_finite="allow-nan",
            accept_sparse=["csc", "csr", "coo"],
            ensure_min_samples=least,
        )
        if hasattr(table, "toarray"):
            return SparseColumns(table)
        names = [f"x{index}" for index in range(table.shape[1])] if reset else self._names
        return dict(zip(names, table.T, strict=True))

    @property
    def _names(self) -> list[str]:
        """The names of the columns in training."""
        return [column.name for column in self.encoding_.columns]

    def _degrees_of(self, X: Any) -> Array:
        """The degrees; a value missing as in no training row makes what is said of it false, with a warning.

        A model file refuses such rows. Here that would end a cross-validation whose folds share out a rare gap.
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        for name, count in self.encoding_.newly_missing(rows, self.model_.columns).items():
            message = (
                f"{name!r} is missing in {count} row(s) and was in no training row; all that is said of it is false."
            )
            warnings.warn(message, UserWarning, stacklevel=3)
        return self.model_.degrees(rows, refuse_missing=False)

    @property
    def formulas_(self) -> tuple[Formula, ...]:
        """The formulas, one for each class; of two classes, for the second only."""
        return self.model_.formulas

    @property
    def formula_(self) -> Formula:
        """The formula, where there is one."""
        if len(self.model_.formulas) != 1:
            message = f"there are {len(self.model_.formulas)} formulas, one for each class; see `formulas_`."
            raise AttributeError(message)
        return self.model_.formulas[0]

    @property
    def crystal_(self) -> Crystal:
        """The crystallized network."""
        return self.model_.crystal

    @property
    def certificate_(self) -> Certificate:
        """The certificate that the formulas are the network."""
        return self.model_.certificate

    @property
    def encoding_(self) -> Encoding:
        """How columns become truth values."""
        return self.model_.encoding

    @property
    def front_(self) -> Any:
        """The front: the best formula of each size, with its scores; for several classes, one front each."""
        return self.model_.fronts[0] if len(self.model_.fronts) == 1 else self.model_.fronts

    def explain(self, X: Any) -> list[Explanation]:
        """The decision for each row with every step, computed exactly."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        names = self.model_.columns
        columns = {name: read_column(rows, name).array.tolist() for name in names}
        n_rows = len(_first_column(rows))
        return [self.model_.explain({name: columns[name][i] for name in names}) for i in range(n_rows)]

    def save(self, path: str | Path) -> None:
        """Writes the model file, which `crystalogic.load` reads without the training half."""
        check_is_fitted(self)
        self.model_.save(path)

    def __str__(self) -> str:
        return model_text(self.model_) if hasattr(self, "model_") else repr(self)

    def _repr_html_(self) -> str:
        return model_html(self.model_) if hasattr(self, "model_") else str(super()._repr_html_())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class LukasiewiczClassifier(ClassifierMixin, _Lukasiewicz):  # type: ignore[misc]
    """A classifier whose model is a short formula of Łukasiewicz logic, proved to be its network.

    >>> clf = LukasiewiczClassifier().fit([[0, 1], [1, 1], [0, 0], [1, 0]] * 10, ["no", "yes", "no", "no"] * 10)
    >>> print(clf.formula_)
    {x0=1} ⊗ {x1=1}

    Parameters:
        strategy: "annealing" (the default, the lattice search), "straight_through", "levenberg_marquardt" or
            "proximal", or one of these with its own settings, such as `Annealing(effort=2)`.
        kinds: how columns are read, where the guess is wrong: a column's name with "number", "code", "category",
            "ignore", or a list of its values in ascending order.
        numbers: how numbers are read: "degrees" between least and greatest, "cuts" such as `age ≥ 55`, "both", or
            "auto", which is both, but degrees alone for more than two classes.
        n_cuts: how many cuts a column of numbers has at most.
        max_literals: no formula longer than this; None leaves it to the strategy (30).
        max_neurons: no formula with more neurons than this; None leaves it to the strategy (12).
        min_gain: the least training score that a further literal must bring.
        monotone: columns or literals that may only raise (1) or lower (-1) the second class.
        forbidden: columns or literals that must not be used.
        required: literals that must be used.
        start: a formula to start from, among other starts.
        class_weight: "balanced", or a weight for each class.
        random_state: the same number gives the same formula.
        n_jobs: threads; they change the time, never the result.
        time_budget: seconds to search at most; the best formula so far is kept.
        callback: called with the progress; the search ends if it returns True.
    """

    _degrees = False

    def __init__(
        self,
        strategy: Any = LATTICE,
        *,
        kinds: Mapping[str, Any] | None = None,
        numbers: str = "auto",
        n_cuts: int = 5,
        max_literals: int | None = None,
        max_neurons: int | None = None,
        min_gain: float | None = None,
        monotone: Mapping[str, int] | None = None,
        forbidden: Sequence[str] = (),
        required: Sequence[str] = (),
        start: Formula | str | None = None,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_budget: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(
            strategy,
            kinds=kinds,
            numbers=numbers,
            n_cuts=n_cuts,
            max_literals=max_literals,
            max_neurons=max_neurons,
            min_gain=min_gain,
            monotone=monotone,
            forbidden=forbidden,
            required=required,
            start=start,
            random_state=random_state,
            n_jobs=n_jobs,
            time_budget=time_budget,
            callback=callback,
        )
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns the formula; selection sees these rows only. A Dask dataframe is learned where its partitions are."""
        if is_cluster_frame(X):
            self._fit_cluster(X, y, sample_weight, self.class_weight)
            self.classes_ = np.array(self.model_.classes)
            return self
        rows = self._rows(X, reset=True)
        if y is None:
            message = "requires y to be passed, but the target y is None."
            raise ValueError(message)
        target = str(getattr(y, "name", None) or "y")
        from sklearn.utils import check_consistent_length, column_or_1d

        y = column_or_1d(y, warn=True)
        check_consistent_length(_first_column(rows), y)
        check_classification_targets(y)
        rows, y, sample_weight = self._weighty(rows, y, sample_weight)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            message = f"Classifier can't train when only one class is present: {self.classes_[0]!r}."
            raise ValueError(message)
        self._fit(rows, y, target, sample_weight, self.class_weight)
        return self

    def decision_function(self, X: Any) -> Array:
        """Degree - 1/2 of the second class, or the degrees of all classes."""
        degrees = self._degrees_of(X)
        return degrees[:, 0] - 0.5 if degrees.shape[1] == 1 else self._untied(degrees)

    def predict(self, X: Any) -> Any:
        """The class of every row: of two, the second if its degree is at least 1/2; of more, the largest degree."""
        check_is_fitted(self)
        if is_cluster_frame(X):
            return by_partition(X, self.predict, self.classes_.dtype)
        return np.asarray(self.classes_[self.model_.class_index(self._degrees_of(X))])

    def predict_proba(self, X: Any) -> Array:
        """Degrees of truth, scaled to add up to 1: not probabilities until calibrated (CalibratedClassifierCV)."""
        degrees = self._degrees_of(X)
        if degrees.shape[1] == 1:
            return np.column_stack([1 - degrees[:, 0], degrees[:, 0]])
        untied = self._untied(degrees)
        return np.asarray(untied / untied.sum(axis=1, keepdims=True))

    def _untied(self, degrees: Array) -> Array:
        """The degrees, a trifle added to that of the class which wins, so that ties go where `predict` goes."""
        degrees[np.arange(len(degrees)), self.model_.class_index(degrees)] += 1e-9
        return degrees


class LukasiewiczRegressor(RegressorMixin, _Lukasiewicz):  # type: ignore[misc]
    """A regressor for truth degrees: targets between 0 and 1, predicted by the degree of a formula.

    Other targets are scaled by the least and the greatest of the training rows, and back. The parameters are those of
    `LukasiewiczClassifier` without `class_weight`.

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
        from sklearn.utils import check_array, check_consistent_length, column_or_1d

        rows = self._rows(X, reset=True)
        if y is None:
            message = "requires y to be passed, but the target y is None."
            raise ValueError(message)
        target = str(getattr(y, "name", None) or "y")
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64)
        check_consistent_length(_first_column(rows), y)
        rows, y, sample_weight = self._weighty(rows, y, sample_weight)
        inside = 0 <= y.min() and y.max() <= 1
        self.low_, self.high_ = (0.0, 1.0) if inside else (float(y.min()), float(y.max()))
        self._fit(rows, (y - self.low_) / (self.high_ - self.low_), target, sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        """The degree of the formula for every row, in the units of the target."""
        check_is_fitted(self)
        if is_cluster_frame(X):
            return by_partition(X, self.predict, np.dtype(np.float64))
        degrees = self._degrees_of(X)[:, 0]
        return np.asarray(self.low_ + (self.high_ - self.low_) * degrees)


def _first_column(rows: Any) -> Any:
    return rows[next(iter(rows.columns if hasattr(rows, "columns") else rows))]
