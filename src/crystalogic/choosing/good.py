"""All checklists over the facts of a model that are about as good as the best, on the rows of a table."""

from crystalogic.choosing.figures import fact_rows
from crystalogic.choosing.rules import GoodRule, GoodRules, is_counted
from crystalogic.counts import count
from crystalogic.features import Features
from crystalogic.logic.formula import Variable
from crystalogic.model import Model
from crystalogic.optimal import count_rows, solve
from crystalogic.progress import Callback
from crystalogic.report import Table

MOST = 2000  # rules that a page shows


def find_good(
    model: Model, table: Table, size: int, within: float, seconds: float | None = None, callback: Callback | None = None
) -> GoodRules:
    """The checklists of at most `size` facts whose errors are within a share of the rows of the best.

    Those that the time, or the page, does not suffice for are left out, and the list says so.
    """
    facts = [Variable(name) for name in model.encoding.names if is_counted(model, [name])]
    rows = fact_rows(model, facts, table)
    names = [fact.name for fact in facts]
    counted = count_rows(Features.of((rows.truths[fact] for fact in facts), names, len(rows.labels)), rows.labels)
    margin = int(within * len(rows.labels))
    found = solve(counted, size, within=margin, most=MOST, seconds=seconds, callback=callback)
    rules = [
        GoodRule(tuple((names[max(f, ~f)], f >= 0) for f in twin.facts), twin.points, twin.threshold or 0)
        for _, rule in found.rules
        if rule.facts
        for twin in rule.expand(counted)
    ]
    scope = f"checklists of at most {count(size, 'fact')} of {len(facts)}"
    is_whole = found.is_complete and len(rules) <= MOST
    return GoodRules(tuple(rules[:MOST]), scope, margin, size, is_complete=is_whole, is_proved=is_whole)
