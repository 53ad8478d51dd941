"""Questions about formulas, answered by proof, by a concrete row, or not at all within the time allowed.

Equal value numbers are a proof already; otherwise z3 searches for a row of the scope that contradicts the claim. If
there is none the claim is proved; a row that it finds is evaluated again exactly before it is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol

from crystalogic.deadline import Deadline, TimeUp
from crystalogic.errors import DomainError, refuse
from crystalogic.logic.domain import Domain, as_domain
from crystalogic.logic.formula import Constant, Formula, Implies, Variable, as_formula
from crystalogic.logic.names import fresh_name, size_text, write_name
from crystalogic.logic.walk import is_longer, subformulas, substitute
from crystalogic.verify.solver import Condition, Formulas, find_row
from crystalogic.verify.values import Ref, ValueNumbers

SECONDS = 10.0
ONE = Constant(1)


class Verdict(Enum):
    """The three honest answers: PROVED, REFUTED and UNDECIDED.

    Undecided means that the time allowed was not enough, and is no answer.
    """

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

    `print` shows it for people, `content()` gives it for machines.

    Attributes:
        claim: what was asked, as a sentence.
        scope: the rows that it is about.
        verdict: proved, refuted or undecided.
        reason: what shows it.
        row: a counterexample if the claim was refuted, and a witness if the claim was that such a row exists.
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

    @property
    def details(self) -> list[str]:
        """Lines that say more, where there are any."""
        return []

    def __str__(self) -> str:
        lines = [f"{self.verdict.value}: {self.claim}", f"scope: {self.scope}", self.reason, *self.details]
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

    Parameters:
        left: a formula.
        right: another one.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    left, right = as_formula(left), as_formula(right)
    claim, scope = f"{_short(left)} = {_short(right)}", as_domain(domain)
    same = (left, right, "both sides have the same normal form (value numbers)")
    return _for_all(claim, scope, (left, right), lambda x, y: x != y, deadline, same)


def entails(left: Formula, right: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the degree of `right` is at least that of `left` on every row: left → right is always 1.

    >>> from crystalogic.logic.parse import parse
    >>> bool(entails(parse("a ⊗ b"), parse("a ∧ b"))), bool(entails(parse("a ∧ b"), parse("a ⊗ b")))
    (True, False)

    Parameters:
        left: the formula that is at most as true.
        right: the formula that is at least as true.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    left, right = as_formula(left), as_formula(right)
    claim, scope = f"{_short(left)} ≤ {_short(right)}", as_domain(domain)
    same = (Implies(left, right), ONE, "the normal form of the implication is 1 (value numbers)")
    return _for_all(claim, scope, (left, right), lambda x, y: x > y, deadline, same)


def valid(formula: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the formula is 1 on every row.

    >>> from crystalogic.logic.parse import parse
    >>> bool(valid(parse("(a → b) ∨ (b → a)"))), bool(valid(parse("a ∨ ¬a")))
    (True, False)
    >>> bool(valid(parse("a ∨ ¬a"), Domain(["a"])))
    True

    Parameters:
        formula: a formula.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    formula = as_formula(formula)
    claim, scope = f"{_short(formula)} = 1", as_domain(domain)
    return _for_all(
        claim, scope, (formula,), lambda x: x < 1, deadline, (formula, ONE, "its normal form is 1 (value numbers)")
    )


def satisfiable(formula: Formula, domain: Domain | None = None, *, seconds: float = SECONDS) -> Answer:
    """Whether the formula is 1 on some row, which is then the answer's `witness`.

    >>> from crystalogic.logic.parse import parse
    >>> satisfiable(parse("a ⊗ ¬b")).witness
    {'a': Fraction(1, 1), 'b': Fraction(0, 1)}

    Parameters:
        formula: a formula.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    formula = as_formula(formula)
    claim, scope = f"{_short(formula)} = 1 somewhere", as_domain(domain)
    try:
        found = find_row((formula,), scope, lambda x: x >= 1, deadline)
    except TimeUp:
        return Answer(claim, scope, Verdict.UNDECIDED, deadline.undecided)
    if found is None:
        return Answer(claim, scope, Verdict.REFUTED, "no row of the scope reaches 1 (z3)")
    return Answer(claim, scope, Verdict.PROVED, f"it is 1 at {_show_row(found)}", found)


