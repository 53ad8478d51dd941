"""Questions about formulas, answered by proof, by a concrete row, or not at all within the time allowed.

Equal value numbers are a proof already; otherwise z3 searches for a row of the scope that contradicts the claim. If
there is none the claim is proved; a row that it finds is evaluated again exactly before it is shown.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import Any

from crystalogic.deadline import Deadline, TimeUp
from crystalogic.errors import CrystalogicError, DomainError, refuse
from crystalogic.logic.connectives import clamp_form
from crystalogic.logic.domain import Domain, as_domain
from crystalogic.logic.evaluate import lattice_degrees, lattice_rows
from crystalogic.logic.formula import Constant, Formula, Iff, Implies, Maximum, Minimum, Variable, as_formula
from crystalogic.logic.names import fresh_name, size_text, write_name
from crystalogic.logic.walk import is_longer, subformulas, substitute
from crystalogic.verify.values import Ref, ValueNumbers

Formulas = tuple[Formula, ...]
Condition = Callable[..., Any]  # of the degrees, as z3 terms or as Fractions
Same = tuple[Formula, Formula, str] | None  # two formulas that may be the same, and why that is a proof
SIMPLE_ROWS = 5_000  # that are looked through for one that is easy to read
SECONDS = 10.0
ONE = Constant(1)


class Verdict(Enum):
    """The three honest answers: PROVED, REFUTED, and UNDECIDED, no answer, where the time was not enough."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


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
    scope: Any  # of formulas or of models: a text for people, and `content()` for machines
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
        return f"{self.verdict.value}: {self.claim}\nscope: {self.scope}\n{self.reason}"

    def content(self) -> dict[str, Any]:
        """The answer as plain JSON data."""
        row = None if self.row is None else {name: str(value) for name, value in self.row.items()}
        asked = {"verdict": self.verdict.value, "claim": self.claim, "scope": self.scope.content()}
        return {**asked, "reason": self.reason, "row": row}


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
    left, right = as_formula(left), as_formula(right)
    same = (left, right, "both sides have the same normal form (value numbers)")
    return _for_all(f"{_short(left)} = {_short(right)}", domain, (left, right), operator.ne, seconds, same)


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
    left, right = as_formula(left), as_formula(right)
    same = (Implies(left, right), ONE, "the normal form of the implication is 1 (value numbers)")
    return _for_all(f"{_short(left)} ≤ {_short(right)}", domain, (left, right), operator.gt, seconds, same)


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
    formula = as_formula(formula)
    same = (formula, ONE, "its normal form is 1 (value numbers)")
    return _for_all(f"{_short(formula)} = 1", domain, (formula,), lambda x: x < 1, seconds, same)


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
    formula = as_formula(formula)
    never = _for_all(f"{_short(formula)} = 1 somewhere", domain, (formula,), lambda x: x >= 1, seconds)
    if never.row is not None:
        return replace(never, verdict=Verdict.PROVED, reason=f"it is 1 at {_show_row(never.row)}")
    return replace(never, verdict=Verdict.REFUTED, reason="no row of the scope reaches 1 (z3)") if never else never


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
    formula, scope = as_formula(formula), as_domain(domain)
    name = name.name if isinstance(name, Variable) else name
    if not isinstance(name, str) or not name:
        refuse(DomainError, f"an input is named by text, such as 'a', got {name!r}.")
    claim = f"as {write_name(name)} rises, {_short(formula)} never {'rises' if decreasing else 'falls'}"
    if name not in formula.variables:
        return Answer(claim, scope, Verdict.PROVED, f"the formula does not have {write_name(name)}")
    if scope.group_of(name) in scope.groups:
        refuse(DomainError, f"{name!r} stands in a group and cannot change alone; ask about a model's column instead.")
    another = fresh_name(name, {name, *formula.variables, *scope.names})
    wider = replace(scope, boolean=[*scope.boolean, another]) if scope.is_boolean(name) else scope
    risen = substitute(formula, {Variable(name): Maximum(Variable(name), Variable(another))})
    found = _for_all(claim, wider, (formula, risen), operator.lt if decreasing else operator.gt, seconds)
    if found.row is None:
        return replace(found, scope=scope)
    rest = {each: value for each, value in found.row.items() if each not in (name, another)}
    where = f"at {_show_row(rest)}: " if rest else ""
    pairs = (f"{each.evaluate(found.row)} where {write_name(name)}" for each in (formula, risen))
    reason = ", ".join(f"{pair} = {found.row[each]}" for pair, each in zip(pairs, (name, another), strict=True))
    return replace(found, scope=scope, reason=f"{where}{reason}")


