"""What rows weigh: checked, counts told from shares, and the weight of a class."""

from collections.abc import Hashable, Mapping

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError

MOST_COUNTED = 2**53


def are_counts(weight: Array) -> bool:
    """Whether weights say how many rows each row stands for: whole numbers, not beyond what floats count."""
    return bool((weight == np.rint(weight)).all() and weight.max() < MOST_COUNTED / len(weight))


def settled_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The checked weight of each row: counts of rows as they are, others with the mean 1.

    Weights that are no counts say only how rows compare, and so do weights that are all alike.

    >>> [settled_weight(given, 2).tolist() for given in ([1, 2], [0.25, 0.75], [7, 7])]
    [[1.0, 2.0], [0.5, 1.5], [1.0, 1.0]]
    """
    checked = checked_weight(weight, n_rows)
    heavy = checked[checked > 0]
    if are_counts(checked) and heavy.min() < heavy.max():
        return checked
    scaled = checked / heavy.max()  # whose sum is finite and not 0
    return np.asarray(scaled * (len(heavy) / scaled.sum()))


def checked_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The weight of each row, 1 if none is given, or a TrainingDataError."""
    checked = np.ones(n_rows) if weight is None else np.array(weight, dtype=np.float64)
    if not (checked.shape == (n_rows,) and np.isfinite(checked).all() and (checked >= 0).all() and checked.any()):
        message = f"sample weights are one finite number ≥ 0 for each of the {n_rows:,} rows, and not all 0."
        raise TrainingDataError(message)
    return checked


def class_weights(classes: Array, mass: ArrayLike, class_weight: str | Mapping[Hashable, float] | None) -> Array:
    """The weight of a row of each class; `mass` is what the rows of each class weigh together."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            message = f"class_weight is 'balanced', a weight for each class, or None. Got {class_weight!r} instead."
            raise TrainingDataError(message)
        return 1 / np.maximum(np.asarray(mass, dtype=np.float64), 1e-300)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and not set(labels) <= set(class_weight):  # a weight for a class that no row of a fold has is no slip
        message = f"class_weight has a weight for {unknown[0]!r}; the classes are {', '.join(map(repr, labels))}."
        raise TrainingDataError(message)
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
