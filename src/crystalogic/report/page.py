"""The page: what is known of a model, put into the template with its style, its script and a strict policy."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from unicodedata import east_asian_width

from crystalogic.cells import level_of
from crystalogic.errors import ExportError, TooLargeError
from crystalogic.evaluation.evaluation import MOST_CLASSES, Evaluation, estimate_text
from crystalogic.export import to_javascript, to_latex, to_sql
from crystalogic.export.program import Program, program
from crystalogic.export.quoting import LARGEST_DOUBLE, exact_labels
from crystalogic.intervals import FEWEST, LEVEL, RATES
from crystalogic.logic.formula import Constant, Formula, Not
from crystalogic.logic.names import visible
from crystalogic.model import Model
from crystalogic.report.chart import Frame, benefit_frame, chart, risk_dots
from crystalogic.report.controls import controls, risk_bar, risk_content
from crystalogic.report.evidence import Evidence, Table, model_proofs, round_fractions, row_proofs
from crystalogic.verify.certificate import CLAIM
from crystalogic.verify.questions import Answer, Verdict
from crystalogic.words.checklists import Block, Item, outline
from crystalogic.words.explanations import needed_points, number_words
from crystalogic.words.models import moved_text, scores_text, shown_fronts
from crystalogic.words.risks import INTERVALS, operating_lines, risk_tables
from crystalogic.words.tables import fill_template, package_file

SECONDS = 5.0  # for each question


def report_page(
    model: Model,
    table: Table | None = None,
    *,
    answers: Sequence[Answer] = (),
    seconds: float = SECONDS,
    units: Mapping[str, str] | None = None,
    made: str = "",
    chooser: str = "",
    by: Sequence[str] = (),
) -> str:
    """A model as one HTML page: all that is known of it, a calculator, and what a table says of it.

    The certificate is checked again first; a CertificateError means that there is nothing to report. Some questions are
    asked of every model and of the rows that are shown.

    Parameters:
        model: the model to show.
        table: rows to judge it on, best with rows that it has not seen.
        answers: answers to questions of your own, shown among what was proved.
        seconds: the time allowed for each question; 0 asks none.
        units: of columns, such as {"chol": "mg/dl"}.
        made: when the page was written, as text.
        chooser: the file beside it that holds the page to choose another rule on; nothing for none.
        by: columns of the table, such as ["sex"], whose groups are shown beside each other.
    """
    model.check()
    evidence = None if table is None else Evidence(model, table, by)
    examples, whole = ([], []) if evidence is None else (evidence.examples(), evidence.whole)
    known_units = {**model.record.units, **(units or {})}
    try:  # the script begins with the exported rule; `refusal` is why there is none
        script, refusal = to_javascript(model, with_parts=True) + package_file("report", "page.js"), ""
    except (ExportError, TooLargeError) as error:
        script, refusal = "", str(error)
    shown_controls = controls(model, known_units, [each.explanation.row for each in examples]) if script else ()
    found, style, needed = program(model), package_file("report", "page.css"), needed_points(model)
    rules, part_of = _rules(model, found), partial(_find_part, found)
    read = [(name, model.encoding.by_name[name].words) for name in model.columns]
    shown_rows = [[level_of(each.explanation.row[name], words) for name, words in read] for each in examples]
    classes = None if model.classes is None else list(map(str, model.classes))
    data: dict[str, Any] = {"controls": [control.content() for control in shown_controls], "rows": shown_rows}
    data |= {"target": model.target, "classes": classes}
    data["decisions"] = exact_labels(found.labels or (), LARGEST_DOUBLE)  # as the script gives them
    data |= {"isList": model.is_list, "order": [classes[index] for index in model.order] if classes else []}
    data |= {"outputs": found.outputs, "risk": risk_content(model, part_of)}
    data["needed"] = None if needed is None else {"number": float(needed), "words": number_words(needed)}
    known = _risks(model, None if evidence is None else evidence.evaluation)
    known |= {"model": model, "rules": rules, "controls": shown_controls, "refusal": refusal, "evidence": evidence}
    known |= {"data": data, "needed": needed, "made": made, "chooser": chooser, "columns": found.inputs}
    known |= {"style": style, "script": script, "policy": content_policy(style, script), "exports": _exports(model)}
    known |= {"readable": round_fractions, "part_of": part_of, "unit": lambda column: known_units.get(column, "")}
    known["sheet"] = card_sheet(model, [rule["blocks"] for rule in rules])
    known["examples"] = [(each, row_proofs(each.explanation, whole, seconds)) for each in examples]
    known["charts"] = [(each, chart(each.rows)) for each in shown_fronts(model)]
    known |= {"moved": moved_text(model), "weighing": "" if model.classes is None else scores_text(model)}
    known["proofs"] = _by_scope(model, answers, seconds)
    known["literals"] = [model.encoding.literals[name] for name in model.names]
    known["unused"] = [column for column in model.encoding.columns if column.name not in model.columns]
    return fill_template("report", "template.html", **known)


def _risks(model: Model, found: Evaluation | None) -> dict[str, Any]:
    """What the page tells of risks and of shares of rows, each with its interval."""
    plots = {} if found is None else {"dots": risk_dots(found), "benefit": benefit_frame(found), "frame": Frame()}
    told: dict[str, Any] = {"found": found, "bar": risk_bar(model), "level": f"{100 * LEVEL:g} %"}
    told["shown_groups"] = [by for by in (found.by, *found.also_by) if by] if found and found.figures.rates else []
    told |= {"intervals": INTERVALS, "most_classes": MOST_CLASSES, "rate_names": RATES, "fewest": FEWEST}
    return {**told, **plots, "estimate_text": partial(estimate_text, level=LEVEL, digits=2)}


def content_policy(style: str, script: str) -> str:
    """The Content-Security-Policy that allows this style and this script, and nothing else."""
    hashes = (hashlib.sha256(text.encode("utf-8")).digest() for text in (style, script))
    allowed = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*(base64.b64encode(x).decode() for x in hashes))
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _find_part(found: Program, formula: Formula) -> tuple[str, bool]:
    """The name of the fact or step, empty if there is none, and whether its degree is to be negated."""
    negated = False
    while formula not in found.names and isinstance(formula, Not):
        formula, negated = formula.parts[0], not negated
    if isinstance(formula, Constant):
        return "", negated != bool(formula.value)  # what has no name is 0, and negated 1
    return found.names.get(formula, ""), negated


def _rules(model: Model, found: Program) -> list[dict[str, Any]]:
    """The formulas of the model, each with the class it speaks for, for the template."""
    labels = [None] if model.classes is None else [str(label) for label in model.classes[-len(model.formulas) :]]
    literals, gaps = model.encoding.literals, model.encoding.gaps
    return [
        {"label": label, "formula": formula, "blocks": outline(formula, literals, gaps), "output": output}
        for label, formula, output in zip(labels, model.formulas, found.outputs, strict=True)
    ]


def _by_scope(model: Model, answers: Sequence[Answer], seconds: float) -> dict[str, list[Answer]]:
    """The scopes that something was proved over, and what."""
    found: dict[str, list[Answer]] = {}
    equal = Answer(CLAIM, model.certificate.scope, Verdict.PROVED, model.certificate.how)
    for answer in (equal, *answers, *(model_proofs(model, seconds) if seconds else ())):
        found.setdefault(str(answer.scope), []).append(answer)
    return found


def _exports(model: Model) -> list[tuple[str, str, str]]:
    """Texts to copy: a key, a name, the text or why there is none."""
    made = []
    for name, write in (("SQL", partial(to_sql, table="your_table")), ("LaTeX", to_latex)):
        try:
            text = write(model)
        except (ExportError, TooLargeError) as error:
            text = f"There is none: {error}"
        made.append((name.lower(), name, text))
    return made


# In the style of the page: letters of a line and lines that surely fit, from the largest type on.
SHEETS = {"a6": (54, 35), "a6 dense": (66, 44), "a5": (76, 54), "a5 dense": (94, 68)}
LONG = "long"  # more than one side
NOTES = 6 * " "  # as many lines for the class and for what stands below the risks


def card_sheet(model: Model, rules: Sequence[Sequence[Block]]) -> str:
    """The first of the sheets on which a model fits, given the outline of each of its rules."""
    items = [text for blocks in rules for block in blocks for text in _texts(block.item)]
    lines = [" " for table in risk_tables(model) for _ in ("heading", "head", *table.lines)]
    names = [model.target, model.target, model.record.source or ""]
    widths = [_width(visible(text)) for text in (*items, *lines, *operating_lines(model), *names, *NOTES)]
    heights = {sheet: sum(-(-width // letters) for width in widths) for sheet, (letters, _) in SHEETS.items()}
    return next((sheet for sheet, (_, most) in SHEETS.items() if heights[sheet] <= most), LONG)


def _width(text: str) -> int:
    """In letters, of which some count twice."""
    return len(text) + sum(each.isupper() or east_asian_width(each) in "WF" for each in text)


def _texts(item: Item) -> Iterator[str]:
    yield item.line
    for part in item.lines:
        yield from _texts(part)