def _for_all(
    claim: str, domain: Domain | None, formulas: Formulas, contradiction: Condition, seconds: float, same: Same = None
) -> Answer:
    """The answer to a claim about all rows; it is proved already if two formulas are the `same`, for that reason."""
    scope, deadline = as_domain(domain), Deadline.after(seconds)
    try:
        if same is not None:
            values, known = ValueNumbers(), dict[Formula, Ref]()
            for node in subformulas(*same[:2]):
                deadline.check()
                known[node] = values.formula(node, known)
            if known[same[0]] == known[same[1]]:
                return Answer(claim, scope, Verdict.PROVED, same[2])
        found = find_row(formulas, scope, contradiction, deadline)
    except TimeUp:
        return Answer(claim, scope, Verdict.UNDECIDED, deadline.undecided)
    if found is None:
        return Answer(claim, scope, Verdict.PROVED, "no row of the scope contradicts it (z3)")
    against = " against ".join(str(formula.evaluate(found)) for formula in formulas)
    return Answer(claim, scope, Verdict.REFUTED, f"at {_show_row(found)}: {against}", found)


def _short(formula: Formula) -> str:
    is_short = not is_longer(formula, 30) and formula.n_nodes <= 120
    return str(formula) if is_short else f"a formula of {size_text(formula.size)} literals"


