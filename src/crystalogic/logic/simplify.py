"""Simplify formulas by named laws, without changing the function inside the stated scope.

A law takes a node of its kinds whose parts are already simplified and returns an equal, smaller one, or None.
`everywhere` laws hold on all of [0,1]ⁿ; `declared` laws where a domain says that inputs are Boolean or exclude others.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.logic import formula as f
from crystalogic.logic.domain import EVERYWHERE, Domain, as_domain
from crystalogic.logic.formula import Constant, Formula, Not, Variable, as_formula
from crystalogic.logic.walk import subformulas, substitute, written

ZERO, ONE = Constant(0), Constant(1)
Connective = type[Formula]
UNIT = {f.StrongAnd: ONE, f.StrongOr: ZERO, f.Minimum: ONE, f.Maximum: ZERO}  # x ∘ unit = x
MOST_PARTS = 256  # flattening and the Boolean laws leave larger nodes alone, so that sharing is not undone
MOST_SEARCHED = 120  # nodes of a subformula that the Boolean laws search
MOST_PASSES = 50
STRONG, WEAK, IMPLIED = (f.StrongAnd, f.StrongOr), (f.Minimum, f.Maximum), (f.Implies, f.Iff)
DUAL: dict[Connective, Connective] = dict(zip((*STRONG, *WEAK), (*STRONG[::-1], *WEAK[::-1]), strict=True))


@dataclass(frozen=True)
class Law:
    """A named equation and where it holds: "everywhere" on [0,1]ⁿ, or on the "declared" domain."""

    name: str
    statement: str
    scope: str
    rewrite: Callable[[Any, Domain], Formula | None]
    nodes: tuple[Connective, ...]  # that it rewrites, and no others

    def use(self, node: Formula, domain: Domain) -> Formula | None:
        """What a node becomes; None where the law says nothing of it."""
        return self.rewrite(node, domain) if isinstance(node, self.nodes) else None


def negate(formula: Formula) -> Formula:
    if isinstance(formula, Constant):
        return Constant(1 - formula.value)
    return formula.parts[0] if isinstance(formula, Not) else Not(formula)


def join(connective: Connective, parts: Sequence[Formula]) -> Formula:
    """The connective over any number of parts, none and one included."""
    return connective(*parts) if len(parts) > 1 else parts[0] if parts else UNIT[connective]


def _without_not(formula: Formula) -> Formula:
    return formula.parts[0] if isinstance(formula, Not) else formula


def _double_negation(node: Not, _: Domain) -> Formula | None:
    return negate(node.parts[0]) if isinstance(node.parts[0], (Not, Constant)) else None


def _constants(node: Formula, _: Domain) -> Formula | None:
    rest = [part for part in node.parts if not isinstance(part, Constant)]
    if len(rest) == len(node.parts):
        return None
    if type(node) in UNIT:
        zero = negate(UNIT[type(node)])
        return zero if zero in node.parts else join(type(node), rest)
    if isinstance(node, f.AtLeast):
        return _at_least(node.k - node.parts.count(ONE), rest)
    left, right = node.parts
    if isinstance(node, f.Implies):
        return right if left is ONE else ONE if left is ZERO or right is ONE else negate(left)
    known, other = (left, right) if isinstance(left, Constant) else (right, left)
    return other if known is ONE else negate(other)


def _at_least(k: int, parts: Sequence[Formula]) -> Formula:
    """At least k of any number of parts, none included."""
    return f.AtLeast(k, *parts) if parts else Constant(int(k <= 0))


def _associativity(node: Formula, _: Domain) -> Formula | None:
    if not any(type(part) is type(node) for part in node.parts):
        return None
    flat = [inner for part in node.parts for inner in (part.parts if type(part) is type(node) else (part,))]
    return type(node)(*flat) if len(flat) <= MOST_PARTS else None


def _complement(node: Formula, _: Domain) -> Formula | None:
    """x ⊗ ¬x = 0, x ⊕ ¬x = 1, and in a threshold the pair counts exactly 1."""
    counts = Counter(node.parts)
    pairs = {part: min(n, counts[part.parts[0]]) for part, n in counts.items() if isinstance(part, Not)}
    if not any(pairs.values()):
        return None
    if not isinstance(node, f.AtLeast):
        return negate(UNIT[type(node)])
    for part, n_pairs in pairs.items():
        counts[part] -= n_pairs
        counts[part.parts[0]] -= n_pairs
    return _at_least(node.k - sum(pairs.values()), list(counts.elements()))


def _threshold(node: f.AtLeast, _: Domain) -> Formula | None:
    m = len(node.parts)
    if not 0 < node.k <= m:
        return Constant(int(node.k <= 0))
    if node.k in (1, m) and len(written(node)) == m:  # points are shorter as they are
        return join(f.StrongOr if node.k == 1 else f.StrongAnd, node.parts)
    return None


def _self_implication(node: Formula, _: Domain) -> Formula | None:
    return ONE if node.parts[0] is node.parts[1] else None


def _contraposition(node: Formula, _: Domain) -> Formula | None:
    """Both sides negated: ¬x → ¬y is y → x, ¬x ↔ ¬y is x ↔ y; and ¬x → y is x ⊕ y."""
    left, right = node.parts
    if isinstance(left, Not) and isinstance(right, Not):
        return node.with_parts([right.parts[0], left.parts[0]])
    return f.StrongOr(left.parts[0], right) if isinstance(left, Not) and isinstance(node, f.Implies) else None


def _weak_absorption(node: Formula, _: Domain) -> Formula | None:
    alone = set(node.parts)
    kept = [p for p in node.parts if not (type(p) is DUAL[type(node)] and alone.intersection(p.parts))]
    return join(type(node), kept) if len(kept) < len(node.parts) else None


def _de_morgan(node: Not, _: Domain) -> Formula | None:
    """Move ¬ inside where that leaves fewer of them; ¬ at least k of m is at least m - k + 1 of the negations."""
    inner = node.parts[0]
    negated = sum(isinstance(part, Not) for part in inner.parts)
    if len(inner.parts) - negated > negated:
        return None
    parts = [negate(part) for part in inner.parts]
    if type(inner) in DUAL:
        return DUAL[type(inner)](*parts)
    return f.AtLeast(len(parts) - inner.k + 1, *parts) if isinstance(inner, f.AtLeast) else None


def _weak_conjunction(node: Formula, _: Domain) -> Formula | None:
    """x ⊗ (x → y) = x ⊗ (¬x ⊕ y) = x ∧ y."""
    if len(node.parts) != 2:
        return None
    for x, other in (node.parts, node.parts[::-1]):
        if isinstance(other, f.Implies) and other.parts[0] is x:
            return f.Minimum(x, other.parts[1])
        if isinstance(other, f.StrongOr) and other.parts.count(negate(x)) == 1:
            return f.Minimum(x, join(f.StrongOr, [part for part in other.parts if part is not negate(x)]))
    return None


def _weak_disjunction(node: Formula, _: Domain) -> Formula | None:
    """(x → y) → y = x ∨ y."""
    left, right = node.parts
    return f.Maximum(left.parts[0], right) if isinstance(left, f.Implies) and left.parts[1] is right else None


def _is_boolean(formula: Formula, domain: Domain) -> bool:
    """Whether it is known to be 0 or 1 throughout the domain: so it is if all its variables are."""
    nodes = _nodes_if_few(formula)
    return bool(nodes) and all(domain.is_boolean(node.name) for node in nodes if isinstance(node, Variable))


def _boolean_connective(node: Formula, domain: Domain) -> Formula | None:
    """x ∧ y = x ⊗ y and x ∨ y = x ⊕ y when all but one are Boolean."""
    if sum(not _is_boolean(part, domain) for part in node.parts) > 1:
        return None
    return (f.StrongAnd if isinstance(node, f.Minimum) else f.StrongOr)(*node.parts)


def _idempotence(node: Formula, domain: Domain) -> Formula | None:
    """x ∧ x = x ∨ x = x for any x, x ⊗ x = x ⊕ x = x for a Boolean one."""
    counts = Counter(node.parts)
    merged = {part for part, n in counts.items() if n > 1 and (isinstance(node, WEAK) or _is_boolean(part, domain))}
    kept = list({part if part in merged else place: part for place, part in enumerate(node.parts)}.values())
    if not merged or not isinstance(node, f.AtLeast):
        return join(type(node), kept) if merged else None
    if node.k not in (1, len(node.parts)) or len(kept) > len(counts):  # points, where any or all of them are needed
        return None
    return join(f.StrongOr if node.k == 1 else f.StrongAnd, kept)


def _boolean_context(node: Formula, domain: Domain) -> Formula | None:
    """x ⊗ f = x ⊗ f[x:=1] and x ⊕ f = x ⊕ f[x:=0] for a Boolean x, with what its group then excludes."""
    if len(node.parts) > MOST_PARTS:
        return None
    known: dict[Formula, Formula] = {}
    kept: set[int] = set()
    literals = []
    for position, part in enumerate(node.parts):
        inner = _without_not(part)
        if isinstance(inner, Variable) and domain.is_boolean(inner.name):
            literals.append((isinstance(node, f.StrongAnd) is isinstance(part, Not), position, inner))
    for fails, position, variable in sorted(literals, key=lambda each: each[:2]):  # what holds says more: first
        if variable in known:  # the value takes its place below
            continue
        known[variable] = Constant(int(not fails))
        kept.add(position)
        if not fails:
            known.update({Variable(n): ZERO for n in domain.group_of(variable.name) if n != variable.name})
    result = [
        part if position in kept or _nodes_if_few(part).isdisjoint(known) else substitute(part, known)
        for position, part in enumerate(node.parts)  # a large part is left alone
    ]
    return type(node)(*result) if known and tuple(result) != node.parts else None


def _nodes_if_few(formula: Formula) -> set[Formula]:
    """The nodes of a formula that is small enough to be searched again and again; none of a larger one."""
    seen, pending = {formula}, [formula]
    while pending:
        fresh = [part for part in pending.pop().parts if part not in seen]
        seen.update(fresh)
        pending += fresh
        if len(seen) > MOST_SEARCHED:
            return set()
    return seen


def _whole_group(node: Formula, domain: Domain) -> Formula | None:
    """All of a one-hot group in ⊕ make 1, all but one make the negation of that one; dually in ⊗."""
    wanted: Callable[[Formula], Formula] = negate if isinstance(node, f.StrongAnd) else lambda part: part
    present, names = set(node.parts), (str(_without_not(part).detail) for part in node.parts)
    groups = dict.fromkeys(domain.group_of(name) for name in names if domain.is_boolean(name))
    for group in filter(domain.is_complete, groups):
        members = {name: wanted(Variable(name)) for name in group}
        absent = [name for name, member in members.items() if member not in present]
        if len(absent) > 1 or len(group) - len(absent) < 2:
            continue
        taken = set(members.values())
        left = negate(wanted(Variable(absent[0]))) if absent else negate(UNIT[type(node)])
        return join(type(node), [*(part for part in node.parts if part not in taken), left])
    return None


def _threshold_range(node: f.AtLeast, domain: Domain) -> Formula | None:
    """A threshold that every row, or no row, of the domain can reach."""
    if len(node.parts) > MOST_PARTS:
        return None
    by_group: dict[tuple[str, ...], list[Formula]] = {}
    low, high = 0, 0
    for part in node.parts:
        literal = _without_not(part)
        if isinstance(literal, Variable) and domain.is_boolean(literal.name):
            by_group.setdefault(domain.group_of(literal.name), []).append(part)
        else:
            high += 1
    for parts in by_group.values():
        names = {part: str(_without_not(part).detail) for part in parts}
        rows = domain.boolean_rows(dict.fromkeys(names.values()))
        counts = [sum(row[names[part]] != isinstance(part, Not) for part in parts) for row in rows]
        low, high = low + min(counts), high + max(counts)
    return None if low < node.k <= high else Constant(int(node.k <= low))


LAWS: tuple[Law, ...] = (
    Law("double negation", "¬¬x = x", "everywhere", _double_negation, (Not,)),
    Law("constants", "x ⊗ 1 = x ⊕ 0 = 1 → x = x", "everywhere", _constants, (*UNIT, f.AtLeast, *IMPLIED)),
    Law("associativity", "(x ⊗ y) ⊗ z = x ⊗ y ⊗ z", "everywhere", _associativity, (*UNIT,)),
    Law("complement", "x ⊗ ¬x = 0, x ⊕ ¬x = 1", "everywhere", _complement, (*STRONG, f.AtLeast)),
    Law("threshold", "at least 1 is ⊕, at least m of m is ⊗", "everywhere", _threshold, (f.AtLeast,)),
    Law("reflexivity", "x → x = x ↔ x = 1", "everywhere", _self_implication, IMPLIED),
    Law("contraposition", "¬x → ¬y = y → x, ¬x → y = x ⊕ y", "everywhere", _contraposition, IMPLIED),
    Law("weak idempotence", "x ∧ x = x ∨ x = x", "everywhere", _idempotence, WEAK),
    Law("weak absorption", "x ∧ (x ∨ y) = x", "everywhere", _weak_absorption, WEAK),
    Law("De Morgan", "¬(x ⊗ ¬y) = ¬x ⊕ y", "everywhere", _de_morgan, (Not,)),
    Law("weak conjunction", "x ⊗ (x → y) = x ∧ y", "everywhere", _weak_conjunction, (f.StrongAnd,)),
    Law("weak disjunction", "(x → y) → y = x ∨ y", "everywhere", _weak_disjunction, (f.Implies,)),
    Law("Boolean connective", "x ∧ y = x ⊗ y, x Boolean", "declared", _boolean_connective, WEAK),
    Law("Boolean idempotence", "x ⊗ x = x, x Boolean", "declared", _idempotence, (*STRONG, f.AtLeast)),
    Law("Boolean context", "x ⊗ f(x) = x ⊗ f(1), x Boolean", "declared", _boolean_context, STRONG),
    Law("whole group", "x ⊕ y ⊕ z = 1, x, y, z one-hot", "declared", _whole_group, STRONG),
    Law("threshold range", "at least k, never or always reached", "declared", _threshold_range, (f.AtLeast,)),
)


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
    before, current = None, as_formula(formula)
    for _ in range(MOST_PASSES):
        if before is not current:
            before, current = current, _one_pass(current, laws, scope, steps)
    return Simplification(as_formula(formula), current, scope, tuple(steps))


def _one_pass(formula: Formula, laws: list[Law], scope: Domain, steps: list[Rewrite]) -> Formula:
    """Every node once, parts first; a law may leave something for the next pass."""
    simple: dict[Formula, Formula] = {}
    for node in subformulas(formula):
        parts = [simple[part] for part in node.parts]
        current = node if tuple(parts) == node.parts else node.with_parts(parts)
        while found := next(((law, after) for law in laws if (after := law.use(current, scope)) is not None), None):
            steps.append(Rewrite(found[0], current, found[1]))
            current = found[1]
        simple[node] = current
    return simple[formula]
