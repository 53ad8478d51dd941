"""Models and explanations for people: the front with the chosen row marked, the rule as a checklist, what is proved."""

import math
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from typing import Any

from crystalogic.cells import is_missing
from crystalogic.decision import THRESHOLD
from crystalogic.logic.formula import Constant
from crystalogic.logic.names import one_line
from crystalogic.model import Explanation, FrontRow, Model
from crystalogic.verify.trace import decimal
from crystalogic.wording import checklist, column_words, literal_words, value_words

CONSTANTS = ("0", "1")  # formulas
MOST_LINES = 8  # of the front that are shown; all of it is in the model file
MOST_WIDTH = 60  # characters of a formula in the table; the chosen one is printed in full below it
WIDEST_STEP = 90  # characters of a step; where one is longer, steps have names

PAGE_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}table{border-collapse:collapse;"
    "margin-bottom:1.5rem}caption{text-align:left;font-weight:bold}th,td{text-align:left;padding:.2rem 1rem .2rem 0}"
    ".decision{font-weight:bold}"
)


def _target(model: Model) -> str:
    return one_line(model.target)


def _label(label: Any) -> str:
    return one_line(str(label))


def front_text(front: tuple[FrontRow, ...], chosen: int, judged_by: str = "cross-validated") -> str:
    """The front as an aligned table.

    A formula that is right about fewer training rows than a shorter one is left out, unless it was chosen: a search
    that ended early, or one that counts degrees, can keep such a formula. So is one that is no more than a constant.
    """
    kept = [
        index
        for index, row in enumerate(front)
        if index == chosen
        or (row.formula not in CONSTANTS and all(row.training >= shorter.training for shorter in front[:index]))
    ]
    front, chosen = tuple(front[index] for index in kept), kept.index(chosen)
    lines = [f"   literals  training  {judged_by:>15}  formula"]
    shown = max(MOST_LINES, chosen + 3)
    for index, row in enumerate(front[:shown]):
        judged = "–" if row.validated is None else f"{row.validated:.3f} ± {row.standard_error or 0:.3f}"
        formula = one_line(row.formula)
        formula = formula if len(formula) <= MOST_WIDTH else formula[: MOST_WIDTH - 1] + "…"
        lines.append(f"{'▶' if index == chosen else ' '} {row.size:>9}  {row.training:>8.3f}  {judged:>15}  {formula}")
    if len(front) > shown:
        more = f"{len(front) - shown} longer formulas, up to" if len(front) > shown + 1 else "one longer formula, of"
        lines.append(f"            … {more} {front[-1].size} literals")
    return "\n".join(lines)


def scores_text(model: Model) -> str:
    """What the scores of the front are, where they are not plainly the share of right rows."""
    if model.classes is None:
        return "Scores are 1 less the mean error of the degree."
    weights = model.notes.get("class_weight")
    if not weights:
        return ""
    if isinstance(weights, str):
        return f"Scores count every class alike: always the same class would be {1 / len(model.classes or '12'):.3f}."
    return "Scores count rows by the weights of their classes."


def rule_text(model: Model) -> str:
    """The rules as checklists: when a row gets which class."""
    if model.classes is None:
        low_high = tuple(model.notes.get("range", ()))
        ends = "; degree 0 is {:g}, degree 1 is {:g}".format(*low_high) if len(low_high) == 2 else ""
        return f"degree of {_target(model)} = {model.formulas[0]}{ends}"
    lines = []
    if len(model.formulas) == 1:
        if isinstance(model.formulas[0], Constant):
            always = _label(model.classes[model.formulas[0].value])
            return f"{_target(model)} is always {always}: no rule was found that is better"
        rule = checklist(model.formulas[0], model.encoding.literals, model.encoding.gaps)
        lines.append(f"{_target(model)} is {_label(model.classes[1])} if {rule}")
        lines.append(f"otherwise {_target(model)} is {_label(model.classes[0])}")
        return "\n".join(lines)
    for label, formula in zip(model.classes, model.formulas, strict=True):
        rule = checklist(formula, model.encoding.literals, model.encoding.gaps)
        lines.append(f"for {_target(model)} = {_label(label)}: {rule}")
    order = ", ".join(_label(model.classes[index]) for index in model.order)
    lines.append(f"{_target(model)} is the class with the largest degree; of equal degrees the first of {order}")
    return "\n".join(lines)


