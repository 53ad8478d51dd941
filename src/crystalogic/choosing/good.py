"""All checklists or scorecards over the facts of a model that are about as good as the best, on rows of a table."""

from crystalogic.choosing.figures import fact_rows, told_literals
from crystalogic.choosing.rules import GoodRule, GoodRules
from crystalogic.counts import count
from crystalogic.features import Features
from crystalogic.logic.formula import Variable
from crystalogic.model import Model
from crystalogic.optimal import count_rows, solve
from crystalogic.progress import Callback
from crystalogic.report import Table

MOST = 2000  # rules that a page shows


def find_good(
    model: Model,
    table: Table,
    size: int = 3,
    within: float = 0.01,
    seconds: float | None = 20.0,
    callback: Callback | None = None,
    shape: str = "checklist",
) -> GoodRules:
    """The checklists, or rules with any points, of at most `size` facts whose errors are within a share of the best's.

    Those that the time, or the page, does not suffice for are left out, and the list says so.
    """
    facts = [Variable(each.name) for each in told_literals(model, table)]
    rows = fact_rows(model, facts, table)
    names = [fact.name for fact in facts]
    counted = count_rows(Features.of((rows.truths[fact] for fact in facts), names, len(rows.labels)), rows.labels)
    margin = int(within * len(rows.labels))
    found = solve(counted, size, shape, within=margin, most=MOST, seconds=seconds, callback=callback)
    rules = [
        GoodRule(tuple((names[max(f, ~f)], f >= 0) for f in twin.facts), twin.points, twin.threshold)
        for _, rule in found.rules
        if rule.facts
        for twin in rule.expand(counted)
    ]
    scope = f"{'checklists' if shape == 'checklist' else 'scorecards'} of at most {count(size, 'fact')} of {len(facts)}"
    is_whole = found.is_complete and len(rules) <= MOST
    return GoodRules(tuple(rules[:MOST]), scope, margin, size, is_complete=is_whole, is_proved=is_whole)
