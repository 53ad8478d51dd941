"""Sections 2 and 3: connectives, Proposition 1, Rule R, λ and Theorem 1, by proof."""

from fractions import Fraction
from math import exp

import z3

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import CertificateError
from crystalogic.logic.evaluate import truth_table
from crystalogic.logic.formula import variables
from crystalogic.logic.parse import parse
from crystalogic.symbolic.extract import Kind, Threshold, encode, expand, extract
from crystalogic.verify.certificate import certify
from crystalogic.verify.questions import equivalent
from research.paper.checks.formulas import HEART
from research.paper.claims import Claim
from research.paper.results import Results
from research.paper.rule_r import approximate, is_representable
from research.paper.similarity import similarity
from research.paper.trials import FORMULAS
from research.paper.verdict import Evidence, check, is_theorem, proved


def _clamp(value: z3.ArithRef) -> z3.ArithRef:
    return z3.If(value < 0, 0, z3.If(value > 1, 1, value))


@check
def half_truths(claim: Claim, results: Results) -> Evidence:
    half = Fraction(1, 2)
    found = parse("x ⊗ y").evaluate({"x": half, "y": half})
    return proved(found == 0, str(found), "evaluated exactly")


@check
def law(claim: Claim, results: Results) -> Evidence:
    answer = equivalent(parse(claim.row), parse(claim.column))
    return proved(bool(answer), answer.verdict.value, f"{answer.reason}; scope: {answer.scope}")


@check
def residuum(claim: Claim, results: Results) -> Evidence:
    x, y, z = z3.Reals("x y z")
    inside = z3.And(*(z3.And(value >= 0, value <= 1) for value in (x, y, z)))
    holds = is_theorem(z3.Implies(inside, (_clamp(x + y - 1) <= z) == (x <= _clamp(1 - y + z))))
    return proved(holds, "proved" if holds else "refuted", "z3, for all real x, y, z in [0,1]")


@check
def boolean_restriction(claim: Claim, results: Results) -> Evidence:
    rows = [(a, b) for a in (0, 1) for b in (0, 1)]
    holds = all(
        parse("x ⊗ y").evaluate({"x": a, "y": b}) == (a and b) and parse("x ⊕ y").evaluate({"x": a, "y": b}) == (a or b)
        for a, b in rows
    )
    return proved(holds, f"{len(rows)} rows", "both tables, evaluated exactly")


@check
def closed_subdomains(claim: Claim, results: Results) -> Evidence:
    """x = i/n and y = j/n: the numerator of each connective is an integer between 0 and n."""
    i, j, n = z3.Ints("i j n")
    inside = z3.And(n >= 1, i >= 0, i <= n, j >= 0, j <= n)
    values = [z3.If(i + j - n < 0, 0, i + j - n), z3.If(n - i + j > n, n, n - i + j), n - i, z3.If(i + j > n, n, i + j)]
    holds = is_theorem(z3.Implies(inside, z3.And(*(z3.And(value >= 0, value <= n) for value in values))))
    return proved(holds, "proved" if holds else "refuted", "z3, numerators over n as integers, for every n ≥ 1")


@check
def proposition_1(claim: Claim, results: Results) -> Evidence:
    """The induction step for all m, and every sign pattern of up to six inputs by certificate.

    With t the sum before the last literal x is added, less its constant: t ≤ 1 for a conjunction, t ≥ 0 for a
    disjunction. A negated input is the literal 1 - x, which moves 1 into the bias.
    """
    t, x = z3.Reals("t x")
    literal = z3.And(x >= 0, x <= 1)
    if claim.row == "conjunction":
        step = z3.Implies(z3.And(literal, t <= 1), _clamp(_clamp(t) + x - 1) == _clamp(t + x - 1))
    else:
        step = z3.Implies(z3.And(literal, t >= 0), _clamp(_clamp(t) + x) == _clamp(t + x))
    n_neurons = sum(_agrees(claim.row, m, pattern) for m in range(1, 7) for pattern in range(2**m))
    wanted = sum(2**m for m in range(1, 7))
    holds = is_theorem(step) and n_neurons == wanted
    reason = f"induction step proved by z3 for any number of inputs; {n_neurons} of {wanted} neurons certified"
    return proved(holds, "proved" if holds else "refuted", reason)


def _agrees(kind: str, m: int, pattern: int) -> bool:
    signs = [-1 if pattern >> index & 1 else 1 for index in range(m)]
    bias = 1 - signs.count(1) if kind == "conjunction" else signs.count(-1)
    names = [f"x{index}" for index in range(m)]
    literals = [name if sign > 0 else f"¬{name}" for name, sign in zip(names, signs, strict=True)]
    formula = parse((" ⊗ " if kind == "conjunction" else " ⊕ ").join(literals))
    try:
        certify(Crystal(names, [Neuron(range(m), signs, bias)], [m]), formula)
    except CertificateError:
        return False
    return True