def columns_text(model: Model, heading: str = "Columns (overrule with --kind COLUMN=KIND):") -> str:
    """How each column was read, so that a wrong guess is seen."""
    columns = model.encoding.columns
    names = [one_line(column.name) for column in columns]
    width = max(map(len, names), default=0)
    lines = [f"  {name.ljust(width)}  {column_words(column)}" for name, column in zip(names, columns, strict=True)]
    return "\n".join([heading, *lines])


def explanation_text(found: Explanation) -> str:
    """Why one row gets its class: the facts, each step, the decision and its distance from the threshold."""
    model = found.model
    lines = [f"  {one_line(name)} = {_with_unit(found, name)}" for name in model.columns]
    parts = ["The row:\n" + "\n".join(lines)] if lines else []
    for heading, each in zip(_headings(found), found.traces, strict=True):
        parts.append("\n".join([f"{heading}:", *(f"  {line}" for line in each.lines(WIDEST_STEP))]))
    return "\n\n".join([*parts, decision_sentence(found)])


def decision_sentence(found: Explanation) -> str:
    """What was decided, and how far it is from another decision."""
    model = found.model
    if found.rounded is not None:
        return (
            f"{_target(model)} is {_label(found.decision)}, by less than floating-point numbers can tell: "
            f"exports say {_label(found.rounded)}"
        )
    if model.classes is None:
        return f"{_target(model)}: {decimal(found.degrees[0])}"
    if len(found.traces) > 1:
        return f"{_target(model)} is {_label(found.decision)}: the largest degree (ahead by {decimal(found.margin)})"
    side = "at least" if found.degrees[0] >= THRESHOLD else "below"
    return (
        f"{_target(model)} is {_label(found.decision)}: the degree {decimal(found.degrees[0])} is {side} 0.50 "
        f"(distance {decimal(found.margin)})"
    )


def explanation_content(found: Explanation) -> dict[str, Any]:
    """An explanation as plain JSON data: what was read, what each literal says of it, every step, the decision."""
    model = found.model
    steps = [
        {"for": label, "formula": str(each.formula)} for label, each in zip(_labels(found), found.traces, strict=True)
    ]
    return {
        "target": model.target,
        "decision": str(found.decision),
        "margin": str(found.margin),
        "threshold": str(THRESHOLD) if model.classes and len(found.traces) == 1 else None,
        "sentence": decision_sentence(found),
        **({} if found.rounded is None else {"exported": str(found.rounded)}),
        "row": {name: _plain(found, name) for name in model.columns},
        "literals": [_literal_content(found, name) for name in model.names],
        "degrees": [str(degree) for degree in found.degrees],
        "formulas": steps,
        "traces": [each.content() for each in found.traces],
    }


def _literal_content(found: Explanation, name: str) -> dict[str, Any]:
    model = found.model
    literal = model.encoding.literals[name]
    return {
        "name": name,
        "words": literal_words(literal),
        "column": literal.column,
        "value": _plain(found, literal.column),
        "unit": units_of(model).get(literal.column),
        "degree": str(model.encoding.degree_of(name, found.row)),
    }


def units_of(model: Model) -> dict[str, str]:
    """The units of columns that were noted when the model was made."""
    return dict(model.notes.get("units", {}))


def explanation_html(found: Explanation) -> str:
    """An explanation as a fragment of HTML, everything escaped; it has classes to style and no style of its own."""
    model = found.model
    facts = [
        (literal["words"], _with_unit(found, literal["column"]), decimal(Fraction(literal["degree"])))
        for literal in (_literal_content(found, name) for name in model.names)
    ]
    parts = [_html_table("What is read", ("fact", "value", "truth"), facts)] if facts else []
    for heading, each in zip(_headings(found), found.traces, strict=True):
        steps = [(text, decimal(step.degree)) for text, step in zip(each.texts(), each.steps, strict=True)]
        parts.append(_html_table(heading, ("part of the rule", "degree"), steps))
    body = "\n".join([*parts, f'<p class="decision">{escape(decision_sentence(found))}</p>'])
    return f'<section class="explanation">\n{body}\n</section>'


def explanation_page(found: Explanation) -> str:
    """The fragment as a page of its own, which needs nothing else."""
    title = escape(f"Why {_target(found.model)} is {_label(found.decision)}")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{PAGE_STYLE}</style>\n{explanation_html(found)}\n</html>"
    )


