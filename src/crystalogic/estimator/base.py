"""What the estimators share, and the one for degrees, which adds little to it.

`__init__` only stores; whatever is learned ends in an underscore. A fitted estimator holds a `Model`, and `print` shows
it: the front with the chosen row marked, and the rule as a checklist.
"""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from numbers import Integral
from pathlib import Path
from typing import Any, Self, overload

from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from crystalogic.arrays import Array, np
from crystalogic.candidates import settled_weight
from crystalogic.cells import MISSING_WORDS
from crystalogic.cluster import by_partition, cluster_parts, is_cluster_frame
from crystalogic.crystal import Crystal
from crystalogic.encoding.encoding import Encoding, column_names, n_rows, raw_column, read_column
from crystalogic.encoding.literals import LARGEST_FLOAT
from crystalogic.encoding.survey import refuse_twice
from crystalogic.encoding.unusable import LEFT_OUT
from crystalogic.encoding.values import SparseColumns, Values
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.fitting import fit
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.model import Explanation
from crystalogic.operating import AIMS, Aim
from crystalogic.parts import MemoryParts, Parts, take_rows
from crystalogic.progress import Stop
from crystalogic.request import LARGEST_SEED, Request
from crystalogic.verify.certificate import Certificate
from crystalogic.words.literals import newly_missing_words
from crystalogic.words.models import model_html, model_text

MANY_COPIES = 10  # of a row, on average, are more often meant as weights


