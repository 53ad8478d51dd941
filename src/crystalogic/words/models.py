"""Models in words: the fronts with the chosen row marked, the rule as a checklist, what is proved; the model card."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import accumulate
from typing import Any

from crystalogic.intervals import KINDS, Rates, Share, find_gap, total
from crystalogic.logic.formula import Constant, Formula
from crystalogic.logic.names import one_line
from crystalogic.model import FrontRow, Label, Model
from crystalogic.verify.certificate import CLAIM
from crystalogic.words.checklists import checklist
from crystalogic.words.literals import column_words
from crystalogic.words.risks import outcome_words, risk_text
from crystalogic.words.tables import TOO_FEW, fill_macro, fill_template, rates_rows, table_text

MOST_LINES = 8  # of the front that are shown; all of it is in the model file
CardTable = tuple[str, list[list[str]]]  # a title, and rows of which the first is the head


@dataclass(frozen=True)
class ListRow:
    """A list of a joint front: its literals, its scores, and its formulas in a line."""

    size: int
    training: float
    validated: float | None
    standard_error: float | None
    formula: str


@dataclass(frozen=True)
class ShownFront:
    """A front, the row that was chosen, the class it is for, if it is for one of several, and why it was chosen."""

    rows: Sequence[FrontRow | ListRow]
    chosen: int
    label: str | None
    reason: str
    proved: Sequence[str] = ()  # how far each row is from the best of its size, where that was proved


def shown_fronts(model: Model) -> list[ShownFront]:
    """The fronts that have rows."""
    reasons = dict(enumerate(model.record.choice))
    if model.has_joint_front:
        rows = [_list_row(model, row) for row in zip(*model.fronts, strict=True)]
        return [ShownFront(rows, model.chosen[0], None, reasons.get(0, ""))]
    labels, proved = (list(map(str, model.classes or ())), []) if len(model.fronts) > 1 else ([], _proved_words(model))
    return [
        ShownFront(front, chosen, labels[index] if labels else None, reasons.get(index, ""), proved)
        for index, (front, chosen) in enumerate(zip(model.fronts, model.chosen, strict=True))
        if front
    ]


def _proved_words(model: Model) -> list[str]:
    """For each row of the front how far it is from the best checklist of its size, where that was proved."""
    proved, n_rows = model.record.proved, model.record.n_rows
    if proved is None or not n_rows or not model.fronts:
        return []
    errors = [(row.size, round((1 - row.training) * n_rows)) for row in model.fronts[0]]
    gaps = [(proved.gap(size, n), n) for size, n in errors]
    return ["best" if gap == 0 else "–" if gap in (None, n) else f"within {gap / n_rows:.3f}" for gap, n in gaps]


def _list_row(model: Model, row: Sequence[FrontRow]) -> ListRow:
    one, size = row[0], model.count_literals([each.size for each in row])
    pairs = rules_in_order(model, [each.formula for each in row])
    formula = "; ".join(f"{one_line(label)}: {formula}" for label, formula in pairs)
    return ListRow(size, one.training, one.validated, one.standard_error, formula)


def rules_in_order(model: Model, formulas: Sequence[Formula] | None = None) -> list[tuple[Label, Formula]]:
    """The classes that a list, or a formula of two, can decide for, with their formulas, in turn; the last has 1."""
    formulas = model.formulas if formulas is None else formulas
    order: Sequence[int] = model.order
    if len(formulas) == 1:
        formulas, order = (Constant(1), formulas[0]), (1, 0)
    found: list[tuple[Label, Formula]] = []
    for place in order:
        if formulas[place] != Constant(0) and model.classes is not None:
            found.append((model.classes[place], formulas[place]))
        if formulas[place] == Constant(1):
            break
    return found


def front_text(
    front: Sequence[FrontRow | ListRow], chosen: int, judged_by: str = "cross-validated", proved: Sequence[str] = ()
) -> str:
    """The front as an aligned table. Unless chosen, constants are left out, and formulas that are right about fewer
    training rows than a shorter one: a search that ended early, or one that counts degrees, can keep such a formula."""
    kept = [
        index
        for index, (row, most) in enumerate(zip(front, accumulate((row.training for row in front), max), strict=True))
        if index == chosen or (row.training >= most and not isinstance(row.formula, Constant))
    ]
    n_shown = max(MOST_LINES, kept.index(chosen) + 3)
    rows = [(front[index], proved[index] if proved else "", index == chosen) for index in kept[:n_shown]]
    about = {"judged_by": judged_by, "has_proofs": bool(proved), "longer": [front[index] for index in kept[n_shown:]]}
    return fill_macro("words", "models.txt", "front", rows=rows, **about)


def _write(text: str, model: Model, **more: Any) -> str:
    return fill_macro("words", "models.txt", text, model=model, **more)


proved_text = partial(_write, "proved")  # what is proved of the rows of the front; nothing where that was not asked for
scores_text = partial(_write, "scores")  # what its scores are, where they are not plainly the share of right rows
moved_text = partial(_write, "moved")  # that they are not those of the rule, where its threshold was set afterwards
rule_text = partial(_write, "rule")  # when a row gets which class, as checklists
held_out_text = partial(_write, "held_out")  # how good it was on rows it had not seen, where that was measured
chosen_text = partial(_write, "chosen")  # who chose the rule by hand, and why; nothing where a search did
groups_text = partial(_write, "groups")  # what it does to groups by protected columns, which it does not read
formulas_text = partial(_write, "formulas")


def choice_text(model: Model) -> str:
    """Why the marked row of the front was chosen, where another has more right rows."""
    if len(model.fronts) != 1 or not model.fronts[0] or not model.record.choice:
        return ""
    rows, marked = model.fronts[0], model.fronts[0][model.chosen[0]]
    best = max((row for row in rows if row.size), key=lambda row: (row.validated or 0, -row.size), default=marked)
    is_more = (best.validated or 0) > (marked.validated or 1) and best.training != marked.training
    if not is_more or model.record.limits is not None:
        return ""
    return _write("choice", model, best=best)


def rules_in_turn(model: Model) -> list[tuple[Label, str]]:
    """The rules that are tried one after the other, as checklists; points that follow each other are listed once."""
    found, before = [], ""
    for label, formula in rules_in_order(model):
        head, _, parts = checklist(formula, model.encoding.literals, model.encoding.gaps).partition("\n")
        if parts and parts == before and head.endswith(" points:"):
            found.append((label, head[:-1]))
        else:
            found.append((label, "\n".join(filter(None, [head, parts]))))
            before = parts
    return found


def columns_text(model: Model, heading: str = "Columns (overrule with --kind COLUMN=KIND):") -> str:
    """How each column was read, so that a wrong guess is seen."""
    return f"{heading}\n{table_text([(column.name, column_words(column)) for column in model.encoding.columns], 2)}"


def groups_held_out(model: Model) -> dict[str, list[tuple[str | None, Rates]]]:
    """The groups of each protected column with their rates on rows held out, where these were measured."""
    found: dict[str, list[tuple[str | None, Rates]]] = {}
    for each in () if model.record.held_out is None else model.record.held_out.groups:
        found.setdefault(each.column, []).append((each.value, each.rates))
    return found


def limits_lines(model: Model) -> list[str]:
    """What was asked of what the rule does, and what it does, each in a line; none where nothing was asked."""
    if (limited := model.record.limits) is None:
        return []
    values: dict[str, Any] = {"limited": limited, "model": model}
    for name, groups in (("held", limited.held_out), ("own", limited.learned)):
        missed = total(each.rates.missed for each in groups)
        gap = find_gap(KINDS[limited.gap], [(each.value, each.rates) for each in groups])
        values |= {f"{name}_gap": gap, f"{name}_found": Share(missed.n - missed.yes, missed.n)}
    return list(filter(None, fill_template("words", "limits.txt", **values).split("\n")))


def limits_text(model: Model) -> str:
    return "\n  - ".join(["Limits (90 % intervals):", *lines]) if (lines := limits_lines(model)) else ""


def ending_text(model: Model) -> str:
    """Why the search ended, where it did not end by itself."""
    stop = model.record.stop
    return stop.value if stop is not None and stop.is_early else ""


def model_text(model: Model, *, with_columns: bool = False) -> str:
    """All that `print` shows of a model; with columns, how each of them was read rather than those left out only."""
    fronts = []
    for each in shown_fronts(model):
        of = "" if each.label is None else f"for {one_line(model.target)} = {one_line(each.label)}:\n"
        fronts.append(of + front_text(each.rows, each.chosen, model.judged_by, each.proved))
    about = (scores_text(model), moved_text(model) or choice_text(model), proved_text(model)) if fronts else ()
    left_out = [one_line(column) for column in model.encoding.columns if column.kind == "left out"]
    read = columns_text(model) if with_columns else ""
    rule = rule_text(model), risk_text(model), formulas_text(model), str(model.certificate)
    noted = limits_text(model), chosen_text(model), "columns " + "; ".join(left_out) if left_out and not read else ""
    return join_texts(read, *fronts, *about, *rule, *noted)


def join_texts(*texts: str) -> str:
    """Those of the texts that say something, with an empty line between."""
    return "\n\n".join(filter(None, texts))


def model_html(model: Model) -> str:
    """The same for a notebook: the text, escaped."""
    return f'<pre class="crystalogic-model">{escape(model_text(model))}</pre>'


def received_text(model: Model) -> str:
    """A model for somebody who was given it: how columns were read, the rule, its proof, where it comes from."""
    columns = columns_text(model, "Columns, as they were in training:")
    rule = rule_text(model), risk_text(model), formulas_text(model), held_out_text(model), groups_text(model)
    end = str(model.certificate), limits_text(model), chosen_text(model), _write("origin", model)
    return join_texts(columns, *rule, *end)


@dataclass(frozen=True)
class Section:
    """A section of the card: sentences, and tables below them."""

    title: str
    lines: list[str]
    tables: list[CardTable]


def card_sections(model: Model) -> list[Section]:
    """All of the card but the rule itself; card.txt holds its sentences, a line for each, each value on one line."""
    outcome = outcome_words(model, 1) if model.classes else ""
    read = [[name, column_words(model.encoding.by_name[name])] for name in model.columns]
    tables: dict[str, list[CardTable]] = {
        "Factors": [("Columns that the rule reads", [["column", "read as"], *read])],
        "Quantitative analyses": [
            (f"Judged that {outcome}, by {one_line(column)}, on rows held out", rates_rows(column, groups))
            for column, groups in groups_held_out(model).items()
        ],
    }
    about = {"model": model, "outcome": outcome, "too_few": TOO_FEW, "claim": CLAIM.capitalize()}
    about |= {"scores": scores_text(model), "moved": moved_text(model), "held_out": held_out_text(model)}
    found: list[Section] = []
    for line in filter(None, fill_template("words", "card.txt", **about).split("\n")):
        if line.startswith("## "):
            found.append(Section(line[3:], [], tables.get(line[3:], [])))
        else:
            found[-1].lines.append(line)
    return found
