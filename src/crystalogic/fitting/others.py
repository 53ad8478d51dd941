"""How much the other columns tell: a small tree of them, judged on rows that it has not seen."""

from collections.abc import Iterator
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.encoding import Encoding

DEPTH, FOLDS = 3, 5
MOST_ROWS = 10_000  # enough to tell 97 % from 70 %
LARGEST = 3e38  # trees compute with single precision; a missing number is below all others


def measure_others(encoding: Encoding, rows: Any, is_class: Array, column: str) -> float | None:
    """The share of rows of which all columns but this one tell whether they have the class; None if there are too few.

    A tree of three questions is cheap, and finds most of what a short rule finds.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    n_rows = len(is_class)
    some = np.arange(n_rows) if n_rows <= MOST_ROWS else np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS]
    truth = np.asarray(is_class)[some]
    constant = max(truth.mean(), 1 - truth.mean())
    found = [each[some] for each in _numbers(encoding, rows, column)]
    if min(truth.sum(), len(truth) - truth.sum()) < FOLDS:
        return None
    if not found:
        return float(constant)
    tree = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=FOLDS, random_state=0)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    told = cross_val_predict(tree, np.column_stack(found), truth, cv=folds)
    return float(max(constant, (told == truth).mean()))


def _numbers(encoding: Encoding, rows: Any, column: str) -> Iterator[Array]:
    """The other columns as numbers that a tree can ask about."""
    for each in encoding.columns:
        if each.kind == "left out" or each.name == column:
            continue
        values = encoding.read(rows, each.name)
        if each.kind in ("number", "code"):
            yield np.nan_to_num(values.parsed, nan=-LARGEST).clip(-LARGEST, LARGEST)
        elif each.kind == "ordinal":
            place = {level: index for index, level in enumerate(each.known)}
            yield np.array([place.get(text, -1) for text in values.texts], float)
        else:
            yield from (values.equal(value).astype(float) for value in each.known)
