"""Questions about formulas, answered by proof, by a concrete row, or not at all within the time allowed.

Equal value numbers are a proof already; otherwise z3 searches for a row of the scope that contradicts the claim. If
there is none the claim is proved; a row that it finds is evaluated again exactly before it is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol

from crystalogic.errors import DomainError
from crystalogic.logic.domain import EVERYWHERE, Domain
from crystalogic.logic.formula import Constant, Formula, Implies, Variable, as_formula, subformulas, substitute
from crystalogic.logic.names import size_text, written_name
from crystalogic.verify.solver import Condition, Formulas, find_row
from crystalogic.verify.values import Ref, Values

SECONDS = 10.0
ONE = Constant(1)


class Verdict(Enum):
    """The three honest answers."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


class Described(Protocol):
    """A scope of any kind: text for people, plain data for machines."""

    def content(self) -> Any:
        """The scope as plain JSON data."""


@dataclass(frozen=True)
class Answer:
    """What was asked, over which scope, and what came out. It is true only if the claim was proved.

    `row` is a counterexample if the claim was refuted, and a witness if the claim was that such a row exists.
    """

    claim: str
    scope: Described
    verdict: Verdict
    reason: str
    row: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        return self.verdict is Verdict.PROVED

    @property
    def counterexample(self) -> Mapping[str, Any] | None:
        """A row on which the claim fails."""
        return self.row if self.verdict is Verdict.REFUTED else None

    @property
    def witness(self) -> Mapping[str, Any] | None:
        """A row that shows the claim, where the claim is that there is one."""
        return self.row if self.verdict is Verdict.PROVED else None

    def __str__(self) -> str:
        lines = [f"{self.verdict.value}: {self.claim}", f"scope: {self.scope}", self.reason]
        return "\n".join(lines)

    def content(self) -> dict[str, Any]:
        """The answer as plain JSON data."""
        row = None if self.row is None else {name: str(value) for name, value in self.row.items()}
        return {
            "verdict": self.verdict.value,
            "claim": self.claim,
            "scope": self.scope.content(),
            "reason": self.reason,
            "row": row,
        }


