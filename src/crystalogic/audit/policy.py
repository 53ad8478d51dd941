"""Does a model obey a policy? A policy is a formula whose literals are statements in the user's units.

`{age < 18} → ¬{approved=yes}` uses columns, whether the rule has such a cut or not, and the target for what the model
says. Every statement is true or false, so that the connectives mean what they mean in everyday logic.
"""

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import z3

from crystalogic.audit.scope import Numbers, Scope, refuse_no_model, scope_for, scope_of
from crystalogic.audit.search import SECONDS, Holds, Runs, Search, UnknownRow, for_all, risk_term
from crystalogic.audit.statements import Comparison, Finding, Outcome, RiskOutcome, of_risk, read_outcome, statement_of
from crystalogic.cells import number_text
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.encoding.literals import BETWEEN_VALUES, OneOf
from crystalogic.encoding.own import include_facts, split_statement
from crystalogic.errors import DomainError
from crystalogic.logic.formula import Constant, Formula, Implies, StrongOr, Variable
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.logic.walk import substitute
from crystalogic.model import Explanation, Model
from crystalogic.model.risk import exact_percent
from crystalogic.verify.questions import Verdict


def obeys(model: Model, policy: str | Formula, scope: Scope | None = None, *, seconds: float = SECONDS) -> Finding:
    """Whether a policy is true of every row and what the model says of it.

    Parameters:
        model: the model that is asked.
        policy: a formula whose names are statements such as `{ca = 0}`, `{age ≥ 55}`, `{ca is missing}` or, of the
            target, `{disease = 1}`, and of the risk `{risk < 0.1}`.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    refuse_no_model(model)
    return _decide(model, parse(policy) if isinstance(policy, str) else policy, {}, scope or scope_of(model), seconds)


def _decide(model: Model, formula: Formula, said: Mapping[str, Outcome], whole: Scope, seconds: float) -> Finding:
    """The same, where it is known already what some of the names say."""
    policy = read_policy(formula, model, whole, said)
    with_risk = any(isinstance(each, RiskOutcome) for each in policy.statements.values())

    def contradict(search: Search) -> tuple[Runs, list[Any], Holds]:
        row = search.row()
        runs, nodes = [(model, row)], policy.nodes(search, model, row)
        policy.refuse_vacuous(search, runs, nodes)
        return runs, [nodes[policy.formula] < 1], lambda found: policy.truth(found) < 1

    return for_all(str(formula), policy.scope, seconds, contradict, with_risk=with_risk)


@dataclass(frozen=True)
class Policy:
    """A formula of statements, what its names say, and the scope of the columns that it is about."""

    formula: Formula
    statements: Mapping[str, Comparison | Outcome]
    scope: Scope

    def nodes(self, search: Search, model: Model, row: UnknownRow) -> dict[Formula, Any]:
        """The truth of the formula and of all its parts on a row, as terms."""
        inputs = {}
        for name, each in self.statements.items():
            condition = search.says(each, model, row) if isinstance(each, Outcome) else row[each.column].says(each)
            inputs[name] = z3.If(condition, z3.RealVal(1), z3.RealVal(0))
        return search.terms([self.formula], inputs)

    def truth(self, found: Explanation) -> Fraction:
        """The truth of the formula for a row that was run."""
        values = {}
        for name, statement in self.statements.items():
            if isinstance(statement, Outcome):
                values[name] = int(statement.holds(found))
            else:
                field = self.scope.field(statement.column)
                values[name] = int(statement.holds(field.read(found.row[statement.column]), field))
        return Fraction(self.formula.evaluate(values))

    def refuse_vacuous(self, search: Search, runs: Runs, nodes: Mapping[Formula, Any]) -> None:
        """A policy about rows that cannot occur would hold of any model: that is no answer."""
        if not isinstance(self.formula, Implies):
            return
        formula = self.formula.parts[0]
        condition = replace(self, formula=formula, statements={n: self.statements[n] for n in formula.variables})
        if any(isinstance(each, Outcome) for each in condition.statements.values()):
            return  # a class that is never given is an answer
        if search.find(runs, [nodes[formula] >= 1], lambda found: condition.truth(found) == 1, is_shown=False) is None:
            raise condition.never_met

    @property
    def never_met(self) -> DomainError:
        """That no row meets the formula, and what to do about it."""
        columns = [each.column for each in self.statements.values() if isinstance(each, Comparison)]
        about = self.scope.only(dict.fromkeys(columns))
        has_numbers = any(isinstance(field, Numbers) for field in about.fields)
        way_out = "Declare a wider range (`ranges`, --range)." if has_numbers else "Name values that can occur."
        more = f" ({about}). {way_out}" if columns else "."  # of the model's answer alone there is no way out
        return DomainError(f"no row that can occur meets {self.formula}{more}")


def read_policy(formula: Formula, model: Model, whole: Scope, said: Mapping[str, Outcome]) -> Policy:
    """A formula of statements, where it is known what some of the names say; a list of values is spelled out."""
    known, called = include_facts(model.encoding, (name for name in formula.variables if BETWEEN_VALUES in name))
    lists = {name: known.literals.get(called.get(name, name)) for name in formula.variables}  # {plan = basic|student}
    pairs = ((name, each.parts) for name, each in lists.items() if isinstance(each, OneOf))
    formula = substitute(formula, {Variable(name): StrongOr(*(Variable(p.name) for p in own)) for name, own in pairs})
    statements = {name: said.get(name) or statement_of(name, model, whole) for name in formula.variables}
    columns = [each.column for each in statements.values() if isinstance(each, Comparison)]
    return Policy(formula, statements, scope_for(model, whole, columns))


def read_condition(when: str, scope: Scope) -> Formula:
    """A statement such as "ca >= 2", or a formula of such statements in braces."""
    return parse(when) if split_statement(when, scope.columns) is None else Variable(when)


def never(
    model: Model, said: object, *, when: str | None = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """Whether the model never says this.

    Parameters:
        model: the model that is asked.
        said: a class, for degrees a comparison such as "≥ 0.7", or of the risk one such as "risk > 0.5".
        when: a statement such as "ca >= 2", or a formula of statements in braces, that is true of the rows that count.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    refuse_no_model(model)
    return always(model, read_outcome(model, said).negated, when=when, scope=scope, seconds=seconds)