class Lukasiewicz(BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

    _degrees: bool

    def __init__(
        self,
        strategy: Any = "auto",
        *,
        kinds: Mapping[str, Any] | None = None,
        missing: Collection[Any] | None = None,
        numbers: str = "auto",
        n_cuts: int | None = None,
        max_literals: int | None = None,
        monotone: Mapping[str, int] | None = None,
        forbidden: Sequence[str] = (),
        required: Sequence[str] = (),
        start: Formula | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_budget: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self._store(locals())

    def _store(self, given: dict[str, Any]) -> None:
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def _options(self) -> dict[str, Any]:
        """What is given here of the settings of the strategy."""
        is_wrong = self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0)
        self._refuse("n_jobs", is_wrong, "None or a whole number other than 0")
        n_jobs = effective_n_jobs(self.n_jobs)  # None is 1, or what joblib.parallel_config says
        n_threads = n_jobs if self.n_jobs is not None or n_jobs > 1 else None
        return {"max_literals": self.max_literals, "shape": getattr(self, "shape", None), "n_threads": n_threads}

    def _rows_to_learn(self, X: Any, y: Any, words: frozenset[str]) -> tuple[Any, Array]:
        """The table, and a target for each of its rows."""
        rows = self._rows(X, reset=True)
        if y is None:
            refuse(ValueError, "requires y to be passed, but the target y is None.")
        targets = column_or_1d(plain_labels(y, words), warn=True)
        check_consistent_length(range(n_rows(rows)), targets)
        return rows, targets

    def _drop_weightless(self, rows: Any, y: Array, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """The rows that weigh something, with their targets and weights: a row with weight 0 is as good as absent."""
        if sample_weight is None:
            return rows, y, None
        weight = _check_sample_weight(sample_weight, np.zeros((len(y), 1)), ensure_non_negative=True)
        settled = settled_weight(weight, len(weight))  # whole weights are numbers of rows; some mean something else
        if settled.mean() >= MANY_COPIES:
            counted = f"{np.count_nonzero(weight):,} rows stand for {settled.sum():,.0f}"
            message = f"the weights are whole numbers, so they are read as numbers of rows: {counted}."
            warnings.warn(f"{message} If they say how rows compare, divide them by their mean.", stacklevel=3)
        keep = np.flatnonzero(weight)
        if len(keep) in (0, len(weight)):
            return rows, y, weight
        return take_rows(rows, keep), y[keep], weight[keep]

    def _fit(self, parts: Parts, y: Any) -> None:
        """Learns the model; a warning where the time was over before anything was judged, and of columns left out."""
        self.model_ = model = fit(parts, str(getattr(y, "name", None) or "y"), self._request()).model
        chosen = [front[index] for front, index in zip(model.fronts, model.chosen, strict=True)]
        if model.record.stop is Stop.TIME and all(each.validated is None for each in chosen):
            message = f"{self.time_budget} seconds were too few to judge formulas on rows held out; "
            message += "what was found first was kept. Allow more: time_budget."
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        for each in (each for each in model.encoding.columns if each.note.startswith(LEFT_OUT)):
            warnings.warn(f"{each.name!r} was {each.note}.", stacklevel=4)

    def _fit_cluster(self, X: Any, y: Any, sample_weight: Any) -> None:
        validate_data(self, self._without_protected(X._meta), reset=True, skip_check_array=True)
        self._fit(cluster_parts(X, y, sample_weight), y)

    def _request(self) -> Request:
        known = {each.name for each in fields(Request)}
        as_given = {name: given for name, given in self.get_params(deep=False).items() if name in known}
        settled: dict[str, Any] = {"options": self._options(), "kinds": self.kinds or {}, "degrees": self._degrees}
        settled["start"] = parse(self.start) if isinstance(self.start, str) else self.start
        settled |= {"monotone": self.monotone or {}, "aim": self._aim(), "seed": self._seed()}
        return Request(**as_given | settled)

    def _aim(self) -> Aim | None:
        if (given := getattr(self, "aim", None)) is None:
            return None
        is_wrong = not isinstance(given, Mapping) or not set(given) <= AIMS
        self._refuse("aim", is_wrong, f"None or a mapping of {', '.join(sorted(AIMS))}")
        return Aim.of(**given)

    def _seed(self) -> int:
        given = self.random_state
        if isinstance(given, (int, np.integer)) and 0 <= given <= LARGEST_SEED:
            return int(given)
        is_wrong = not (given is None or given is np.random or isinstance(given, np.random.RandomState))
        self._refuse("random_state", is_wrong, f"a whole number from 0 to {LARGEST_SEED}, None or a numpy RandomState")
        return int(check_random_state(given).randint(2**31 - 1))

    def _refuse(self, name: str, is_wrong: bool, what: str) -> None:
        """A TrainingDataError that says what a parameter must be."""
        message = f"the {name!r} parameter must be {what}. Got {getattr(self, name)!r} instead."
        refuse_first(TrainingDataError, {message: is_wrong})

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """The table as named columns: a frame as it is, an array with the names x0, x1, ….

        Where one of fitted and given rows has names and the other has none, scikit-learn warns, and places decide.
        """
        least = 2 if reset else 1
        if hasattr(X, "column_names") and hasattr(X, "to_pandas"):  # a table of pyarrow
            X = X.to_pandas()
        if hasattr(X, "columns"):
            refuse_twice(column_names(X))
            validate_data(self, self._without_protected(X), reset=reset, skip_check_array=True)
            if len(X) < least:
                refuse(ValueError, f"Found array with {len(X)} sample(s) while a minimum of {least} is required.")
            if reset or hasattr(self, "feature_names_in_") or column_names(X) == self._names:
                return X
            return dict(zip(self._names, (raw_column(X, name) for name in column_names(X)), strict=True))
        how = {"dtype": None, "ensure_all_finite": "allow-nan", "accept_sparse": ["csc", "csr", "coo"]}
        table = validate_data(self, X, reset=reset, ensure_min_samples=least, **how)
        if hasattr(table, "toarray"):
            return SparseColumns(table)
        names = [f"x{index}" for index in range(table.shape[1])] if reset else self._names
        return dict(zip(names, table.T, strict=True))

    def _without_protected(self, X: Any) -> Any:
        """A frame without columns that no rule reads; one whose groups are compared is read if its kind is given."""
        by = getattr(getattr(self, "limits", None), "gap_by", None)
        protected = {*getattr(self, "protect", ()), *({by} - {None, *(self.kinds or {})})}
        return X[[name for name in X.columns if str(name) not in protected]] if protected else X

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.encoding_.columns]

    def _rows_to_judge(self, X: Any) -> Any:
        """The rows; of a value missing as in no training row a warning says that what is said of it is false.

        A model file refuses such rows. Here that would end a cross-validation whose folds share out a rare gap.
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        for name, n in self.encoding_.count_newly_missing(rows, self.model_.columns).items():
            warnings.warn(newly_missing_words(name, n), UserWarning, stacklevel=4)
        return rows

    @property
    def formulas_(self) -> tuple[Formula, ...]:
        """The formulas, one for each class; of two classes, for the second only."""
        return self.model_.written

    @property
    def formula_(self) -> Formula:
        """The formula, where there is one."""
        if len(self.model_.formulas) != 1:
            refuse(AttributeError, f"there are {len(self.formulas_)} formulas, one for each class; see `formulas_`.")
        return self.model_.written[0]

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
        """How columns become truth values; of columns that no formula of the front reads, only what they hold."""
        return self.model_.encoding

    @property
    def front_(self) -> Any:
        """The front: the best formula of each size, with its scores; for several classes, one front each."""
        return self.model_.fronts[0] if len(self.model_.fronts) == 1 else self.model_.fronts

    @overload
    def explain(self, X: Mapping[str, Any]) -> Explanation: ...

    @overload
    def explain(self, X: Any) -> list[Explanation]: ...

    def explain(self, X: Any) -> Any:
        """The decision for each row with every step, computed exactly; gaps are taken as `predict` takes them.

        One row, a mapping from columns to values or a row of a pandas frame, has one explanation; it needs the columns
        of the rule alone.
        """
        if isinstance(X, Mapping) or (hasattr(X, "to_dict") and getattr(X, "ndim", 2) == 1):
            check_is_fitted(self)
            return self.model_.explain(dict(X), unknown="false")
        rows = self._rows_to_judge(X)
        names = self.model_.columns
        columns = {name: read_column(rows, name).array.tolist() for name in names}
        cells = ({name: columns[name][place] for name in names} for place in range(n_rows(rows)))
        return [self.model_.explain(row, unknown="false") for row in cells]

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
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, True)
        return tags


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
        """Learns the formula whose degree is closest to the target; that of a Dask dataframe lies between 0 and 1."""
        if is_cluster_frame(X):
            self._fit_cluster(X, y, sample_weight)
            self.low_, self.high_ = 0.0, 1.0
            return self
        rows, goal = self._rows_to_learn(X, y, MISSING_WORDS)
        goal = check_array(goal, ensure_2d=False, dtype=np.float64)
        rows, goal, sample_weight = self._drop_weightless(rows, goal, sample_weight)
        inside = 0 <= goal.min() and goal.max() <= 1
        self.low_, self.high_ = (0.0, 1.0) if inside else (float(goal.min()), float(goal.max()))
        what = "there is nothing to learn" if self.low_ == self.high_ else "the range is too wide, scale it"
        message = f"the target ranges from {self.low_:g} to {self.high_:g}; {what}."
        refuse_first(TrainingDataError, {message: not 0 < self.high_ - self.low_ <= LARGEST_FLOAT})
        self._fit(MemoryParts(rows, (goal - self.low_) / (self.high_ - self.low_), sample_weight), y)
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


def plain_labels(y: Any, words: frozenset[str]) -> Any:
    """Targets as numpy keeps them: whole numbers of pandas that may be missing, and are not, are whole numbers."""
    if not hasattr(y, "to_numpy") or hasattr(y, "columns"):
        return y
    if (array := y.to_numpy()).dtype != object:
        return array
    if Values("y", array, words=words).is_missing.any():
        refuse(ValueError, "Input y contains missing values. Leave out the rows without a target.")
    return np.array(array.tolist()) if set(map(type, array)) in ({int}, {bool}) else array
