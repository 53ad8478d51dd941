"""Findings: an answer about models, with its scope and the rows that show it in the user's units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from crystalogic.audit.fields import Value, plain, value_text
from crystalogic.logic.names import one_line
from crystalogic.model import Explanation
from crystalogic.verify.questions import Answer
from crystalogic.verify.trace import decimal

NO_ROW = "no row of the scope contradicts it (z3)"


@dataclass(frozen=True)
class Finding(Answer):
    """An answer about models, with the rows that show it.

    Attributes:
        cases: rows that show it, run exactly through the models.
        facts: what else was found, by name, as plain data.
        names: what to call the cases, where their rows do not tell them apart.
    """

    cases: tuple[Explanation, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        claim, scope = one_line(self.claim), one_line(self.scope)
        return "\n".join([f"{self.verdict.value}: {claim}", f"scope: {scope}", self.reason, *self.details])

    @property
    def details(self) -> list[str]:
        """The rows that show it, a line each."""
        lines = []
        rows = [case.row for case in self.cases]
        common = {k: v for k, v in rows[0].items() if all(row[k] == v for row in rows)} if len(rows) > 1 else {}
        if common:
            lines.append(f"at {row_text(common)}:")
        for index, case in enumerate(self.cases):
            own = {column: value for column, value in case.row.items() if column not in common}
            name = one_line(self.names[index]) if self.names else row_text(own) or "any row"
            lines.append(f"{'  ' * bool(common)}{name}: {decision_text(case)}")
        return lines

    def content(self) -> dict[str, Any]:
        """The finding as plain JSON data."""
        body = super().content()
        body["row"] = None if self.row is None else {name: plain(value) for name, value in self.row.items()}
        return {**body, "cases": [_case_content(case) for case in self.cases], **self.facts}


def row_text(row: Mapping[str, Value]) -> str:
    """A row for people."""
    return one_line(", ".join(f"{column} = {value_text(value)}" for column, value in row.items()))


def decision_text(found: Explanation) -> str:
    """What the model says of a row, in one line."""
    target, decision = one_line(found.model.target), one_line(found.decision)
    if found.model.classes is None:
        return f"{target} is {exact_text(found.degrees[0])}"
    if len(found.degrees) == 1:
        return f"{target} is {decision} (degree {exact_text(found.degrees[0])})"
    return f"{target} is {decision} (largest degree {exact_text(max(found.degrees))})"


def exact_text(degree: Fraction) -> str:
    """Two decimals where they are exact, and a fraction or a rounded number where they are not."""
    return decimal(degree) if degree.denominator > 1000 or not decimal(degree).startswith("~") else str(degree)


def _case_content(found: Explanation) -> dict[str, Any]:
    decision = found.decision
    return {
        "row": {column: plain(value) for column, value in found.row.items()},
        "decision": str(decision) if isinstance(decision, Fraction) else decision,
        "degrees": [str(degree) for degree in found.degrees],
    }
