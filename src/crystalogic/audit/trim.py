"""Subformulas that never matter are removed, each removal with a proof over the scope.

Candidates are smaller formulas next to the present one: a node becomes 0 or 1 or one of its parts, or loses a part. A
candidate that differs on a row that is known already is refused at once; the others are proved or refuted.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import z3

from crystalogic.audit.aspects import Of, scope_for
from crystalogic.audit.fields import Value
from crystalogic.audit.finding import Finding
from crystalogic.audit.scope import Scope, refuse_no_model
from crystalogic.audit.search import SECONDS, Search, as_given, class_terms, simple_values, truths_of
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.decision import classes_of
from crystalogic.errors import DomainError
from crystalogic.logic.evaluate import exact_degrees
from crystalogic.logic.formula import (
    AtLeast,
    Constant,
    Formula,
    Maximum,
    Minimum,
    StrongAnd,
    StrongOr,
    subformulas,
    substitute,
    written,
)
from crystalogic.logic.simplify import simplification_until
from crystalogic.model import Explanation, Model
from crystalogic.verify.questions import Verdict

SOME_ROWS = 200
NOTHING = "each removal changes it on some row, which was run exactly"


@dataclass(frozen=True)
class Trimmed(Finding):
    """The finding of `trim`.

    Attributes:
        model: the model without what was removed, or the same one.
    """

    model: Model = field(kw_only=True)


def trim(model: Model, *, of: Of | None = None, scope: Scope | None = None, seconds: float = SECONDS) -> Trimmed:
    """A model with shorter formulas that says the same of every row that can occur.

    The shorter model is `model` of the result. The answer is proved if every part matters already.

    Parameters:
        model: the model that is asked.
        of: what is kept: "decision" for the classes, "degree" for all degrees; the classes unless given, and always the
            degrees where a model has no classes.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    refuse_no_model(model)
    if model.classes is None and of == "decision":
        message = f"the model gives degrees of {model.target!r}, no classes; its degrees are what is kept."
        raise DomainError(message)
    within = scope_for(model, scope)
    if of not in (None, "decision", "degree"):
        message = f"a shorter rule keeps the 'decision' or the 'degree', got {of!r}."
        raise DomainError(message)
    kept = "degree" if model.classes is None or of == "degree" else "decision"
    trimming = _Trimming(model, within, kept == "degree", deadline)
    steps, is_complete = trimming.run()
    claim = f"every part of the rule matters to the {kept} of {model.target}"
    facts = {"formulas": [str(formula) for formula in trimming.formulas], "removed": steps, "is_complete": is_complete}
    if not steps:
        verdict, reason = (Verdict.PROVED, NOTHING) if is_complete else (Verdict.UNDECIDED, deadline.undecided)
        return Trimmed(claim, within, verdict, reason, facts=facts, model=model)
    before, after = (sum(each.size for each in formulas) for formulas in (model.formulas, trimming.formulas))
    reason = f"{before - after} of {before} literals never matter (z3); without them:"
    reason = "\n".join([reason, *(f"  {formula}" for formula in trimming.formulas)])
    if not is_complete:
        reason += "\nmore may be possible with more time"
    shorter = replace(model.with_formulas(trimming.formulas), fronts=(), chosen=())
    shorter = shorter.with_facts(promises=(), trimmed=tuple(steps), trimmed_over=str(within))  # promised was the longer
    return Trimmed(claim, within, Verdict.REFUTED, reason, facts=facts, model=shorter)


