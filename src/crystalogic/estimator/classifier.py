"""A short formula, or one for each class, as a classifier."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from crystalogic.arrays import Array, np
from crystalogic.cluster import by_partition, is_cluster_frame
from crystalogic.decision import THRESHOLD
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.estimator.base import Lukasiewicz
from crystalogic.fitting import Limits
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.parts import MemoryParts

HALF = float(THRESHOLD)


class LukasiewiczClassifier(ClassifierMixin, Lukasiewicz):  # type: ignore[misc]
    """A classifier whose model is a short formula of Łukasiewicz logic, proved to be its network.

    >>> clf = LukasiewiczClassifier().fit([[0, 1], [1, 1], [0, 0], [1, 0]] * 10, ["no", "yes", "no", "no"] * 10)
    >>> print(clf.formula_)
    {x0=1} ⊗ {x1=1}

    Parameters:
        strategy: "likelihood" (points of facts), "annealing" (the lattice search, which also learns degrees),
            "straight_through", "levenberg_marquardt" or "proximal", or one of these with its own settings, such as
            `cl.Annealing(effort=2)`. "auto" is annealing where degrees or `start` are asked for, else likelihood.
            Likelihood alone learns more than two classes.
        shape: what a rule may look like: "checklist" counts facts, "points" adds whole points of facts, "formula" also
            has neurons; None takes what predicts held-out rows best, and the plainer one where it is as good.
        kinds: how columns are read, where the guess is wrong: a column's name with "number", "code", "category",
            "ignore", or a list of its values in ascending order.
        protect: columns that the rule must not read, such as ["sex"], and by which it is measured: the whole fit is
            repeated five times to judge rows that were held out, and `model_.record.held_out` has the rates of each
            group. Frames to be predicted need not have them.
        missing: what stands for no value, such as ["unknown", -9], instead of the usual words (NA, ?, null, …).
            An empty cell and NaN always do; a value of a list in `kinds` never does.
        numbers: how numbers are read: "cuts" such as `age ≥ 55`, "degrees" between least and greatest, "both", or
            "auto": cuts, unless the strategy learns degrees.
        n_cuts: how many cuts a column of numbers has at most; None leaves it to the strategy.
        max_literals: no formula longer than this; None leaves it to the strategy (30, or 20 for a checklist).
        monotone: columns or literals that may only raise (1) or lower (-1) the class that the formula speaks for.
        forbidden: columns or literals that must not be used.
        required: literals that must be used.
        start: a formula to start from, among other starts.
        class_weight: "balanced", or a weight for each class.
        positive: of two classes, the one that the formula, `monotone` and the checklist speak for; None is the second
            of `classes_`. The order of `classes_` and of the columns of `predict_proba` stays as it is.
        ordered: whether more than two classes are grades, which share one score with a threshold for each: True for
            numbers, or a list of the classes from the least to the greatest. `monotone` then speaks of the grade.
        aim: what the threshold is set for, such as {"sensitivity": 0.95}: "cost" (a mapping with "missed" and
            "false-alarm"), "sensitivity", "specificity" or "risk", by the rows that were held out; "abstain" is how
            often a class may be told in place of the other, and a person is asked in between (`cl.operate`). None is
            the threshold from which on the class is the likelier one.
        limits: what the rule must keep besides, as `cl.Limits`: the largest gap between groups in selection, misses or
            false alarms, the least sensitivity, prices of columns, columns that are read only with others.
        prove: seconds to prove how much better checklists of each size can be on the rows, and to mend the front.
        random_state: the same number gives the same formula.
        n_jobs: threads; they change the time, never the result.
        time_budget: seconds to search at most; the best formula so far is kept.
        callback: called with the progress; the search ends if it returns True.
    """

    _degrees = False

    def __init__(
        self,
        strategy: Any = "auto",
        *,
        shape: str | None = None,
        kinds: Mapping[str, Any] | None = None,
        protect: Sequence[str] = (),
        missing: Collection[Any] | None = None,
        numbers: str = "auto",
        n_cuts: int | None = None,
        max_literals: int | None = None,
        monotone: Mapping[str, int] | None = None,
        forbidden: Sequence[str] = (),
        required: Sequence[str] = (),
        start: Formula | str | None = None,
        class_weight: Any = None,
        positive: Any = None,
        ordered: bool | Sequence[Any] = False,
        aim: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        prove: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_budget: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns the formula; selection sees these rows only. A Dask dataframe is learned where its partitions are."""
        if is_cluster_frame(X):
            self._fit_cluster(X, y, sample_weight)
            self.classes_ = np.unique(np.array(self.model_.classes))
            return self
        rows, labels = self._rows_to_learn(X, y, self._request().target_words)
        check_classification_targets(labels)
        message = "the classes are dates or durations. Turn them into texts, with `astype(str)`."
        refuse_first(TrainingDataError, {message: labels.dtype.kind in "mM"})
        rows, labels, sample_weight = self._drop_weightless(rows, labels, sample_weight)
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            refuse(ValueError, f"Classifier can't train when only one class is present: {self.classes_[0]!r}.")
        self._fit(MemoryParts(rows, labels, sample_weight), y)
        return self

    @property
    def _speaks_for_first(self) -> bool:
        return self.model_.classes is not None and self.model_.classes[0] != self.classes_[0]

    def decision_function(self, X: Any) -> Array:
        """How far a row is from another class: never 0 for two classes, with the sign of `predict`.

        With a risk (strategy "likelihood") it is the number of points beyond the threshold, a half added, so a row that
        just reaches it has 1/2; it ranks rows as `predict_proba` does. Otherwise it is the degree of the second class
        less 1/2, where a row at the threshold has the sign of the class that the formula speaks for. For several
        classes it is what `predict_proba` gives.
        """
        check_is_fitted(self)
        if self.model_.has_risk and len(self.model_.formulas) == 1:
            beyond = self._count(X)[:, 0] - score_of(self.model_.formulas[0]).threshold + HALF
        else:
            if (likely := self.predict_proba(X)).shape[1] > 2:
                return likely
            beyond = likely[:, 0 if self._speaks_for_first else 1] - HALF
        return -beyond if self._speaks_for_first else beyond

    def predict(self, X: Any) -> Any:
        """The class of every row: of two, the one spoken for if its degree is at least 1/2; of more, the largest."""
        check_is_fitted(self)
        if is_cluster_frame(X):
            return by_partition(X, self.predict, self.classes_.dtype)
        return np.asarray((self.classes_[::-1] if self._speaks_for_first else self.classes_)[self._decide(X)[1]])

    def predict_proba(self, X: Any) -> Array:
        """How likely each class is.

        With a risk (strategy "likelihood") these are probabilities, made from rows that were held out; none is larger
        than that of the class of `predict`. With `class_weight` they are those of the weighted rows. Without a risk
        they are degrees of truth, scaled to add up to 1: no probabilities until calibrated (CalibratedClassifierCV).
        """
        check_is_fitted(self)
        if self.model_.has_risk:
            found = self.model_.likelihoods(self._count(X))
        else:
            degrees, decided = self._decide(X)
            if degrees.shape[1] > 1:
                degrees[np.arange(len(degrees)), decided] += 1e-9  # ties go where `predict` goes
                return np.asarray(degrees / degrees.sum(axis=1, keepdims=True))
            above, below = np.nextafter(HALF, 1), np.nextafter(HALF, 0)
            spoken_for = np.where(decided, np.maximum(degrees[:, 0], above), np.minimum(degrees[:, 0], below))
            found = np.column_stack([1 - spoken_for, spoken_for])
        return found[:, ::-1] if self._speaks_for_first else found

    def _count(self, X: Any) -> Array:
        return np.asarray(self.model_.scores(self._rows_to_judge(X), unknown="false"))

    def _decide(self, X: Any) -> tuple[Array, Array]:
        """The degrees of every row, and which class of the model it has."""
        rows = self._rows_to_judge(X)
        degrees = self.model_.degrees(rows, unknown="false")
        return degrees, self.model_.class_index(rows, degrees)
