"""How far apart two rows are that differ in one fact alone: what a teacher measures distances with."""

from typing import TYPE_CHECKING, Any

from crystalogic.encoding import Cut, Encoding, Is, Reaches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crystalogic.features import Features

OTHER_VALUE = 0.5  # between two rows with different categories; of two facts that differ then, each has half of it


def group_values(encoding: Encoding) -> tuple[tuple[str, ...], ...]:
    """For each column the facts that it has one value or another."""
    values = ([each.name for each in column.literals if isinstance(each, Is)] for column in encoding.columns)
    return tuple(tuple(names) for names in values if len(names) > 1)


def measure_reach(encoding: Encoding, features: "Features", weight: "NDArray[Any] | None" = None) -> "NDArray[Any]":
    """For a cut half the share of the rows between its neighbours, so that numbers are as far apart as their ranks."""
    import numpy as np

    shares = dict(zip(features.names, features.shares(weight), strict=True))
    reach = dict.fromkeys(features.names, OTHER_VALUE / 2)
    for column in encoding.columns:
        chain = [each.name for each in column.literals if isinstance(each, (Cut, Reaches))]
        is_mixed = any(not isinstance(each, (Cut, Reaches)) for each in column.literals)
        if len(column.literals) == 1:
            reach[column.literals[0].name] = OTHER_VALUE
        elif (chain and not is_mixed) or column.kind == "number":
            stairs = np.array([1.0, *(shares[name] for name in chain), 0.0])
            reach |= dict(zip(chain, ((stairs[:-2] - stairs[2:]) / 2).tolist(), strict=True))
    return np.array([reach[name] for name in features.names])
