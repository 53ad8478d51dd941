"""The chooser as one page of HTML: rules, and rows as bits, in a template, with its script and a strict policy."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.choosing.rules import GoodRules, Rule, is_counted, offered_rules, rule_of
from crystalogic.counts import count
from crystalogic.encoding import Cut, Literal, Missing, Reaches
from crystalogic.encoding.encoding import column_names, raw_column
from crystalogic.encoding.values import way_of
from crystalogic.errors import ChoiceError, TableError, refuse, refuse_first
from crystalogic.evaluation.judging import read_labels
from crystalogic.features import Features
from crystalogic.logic.formula import Formula, Not, Variable
from crystalogic.logic.names import one_line
from crystalogic.logic.render import render
from crystalogic.model import FrontRow, Model
from crystalogic.model.rows import refuse_missing_columns, take_cells
from crystalogic.optimal import compile_kernels, count_rows, solve
from crystalogic.progress import Callback
from crystalogic.report import Table
from crystalogic.report.page import content_policy
from crystalogic.words.checklists import fact_words
from crystalogic.words.models import scores_text
from crystalogic.words.tables import fill_template, package_file

MOST, MOST_OFFERED = 2000, 1000  # rules that a page shows, and facts to exchange others for
Offered = dict[object, tuple[Rule, FrontRow | None, bool]]
MOST_BITS = 1 << 26  # of all facts on all rows, in a page: 11 MB as text


@dataclass(frozen=True)
class FactRows:
    """The rows whose class is known and of which every fact can be told: each fact, and which have the class."""

    truths: Mapping[Formula, Array]
    labels: Array
    n_left_out: int

    def counts(self, rule: Rule) -> tuple[int, int, int, int]:
        """Rows with the class that the rule finds and misses; of the others, false alarms and those left alone."""
        parts = zip(rule.facts, rule.points, strict=True)
        told = sum(worth * (self.truths[fact] == holds) for (fact, holds), worth in parts) >= rule.threshold
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
    there = set(column_names(table.rows))
    return [each for each in model.encoding.literals.values() if each.is_boolean and each.column in there]


def fact_rows(model: Model, facts: Sequence[Formula], table: Table) -> FactRows:
    """These facts on the rows of a table."""
    names = tuple(dict.fromkeys(name for fact in facts for name in fact.variables))
    columns = model.encoding.columns_of(names)
    refuse_missing_columns(table.rows, columns)
    labels = read_labels([model], raw_column(table.rows, model.target) if table.labels is None else table.labels, 0)
    if not len(kept := np.flatnonzero((labels >= 0) & ~model.encoding.find_refused(table.rows, names))):
        refuse(TableError, f"of {count(len(labels), 'row')} none has a class and all values that the rules need.")
    rows = {name: take_cells(raw_column(table.rows, name), kept) for name in columns}
    values: Any = dict(model.encoding.truths(rows, names))
    truths = {fact: np.asarray(fact.evaluate(values)).astype(bool) for fact in facts}
    return FactRows(truths, labels[kept] == 1, len(labels) - len(kept))


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
    rows, names = fact_rows(model, facts, table), [fact.name for fact in facts]
    counted = count_rows(Features.of((rows.truths[fact] for fact in facts), names, len(rows.labels)), rows.labels)
    margin = int(within * len(rows.labels))
    compile_kernels()  # which is no part of the time
    found = solve(counted, size, shape, within=margin, most=MOST, seconds=seconds, callback=callback)
    rules = []
    for twin in (twin for _, rule in found.rules if rule.facts for twin in rule.expand(counted)):
        rules.append(Rule(tuple((facts[max(f, ~f)], f >= 0) for f in twin.facts), twin.points, twin.threshold))
    scope = f"{'checklists' if shape == 'checklist' else 'scorecards'} of at most {count(size, 'fact')} of {len(facts)}"
    return GoodRules(tuple(rules[:MOST]), scope, margin, size, is_complete=found.is_complete and len(rules) <= MOST)


def chooser_page(
    model: Model,
    good: GoodRules | None = None,
    table: Table | None = None,
    *,
    embed_rows: bool = False,
    file: str = "model.json",
    made: str = "",
) -> str:
    """The page on which a person chooses among the rules of a model's front and others that are about as good.

    With a table all rules are counted on its rows; `embed_rows` puts these into the page, as one bit a fact, so that
    rules can be edited there. `file` is the model file, for the command that takes the choice, `made` the day.
    """
    rules = _rules(model, good)
    used = dict.fromkeys(fact for rule, _, _ in rules.values() for fact, _ in rule.facts)
    facts = list(used)
    if table is not None and embed_rows:  # up to a limit, also all others that can be told of the rows
        told = dict.fromkeys(Variable(each.name) for each in told_literals(model, table))
        facts = list(used | told)[: max(MOST_OFFERED, len(used))]
    rows = None if table is None else fact_rows(model, facts, table)
    script = "".join(package_file("choosing", name) for name in ("rules.js", "picture.js", "choose.js"))
    style = package_file("report", "page.css") + package_file("choosing", "choose.css")
    data = _facts(model, facts)
    data |= {"target": one_line(model.target), "classes": list(map(one_line, model.classes or ()))}
    data |= {"model": model.fingerprint, "judgedBy": model.judged_by, "isTraining": table and table.is_training}
    data |= {"promises": list(map(one_line, model.record.promises)), "rules": _figures(model, rules, facts, rows)}
    data["rows"] = rows and {"n": len(rows.labels), "leftOut": rows.n_left_out}
    data["bits"] = rows.content() if rows and embed_rows else None
    data["good"] = None if good is None else vars(good) | {"rules": len(good.rules)}
    values = {"file": quote(one_line(file)), "source": one_line(table.source) if table else "", "made": made}
    texts = {"style": style, "script": script, "policy": content_policy(style, script), "weighing": scores_text(model)}
    return fill_template("choosing", "template.html", data=data, **values, **texts)


def _rules(model: Model, good: GoodRules | None) -> Offered:
    """All rules, each once: with its row of the front, if it has one, and whether it is on the list."""
    found: Offered = {}
    for rule, _, row in offered_rules(model):
        found.setdefault(rule.key, (rule, row, False))
    for rule in () if good is None else good.rules:
        if not is_counted(model, rule.formula.variables):
            refuse(ChoiceError, f"a rule of the list, {rule.formula}, speaks of what is no fact of this model.")
        found[rule.key] = (*found.get(rule.key, (rule, None))[:2], True)
    message = "this model has no rule of facts to choose from: its formulas read degrees, or say always the same."
    refuse_first(ChoiceError, {message: not found})
    return found


def _facts(model: Model, facts: list[Formula]) -> dict[str, Any]:
    """The columns, and the facts as formulas, in words false and true, as cuts of a column, and which way they go.

    More of its column never makes a fact less true (1), or never more (-1), or is no matter (null); otherwise 0.
    """
    literals, gaps, by_name, told = model.encoding.literals, model.encoding.gaps, model.encoding.by_name, []
    names = sorted(model.encoding.columns_of(name for fact in facts for name in fact.variables), key=[*by_name].index)
    places = {name: place for place, name in enumerate(names)}
    for fact in facts:
        (no, below), (yes, on) = (fact_words(each, literals, gaps) for each in (Not(fact), fact))
        read = [places[name] for name in model.encoding.columns_of(fact.variables)]
        about: dict[str, Any] = {"text": render(fact, "ascii"), "size": fact.size, "words": [no, yes], "columns": read}
        about |= {"at": None, "way": 0}
        literal = literals.get(str(fact.detail)) if isinstance(fact, Variable) else None
        if isinstance(literal, Cut | Reaches):
            at = literal.at if isinstance(literal, Cut) else literal.order.index(literal.level)
            about |= {"at": at, "rungs": [below, on], "way": 1}
        elif literal is not None and by_name[literal.column].kind == "code":
            about["way"] = way_of(literal.levels, by_name[literal.column].known)
        told.append(about | ({"way": None} if isinstance(literal, Missing) else {}))
    columns = [{"name": one_line(name), "hasOrder": by_name[name].kind != "category"} for name in names]
    return {"columns": columns, "facts": told}


def _figures(model: Model, rules: Offered, facts: list[Formula], rows: FactRows | None) -> list[dict[str, Any]]:
    """The rules with their figures, the smallest and best first."""
    own, place, found = rule_of(model.formulas[0]), {fact: place for place, fact in enumerate(facts)}, []
    for rule, row, is_listed in rules.values():
        parts = [[place[fact], holds, worth] for (fact, holds), worth in zip(rule.facts, rule.points, strict=True)]
        about = {"facts": parts, "threshold": rule.threshold, "counts": None if rows is None else rows.counts(rule)}
        known = row and {"training": row.training, "validated": row.validated, "risk": row.risk and row.risk.shares}
        found.append(about | {"front": known, "isListed": is_listed, "isOwn": own is not None and own.key == rule.key})
    return sorted(found, key=lambda each: (len(each["facts"]), -sum((each["counts"] or [0])[::3]), each["threshold"]))
