"""How far apart two rows are that differ in one fact alone: what a teacher measures distances with."""

from collections.abc import Sequence

from crystalogic.arrays import Array, np
from crystalogic.encoding import Cut, Encoding, Is, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.own import include_facts
from crystalogic.features import Features
from crystalogic.learner.settings import MOST_GROUPED

LONGEST_LIST = 400  # characters, beyond which nobody reads what it says
OTHER_VALUE = 0.5  # between two rows with different categories; of two facts that differ then, each has half of it


def group_values(encoding: Encoding) -> tuple[tuple[str, ...], ...]:
    """For each column the facts that it has one value or another, if a list of these is known by its name."""
    listed = (column for column in encoding.columns if measure_list(column))
    values = ([each.name for each in column.literals if isinstance(each, Is)] for column in listed)
    return tuple(tuple(names) for names in values if _is_known(encoding, names))


def measure_list(column: Column) -> int:
    """The characters of the longest list of values of a column that a rule may have; 0 where it may have none."""
    lengths = sorted((len(ascii(each.value)) for each in column.literals if isinstance(each, Is)), reverse=True)
    found = len(ascii(column.name)) + sum(lengths[:MOST_GROUPED]) if len(lengths) > 1 else 0
    return found if found <= LONGEST_LIST else 0


def name_values(encoding: Encoding, names: Sequence[str]) -> str:
    """What the fact is called that a column has one of these values."""
    return _list_values(encoding, names).name


def _list_values(encoding: Encoding, names: Sequence[str]) -> OneOf:
    said = [encoding.literals[name] for name in names]
    return OneOf(said[0].column, tuple(each.value for each in said if isinstance(each, Is)))


def _is_known(encoding: Encoding, names: Sequence[str]) -> bool:
    literal = _list_values(encoding, names)
    return include_facts(encoding, [literal.name])[0].literals.get(literal.name) == literal


def measure_reach(encoding: Encoding, features: Features, weight: Array | None = None) -> Array:
    """For a cut half the share of the rows between its neighbours, so that numbers are as far apart as their ranks."""
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
