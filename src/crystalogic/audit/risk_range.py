"""How low and how high can the risk be? A row with the least, one with the most, and the proof that none is beyond."""

import operator
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial

from crystalogic.audit.finding import Finding
from crystalogic.audit.policy import Policy, read_condition, read_policy
from crystalogic.audit.scope import Scope, refuse_no_model, scope_of
from crystalogic.audit.search import SECONDS, Search, risk_term
from crystalogic.audit.statements import of_risk
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.logic.formula import Constant
from crystalogic.logic.score import score_of
from crystalogic.model import Explanation, Model
from crystalogic.model.risk import exact_percent
from crystalogic.verify.questions import Verdict


def risk_range(
    model: Model, *, when: str | None = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """The lowest and the highest risk that a row can have.

    The answer is proved where no row has less or more. Its `cases` are a row with the lowest and one with the highest
    risk, each with its exact `probability`; `facts` has both as "lowest" and "highest". Where time was up they are the
    best that were found, and no row is below the "at_least" or above the "at_most" of `facts`.

    Parameters:
        model: a model of two classes with a risk; a RiskError for others.
        when: a statement such as "age < 40", or a formula of such statements in braces; only rows of which it is true
            count. None for all rows.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    refuse_no_model(model)
    of_risk(model)
    whole = scope or scope_of(model)
    condition = Constant(1) if when is None else read_condition(when, whole)
    policy = read_policy(condition, model, whole, {})
    within, extremes = policy.scope, _Extremes(model, policy)
    with suppress(TimeUp):
        extremes.search(deadline)
    claim = f"the risk of {model.spoken[0]}{'' if when is None else f' where {condition}'}"
    at_least, at_most = extremes.bounds
    facts = {"at_least": float(at_least), "at_most": float(at_most)}
    beyond = f"{deadline.undecided}; no row is below {exact_percent(at_least)} or above {exact_percent(at_most)}"
    if not extremes.found:
        return Finding(f"{claim} has a lowest and a highest value", within, Verdict.UNDECIDED, beyond, facts=facts)
    lowest, highest = map(_risk, extremes.found)
    claim += f" is from {exact_percent(lowest)} to {exact_percent(highest)}"
    facts |= {"lowest": float(lowest), "highest": float(highest)}
    is_settled = [lowest, highest] == extremes.bounds
    verdict, reason = (Verdict.PROVED, "no row has less or more (z3)") if is_settled else (Verdict.UNDECIDED, beyond)
    cases = tuple(extremes.found)
    return Finding(claim, within, verdict, reason, cases[1].row, cases, facts, ("lowest", "highest"), with_risk=True)


class _Extremes:
    """The rows with the lowest and the highest risk found so far, and the bounds that no row is beyond."""

    def __init__(self, model: Model, policy: Policy) -> None:
        self.model, self.policy, self.risk = model, policy, of_risk(model)
        self.levels = sorted({self.risk.of(score) for score in score_of(model.formulas[0]).possible})
        self.bounds = [self.levels[0], self.levels[-1]]
        self.found: list[Explanation] = []

    def search(self, deadline: Deadline) -> None:
        """Narrows the bounds to what was found, halving what lies between; TimeUp leaves what is known by then."""
        search = Search(self.policy.scope, deadline)
        row = search.row()
        score = search.score(self.model, row)
        is_meant = self.policy.nodes(search, self.model, row)[self.policy.formula] >= 1

        def find(is_met: Callable[[Fraction], bool], *, is_shown: bool = False) -> Explanation | None:
            def holds(found: Explanation) -> bool:
                return self.policy.truth(found) == 1 and is_met(_risk(found))

            conditions = [is_meant, risk_term(score, self.risk, is_met)]
            found = search.find([(self.model, row)], conditions, holds, is_shown=is_shown)
            return None if found is None else found[0]

        first = find(lambda _: True)
        if first is None:
            raise self.policy.never_met
        self.found = [first, first]
        for side, (levels, reaches) in enumerate(((self.levels[::-1], operator.ge), (self.levels, operator.le))):
            while _risk(self.found[side]) != self.bounds[side]:
                here, bound = (levels.index(each) for each in (_risk(self.found[side]), self.bounds[side]))
                middle = (here + bound + 1) // 2
                better = find(partial(reaches, levels[middle]))
                if better is None:
                    self.bounds[side] = levels[middle - 1]
                else:
                    self.found[side] = better
        for side in (0, 1):
            self.found[side] = find(partial(operator.eq, self.bounds[side]), is_shown=True) or self.found[side]


def _risk(found: Explanation) -> Fraction:
    return found.probability or Fraction(0)