def always(
    model: Model, said: object, *, when: str | None = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """Whether the model always says this.

    Parameters:
        model: the model that is asked.
        said: a class, for degrees a comparison such as "≥ 0.7", or of the risk one such as "risk > 0.5".
        when: a statement such as "ca >= 2", or a formula of statements in braces, that is true of the rows that count.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    refuse_no_model(model)
    outcome, whole = read_outcome(model, said), scope or scope_of(model)
    value = number_text(float(outcome.value)) if isinstance(outcome.value, Fraction) else outcome.value
    consequence = Variable(f"{outcome.target} {outcome.operator} {value}")
    formula = consequence if when is None else Implies(read_condition(when, whole), consequence)
    return _decide(model, formula, {consequence.name: outcome}, whole, seconds)


def risk_range(
    model: Model, *, when: str | None = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """The lowest and the highest risk that a row can have.

    The answer is proved where no row has less or more. Its `cases` are a row with the lowest and one with the highest
    risk, each with its exact `probability`; `facts` has both as "lowest" and "highest". Where time was up they are the
    best that were found, and no row is below the "at_least" or above the "at_most" of `facts`.

    Parameters:
        model: a model of two classes with a risk; a RiskError for others.
        when: a statement such as "age < 40", or a formula of statements in braces, that is true of the rows that count.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    refuse_no_model(model)
    of_risk(model)
    whole = scope or scope_of(model)
    condition = Constant(1) if when is None else read_condition(when, whole)
    policy = read_policy(condition, model, whole, {})
    within, (cases, (at_least, at_most)) = policy.scope, _find_extremes(model, policy, deadline)
    weighed = ", weighed by classes," if model.record.class_weight else ""
    claim = f"the risk of {model.spoken[0]}{weighed}{'' if when is None else f' where {condition}'}"
    facts = {"at_least": float(at_least), "at_most": float(at_most)}
    beyond = f"{deadline.undecided}; no row is below {exact_percent(at_least)} or above {exact_percent(at_most)}"
    if not cases:
        return Finding(f"{claim} has a lowest and a highest value", within, Verdict.UNDECIDED, beyond, facts=facts)
    lowest, highest = map(_risk, cases)
    claim += f" is from {exact_percent(lowest)} to {exact_percent(highest)}"
    facts |= {"lowest": float(lowest), "highest": float(highest)}
    is_settled = (lowest, highest) == (at_least, at_most)
    verdict, reason = (Verdict.PROVED, "no row has less or more (z3)") if is_settled else (Verdict.UNDECIDED, beyond)
    names = ("lowest", "highest")
    return Finding(claim, within, verdict, reason, cases[1].row, tuple(cases), facts, names, with_risk=True)


def _find_extremes(model: Model, policy: Policy, deadline: Deadline) -> tuple[list[Explanation], list[Fraction]]:
    """The rows with the lowest and the highest risk found in time, and the bounds that no row is beyond, narrowed."""
    risk, shown = of_risk(model), []
    ascending = sorted({risk.of(score) for score in score_of(model.formulas[0]).possible})
    bounds = [ascending[0], ascending[-1]]
    with suppress(TimeUp):
        search = Search(policy.scope, deadline)
        row = search.row()
        score = search.score(model, row)
        is_meant = policy.nodes(search, model, row)[policy.formula] >= 1

        def find(is_met: Callable[[Fraction], bool], *, is_shown: bool = False) -> Explanation | None:
            def holds(found: Explanation) -> bool:
                return policy.truth(found) == 1 and is_met(_risk(found))

            found = search.find([(model, row)], [is_meant, risk_term(score, risk, is_met)], holds, is_shown=is_shown)
            return None if found is None else found[0]

        if (first := find(lambda _: True)) is None:
            raise policy.never_met
        shown = [first, first]
        for side, (levels, reaches) in enumerate(((ascending[::-1], operator.ge), (ascending, operator.le))):
            while _risk(shown[side]) != bounds[side]:
                here, bound = (levels.index(each) for each in (_risk(shown[side]), bounds[side]))
                middle = (here + bound + 1) // 2
                better = find(partial(reaches, levels[middle]))
                if better is None:
                    bounds[side] = levels[middle - 1]
                else:
                    shown[side] = better
        for side in (0, 1):
            shown[side] = find(partial(operator.eq, bounds[side]), is_shown=True) or shown[side]
    return shown, bounds


def _risk(found: Explanation) -> Fraction:
    return found.probability or Fraction(0)