def monotone(
    formula: Formula,
    name: str | Variable,
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
    deadline = Deadline.after(seconds)
    formula, name, scope = as_formula(formula), _input_name(name), as_domain(domain)
    claim = f"as {write_name(name)} rises, {_short(formula)} never {'rises' if decreasing else 'falls'}"
    if name not in formula.variables:
        return Answer(claim, scope, Verdict.PROVED, f"the formula does not have {write_name(name)}")
    if scope.group_of(name) in scope.groups:
        refuse(DomainError, f"{name!r} stands in a group and cannot change alone; ask about a model's column instead.")
    another = fresh_name(name, {name, *formula.variables, *scope.names})
    wider = replace(scope, boolean=[*scope.boolean, another]) if scope.is_boolean(name) else scope
    one, other = Variable(name), Variable(another)
    formulas = (formula, substitute(formula, {one: other}), one, other)

    def contradiction(x: Any, y: Any, low: Any, high: Any) -> Any:
        return _all(low < high, y > x if decreasing else y < x)

    found = _for_all(claim, wider, formulas, contradiction, deadline)
    if found.row is None:
        return replace(found, scope=scope)
    degrees = [f"{formula.evaluate(found.row)} where" for formula in formulas[:2]]
    rest = {each: value for each, value in found.row.items() if each not in (name, another)}
    where = f"at {_show_row(rest)}: " if rest else ""
    first, second = (f"{write_name(name)} = {found.row[each]}" for each in (name, another))
    reason = f"{where}{degrees[0]} {first}, {degrees[1]} {second}"
    return replace(found, scope=scope, reason=reason)


def _input_name(given: object) -> str:
    """The name of an input, given by name or as a variable."""
    if isinstance(given, Variable):
        return given.name
    if isinstance(given, str) and given:
        return given
    refuse(DomainError, f"an input is named by text, such as 'a', got {given!r}.")


def _all(*conditions: Any) -> Any:
    """The conjunction, of truth values or of z3 terms."""
    if all(isinstance(condition, bool) for condition in conditions):
        return all(conditions)
    import z3

    return z3.And(*conditions)


def _for_all(
    claim: str,
    scope: Domain,
    formulas: Formulas,
    contradiction: Condition,
    deadline: Deadline,
    same: tuple[Formula, Formula, str] | None = None,
) -> Answer:
    """The answer to a claim about all rows; it is proved already if two formulas are the `same`, for that reason."""
    try:
        if same is not None and _same_value(same[0], same[1], deadline):
            return Answer(claim, scope, Verdict.PROVED, same[2])
        found = find_row(formulas, scope, contradiction, deadline)
    except TimeUp:
        return Answer(claim, scope, Verdict.UNDECIDED, deadline.undecided)
    if found is None:
        return Answer(claim, scope, Verdict.PROVED, "no row of the scope contradicts it (z3)")
    against = " against ".join(str(formula.evaluate(found)) for formula in formulas)
    return Answer(claim, scope, Verdict.REFUTED, f"at {_show_row(found)}: {against}", found)


def _same_value(left: Formula, right: Formula, deadline: Deadline) -> bool:
    values = ValueNumbers()
    known: dict[Formula, Ref] = {}
    for node in subformulas(left, right):
        deadline.check()
        known[node] = values.formula(node, known)
    return known[left] == known[right]


def _short(formula: Formula) -> str:
    is_short = not is_longer(formula, 30) and formula.n_nodes <= 120
    return str(formula) if is_short else f"a formula of {size_text(formula.size)} literals"


def _show_row(row: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{write_name(name)} = {value}" for name, value in row.items()) or "the only row"
