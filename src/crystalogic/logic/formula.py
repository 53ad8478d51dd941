"""Formulas of Łukasiewicz logic: immutable, hash-consed nodes of a shared DAG.

Two formulas with the same structure are the same object, so `==` is `is` and costs nothing, and a subformula that
occurs a thousand times is stored once. Nodes only hold their parts; all that can be done is a walk (`logic.walk`).

⊗ and ⊕ take any number of parts. x ⊗ x is not x in this logic, so parts are tuples and multiplicity matters.
"""

import operator
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakValueDictionary

from crystalogic.counts import plural
from crystalogic.errors import FormulaError, refuse
from crystalogic.logic.walk import fold, subformulas, sum_written
from crystalogic.logic.walk import substitute as substitute
from crystalogic.truth import LARGEST_INTEGER

if TYPE_CHECKING:
    from fractions import Fraction

    from crystalogic.logic.render import Notation

_nodes: "WeakValueDictionary[tuple[object, ...], Formula]" = WeakValueDictionary()
_lock = threading.RLock()


class Formula:
    """A formula; build one with `parse`, `Variable` and the operators & (⊗), | (⊕), >> (→), ~ (¬).

    >>> a, b = variables("a b")
    >>> print(~(a & b) | b)
    ¬(a ⊗ b) ⊕ b
    >>> (a & b) is (a & b)
    True
    """

    __slots__ = ("__weakref__", "detail", "parts")

    parts: "tuple[Formula, ...]"
    detail: object  # what the node holds besides its parts: a name, a constant, a threshold
    n_parts: ClassVar[tuple[int, float]] = (2, float("inf"))  # the least and the greatest number of parts
    is_counting: ClassVar[bool] = False  # whether equal parts in a row are written once, with their points

    def __new__(cls, *parts: "Formula | int") -> Self:
        return cls._node(None, parts)

    @classmethod
    def _node(cls, detail: object, parts: "Iterable[Formula | int]") -> Self:
        """The one door through which every node is made."""
        parts = tuple(as_formula(part) for part in parts)
        least, greatest = cls.n_parts
        if not least <= len(parts) <= greatest:
            wanted = f"exactly {least}" if least == greatest else f"at least {least}"
            refuse(FormulaError, f"{cls.__name__} takes {wanted} {plural(least, 'part')}, got {len(parts)}.")
        key = (cls, detail, parts)
        with _lock:
            if (node := _nodes.get(key)) is None:
                node = object.__new__(cls)
                object.__setattr__(node, "parts", parts)
                object.__setattr__(node, "detail", detail)
                _nodes[key] = node
        return node  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        refuse(FormulaError, f"a formula cannot be changed: {name} stays as it is. Build a new one.")

    def __delattr__(self, name: str) -> None:
        setattr(self, name, None)

    def __bool__(self) -> bool:
        message = "a formula is neither true nor false by itself. Write & | >> ~ for its connectives, not and, or, not."
        raise FormulaError(message)

    def with_parts(self, parts: "Iterable[Formula]") -> "Formula":
        return type(self)._node(self.detail, parts)

    def __and__(self, other: "Formula | int") -> "Formula":
        return _extend(StrongAnd, self, other)

    def __or__(self, other: "Formula | int") -> "Formula":
        return _extend(StrongOr, self, other)

    def __rshift__(self, other: "Formula | int") -> "Formula":
        return Implies(self, other)

    def __invert__(self) -> "Formula":
        return Not(self)

    def __rand__(self, other: int) -> "Formula":
        return as_formula(other) & self

    def __ror__(self, other: int) -> "Formula":
        return as_formula(other) | self

    def __rrshift__(self, other: int) -> "Formula":
        return as_formula(other) >> self

    def _text(self, notation: "Notation", *, points: bool = True) -> str:
        from crystalogic.logic.render import render

        return render(self, notation, points=points)

    def __str__(self) -> str:
        return self._text("unicode")

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    def __reduce__(self) -> "tuple[Callable[[str], Formula], tuple[str]]":
        from crystalogic.logic.parse import parse

        return parse, (self._text("ascii", points=False),)

    def __deepcopy__(self, memo: object = None) -> Self:
        return self

    __copy__ = __deepcopy__

    def to_ascii(self) -> str:
        """The formula in plain ASCII, which `parse` reads as well."""
        return self._text("ascii")

    def to_latex(self) -> str:
        """The formula as LaTeX for mathematics mode (with amsmath)."""
        return self._text("latex")

    def evaluate(self, values: "Mapping[str, Any]") -> "Fraction | Any":
        """The truth degree: exact for int and Fraction, vectorised for numpy arrays; see `logic.evaluate`."""
        from crystalogic.logic.evaluate import evaluate

        return evaluate(self, values)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order in which the text shows them."""
        return tuple(node.name for node in subformulas(self) if isinstance(node, Variable))

    @property
    def size(self) -> int:
        """How many literals a person would read, written out as a tree; a part with points, such as 3·a, is one."""
        return fold(self, lambda node, sizes: 1 if isinstance(node, Variable) else sum_written(node, sizes))

    @property
    def n_nodes(self) -> int:
        """How many connectives the shared DAG has: nodes that are not variables, constants or their negations."""
        return sum(not is_literal(node) and not isinstance(node, Constant) for node in subformulas(self))


class Variable(Formula):
    """A named input.

    >>> print(Variable("cp=4"))
    {cp=4}

    Parameters:
        name: any text that is not empty.
    """

    n_parts = (0, 0)

    def __new__(cls, name: str) -> "Variable":
        if not isinstance(name, str) or not name:
            refuse(FormulaError, f"a variable needs a name, got {name!r}.")
        return cls._node(name, ())

    @property
    def name(self) -> str:
        return self.detail  # type: ignore[return-value]


class Constant(Formula):
    """Always false or always true.

    >>> print(Constant(1))
    1

    Parameters:
        value: 0 or 1.
    """

    n_parts = (0, 0)

    def __new__(cls, value: int) -> "Constant":
        if value not in (0, 1):
            refuse(FormulaError, f"a constant is 0 or 1, got {value!r}.")
        return cls._node(int(value), ())

    @property
    def value(self) -> int:
        return self.detail  # type: ignore[return-value]


class Not(Formula):
    """¬x = 1 - x (Eq. 3); in Python `~x`.

    Parameters:
        parts: the formula that is negated.
    """

    n_parts = (1, 1)


class StrongAnd(Formula):
    """x ⊗ y = max(0, x + y - 1) (Eq. 1); in Python `x & y`.

    Parameters:
        parts: two formulas or more.
    """


class StrongOr(Formula):
    """x ⊕ y = min(1, x + y) (Eq. 4); in Python `x | y`.

    Parameters:
        parts: two formulas or more.
    """


class Minimum(Formula):
    """x ∧ y = min(x, y), the weak conjunction x ⊗ (x → y).

    Parameters:
        parts: two formulas or more.
    """


class Maximum(Formula):
    """x ∨ y = max(x, y), the weak disjunction (x → y) → y.

    Parameters:
        parts: two formulas or more.
    """


class Implies(Formula):
    """x → y = min(1, 1 - x + y) (Eq. 2); in Python `x >> y`.

    Parameters:
        parts: two formulas, what implies and what is implied.
    """

    n_parts = (2, 2)


class Iff(Formula):
    """x ↔ y = 1 - |x - y|.

    Parameters:
        parts: two formulas.
    """

    n_parts = (2, 2)


class AtLeast(Formula):
    """At least k of the parts: ψ(Σ parts - (k - 1)), a graded threshold; k = 1 is ⊕ and k = m is ⊗.

    >>> a, b, c = variables("a b c")
    >>> print(AtLeast(2, a, ~b, c))
    at least 2 of (a, ¬b, c)

    A part that stands several times in a row has so many points, and k is the number of points that are needed.

    >>> print(AtLeast(4, a, a, a, ~b, ~b, c))
    at least 4 of (3·a, 2·¬b, c)

    Parameters:
        k: how many must hold, a whole number.
        parts: the formulas that are counted, one or more.
    """

    n_parts = (1, float("inf"))
    is_counting = True

    def __new__(cls, k: int, *parts: Formula | int) -> "AtLeast":
        try:
            threshold = operator.index(k)
        except TypeError:
            refuse(FormulaError, f"a threshold is an integer, got {k!r}.")
        if abs(threshold) > LARGEST_INTEGER:
            refuse(FormulaError, f"a threshold is at most {LARGEST_INTEGER:,} in size; this one is larger.")
        return cls._node(threshold, parts)

    @property
    def k(self) -> int:
        return self.detail  # type: ignore[return-value]

    @property
    def has_points(self) -> bool:
        """Whether a part counts more than once."""
        return len(set(self.parts)) < len(self.parts)


def as_formula(value: "Formula | int") -> Formula:
    """A formula as it is, and 0 or 1 as constants."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, int):
        return Constant(value)
    problem = f"expected a formula, 0 or 1, got {value!r}."
    refuse(FormulaError, f"{problem} A name becomes a formula by Variable(name), a text by parse(text).")


