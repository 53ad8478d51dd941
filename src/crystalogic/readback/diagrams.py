"""Functions of columns that have finitely many cells each, as decision diagrams: equal functions are one object.

A diagram asks one column after the other for its cell and ends with a value (R. Bryant, Graph-based algorithms for
Boolean function manipulation, 1986, here with many values). What is computed from degrees has no finite number of
values: there, terms that say how it is computed, in doubles and in this order, are compared instead.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crystalogic.readback.meaning import Between, Scaled, Symbolic, Written, operate
from crystalogic.readback.syntax import FAILS, Language, refuse

MOST = 400_000  # diagrams and terms of one proof


class Diagram:
    """A column, by its place, with a diagram for each cell of it; or a value at the end, at an infinite place."""

    __slots__ = ("below", "is_open", "place", "value")

    def __init__(self, place: float, below: "tuple[Diagram, ...]", value: Any) -> None:
        self.place, self.below, self.value = place, below, value
        self.is_open: bool = isinstance(value, (Between, Scaled, Written)) or any(each.is_open for each in below)


class Term:
    """An operation on terms and diagrams, as it is computed."""

    __slots__ = ("args", "op")

    def __init__(self, op: str, args: "tuple[Diagram | Term, ...]") -> None:
        self.op, self.args = op, args


Value = Diagram | Term


class Space:
    """All diagrams over these columns, each of them once."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._known: dict[Any, Any] = {}
        self._done: dict[Any, Diagram] = {}

    def leaf(self, value: Any) -> Diagram:
        is_number = isinstance(value, float)
        value = 0.0 if is_number and value == 0 and not isinstance(value, Scaled) else value  # -0.0, too
        key = (type(value), repr(value), getattr(value, "key", None)) if is_number else (type(value), value)
        found: Diagram = self._once(key, lambda: Diagram(float("inf"), (), value))
        return found

    def column(self, place: int, values: Sequence[Any]) -> Diagram:
        """A function of one column, by its values for each cell."""
        return self._node(place, tuple(map(self.leaf, values)))

    def _node(self, place: float, below: tuple[Diagram, ...]) -> Diagram:
        if all(each is below[0] for each in below):
            return below[0]
        found: Diagram = self._once((place, *map(id, below)), lambda: Diagram(place, below, None))
        return found

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        found = self._known.get(key)
        if found is None:
            if len(self._known) > MOST:
                refuse("the rule is too large to be proved in this way")
            found = self._known[key] = make()
        return found

    def combine(self, op: str, value: Any, args: Sequence[Value]) -> Value:
        """An operation on functions: a diagram where all have finitely many values, otherwise a term."""
        diagrams = [each for each in args if isinstance(each, Diagram)]
        if len(diagrams) == len(args) and not any(each.is_open for each in diagrams):
            try:
                return self._apply(op, value, tuple(diagrams))
            except Symbolic:
                return self._term(op, tuple(args))
        if op == "if" and isinstance(args[0], Diagram) and args[0].place == float("inf"):
            return args[1] if args[0].value and args[0].value is not FAILS else args[2]
        return self._term(op, tuple(args))

    def _apply(self, op: str, value: Any, args: tuple[Diagram, ...]) -> Diagram:
        key = (op, value, *map(id, args))
        if key not in self._done:
            self._done[key] = self._compute(op, value, args)
            if len(self._done) > 10 * MOST:
                refuse("the rule is too large to be proved in this way")
        return self._done[key]

    def _compute(self, op: str, value: Any, args: tuple[Diagram, ...]) -> Diagram:
        first = args[0]
        if op == "if" and not first.below:
            return first if first.value is FAILS else args[1] if first.value else args[2]
        if op in ("and", "or"):
            stops = [each for each in args if not each.below and each.value is (op == "or")]
            if stops:
                return stops[0]
        place = min(each.place for each in args)
        if place == float("inf"):
            return self.leaf(operate(self.language, op, value, tuple(each.value for each in args)))
        n = next(len(each.below) for each in args if each.place == place)
        below = (tuple(each.below[i] if each.place == place else each for each in args) for i in range(n))
        return self._node(place, tuple(self._apply(op, value, each) for each in below))

    def _term(self, op: str, args: tuple[Value, ...]) -> Value:
        """A term in the form that all ways of writing it have; every step keeps all digits of the doubles."""
        args = tuple(each if isinstance(each, Term) else self._as_doubles(each) for each in args)
        match op, args:
            case "-", (left, right):
                return self.combine("+", None, (left, self.combine("neg", None, (right,))))
            case "neg", (Term(op="neg") as inner,):
                return inner.args[0]
            case "neg", (Term(op="*") as inner,) if self._is_constant(inner.args[0]):
                return self.combine("*", None, (self.combine("neg", None, inner.args[:1]), inner.args[1]))
            case "+", (left, right) if self._is_constant(left, 0.0):
                return right
            case "*", (left, right) if self._is_constant(left, 1.0):
                return right
            case "*", (left, right) if self._is_constant(left, -1.0):
                return self.combine("neg", None, (right,))
            case "<" | ">", (left, right):
                pair = (left, right) if op == "<" else (right, left)
                return self.combine("not", None, (self.combine(">=", None, pair),))
            case "<=", (left, right):
                return self.combine(">=", None, (right, left))
            case "not", (Term(op="not") as inner,):
                return inner.args[0]
            case "if", (condition, yes, no):
                return self._branch(condition, yes, no)
            case ("index" | "=", (*items, Term(op="if") as place)):
                yes, no = (self.combine(op, "c", (*items, each)) for each in place.args[1:])
                return self.combine("if", None, (place.args[0], yes, no))
            case "=", (Term(op="if") as place, other):
                return self.combine("=", None, (other, place))
            case "index", (*items, Diagram() as place) if self._is_constant(place) and 0 <= place.value < len(items):
                return items[int(place.value)]
            case "index", (*items, Term(op=">=" | "not") as condition) if len(items) == 2:
                return self.combine("if", None, (condition, items[1], items[0]))
        return self._make(op, args)

    def _branch(self, condition: Value, yes: Value, no: Value) -> Value:
        if isinstance(condition, Term) and condition.op == "not":
            return self.combine("if", None, (condition.args[0], no, yes))
        if isinstance(condition, Term) and condition.op == "and":
            first, second = condition.args
            return self.combine("if", None, (first, self.combine("if", None, (second, yes, no)), no))
        if isinstance(yes, Term) and yes.op == "if" and yes.args[0] is condition:
            yes = yes.args[1]
        if isinstance(no, Term) and no.op == "if" and no.args[0] is condition:
            no = no.args[2]
        if yes is no:
            return yes
        if isinstance(condition, Term) and condition.op == ">=":
            left, right = condition.args
            if {id(yes), id(no)} == {id(left), id(right)}:
                pair = tuple(sorted((left, right), key=id))
                return self._make("greatest" if yes is left else "least", pair)
            # 0 where the sum is below it, otherwise the sum or 1: first raised to 0, then lowered to 1
            limits = yes.args if isinstance(yes, Term) and yes.op == "least" and no is right else ()
            if self._is_constant(right, 0.0) and left in limits and any(self._is_constant(x, 1.0) for x in limits):
                raised = self._make("greatest", tuple(sorted((left, right), key=id)))
                return self._make("least", tuple(sorted((raised, self.leaf(1.0)), key=id)))
        return self._make("if", (condition, yes, no))

    def _make(self, op: str, args: tuple[Value, ...]) -> Term:
        found: Term = self._once((op, *map(id, args), "term"), lambda: Term(op, args))
        return found

    def _as_doubles(self, value: Diagram) -> Diagram:
        """A diagram whose whole numbers are doubles, as they become where they meet one."""
        if not value.below:
            return self.leaf(float(value.value)) if type(value.value) is int else value
        return self._node(value.place, tuple(self._as_doubles(each) for each in value.below))

    def _is_constant(self, value: Value, number: float | None = None) -> bool:
        if not isinstance(value, Diagram) or type(value.value) is not float:
            return False
        return number is None or value.value == number


def find_path(diagram: Diagram, is_wanted: Callable[[Any], bool]) -> Mapping[int, int] | None:
    """Places of columns and of their cells that lead to a value that is wanted; None if there is none."""
    if not diagram.below:
        return {} if is_wanted(diagram.value) else None
    for index, each in enumerate(diagram.below):
        path = find_path(each, is_wanted)
        if path is not None:
            return {int(diagram.place): index, **path}
    return None