def model_html(model: Model) -> str:
    """All that `print` shows of a model, for a notebook: escaped, without scripts, styles only on its own elements."""
    parts = []
    for index, (front, chosen) in enumerate(zip(model.fronts, model.chosen, strict=True)):
        several = model.classes is not None and len(model.fronts) > 1
        of = f" for {_target(model)} = {_label((model.classes or ())[index])}" if several else ""
        rows = [
            [
                "▶" * (place == chosen),
                str(row.size),
                f"{row.training:.3f}",
                "–" if row.validated is None else f"{row.validated:.3f} ± {row.standard_error or 0:.3f}",
                row.formula,
            ]
            for place, row in enumerate(front[: max(MOST_LINES, chosen + 3)])
        ]
        parts.append(_html_table(f"Front{of}", ["", "literals", "training", model.judged_by, "formula"], rows))
    parts.append(f"<pre>{escape(rule_text(model))}</pre>")
    parts += [f"<p><code>{escape(str(formula))}</code></p>" for formula in model.formulas]
    parts.append(f"<p>{escape(str(model.certificate))}</p>")
    return f'<div class="crystalogic-model">{"".join(parts)}</div>'


def _html_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        return "<tr>" + "".join(f"<{tag}{scope}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<caption>{escape(caption)}</caption>\n{line('th', header)}\n{body}\n</table>"


def _labels(found: Explanation) -> list[str | None]:
    """The class that each trace is for; None where there is only one."""
    classes = found.model.classes
    return [str(label) for label in classes] if classes and len(found.traces) > 1 else [None]


def _headings(found: Explanation) -> list[str]:
    target = _target(found.model)
    return [f"Step by step{'' if label is None else f' for {target} = {one_line(label)}'}" for label in _labels(found)]


def _with_unit(found: Explanation, column: str) -> str:
    words = found.model.encoding.by_name[column].words
    return f"{value_words(found.row[column], words)} {one_line(units_of(found.model).get(column, ''))}".rstrip()


def _plain(found: Explanation, column: str) -> Any:
    """A cell as JSON data: numbers of numpy as numbers, no value as null, what JSON has no number for as text."""
    value = found.row[column]
    if is_missing(value, found.model.encoding.by_name[column].words):
        return None
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, (str, int, bool)) or _is_finite(value) else str(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def held_out_text(model: Model) -> str:
    """How good it was on rows it had not seen, where that was measured."""
    measured = model.notes.get("held_out")
    if not measured:
        return ""
    return (
        f"On rows it has not seen: {measured['mean']:.1%} ± {measured['spread']:.1%} "
        f"({measured['splits']} split{'s' * (measured['splits'] != 1)}, a fifth held out, the whole fit repeated)"
    )


def ending_text(model: Model) -> str:
    """Why the search ended, where it did not end by itself."""
    stop = str(model.notes.get("stop", ""))
    return stop if "best so far" in stop else ""


def formulas_text(model: Model) -> str:
    """The formula, or one line for each class."""
    if len(model.formulas) == 1:
        return f"formula: {model.formulas[0]}"
    pairs = zip(model.spoken, model.formulas, strict=True)
    return "\n".join(f"formula for {spoken}: {formula}" for spoken, formula in pairs)


def model_text(model: Model, *, with_columns: bool = False) -> str:
    """All that `print` shows of a model; with columns, how each of them was read rather than those left out only."""
    fronts = []
    for index, (front, chosen) in enumerate(zip(model.fronts, model.chosen, strict=True)):
        several = model.classes is not None and len(model.fronts) > 1
        of = f"for {_target(model)} = {_label((model.classes or ())[index])}:\n" if several else ""
        fronts.append(of + front_text(front, chosen, model.judged_by))
    fronts += [scores_text(model)] if fronts and scores_text(model) else []
    left_out = [one_line(str(column)) for column in model.encoding.columns if column.kind == "left out"]
    before = [columns_text(model)] if with_columns else []
    after = ["columns " + "; ".join(left_out)] if left_out and not with_columns else []
    return "\n\n".join([*before, *fronts, rule_text(model), formulas_text(model), str(model.certificate), *after])


def received_text(model: Model) -> str:
    """A model for somebody who was given it: how columns were read, the rule, its proof, where it comes from."""
    notes = model.notes
    rows = f", {notes['n_rows']} rows" if "n_rows" in notes else ""
    version = notes.get("library", "of an unknown version")
    learned = f"Learned from {one_line(str(notes.get('source', 'a table')))}{rows}, with Crystalogic {version}."
    parts = [columns_text(model, "Columns, as they were in training:"), rule_text(model), formulas_text(model)]
    measured = [text for text in (held_out_text(model),) if text]
    return "\n\n".join([*parts, *measured, str(model.certificate), f"{learned}\nFingerprint: {model.fingerprint}"])
