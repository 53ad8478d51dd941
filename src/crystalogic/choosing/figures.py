"""Facts on the rows of a table, how many rows a rule judges rightly, and all rules about as good as the best."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.choosing.rules import GoodRules, Rule
from crystalogic.counts import count
from crystalogic.encoding import Literal
from crystalogic.encoding.encoding import raw_column
from crystalogic.errors import ChoiceError, TableError, refuse
from crystalogic.evaluation.judging import read_labels
from crystalogic.features import Features
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Model
from crystalogic.model.rows import refuse_missing_columns, take_cells
from crystalogic.optimal import count_rows, solve
from crystalogic.progress import Callback
from crystalogic.report import Table

MOST_BITS = 1 << 26  # of all facts on all rows, in a page: 11 MB as text


@dataclass(frozen=True)
class FactRows:
    """The rows whose class is known and of which every fact can be told: each fact, and which have the class."""

    truths: Mapping[Formula, Array]
    labels: Array
    n_left_out: int

    def counts(self, rule: Rule) -> tuple[int, int, int, int]:
        """Rows with the class that the rule finds and misses; of the others, false alarms and those left alone."""
        scores = np.zeros(len(self.labels), np.int64)
        for (fact, holds), worth in zip(rule.facts, rule.points, strict=True):
            scores += worth * (self.truths[fact] == holds)
        told = scores >= rule.threshold
        found, alarms = int((told & self.labels).sum()), int((told & ~self.labels).sum())
        return found, int(self.labels.sum()) - found, alarms, int((~self.labels).sum()) - alarms

    def content(self) -> dict[str, object]:
        """The rows as bits, the first row in the least bit of the first byte: a text for the classes and each fact."""
        if len(self.labels) * len(self.truths) > MOST_BITS:
            what = f"{count(len(self.labels), 'row')} with {count(len(self.truths), 'fact')} are too many for a page"
            refuse(ChoiceError, f"{what}. Leave out --rows, or take a sample of the rows.")
        packed = [np.packbits(each, bitorder="little").tobytes() for each in (self.labels, *self.truths.values())]
        labels, *facts = (b64encode(each).decode("ascii") for each in packed)
        return {"labels": labels, "facts": facts}


def told_literals(model: Model, table: Table) -> list[Literal]:
    """The facts of a model that can be told of the rows of a table."""
    there = set(map(str, table.rows.columns if hasattr(table.rows, "columns") else table.rows))
    return [each for each in model.encoding.literals.values() if each.is_boolean and each.column in there]


def fact_rows(model: Model, facts: Sequence[Formula], table: Table) -> FactRows:
    """These facts on the rows of a table."""
    names = tuple(dict.fromkeys(name for fact in facts for name in fact.variables))
    columns = model.encoding.columns_of(names)
    refuse_missing_columns(table.rows, columns)
    labels = read_labels([model], raw_column(table.rows, model.target) if table.labels is None else table.labels, 0)
    kept = np.flatnonzero((labels >= 0) & ~model.encoding.find_refused(table.rows, names))
    if not len(kept):
        refuse(TableError, f"of {count(len(labels), 'row')} none has a class and all values that the rules need.")
    rows = {name: take_cells(raw_column(table.rows, name), kept) for name in columns}
    values: Any = dict(model.encoding.truths(rows, names))
    truths = {fact: np.asarray(fact.evaluate(values)).astype(bool) for fact in facts}
    return FactRows(truths, labels[kept] == 1, len(labels) - len(kept))


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
        Rule(tuple((facts[max(f, ~f)], f >= 0) for f in twin.facts), twin.points, twin.threshold)
        for _, rule in found.rules
        if rule.facts
        for twin in rule.expand(counted)
    ]
    scope = f"{'checklists' if shape == 'checklist' else 'scorecards'} of at most {count(size, 'fact')} of {len(facts)}"
    is_whole = found.is_complete and len(rules) <= MOST
    return GoodRules(tuple(rules[:MOST]), scope, margin, size, is_complete=is_whole)
