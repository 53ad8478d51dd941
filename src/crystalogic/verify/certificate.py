"""Certificates: what was shown of a crystal and its formulas, in a form that others can check again."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crystalogic.counts import count
from crystalogic.document import fingerprint, seal, unseal
from crystalogic.errors import DocumentError, refuse
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula
from crystalogic.logic.render import render
from crystalogic.untrusted import LIMITS, each, perhaps, shorten, table, text, whole

KIND, VERSION = "certificate", 1
_WORDS = {
    "equal": "shown equal to a part of the formula",
    "merged": "merged into another neuron",
    "constant": "shown constant",
    "case": "shown case by case",
}
CLAIM = "the formulas and the crystal compute the same function throughout the scope"


@dataclass(frozen=True)
class ProofStep:
    """Neuron `neuron` computes the same function as node `node` of the formulas, by the reason given.

    `node` counts the subformulas, parts first; None is a neuron that is no subformula of its own, because it is
    merged into the one that reads it.
    """

    neuron: int
    node: int | None
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
        return {
            "claim": CLAIM,
            "crystal": self.crystal,
            "formulas": self.formulas,
            "scope": self.scope.content(),
            "n_cases": self.n_cases,
            "steps": [[step.neuron, step.node, step.reason] for step in self.steps],
        }

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
