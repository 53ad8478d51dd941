"""Findings: an answer about models, with its scope and the rows that show it in the user's units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from crystalogic.audit.scope import Value, plain, value_text
from crystalogic.logic.names import one_line
from crystalogic.logic.score import score_of
from crystalogic.model import Explanation
from crystalogic.model.risk import exact_percent
from crystalogic.verify.questions import Answer
from crystalogic.verify.trace import decimal

NO_ROW = "no row of the scope contradicts it (z3)"


@dataclass(frozen=True)
class Finding(Answer):
    """An answer about models, with the rows that show it.

    Attributes:
        cases: rows that show it, run exactly through the models.
        facts: what else was found, by name, as plain data.
        names: what to call the cases, before their rows where these differ.
        with_risk: whether the cases are shown with their scores and risks.
    """

    cases: tuple[Explanation, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    with_risk: bool = False

    def __str__(self) -> str:
        claim, scope = one_line(self.claim), one_line(self.scope)
        return "\n".join([f"{self.verdict.value}: {claim}", f"scope: {scope}", self.reason, *self.details])

    @property
    def details(self) -> list[str]:
        lines = []
        rows = [case.row for case in self.cases]
        common = {k: v for k, v in rows[0].items() if all(row[k] == v for row in rows)} if len(rows) > 1 else {}
        if common:
            lines.append(f"at {row_text(common)}:")
        for index, case in enumerate(self.cases):
            own = {column: value for column, value in case.row.items() if column not in common}
            named = [one_line(self.names[index])] if self.names else []
            name = " at ".join([*named, *([row_text(own)] if own else [])]) or "any row"
            lines.append(f"{'  ' * bool(common)}{name}: {(risk_text if self.with_risk else decision_text)(case)}")
        return lines

    def content(self) -> dict[str, Any]:
        body = super().content()
        body["row"] = None if self.row is None else {name: plain(value) for name, value in self.row.items()}
        cases = []
        for case in self.cases:
            said, risk = case.decision, case.probability or Fraction(0)
            told = {"score": int(case.score), "probability": float(risk)} if self.with_risk else {}
            row = {column: plain(value) for column, value in case.row.items()}
            decision = str(said) if isinstance(said, Fraction) else said
            cases.append({"row": row, "decision": decision, "degrees": list(map(str, case.degrees)), **told})
        return {**body, "cases": cases, **self.facts}


def row_text(row: Mapping[str, Value]) -> str:
    return one_line(", ".join(f"{column} = {value_text(value)}" for column, value in row.items()))


def decision_text(found: Explanation) -> str:
    target, decision = one_line(found.model.target), one_line(found.decision)
    if found.model.classes is None:
        return f"{target} is {exact_text(found.degrees[0])}"
    if len(found.degrees) == 1:
        return f"{target} is {decision} (degree {exact_text(found.degrees[0])})"
    return f"{target} is {decision} (largest degree {exact_text(max(found.degrees))})"


def risk_text(found: Explanation) -> str:
    """What the model says of a row, with its score and its risk."""
    points = score_of(found.model.formulas[0]).text(int(found.score))
    said = f"{one_line(found.model.target)} is {one_line(found.decision)}"
    return f"{said} ({points}, risk {exact_percent(found.probability or Fraction(0))})"


def exact_text(degree: Fraction) -> str:
    """Two decimals where they are exact, and a fraction or a rounded number where they are not."""
    return decimal(degree) if degree.denominator > 1000 or not decimal(degree).startswith("~") else str(degree)
