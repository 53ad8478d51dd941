"""Certificates: what was shown of a crystal and its formulas, in a form that others can check again.

They are checked with integers and Fractions alone; no code is shared with extraction. A crystal and its formulas are
numbered in one table of values (`values`): neuron by neuron on the whole scope or, where a declared domain makes inputs
Boolean, once for every combination of them that can occur.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from crystalogic.counts import count
from crystalogic.crystal import Crystal
from crystalogic.document import fingerprint, seal, unseal
from crystalogic.errors import CertificateError, DocumentError, refuse
from crystalogic.logic.domain import Domain, as_domain
from crystalogic.logic.evaluate import exact_function
from crystalogic.logic.formula import Formula, as_formulas
from crystalogic.logic.names import write_name
from crystalogic.logic.render import render
from crystalogic.logic.walk import subformulas
from crystalogic.untrusted import LIMITS, each, perhaps, shorten, table, text, whole
from crystalogic.verify.values import Ref, Rules, ValueNumbers

KIND, VERSION = "certificate", 1
_WORDS = {
    "equal": "shown equal to a part of the formula",
    "merged": "merged into another neuron",
    "constant": "shown constant",
    "case": "shown case by case",
}
CLAIM = "the formulas and the crystal compute the same function throughout the scope"
MOST_CASES = 1 << 14
MOST_WORK = 4_000_000  # neurons and subformulas in all cases together: a file of others cannot ask for hours
RULES: tuple[Rules, ...] = ("all", "none", "written", "pairs")  # in the order in which they are tried
TRIED_ROWS = 2_000  # in search of a row on which formula and crystal differ
MOST_CORNERS = 10  # inputs of a scope whose corners are all tried first
TRIED_WORK = 1_000_000  # neurons and subformulas on all these rows together


@dataclass(frozen=True)
class ProofStep:
    """Neuron `neuron` computes the same function as node `node` of the formulas, by the reason given."""

    neuron: int
    node: int | None  # counts the subformulas, parts first; None for a neuron that is merged into the one that reads it
    reason: str


@dataclass(frozen=True)
class Certificate:
    """The claim that a crystal and its formulas are one function, with its scope and one step per neuron.

    Attributes:
        crystal: the fingerprint of the crystal.
        formulas: the fingerprints of the formulas.
        scope: the rows that the claim is about.
        n_cases: how many combinations of the Boolean inputs were gone through one by one; 1 means that the claim was
            shown for all of them at once.
        steps: one for each neuron: which part of the formulas it equals, and why.
    """

    crystal: str
    formulas: tuple[str, ...]
    scope: Domain
    n_cases: int
    steps: tuple[ProofStep, ...]

    def __str__(self) -> str:
        return f"Proved: {CLAIM}.\nScope: {self.scope}.\nHow: {self.how}."

    @property
    def how(self) -> str:
        """How it was shown: the neurons by their reasons, or the cases."""
        if self.n_cases > 1:
            return f"shown in {self.n_cases:,} cases that cover all values of the Boolean inputs"
        counts = Counter("equal" if step.node is not None else step.reason.partition(" ")[0] for step in self.steps)
        found = {reason: counts[reason] for reason in _WORDS if counts[reason]} or {"equal": 0}
        return "; ".join(f"{count(n, 'neuron')} {_WORDS[reason]}" for reason, n in found.items())

    def content(self) -> dict[str, Any]:
        """The certificate as plain JSON data."""
        claim = {"claim": CLAIM, "crystal": self.crystal, "formulas": self.formulas, "scope": self.scope.content()}
        steps = [[step.neuron, step.node, step.reason] for step in self.steps]
        return {**claim, "n_cases": self.n_cases, "steps": steps}

    def to_json(self) -> str:
        """The certificate as a versioned, sealed JSON document."""
        return seal(KIND, VERSION, self.content())

    @staticmethod
    def from_json(text: str) -> "Certificate":
        """The certificate that `to_json` wrote, validated; `check` says whether it holds."""
        return Certificate.from_content(unseal(text, KIND, VERSION))

    @staticmethod
    def from_content(body: Mapping[str, Any]) -> "Certificate":
        try:
            LIMITS.refuse("neurons", len(body["steps"]), f"this {KIND}")
            steps = each(_step, body["steps"], f"not a {KIND}: the steps")
            formulas = each(text, body["formulas"], f"not a {KIND}: the formulas")
            n_cases = whole(body["n_cases"], f"not a {KIND}: the number of cases")
            crystal = text(body["crystal"], f"not a {KIND}: the crystal")
            claim, scope = body["claim"], table(body["scope"], f"not a {KIND}: the scope")
        except (KeyError, TypeError, ValueError) as error:
            refuse(DocumentError, f"not a {KIND}: {type(error).__name__} {error}.")
        if claim != CLAIM:
            refuse(DocumentError, f"this {KIND} claims {shorten(claim)}, expected {CLAIM!r}.")
        return Certificate(crystal, formulas, Domain.from_content(scope), n_cases, steps)


def formula_fingerprint(formula: Formula) -> str:
    """What identifies a formula: the SHA-256 of its ASCII text."""
    return fingerprint(render(formula, "ascii", points=False))


def _step(body: Any, what: str) -> ProofStep:
    neuron, node, reason = body
    return ProofStep(whole(neuron, what), perhaps(whole, node, what), text(reason, what))


def certify(crystal: Crystal, formula: Formula | Sequence[Formula], domain: Domain | None = None) -> Certificate:
    """A certificate that formula and crystal are one function, or a CertificateError with a row where they differ.

    >>> from crystalogic.crystal import Neuron
    >>> from crystalogic.logic.parse import parse
    >>> either = Crystal(["a", "b"], [Neuron([0, 1], [-1, 1], 1)], [2])
    >>> print(certify(either, parse("a → b")))
    Proved: the formulas and the crystal compute the same function throughout the scope.
    Scope: all of [0,1]ⁿ.
    How: 1 neuron shown equal to a part of the formula.

    Parameters:
        crystal: a network.
        formula: what it is said to compute; a list of formulas for several outputs.
        domain: what is declared of the inputs; None for all of [0,1]ⁿ.
    """
    _refuse_other(crystal, Crystal)
    formulas = as_formulas(formula)
    _refuse_mismatched(crystal, formulas)
    scope = as_domain(domain)
    steps, n_cases = _prove(crystal, formulas, scope)
    return Certificate(crystal.fingerprint, tuple(map(formula_fingerprint, formulas)), scope, n_cases, steps)


def check(certificate: Certificate, crystal: Crystal, formula: Formula | Sequence[Formula]) -> None:
    """Nothing if the certificate holds for this crystal and formula, otherwise a CertificateError.

    >>> from crystalogic.crystal import Neuron
    >>> from crystalogic.logic.parse import parse
    >>> either, formula = Crystal(["a", "b"], [Neuron([0, 1], [-1, 1], 1)], [2]), parse("a → b")
    >>> check(certify(either, formula), either, formula)

    Parameters:
        certificate: what is gone through again.
        crystal: the network it is about.
        formula: the formula it is about; a list of formulas for several outputs.
    """
    _refuse_other(certificate, Certificate)
    _refuse_other(crystal, Crystal)
    formulas = as_formulas(formula)
    if certificate.crystal != crystal.fingerprint:
        refuse(CertificateError, "the certificate is for another crystal: the fingerprints differ.")
    if certificate.formulas != tuple(formula_fingerprint(each) for each in formulas):
        refuse(CertificateError, "the certificate is for another formula: the fingerprints differ.")
    _refuse_mismatched(crystal, formulas)
    if [step.neuron for step in certificate.steps] != sorted(crystal.live):
        refuse(CertificateError, "the certificate does not have one step for each neuron that an output depends on.")
    expected, n_cases = _prove(crystal, formulas, certificate.scope)
    if certificate.n_cases != n_cases:
        refuse(CertificateError, f"the certificate speaks of {certificate.n_cases} cases, the proof has {n_cases}.")
    for claimed, found in zip(certificate.steps, expected, strict=True):
        if claimed != found:
            message = f"the step for neuron {claimed.neuron} does not hold: {claimed.reason!r}, node {claimed.node}."
            raise CertificateError(message)


def _prove(crystal: Crystal, formulas: Sequence[Formula], scope: Domain) -> tuple[tuple[ProofStep, ...], int]:
    """A step for each neuron, and the number of cases; a CertificateError where the sides are not shown equal."""
    if (numbered := _number(crystal, formulas, {})) is not None:
        return _steps(*numbered), 1
    n_cases = _n_equal_cases(crystal, formulas, scope)
    if not n_cases:
        raise CertificateError(_why_not(crystal, formulas, scope))
    return tuple(ProofStep(neuron, None, "case by case") for neuron in sorted(crystal.live)), n_cases


def _steps(neurons: Mapping[int, Ref], nodes: Sequence[Ref]) -> tuple[ProofStep, ...]:
    """Which node each neuron equals, given the value numbers of both."""
    place = {ref: index for index, ref in reversed(list(enumerate(nodes)))}  # the first of equal ones

    def step(neuron: int, ref: Ref) -> ProofStep:
        if not ref.value:
            return ProofStep(neuron, None, f"constant {int(ref.negated)}")
        if ref in place:
            return ProofStep(neuron, place[ref], "equal")
        return ProofStep(neuron, place[~ref], "negation") if ~ref in place else ProofStep(neuron, None, "merged")

    return tuple(step(neuron, ref) for neuron, ref in sorted(neurons.items()))


def _number(
    crystal: Crystal, formulas: Sequence[Formula], fixed: Mapping[str, int]
) -> tuple[dict[int, Ref], list[Ref]] | None:
    """The value numbers of live neurons and subformulas that show the sides equal; None if none do. Without the lemma
    and the minimum a formula that follows the crystal is always numbered like it, with them those of other shapes."""
    n_inputs = len(crystal.inputs)
    for rules in RULES:
        values = ValueNumbers(fixed, rules)
        known = {index: values.input(name) for index, name in enumerate(crystal.inputs)}
        for index in sorted(crystal.live):
            neuron = crystal.neurons[index]
            links = [(known[source], weight) for source, weight in neuron.links]
            known[n_inputs + index] = values.clamp(links, neuron.bias)
        nodes: dict[Formula, Ref] = {}
        for node in subformulas(*formulas):
            nodes[node] = values.formula(node, nodes)
        if all(known[output] == nodes[formula] for output, formula in zip(crystal.outputs, formulas, strict=True)):
            return {index: known[n_inputs + index] for index in crystal.live}, list(nodes.values())
    return None


def _n_equal_cases(crystal: Crystal, formulas: Sequence[Formula], scope: Domain) -> int:
    """In how many cases, which fix groups of Boolean inputs, the sides were shown equal; 0 if in one they were not."""
    read = {source for index in crystal.live for source in crystal.neurons[index].sources} | set(crystal.outputs)
    names = [name for index, name in enumerate(crystal.inputs) if index in read]
    names += [name for formula in formulas for name in formula.variables]
    groups = [members for _, members in scope.split(names)]
    most = min(MOST_CASES, MOST_WORK // _size(crystal, formulas))
    pending: list[tuple[dict[str, int], int]] = [({}, 0)]
    n_cases = 0
    while pending:
        fixed, depth = pending.pop()
        if _number(crystal, formulas, fixed) is not None:
            n_cases += 1
            continue
        if depth == len(groups) or n_cases + len(pending) > most or len(groups[depth]) > most:
            return 0
        pending += [({**fixed, **choice}, depth + 1) for choice in scope.boolean_rows(groups[depth])]
    return n_cases


def _size(crystal: Crystal, formulas: Sequence[Formula]) -> int:
    """How much there is to number: neurons and subformulas, and what large neurons read."""
    n_links = sum(len(crystal.neurons[index].sources) for index in crystal.live)
    return len(crystal.live) + len(subformulas(*formulas)) + n_links // 50


def _refuse_other(given: object, wanted: type) -> None:
    if not isinstance(given, wanted):
        problem = f"expected a {wanted.__name__}, got {type(given).__name__}."
        refuse(CertificateError, f"{problem} What `to_json` wrote is read by {wanted.__name__}.from_json.")


def _refuse_mismatched(crystal: Crystal, formulas: Sequence[Formula]) -> None:
    if len(formulas) != len(crystal.outputs):
        refuse(CertificateError, f"the crystal has {len(crystal.outputs)} outputs, got {len(formulas)} formulas.")
    inputs = set(crystal.inputs)
    if unknown := [name for formula in formulas for name in formula.variables if name not in inputs]:
        refuse(CertificateError, f"the formula uses {unknown[0]!r}, which is no input of the crystal.")


def _why_not(crystal: Crystal, formulas: Sequence[Formula], scope: Domain) -> str:
    tried, exact = 0, [exact_function(formula) for formula in formulas]
    for row in _rows_to_try(crystal.inputs, scope, min(TRIED_ROWS, TRIED_WORK // _size(crystal, formulas) + 1)):
        tried += 1
        for formula, degree, found in zip(formulas, exact, crystal.run(row), strict=True):
            expected = degree(row)
            if expected != found:
                used = ", ".join(f"{write_name(name)}={value}" for name, value in row.items())
                shown = f"formula {formula}" if formula.size <= 12 else "the formula"
                return f"{shown} and the crystal differ at {used}: {expected} against {found}."
    hint = "Certify the formula that `extract` gives, and compare the two formulas with `equivalent`."
    return f"not shown: formula and crystal agree on the {tried} rows tried, but no proof was found for {scope}. {hint}"


def _rows_to_try(names: Sequence[str], scope: Domain, most: int = TRIED_ROWS) -> Iterator[dict[str, Fraction]]:
    """Rows of the scope: all corners of a small one, then random rows with small denominators and a fixed seed."""
    generator = random.Random(0)
    choices = [list(scope.boolean_rows(members)) for _, members in scope.split(names)]
    if len(names) <= MOST_CORNERS:
        for values in product([Fraction(0), Fraction(1)], repeat=len(names)):
            row = dict(zip(names, values, strict=True))
            if scope.contains(row):
                yield row
    for _ in range(most):
        denominator = scope.n or generator.choice([1, 2, 3, 4, 6, 8, 12])
        row = {name: Fraction(generator.randint(0, denominator), denominator) for name in names}
        for group in choices:
            row |= {name: Fraction(value) for name, value in generator.choice(group).items()}
        yield row
