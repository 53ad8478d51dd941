"""Functions of columns that have finitely many cells each, as decision diagrams: equal functions are one object.

A diagram asks one column after the other for its cell and ends with a value (R. Bryant, Graph-based algorithms for
Boolean function manipulation, 1986, here with many values).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.readback.meaning import operate, refuse_open
from crystalogic.readback.syntax import FAILS, Language, refuse

MOST = 400_000  # diagrams of one proof
END = float("inf")  # the place of a value


@dataclass(frozen=True, eq=False, slots=True)
class Diagram:
    """A column, by its place, with a diagram for each cell of it; or a value at the end."""

    place: float
    below: "tuple[Diagram, ...]" = ()
    value: Any = None


class Space:
    """All diagrams over these columns, each of them once."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._known: dict[Any, Diagram] = {}
        self._done: dict[Any, Diagram] = {}

    def leaf(self, value: Any) -> Diagram:
        """A value at the end; numbers of a column that only comparisons can tell apart are none."""
        refuse_open(value)
        value = 0.0 if isinstance(value, float) and value == 0 else value  # -0.0, too
        key = repr(value) if isinstance(value, float) else value
        return self._known.setdefault((type(value), key), Diagram(END, (), value))

    def column(self, place: int, values: Sequence[Any]) -> Diagram:
        """A function of one column, by its values for each cell."""
        return self._node(place, tuple(map(self.leaf, values)))

    def _node(self, place: float, below: tuple[Diagram, ...]) -> Diagram:
        if all(each is below[0] for each in below):
            return below[0]
        return self._known.setdefault((place, *map(id, below)), Diagram(place, below))

    def combine(self, op: str, value: Any, args: tuple[Diagram, ...]) -> Diagram:
        """An operation on functions, whose values are those of the operation on their values."""
        key = (op, value, *map(id, args))
        if key not in self._done:
            self._done[key] = self._compute(op, value, args)
            if len(self._known) > MOST or len(self._done) > 10 * MOST:
                refuse("the rule is too large to be proved in this way")
        return self._done[key]

    def _compute(self, op: str, value: Any, args: tuple[Diagram, ...]) -> Diagram:
        first = args[0]
        if op == "if" and not first.below:
            return first if first.value is FAILS else args[1] if first.value else args[2]
        stops = [each for each in args if not each.below and each.value is (op == "or")]
        if op in ("and", "or") and stops:
            return stops[0]
        place = min(each.place for each in args)
        if place == END:
            return self.leaf(operate(self.language, op, value, tuple(each.value for each in args)))
        n = next(len(each.below) for each in args if each.place == place)
        below = (tuple(each.below[i] if each.place == place else each for each in args) for i in range(n))
        return self._node(place, tuple(self.combine(op, value, each) for each in below))


def find_false(diagram: Diagram) -> Mapping[int, int] | None:
    """Places of columns and of their cells that lead to a value that is false; None if there is none."""
    if not diagram.below:
        return None if diagram.value else {}
    for index, each in enumerate(diagram.below):
        if (path := find_false(each)) is not None:
            return {int(diagram.place): index, **path}
    return None
