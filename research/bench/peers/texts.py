"""Readers of what peers print: rows are decided by the text alone, and compared with what the model predicts."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_NODE = re.compile(
    r"^(?P<bars>(?:\|   )*)\|--- (?:feature_(?P<place>\d+) (?P<relation><=|>) +(?P<cut>-?[\d.]+)|class: (?P<label>.+))$"
)


def decide_by_tree_text(text: str, rows: Array) -> Array:
    """The classes by the text of scikit-learn's `export_text`.

    >>> text = "|--- feature_0 <= 0.50\\n|   |--- class: 0\\n|--- feature_0 >  0.50\\n|   |--- class: 1\\n"
    >>> decide_by_tree_text(text, np.array([[0.2], [0.7]])).tolist()
    [0, 1]
    """
    found = np.full(len(rows), -1)
    path: list[Array] = []
    for line in text.splitlines():
        node = _NODE.match(line)
        if node is None:
            message = f"not a line of a tree: {line!r}"
            raise ValueError(message)
        depth = len(node["bars"]) // 4
        here = np.logical_and.reduce([np.ones(len(rows), dtype=bool), *path[:depth]])
        if node["label"] is not None:
            found[here] = int(float(node["label"]))
            continue
        values = rows[:, int(node["place"])]
        holds = values <= float(node["cut"]) if node["relation"] == "<=" else values > float(node["cut"])
        path = [*path[:depth], holds]
    return found


def decide_by_ruleset(text: str, frame: Any) -> Array:
    """Whether any rule of wittgenstein's text holds: `[[cp=4^ca=1.0] V [thalach=<114.1]]`.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"a": ["x", "x", "y"], "b": [1.5, 3, 9]})
    >>> decide_by_ruleset("[[a=x^b=1.0-2.0] V [b=>7.5]]", rows).tolist()
    [1, 0, 1]
    """
    found = np.zeros(len(frame), dtype=bool)
    for rule in re.findall(r"\[([^\[\]]+)\]", text):
        holds = np.ones(len(frame), dtype=bool)
        for condition in rule.split("^"):
            name, _, value = condition.partition("=")
            holds &= _meets(frame[name], value)
        found |= holds
    return found.astype(int)


def _meets(column: Any, value: str) -> Array:
    import pandas as pd

    interval = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)-(-?[\d.]+(?:e-?\d+)?)", value)
    bound = re.fullmatch(r"([<>])(-?[\d.]+(?:e-?\d+)?)", value)
    if not pd.api.types.is_numeric_dtype(column) or (interval is None and bound is None):
        return np.asarray(column.astype(str) == value) | _equals(column, value)
    numbers = column.to_numpy(np.float64)
    if bound is not None:
        return np.asarray(numbers < float(bound[2]) if bound[1] == "<" else numbers > float(bound[2]))
    assert interval is not None
    return np.asarray((numbers >= float(interval[1])) & (numbers <= float(interval[2])))


def _equals(column: Any, value: str) -> Array:
    import pandas as pd

    try:
        return np.asarray(pd.to_numeric(column, errors="coerce") == float(value))
    except ValueError:
        return np.zeros(len(column), dtype=bool)


def decide_by_points(points: dict[int, int], least: float, rows: Array) -> Array:
    """Whether the points of the Boolean inputs that hold reach a sum."""
    total = sum((number * rows[:, place] for place, number in points.items()), np.zeros(len(rows)))
    return (total >= least).astype(int)