@check
def encodable(claim: Claim, results: Results) -> Evidence:
    texts = [*FORMULAS.values(), HEART, "x → y", "x ⊗ ¬y ⊕ z", "(x ↔ y) ∨ (y ∧ ¬z)"]
    for text in texts:
        crystal = encode(parse(text))
        certify(crystal, parse(text))
        if any(weight not in (-1, 1) for neuron in crystal.neurons for weight in neuron.weights):
            return proved(False, text, "a weight beyond ±1 was needed")
    return proved(True, f"{len(texts)} formulas", "encoded with weights ±1 and certified equal on [0,1]ⁿ")


@check
def representable_iff(claim: Claim, results: Results) -> Evidence:
    pairs = [(k, m) for m in range(2, 9) for k in range(1, m + 1)]
    wrong = []
    for k, m in pairs:
        threshold = Threshold(k, variables(" ".join(f"x{index}" for index in range(m))))
        if is_representable(threshold, 4) != (threshold.kind is not Kind.THRESHOLD):
            wrong.append((k, m))
    reason = f"decided over S₄ for all {len(pairs)} thresholds of 2 to 8 different literals"
    return proved(not wrong, f"{len(pairs) - len(wrong)} of {len(pairs)}", reason)


@check
def approximation_needed(claim: Claim, results: Results) -> Evidence:
    threshold = Threshold(2, variables("a b c"))
    best = approximate(threshold).similarity
    formula = expand(threshold)
    crystal = Crystal(["a", "b", "c"], [Neuron([0, 1, 2], [1, 1, 1], -1)], [3])
    try:
        certify(crystal, formula)
    except CertificateError:
        return proved(True, f"best λ {best:.3f}", "no exact formula was found")
    reason = f"ψ(a + b + c - 1) is exactly {formula} on [0,1]³ (certificate); Rule R reaches λ = {best:.3f}"
    return proved(False, "an exact formula exists", reason)


@check
def lambda_limit(claim: Claim, results: Results) -> Evidence:
    least = similarity(parse("x ⊗ ¬x"), parse("x ⊕ ¬x"), 4)  # 0 and 1 everywhere: as far apart as functions can be
    reason = "truth degrees differ by at most 1, so the mean error is at most 1 and λ at least 1/e"
    return proved(least.value < 0.01, f"least λ {least.value:.3f}", f"{reason} = {exp(-1):.3f}")


@check
def lambda_one(claim: Claim, results: Results) -> Evidence:
    """λ = exp(-MAE) is 1 exactly when the mean of |difference| is 0, that is, when every difference is."""
    one, other = parse("x ⊗ (y → z)"), parse("x ⊗ (¬y ⊕ z)")
    same = similarity(one, other, 4).value == 1 and truth_table(one, 4).numerators == truth_table(other, 4).numerators
    changed = similarity(one, parse("x ⊗ (y → z) ⊗ (x ⊕ y ⊕ z)"), 4).value
    return proved(same and changed < 1, "λ = 1 and λ < 1", "one pair equal on S₄, one pair that is not")


@check
def theorem_1(claim: Claim, results: Results) -> Evidence:
    extraction = extract(_merge(int(claim.column)))
    return proved(str(extraction.formula) == claim.value, str(extraction.formula), "read and certified on [0,1]²")


def _merge(bias: int) -> Crystal:
    crystal = Crystal(["f", "h"], [Neuron([0, 1], [1, 1], bias)], [2])
    certify(crystal, extract(crystal).formula)
    return crystal


@check
def theorem_1_every_bias(claim: Claim, results: Results) -> Evidence:
    kinds = {bias: extract(_merge(bias)).readings[0].kind for bias in range(-4, 5)}
    constant = [bias for bias, kind in kinds.items() if kind is Kind.CONSTANT]
    shown = f"constant for b = {', '.join(map(str, constant))}"
    reason = "only b = -1 and b = 0 are connectives, as its own proof says; the claim needs b in {-1, 0}"
    return proved(not constant, shown, reason)


@check
def theorem_1_unclamped(claim: Claim, results: Results) -> Evidence:
    """Whether ψ(F + h - 1) is the conjunction max(0, F + h - 1), for F in [0,1] and for F of any size."""
    f, h = z3.Reals("f h")
    inside, clamped = z3.And(h >= 0, h <= 1), z3.And(f >= 0, f <= 1)
    conjunction = _clamp(f + h - 1) == z3.If(f + h - 1 > 0, f + h - 1, 0)
    with_clamp = is_theorem(z3.Implies(z3.And(inside, clamped), conjunction))
    solver = z3.Solver()
    solver.add(inside, z3.Not(conjunction))
    is_refuted = solver.check() == z3.sat
    row = (
        ", ".join(f"{name} = {solver.model().eval(value)}" for name, value in (("F", f), ("h", h)))
        if is_refuted
        else ""
    )
    reason = f"max(0, F + h - 1) is {'proved' if with_clamp else 'refuted'} for F in [0,1] and fails at {row}"
    return proved(
        not is_refuted, "needs F in [0,1]", f"{reason}; Definition 3 types F so, Equation 7 does not clamp it"
    )
