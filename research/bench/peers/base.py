"""What every learner of the comparison gives, whatever its library."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.tables import Half, Halves, Input

Array = NDArray[Any]
Settings = Mapping[str, Any]
SIZES = (3, 5, 8, 12)
N_SETTINGS = 6


@dataclass(frozen=True)
class Fitted:
    """A fitted model: what it says of rows, how long it is, what it reads, and what its printed text decides.

    `risk` says how likely class 1 is, or of more than two classes how likely each is. `literals` is the size by the
    one counting rule (see `Peer`). `decide` takes the classes from the text alone, where there is a text.
    """

    predict: Callable[[Half], Array]
    literals: int
    risk: Callable[[Half], Array] | None = None
    columns: frozenset[str] | None = None
    decide: Callable[[Half], Array] | None = None


@dataclass(frozen=True)
class Peer:
    """A learner of the comparison, used as its documentation advises.

    `fit` takes the data, a seed and settings. `settings` are those of the tuned round, the defaults first. `sized`
    gives the settings for a model of at most so many conditions.

    Size is counted by one rule, the conditions that a person reads: the splits of a tree or of all trees, the
    conditions of all rules of a list or a set, the lines of a scorecard, the non-zero weights of a linear model,
    the terms of an additive model, the literals of all formulas.
    """

    name: str
    package: str
    kind: str  # "rules", "scorecard" or "other": what a person reads
    fit: Callable[..., Fitted]
    note: str
    settings: tuple[Settings, ...]
    sized: Callable[[int], Settings] | None = None
    two_classes: bool = False
    monotone: str = "no: nothing of it is proved or constrained"

    @property
    def is_rule(self) -> bool:
        """Whether its model is read by people, as rules or as points."""
        return self.kind != "other"


def on_numbers(
    model: Any,
    literals: int,
    columns: frozenset[str] | None = None,
    decide: Callable[[Half], Array] | None = None,
) -> Fitted:
    """A model of scikit-learn's kind that was fitted on numbers."""
    return Fitted(
        lambda half: np.asarray(model.predict(half.numbers)).astype(int),
        literals,
        lambda half: spread(model.predict_proba(half.numbers)),
        columns,
        decide,
    )


def spread(told: Any) -> Array:
    """Probabilities as `Fitted.risk` gives them: of class 1, or of each of more than two."""
    found = np.asarray(told)
    return np.asarray(found[:, 1]) if found.ndim == 2 and found.shape[1] == 2 else found


def columns_of(inputs: tuple[Input, ...], places: Iterable[int]) -> frozenset[str]:
    """The columns that these inputs are made of."""
    return frozenset(inputs[place].column for place in places)


def count_splits(tree: Any) -> int:
    """The inner nodes of a tree of scikit-learn."""
    return int((tree.children_left >= 0).sum())


def split_places(tree: Any) -> set[int]:
    """The inputs that a tree of scikit-learn asks about."""
    return {int(place) for place in tree.feature if place >= 0}


def all_columns(data: Halves) -> frozenset[str]:
    """Every column of the table."""
    return frozenset(str(name) for name in data.train.frame.columns)


def vary(**options: Iterable[Any]) -> tuple[Settings, ...]:
    """The defaults, then one setting changed at a time.

    >>> vary(depth=[2, 3])
    ({}, {'depth': 2}, {'depth': 3})
    """
    return ({}, *({name: value} for name, values in options.items() for value in values))
