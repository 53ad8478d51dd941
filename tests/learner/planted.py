"""Tables with a rule that is known: every row of a small grid of categories, some of which are for training."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.features import Features

SIZES = (3, 3, 2, 3, 4, 2)


@dataclass(frozen=True)
class Planted:
    """Training rows of facts such as a0=1 with their classes, and all rows with theirs."""

    names: tuple[str, ...]
    rows: NDArray[Any]
    classes: NDArray[Any]
    all_rows: NDArray[Any]
    all_classes: NDArray[Any]

    @property
    def features(self) -> Features:
        return Features.of_rows(self.rows, self.names)

    @property
    def reach(self) -> NDArray[Any]:
        return np.full(len(self.names), 0.25)


def plant(rule: Any, n_rows: int, seed: int) -> Planted:
    """A table whose class is what the rule says of a grid of values from 1 on (rows × columns)."""
    grid = np.array(list(product(*(range(1, size + 1) for size in SIZES))))
    facts = [(column, value) for column, size in enumerate(SIZES) for value in range(1, size + 1)]
    truths = np.column_stack([grid[:, column] == value for column, value in facts]).astype(float)
    classes = np.asarray(rule(grid)).astype(int)
    chosen = np.random.default_rng(seed).permutation(len(grid))[:n_rows]
    names = tuple(f"a{column}={value}" for column, value in facts)
    return Planted(names, truths[chosen], classes[chosen], truths, classes)