def as_formulas(value: "Formula | int | Iterable[Formula | int]") -> tuple[Formula, ...]:
    """One formula or several, as a tuple."""
    return tuple(map(as_formula, value)) if isinstance(value, (list, tuple)) else (as_formula(value),)  # type: ignore[arg-type]


def variables(names: str | Iterable[str]) -> tuple[Variable, ...]:
    """Variables by their names.

    >>> a, b = variables("a b")
    >>> print(a >> b)
    a → b

    Parameters:
        names: a list of names, or one text in which spaces or commas separate them.
    """
    return tuple(Variable(name) for name in (names.replace(",", " ").split() if isinstance(names, str) else names))


def is_literal(node: Formula) -> bool:
    return isinstance(node, Variable) or (isinstance(node, Not) and isinstance(node.parts[0], Variable))


def peel(formula: Formula) -> tuple[Formula, bool]:
    """What stands under all negations, and whether these negate it."""
    negated = False
    while isinstance(formula, Not):
        formula, negated = formula.parts[0], not negated
    return formula, negated


def _extend(connective: type[Formula], left: Formula, right: Formula | int) -> Formula:
    """left ∘ right; a chain a ∘ b ∘ c is one node with three parts, as it is when parsed."""
    return connective(*left.parts, right) if type(left) is connective else connective(left, right)
