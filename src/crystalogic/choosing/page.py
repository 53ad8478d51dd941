"""The chooser as one page of HTML: what is known of the rules, put into a template with its script and strict policy."""

from importlib import resources
from typing import Any

from crystalogic.choosing.figures import FactRows, fact_rows
from crystalogic.choosing.rules import GoodRules, Key, Rule, front_rules, good_rule, is_counted, rule_of
from crystalogic.counts import count
from crystalogic.encoding import Cut, Missing, Reaches
from crystalogic.encoding.values import way_of
from crystalogic.errors import ChoiceError
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.names import one_line
from crystalogic.logic.render import render
from crystalogic.model import FrontRow, Model
from crystalogic.report import Table
from crystalogic.report.page import content_policy
from crystalogic.words.checklists import counted_lines
from crystalogic.words.literals import literal_words
from crystalogic.words.models import scores_text

SCRIPTS = ("rules.js", "picture.js", "choose.js")
MOST_OFFERED = 1_000  # facts to exchange others for


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

    Parameters:
        model: of two classes.
        good: more rules over the facts of the model, and what is known of the list.
        table: rows with their classes, on which all rules are counted; without, the page has the figures of the model.
        embed_rows: whether the page holds these rows, each as one bit a fact, so that rules can be edited in it.
        file: the name of the model file, for the command that takes the choice.
        made: when the page was written, as text.
    """
    from jinja2 import Environment, StrictUndefined

    rules = _rules(model, good)
    used = dict.fromkeys(fact for rule in rules.values() for fact, _ in rule[0].facts)
    facts = _offered(model, used, table) if embed_rows and table is not None else list(used)
    rows = None if table is None else fact_rows(model, facts, table)
    script = "".join(_file("crystalogic.choosing", name) for name in SCRIPTS)
    style = _file("crystalogic.report", "page.css") + _file("crystalogic.choosing", "choose.css")
    data = {
        "target": one_line(model.target),
        "classes": [one_line(label) for label in model.classes or ()],
        "model": model.fingerprint,
        "rows": None if rows is None else _told(rows, table),
        "bits": rows.content() if rows is not None and embed_rows else None,
        "good": None if good is None else vars(good) | {"rules": len(good.rules)},
        "promises": list(map(one_line, model.record.promises)),
        **_columns(model, facts),
        "rules": _content(model, rules, {fact: place for place, fact in enumerate(facts)}, rows),
    }
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(
        _file("crystalogic.choosing", "template.html")
    )
    text = page.render(
        data=data,
        file=one_line(file),
        weighing=scores_text(model) if rows is None else "",
        made=made,
        style=style,
        script=script,
        policy=content_policy(style, script),
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # a lone half of a character cannot be written


def _file(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _rules(model: Model, good: GoodRules | None) -> dict[Key, tuple[Rule, FrontRow | None, bool]]:
    """All rules, each once: with its row of the front, if it has one, and whether it is on the list."""
    found: dict[Key, tuple[Rule, FrontRow | None, bool]] = {
        rule.key: (rule, row, False) for _, row, rule in front_rules(model)
    }
    own = rule_of(model.formulas[0])
    if own is not None and is_counted(model, model.names):
        found.setdefault(own.key, (own, None, False))
    for each in () if good is None else good.rules:
        rule = good_rule(model, each)
        found[rule.key] = (*found.get(rule.key, (rule, None))[:2], True)
    if not found:
        message = "this model has no rule of facts to choose from: its formulas read degrees, or say always the same."
        raise ChoiceError(message)
    return found


def _offered(model: Model, used: dict[Formula, None], table: Table) -> list[Formula]:
    """The facts of the rules and, up to a limit, all others that can be told of the rows."""
    there = set(map(str, table.rows.columns if hasattr(table.rows, "columns") else table.rows))
    literals = [each for each in model.encoding.literals.values() if each.is_boolean and each.column in there]
    return list(used | dict.fromkeys(Variable(each.name) for each in literals))[: max(MOST_OFFERED, len(used))]


def _told(rows: FactRows, table: Table | None) -> dict[str, Any]:
    """Which rows the figures are of."""
    source, is_training = ("", None) if table is None else (one_line(table.source), table.is_training)
    n_left_out = count(rows.n_left_out, "row") if rows.n_left_out else ""
    return {"n": len(rows.labels), "source": source, "isTraining": is_training, "leftOut": n_left_out}


def _columns(model: Model, facts: list[Formula]) -> dict[str, Any]:
    """The columns, and the facts with what is said of them and with their columns by place."""
    names = model.encoding.columns_of(name for fact in facts for name in fact.variables)
    columns = [model.encoding.by_name[name] for name in names]
    known = {name: place for place, name in enumerate(names)}
    return {
        "columns": [{"name": one_line(each.name), "hasOrder": each.kind in ("number", "code", "ordinal")} for each in columns],
        "facts": [_fact(model, fact, known) for fact in facts],
    }


def _fact(model: Model, fact: Formula, columns: dict[str, int]) -> dict[str, Any]:
    """A fact in words, false and true; as a formula; as one of several cuts of a column; and which way it goes.

    `way` is 1 where more of the column never makes it less true, -1 where never more, null where it is no matter of
    more or less; otherwise 0.
    """
    encoding, read = model.encoding, [columns[name] for name in model.encoding.columns_of(fact.variables)]
    plain = {"text": render(fact, "ascii"), "columns": read, "ladder": None, "way": 0}
    literal = encoding.literals.get(str(fact.detail)) if isinstance(fact, Variable) else None
    if literal is None:
        words = counted_lines(fact & 1, encoding.literals, encoding.gaps)[0].words
        return plain | {"words": [f"not: {words}", words]}
    words = [literal_words(literal, negated=each, gaps=encoding.gaps) for each in (True, False)]
    order, has_gaps = encoding.by_name[literal.column], literal.column in encoding.gaps
    if isinstance(literal, Cut | Reaches):
        value = one_line(literal.statement[1])
        place = literal.at if isinstance(literal, Cut) else literal.order.index(literal.level)
        rung = {"at": place, "places": [None if has_gaps else f"below {value}", f"from {value} on"]}
        return plain | {"words": words, "ladder": read[0], "way": 1, **rung}
    way = 0 if order.kind in ("number", "category") else way_of(literal.levels, order.known)
    return plain | {"words": words, "way": None if isinstance(literal, Missing) else way}


def _content(
    model: Model, rules: dict[Key, Any], places: dict[Formula, int], rows: FactRows | None
) -> list[dict[str, Any]]:
    """The rules with their figures, the smallest and best first."""
    own = rule_of(model.formulas[0])
    found = [
        {
            "facts": [[places[fact], holds, worth] for (fact, holds), worth in zip(rule.facts, rule.points, strict=True)],
            "threshold": rule.threshold,
            "counts": None if rows is None else rows.counts(rule),
            "training": None if row is None else row.training,
            "validated": None if row is None else row.validated,
            "risk": None if row is None or row.risk is None else row.risk.shares,
            "inFront": row is not None,
            "isListed": is_listed,
            "isOwn": own is not None and own.key == rule.key,
        }
        for rule, row, is_listed in rules.values()
    ]
    return sorted(found, key=lambda each: (len(each["facts"]), -sum((each["counts"] or [0])[::3]), each["threshold"]))
