"""Certificates against an adversary: python tests/fuzz/mutations.py 100000 [first seed].

Crystals, formulas, scopes and certificates are changed at random, and the certificate is forged to fit: fingerprints
are computed again, steps and cases are invented. Whatever the checker then accepts must be true, which is proved by z3,
a solver that shares nothing with the checker. The counts are printed, and the last must be 0:

* refused;
* accepted, and the two are the same function throughout the scope (proved);
* accepted and WRONG.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from crystalogic import AtLeast, Certificate, Crystal, Domain, Formula, Neuron, Not, certify, check, equivalent, extract
from crystalogic.errors import CertificateError, CrystalogicError, DomainError
from crystalogic.logic.formula import Implies, Maximum, Minimum, StrongAnd, StrongOr, Variable, is_literal
from crystalogic.logic.walk import subformulas, substitute
from crystalogic.verify.certificate import ProofStep, formula_fingerprint
from strategies import random_crystal

REFUSED, SAME, UNDECIDED, WRONG = "refused", "same function", "accepted, and undecided by z3", "WRONG"
PER_CRYSTAL = 20
REASONS = ("equal", "negation", "merged", "constant 0", "constant 1", "case by case", "because")


def changed_crystal(crystal: Crystal, draw: Random) -> Crystal:
    """One weight, bias, source or output changed."""
    if not crystal.neurons or draw.random() < 0.1:
        return Crystal(crystal.inputs, crystal.neurons, [draw.randrange(crystal.n_values)])
    index = draw.choice(sorted(crystal.live) or [0])
    neuron = crystal.neurons[index]
    sources, weights, bias = list(neuron.sources), list(neuron.weights), neuron.bias
    place = draw.randrange(len(weights)) if weights else None
    match draw.randrange(4):
        case 0 if place is not None:
            weights[place] += draw.choice([-2, -1, 1, 2])
        case 1 if place is not None:
            weights[place] *= -1
        case 2 if place is not None:
            other = draw.randrange(len(crystal.inputs) + index)
            sources[place] = other if other not in sources else sources[place]
        case _:
            bias += draw.choice([-2, -1, 1, 2])
    neurons = [*crystal.neurons[:index], Neuron(sources, weights, bias), *crystal.neurons[index + 1 :]]
    return Crystal(crystal.inputs, neurons, crystal.outputs)


def changed_formula(formula: Formula, names: tuple[str, ...], draw: Random) -> Formula:
    """One part negated, renamed, repeated, left out, or under another connective; or one threshold moved."""
    nodes = subformulas(formula)
    node = draw.choice(nodes)
    compound = [each for each in nodes if len(each.parts) > 1]
    match draw.randrange(7):
        case 0:
            return substitute(formula, {node: node.parts[0] if isinstance(node, Not) else Not(node)})
        case 1 if any(isinstance(each, AtLeast) for each in nodes):
            node = draw.choice([each for each in nodes if isinstance(each, AtLeast)])
            return substitute(formula, {node: AtLeast(node.k + draw.choice([-1, 1]), *node.parts)})
        case 2 if any(map(is_literal, nodes)):
            node = draw.choice([each for each in nodes if isinstance(each, Variable)])
            return substitute(formula, {node: Variable(draw.choice(names))})
        case 3 if compound:
            node = draw.choice(compound)
            part = draw.choice(node.parts)
            return substitute(formula, {node: node.with_parts([*node.parts[:2], part][: max(2, len(node.parts))])})
        case 4 if compound:
            node = draw.choice(compound)
            kind = draw.choice([StrongAnd, StrongOr, Minimum, Maximum])
            return substitute(formula, {node: kind(*node.parts)})
        case 5:
            return substitute(formula, {node: draw.choice([StrongAnd, StrongOr, Implies, Minimum])(node, node)})
    return substitute(formula, {node: draw.choice([Not(Not(node)), Minimum(node, formula)])})


def changed_scope(crystal: Crystal, draw: Random) -> Domain:
    names = draw.sample(crystal.inputs, draw.randint(0, len(crystal.inputs)))
    cut = draw.randint(0, len(names))
    group = [names[cut:]] if len(names) - cut > 1 else []
    try:
        return Domain(names[:cut], group if draw.random() < 0.5 else [], [] if draw.random() < 0.5 else group)
    except DomainError:
        return Domain(names)


def forged(certificate: Certificate, crystal: Crystal, formula: Formula, draw: Random) -> Certificate:
    """The certificate made out for these, as well as an adversary can."""
    live = sorted(crystal.live)
    match draw.randrange(4):
        case 0:
            steps, n_cases = certificate.steps, certificate.n_cases
        case 1:
            steps, n_cases = tuple(ProofStep(neuron, None, "case by case") for neuron in live), 2 ** draw.randrange(5)
        case 2:
            n_nodes = len(subformulas(formula))
            steps = tuple(
                ProofStep(neuron, draw.choice([None, draw.randrange(n_nodes)]), draw.choice(REASONS)) for neuron in live
            )
            n_cases = draw.choice([0, 1, 1, 2, 4])
        case _:
            by_neuron = {step.neuron: step for step in certificate.steps}
            steps = tuple(by_neuron.get(neuron, ProofStep(neuron, None, "merged")) for neuron in live)
            n_cases = 1
    return Certificate(crystal.fingerprint, (formula_fingerprint(formula),), certificate.scope, n_cases, steps)


def outcome(certificate: Certificate, crystal: Crystal, formula: Formula) -> str:
    """What the checker says, and whether it is true."""
    try:
        check(certificate, crystal, formula)
    except CertificateError:
        return REFUSED
    answer = equivalent(extract(crystal).formula, formula, certificate.scope, seconds=20)
    return SAME if answer else UNDECIDED if answer.counterexample is None else WRONG


def mutations(seed: int) -> Iterator[tuple[Certificate, Crystal, Formula]]:
    """Changed certificates, crystals and formulas of one random crystal."""
    draw = Random(seed)
    crystal = random_crystal(seed)
    formula = extract(crystal, draw.choice(["at_least", "connectives"])).formula
    if formula.n_nodes > 60:
        return
    certificate = certify(crystal, formula)
    for _ in range(PER_CRYSTAL):
        scope = changed_scope(crystal, draw) if draw.random() < 0.4 else certificate.scope
        claimed = replace(certificate, scope=scope)
        kind = draw.randrange(4)
        other = changed_crystal(crystal, draw) if kind in (0, 2) else crystal
        another = changed_formula(formula, crystal.inputs, draw) if kind in (1, 2) else formula
        if kind == 3 or draw.random() < 0.1:  # the certificate alone, or one that does not even fit
            yield replace(claimed, **_changed_field(claimed, draw)), other, another
        elif draw.random() < 0.3:  # the best that can be had: what the library itself would sign
            try:
                yield certify(other, another, scope), other, another
            except CrystalogicError:
                yield forged(claimed, other, another, draw), other, another
        else:
            yield forged(claimed, other, another, draw), other, another


def _changed_field(certificate: Certificate, draw: Random) -> dict[str, object]:
    steps = list(certificate.steps)
    if steps and draw.random() < 0.5:
        place = draw.randrange(len(steps))
        steps[place] = ProofStep(steps[place].neuron, draw.choice([None, 0, 1, 5]), draw.choice(REASONS))
        return {"steps": tuple(steps)}
    return draw.choice(
        [{"steps": tuple(steps[1:])}, {"steps": tuple(steps + steps)}, {"n_cases": draw.choice([0, 2, 4, -1])},
         {"crystal": "0" * 64}, {"formulas": ("0" * 64,)}, {"formulas": certificate.formulas * 2}]
    )  # fmt: skip


def campaign(n_mutations: int, first_seed: int = 0) -> Counter[str]:
    """The outcomes of so many mutations."""
    found: Counter[str] = Counter()
    seed = first_seed
    while found.total() < n_mutations:
        for certificate, crystal, formula in mutations(seed):
            said = outcome(certificate, crystal, formula)
            found[said] += 1
            if said == WRONG:
                sys.stderr.write(f"WRONG: seed {seed}: {formula}\n{certificate.to_json()}\n{crystal.to_json()}\n")
        seed += 1
    return found


if __name__ == "__main__":
    start = time.perf_counter()
    counts = campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    listed = ", ".join(f"{counts[kind]:,} {kind}" for kind in (REFUSED, SAME, UNDECIDED, WRONG))
    sys.stdout.write(f"{counts.total():,} mutations: {listed} ({time.perf_counter() - start:.0f} s)\n")
    sys.exit(bool(counts[WRONG] or counts[UNDECIDED]))