def _show_row(row: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{write_name(name)} = {value}" for name, value in row.items()) or "the only row"


def find_row(formulas: Formulas, scope: Domain, condition: Condition, deadline: Deadline) -> dict[str, Fraction] | None:
    """A row of the scope that meets the condition, None if there is none. TimeUp if it is not known."""
    import z3

    solver = z3.Solver()
    inputs = _add_inputs(z3, solver, scope, dict.fromkeys(name for formula in formulas for name in formula.variables))
    degrees = degree_terms(solver, formulas, inputs, deadline)
    solver.add(condition(*(degrees[formula] for formula in formulas)))
    if (found := solve(solver, deadline)) is None:
        return None
    row = {name: fraction_of(found, term) for name, term in inputs.items()}
    if not scope.contains(row) or not condition(*(formula.evaluate(row) for formula in formulas)):
        raise wrong_row(row)
    with suppress(TimeUp):  # what was found is good, if not simple
        return _simplest(formulas, scope, condition, tuple(row), deadline) or row
    return row


def solve(solver: Any, deadline: Deadline) -> Any | None:
    """What z3 finds, None if there is nothing. TimeUp if that is not known, and Ctrl-C, which z3 takes for itself."""
    import z3

    solver.set("timeout", deadline.milliseconds)
    result = solver.check()
    if result == z3.unknown:
        raise KeyboardInterrupt if "interrupt" in solver.reason_unknown() else TimeUp
    return solver.model() if result == z3.sat else None


def wrong_row(row: object) -> CrystalogicError:
    """That the exact evaluation contradicts z3, which is nobody's fault but ours."""
    return CrystalogicError(f"z3 gave a row that does not meet the condition: {row}. Please report this.")


def _simplest(
    formulas: Formulas, scope: Domain, condition: Condition, names: tuple[str, ...], deadline: Deadline
) -> dict[str, Fraction] | None:
    """The first row with values in S₁, S₂, S₃ or S₄ that meets the condition: easier to read, and always the same."""
    for n in (1, 2, 3, 4):
        if (n + 1) ** len(names) > SIMPLE_ROWS:
            return None
        deadline.check()
        grid = lattice_rows(names, n)
        degrees = [lattice_degrees(formula, grid, n) for formula in formulas]
        for index in range((n + 1) ** len(names)):
            row = {name: Fraction(int(grid[name][index]), n) for name in names}
            if condition(*(Fraction(int(degree[index]), n) for degree in degrees)) and scope.contains(row):
                return row
    return None


def _add_inputs(z3: Any, solver: Any, scope: Domain, names: Iterable[str]) -> dict[str, Any]:
    """The inputs of the rows of a scope, as terms. z3 knows symbols by C strings: a number names an input safely."""
    symbols, inputs = {name: f"in {index}" for index, name in enumerate(names)}, {}
    for name, symbol in symbols.items():
        if scope.is_boolean(name):
            inputs[name] = z3.If(z3.Bool(symbol), z3.RealVal(1), z3.RealVal(0))
        else:
            place, most = (z3.Real(symbol), 1) if scope.n is None else (z3.Int(symbol), scope.n)
            solver.add(place >= 0, place <= most)
            inputs[name] = place if scope.n is None else z3.ToReal(place) / most
    for group in dict.fromkeys(scope.group_of(name) for name in symbols if name in scope.names):
        members = [z3.Bool(symbols[name]) for name in group if name in symbols]
        if len(members) > 1:
            solver.add(z3.AtMost(*members, 1))
        if len(members) == len(group) and scope.is_complete(group):
            solver.add(z3.Or(*members))
    return inputs


def fraction_of(model: Any, term: Any) -> Fraction:
    """The value of a term in what z3 found."""
    value = model.eval(term, model_completion=True)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def degree_terms(
    solver: Any, formulas: Iterable[Formula], inputs: Mapping[str, Any], deadline: Deadline, prefix: str = "node"
) -> dict[Formula, Any]:
    """A z3 term for the degree of every subformula, given terms for the inputs. A compound node gets a name, so that
    terms stay flat however deep it is; `prefix` keeps the names of several rows in one solver apart."""
    import z3

    degrees, facts = dict[Formula, Any](), dict[Formula, Any]()  # and when those that are 0 or 1 are 1
    for node in subformulas(*formulas):
        deadline.check()
        if isinstance(node, Variable):
            degrees[node], facts[node] = inputs[node.name], _condition(z3, inputs[node.name])
            continue
        name, form = f"{prefix} {len(degrees)}", clamp_form(node)
        if form is not None and all(facts[part] is not None for part in form[0]):  # counting is quicker than adding up
            facts[node] = z3.Bool(name)
            worth = [(facts[part], weight) for part, weight in form[0].items()]
            solver.add(facts[node] == _counts(z3, worth, form[1]))
            degrees[node] = z3.If(facts[node], z3.RealVal(1), z3.RealVal(0))
        else:
            degrees[node], facts[node] = z3.Real(name), None
            solver.add(degrees[node] == (_weak(z3, node, degrees) if form is None else _clamp(z3, *form, degrees)))
    return degrees


def _condition(z3: Any, degree: Any) -> Any | None:
    """When a degree is 1, of one that is 0 otherwise; None for others."""
    is_fact = z3.is_app_of(degree, z3.Z3_OP_ITE) and degree.arg(1).eq(z3.RealVal(1)) and degree.arg(2).eq(z3.RealVal(0))
    return degree.arg(0) if is_fact else None


def _counts(z3: Any, facts: Sequence[tuple[Any, int]], bias: int) -> Any:
    """That a clamped sum of facts is 1: those that hold, of positive weight, and that do not are worth so much."""
    wanted = 1 - bias - sum(weight for _, weight in facts if weight < 0)
    worth = [(fact, weight) if weight > 0 else (z3.Not(fact), -weight) for fact, weight in facts]
    return z3.PbGe(worth, wanted) if worth else z3.BoolVal(wanted <= 0)


def _clamp(z3: Any, terms: Mapping[Formula, int], bias: int, degrees: Mapping[Formula, Any]) -> Any:
    total = z3.Sum([weight * degrees[part] for part, weight in terms.items()] + [z3.RealVal(bias)])
    low = bias + sum(weight for weight in terms.values() if weight < 0)
    high = bias + sum(weight for weight in terms.values() if weight > 0)
    degree = z3.If(total > 1, z3.RealVal(1), total) if high > 1 else total
    return z3.If(total < 0, z3.RealVal(0), degree) if low < 0 else degree


def _weak(z3: Any, node: Formula, degrees: Mapping[Formula, Any]) -> Any:
    join = {
        Minimum: lambda x, y: z3.If(y < x, y, x),
        Maximum: lambda x, y: z3.If(y > x, y, x),
        Iff: lambda x, y: z3.If(y > x, 1 - y + x, 1 - x + y),
    }
    return reduce(join[type(node)], (degrees[part] for part in node.parts))
