"""Simplify formulas by named laws, without changing the function inside the stated scope."""

from dataclasses import dataclass

from crystalogic.logic.domain import EVERYWHERE, Domain, as_domain
from crystalogic.logic.formula import Formula, as_formula
from crystalogic.logic.laws import LAWS, Law
from crystalogic.logic.walk import subformulas

MOST_PASSES = 50


@dataclass(frozen=True)
class Rewrite:
    """One use of a law: `before` became `after`."""

    law: Law
    before: Formula
    after: Formula

    def __str__(self) -> str:
        return f"{self.before} = {self.after}  [{self.law.name}]"


@dataclass(frozen=True)
class Simplification:
    """The simpler formula, the scope in which it equals the original, and every step taken."""

    original: Formula
    formula: Formula
    scope: Domain
    steps: tuple[Rewrite, ...]


def simplify(formula: Formula, domain: Domain | None = None) -> Formula:
    """An equal, simpler formula: equal on all of [0,1]ⁿ, or on the declared domain.

    >>> from crystalogic.logic.parse import parse
    >>> print(simplify(parse("¬(y ⊗ y)")), "and on Booleans", simplify(parse("¬(y ⊗ y)"), Domain(["y"])))
    ¬(y ⊗ y) and on Booleans ¬y

    Parameters:
        formula: a formula.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
    """
    return simplification(formula, domain).formula


def simplification(formula: Formula, domain: Domain | None = None) -> Simplification:
    """The simplification with its steps, in the order in which the laws were used.

    >>> from crystalogic.logic.parse import parse
    >>> [step.law.name for step in simplification(parse("x ⊗ (¬x ⊕ y) ⊗ 1")).steps]
    ['constants', 'weak conjunction']

    Parameters:
        formula: a formula.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
    """
    scope = as_domain(domain)
    laws = [law for law in LAWS if law.scope == "everywhere" or scope != EVERYWHERE]
    steps: list[Rewrite] = []
    current = formula = as_formula(formula)
    for _ in range(MOST_PASSES):
        after = _one_pass(current, laws, scope, steps)
        if after is current:
            break
        current = after
    return Simplification(formula, current, scope, tuple(steps))


def _one_pass(formula: Formula, laws: list[Law], scope: Domain, steps: list[Rewrite]) -> Formula:
    """Every node once, parts first; a law may leave something for the next pass."""
    simple: dict[Formula, Formula] = {}
    for node in subformulas(formula):
        parts = [simple[part] for part in node.parts]
        current = node if tuple(parts) == node.parts else node.with_parts(parts)
        rewritten = True
        while rewritten:
            rewritten = False
            for law in laws:
                after = law.use(current, scope)
                if after is not None:
                    steps.append(Rewrite(law, current, after))
                    current = after
                    rewritten = True
                    break
        simple[node] = current
    return simple[formula]