class _Trimming:
    """Formulas that get shorter, and rows on which shorter ones may differ."""

    def __init__(self, model: Model, scope: Scope, keeps_degrees: bool, deadline: Deadline) -> None:
        self.model, self.scope, self.keeps_degrees, self.deadline = model, scope, keeps_degrees, deadline
        self.formulas = model.formulas
        self.values: dict[str, list[Fraction]] = {name: [] for name in model.names}  # of the known rows

    def run(self) -> tuple[list[dict[str, str]], bool]:
        """The removals, and whether no further one is possible."""
        steps = []
        try:
            self._know(_some_rows(self.scope, self.model))
            while (found := next((each for each in self._candidates() if self._is_same(*each)), None)) is not None:
                index, shorter = found
                steps.append({"before": str(self.formulas[index]), "after": str(shorter)})
                self.formulas = self._with(index, shorter)
                self._know([])
        except TimeUp:
            return steps, False
        return steps, True

    def _with(self, index: int, formula: Formula) -> tuple[Formula, ...]:
        return (*self.formulas[:index], formula, *self.formulas[index + 1 :])

    def _know(self, rows: Iterable[Mapping[str, Value]]) -> None:
        """Adds rows to those on which candidates are tried before anything is proved."""
        for row in rows:
            self.deadline.check()
            for name, truth in truths_of(self.model, row).items():
                self.values[name].append(truth)
        self.degrees, self.one = exact_degrees(self.formulas, self.values)

    def _candidates(self) -> Iterator[tuple[int, Formula]]:
        """Shorter formulas next to the present ones that agree on the known rows, the shortest of each class first."""
        for index, formula in enumerate(self.formulas):
            shorter = {
                simplification_until(self.deadline, each, self.model.domain).formula
                for each in next_to(formula)
                if self._agrees(index, each)
            }
            for each in sorted((each for each in shorter if each.size < formula.size), key=lambda f: (f.size, str(f))):
                yield index, each

    def _agrees(self, index: int, formula: Formula) -> bool:
        """Whether this formula, in its place, says the same on the rows that are known: most do not."""
        self.deadline.check()
        changed = self.degrees.copy()
        changed[:, [index]] = exact_degrees([formula], self.values)[0]
        if self.keeps_degrees:
            return bool((changed == self.degrees).all())
        before, after = (classes_of(each, self.model.order, one=self.one) for each in (self.degrees, changed))
        return bool((before == after).all())

    def _is_same(self, index: int, formula: Formula) -> bool:
        """Whether this formula, in its place, says the same on every row of the scope."""
        if not self._agrees(index, formula):  # on a row that was found since
            return False
        shorter = replace(self.model, formulas=self._with(index, formula))
        search = Search(self.scope, self.deadline)
        row = search.row()
        left, right = search.degrees(self.model, row), search.degrees(shorter, row)
        if not self.keeps_degrees:
            left, right = tuple(class_terms(self.model, left)), tuple(class_terms(self.model, right))
        apart = z3.Or([one != other for one, other in zip(left, right, strict=True)])
        runs = [(self.model, row), (shorter, row)]
        found = search.find(runs, [apart], lambda one, other: self._say(one) != self._say(other), is_shown=False)
        if found is not None:
            self._know([found[0].row])
        return found is None

    def _say(self, found: Explanation) -> object:
        return found.degrees if self.keeps_degrees else found.decision


def _some_rows(scope: Scope, model: Model) -> Iterator[dict[str, Value]]:
    """Rows of simple values, always the same: most candidates differ on one of them."""
    draw = random.Random(0)
    choices = {field.column: simple_values(field, [model]) or [Fraction(0)] for field in scope.fields}
    for _ in range(SOME_ROWS):
        row = {column: as_given(draw.choice(values)) for column, values in choices.items()}
        if scope.contains(scope.read(row)):
            yield row


def next_to(formula: Formula) -> Iterator[Formula]:
    """The formula with one node replaced by 0, by 1, by one of its parts, or by itself without one of its parts."""
    for node in subformulas(formula):
        if isinstance(node, Constant):
            continue
        replacements = [Constant(0), Constant(1), *node.parts, *_without_a_part(node)]
        for each in replacements:
            yield substitute(formula, {node: each})


def _without_a_part(node: Formula) -> Iterator[Formula]:
    if len(node.parts) < 2 or not isinstance(node, (AtLeast, StrongAnd, StrongOr, Minimum, Maximum)):
        return
    place = 0
    for _, points in written(node):
        rest = [*node.parts[:place], *node.parts[place + points :]]
        place += points
        if not isinstance(node, AtLeast):
            yield rest[0] if len(rest) == 1 else node.with_parts(rest)
        elif rest:
            yield AtLeast(node.k, *rest)
            yield AtLeast(node.k - points, *rest)