def equivalent(left: Formula, right: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether two formulas have the same degree on every row of the scope.

    >>> from crystalogic.logic.parse import parse
    >>> bool(equivalent(parse("¬(y ⊗ y)"), parse("¬y"), Domain(["y"])))
    True
    >>> print(equivalent(parse("¬(y ⊗ y)"), parse("¬y")).counterexample["y"])
    1/2
    """
    left, right = as_formula(left), as_formula(right)
    claim = f"{_short(left)} = {_short(right)}"
    scope = domain or EVERYWHERE
    if _same_value(left, right):
        return Answer(claim, scope, Verdict.PROVED, "both sides have the same value number")
    return _for_all(claim, scope, (left, right), lambda x, y: x != y, seconds)


def entails(left: Formula, right: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the degree of `right` is at least that of `left` on every row: left → right is always 1."""
    left, right = as_formula(left), as_formula(right)
    claim, scope = f"{_short(left)} ≤ {_short(right)}", domain or EVERYWHERE
    if _same_value(Implies(left, right), ONE):
        return Answer(claim, scope, Verdict.PROVED, "the implication has the value number of 1")
    return _for_all(claim, scope, (left, right), lambda x, y: x > y, seconds)


def valid(formula: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the formula is 1 on every row."""
    formula = as_formula(formula)
    claim, scope = f"{_short(formula)} = 1", domain or EVERYWHERE
    if _same_value(formula, ONE):
        return Answer(claim, scope, Verdict.PROVED, "it has the value number of 1")
    return _for_all(claim, scope, (formula,), lambda x: x < 1, seconds)


def satisfiable(formula: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the formula is 1 on some row, which is then the answer's `witness`."""
    formula = as_formula(formula)
    claim, scope = f"{_short(formula)} = 1 somewhere", domain or EVERYWHERE
    found = find_row((formula,), scope, lambda x: x >= 1, seconds)
    if isinstance(found, str):
        return Answer(claim, scope, Verdict.UNDECIDED, found)
    if found is None:
        return Answer(claim, scope, Verdict.REFUTED, "no row of the scope reaches 1 (z3)")
    return Answer(claim, scope, Verdict.PROVED, f"it is 1 at {_shown(found)}", found)


def monotone(
    formula: Formula,
    name: str,
    domain: Domain | None = None,
    *,
    decreasing: bool = False,
    seconds: float = SECONDS,
) -> Answer:
    """Whether the degree never falls as one input rises (or, `decreasing`, never rises).

    >>> from crystalogic.logic.parse import parse
    >>> bool(monotone(parse("a ⊗ ¬b"), "a")), bool(monotone(parse("a ⊗ ¬b"), "b"))
    (True, False)
    """
    claim = f"as {written_name(name)} rises, {_short(formula)} never {'rises' if decreasing else 'falls'}"
    formulas = _with_another(formula, name)

    def contradiction(x: Any, y: Any, low: Any, high: Any) -> Any:
        return _all(low < high, y > x if decreasing else y < x)

    return _of_two_rows(claim, formulas, name, domain, contradiction, seconds)


def ignores(formula: Formula, name: str, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the degree does not depend on one input."""
    claim = f"{written_name(name)} makes no difference to {_short(formula)}"
    return _of_two_rows(claim, _with_another(formula, name), name, domain, lambda x, y, low, high: x != y, seconds)


def _with_another(formula: Formula, name: str) -> Formulas:
    """The formula on two rows that differ in one input alone, and that input in both."""
    another = name
    while another in formula.variables or another == name:
        another += "'"
    one, other = Variable(name), Variable(another)
    return formula, substitute(formula, {one: other}), one, other


def _of_two_rows(
    claim: str, formulas: Formulas, name: str, domain: Domain | None, condition: Condition, seconds: float
) -> Answer:
    scope = domain or EVERYWHERE
    if name not in formulas[0].variables:
        return Answer(claim, scope, Verdict.PROVED, f"the formula does not have {written_name(name)}")
    if scope.group_of(name) in scope.groups:
        message = f"{name!r} stands in a group and cannot change alone; ask about a model's column instead."
        raise DomainError(message)
    another = formulas[3].variables[0]
    wider = Domain([*scope.boolean, another], scope.one_hot, scope.exclusive) if scope.is_boolean(name) else scope
    found = _for_all(claim, wider, formulas, condition, seconds)
    if found.row is None:
        return replace(found, scope=scope)
    against = " against ".join(str(formula.evaluate(found.row)) for formula in formulas[:2])
    return replace(found, scope=scope, reason=f"at {_shown(found.row)}: {against}")


def _all(*conditions: Any) -> Any:
    """The conjunction, of truth values or of z3 terms."""
    if all(isinstance(condition, bool) for condition in conditions):
        return all(conditions)
    import z3

    return z3.And(*conditions)


def _for_all(claim: str, scope: Domain, formulas: Formulas, contradiction: Condition, seconds: float) -> Answer:
    """The answer to a claim about all rows."""
    found = find_row(formulas, scope, contradiction, seconds)
    if isinstance(found, str):
        return Answer(claim, scope, Verdict.UNDECIDED, found)
    if found is None:
        return Answer(claim, scope, Verdict.PROVED, "no row of the scope contradicts it (z3)")
    against = " against ".join(str(formula.evaluate(found)) for formula in formulas)
    return Answer(claim, scope, Verdict.REFUTED, f"at {_shown(found)}: {against}", found)


def _same_value(left: Formula, right: Formula) -> bool:
    values = Values()
    known: dict[Formula, Ref] = {}
    for node in subformulas(left, right):
        known[node] = values.formula(node, known)
    return known[left] == known[right]


def _short(formula: Formula) -> str:
    return str(formula) if formula.size <= 30 else f"a formula of {size_text(formula.size)} literals"


def _shown(row: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{written_name(name)} = {value}" for name, value in row.items()) or "the only row"
