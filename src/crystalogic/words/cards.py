"""The model card: what is known of a model, in the sections of Mitchell and others (2019), and what a person adds."""

from collections.abc import Iterator
from dataclasses import dataclass

from crystalogic.counts import count
from crystalogic.intervals import LEVEL
from crystalogic.logic.names import one_line
from crystalogic.model import Model
from crystalogic.verify.certificate import CLAIM
from crystalogic.words.literals import column_words
from crystalogic.words.models import chosen_text, groups_held_out, held_out_text, scores_text, shown_fronts
from crystalogic.words.risks import operating_lines, outcome_words
from crystalogic.words.tables import TOO_FEW, rates_rows

FILL_IN = "To be filled in:"


@dataclass(frozen=True)
class CardTable:
    """A table of the card, its head first."""

    title: str
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    """A section of the card: sentences, and tables below them."""

    title: str
    lines: list[str]
    tables: tuple[CardTable, ...] = ()


def card_sections(model: Model) -> list[Section]:
    """All of the card but the rule itself."""
    return [
        Section("Model details", list(_details(model))),
        Section(
            "Intended use",
            [f"{FILL_IN} which decision it supports, who uses it, and on whom.", f"{FILL_IN} what it is not for."],
        ),
        Section("Factors", list(_factors(model)), (_columns(model),)),
        Section("Metrics", list(_metrics(model))),
        Section("Evaluation data", [*_evaluation(model), f"{FILL_IN} rows of another time or place it was tried on."]),
        Section("Training data", [*_training(model), f"{FILL_IN} how rows were collected, and who is not in them."]),
        Section("Quantitative analyses", list(_analyses(model)), tuple(_groups(model))),
        Section("Ethical considerations", list(_ethics(model))),
        Section("Caveats and recommendations", list(_caveats(model))),
        Section("What is proved", list(_proved(model))),
    ]


def _details(model: Model) -> Iterator[str]:
    record = model.record
    size = count(sum(formula.size for formula in model.formulas), "literal")
    yield f"A rule for {one_line(model.target)} with {size} over {count(len(model.columns), 'column')}."
    if record.strategy or record.library:
        by = f" by Crystalogic {one_line(record.library)}" if record.library else ""
        seed = "" if record.seed is None else f", seed {record.seed}"
        how = f", strategy {one_line(record.strategy)}{seed}" if record.strategy else ""
        yield f"Learned{by}{how}."
    yield from filter(None, chosen_text(model).split("\n"))
    yield f"Fingerprint (SHA-256): model {model.fingerprint}"
    yield f"{FILL_IN} who answers for it, a date, a version, where to write to."


def _factors(model: Model) -> Iterator[str]:
    names = ", ".join(map(one_line, model.record.protected))
    yield f"Protected, and not read by the rule: {names}." if names else "No column was declared to be protected."
    yield "The rule reads the columns below and no others."


def _columns(model: Model) -> CardTable:
    read = [model.encoding.by_name[name] for name in model.columns]
    words = [[column.name, column_words(column)] for column in read]
    return CardTable("Columns that the rule reads", [["column", "read as"], *words])


def _metrics(model: Model) -> Iterator[str]:
    yield scores_text(model) or "Accuracy is the share of rows that are judged rightly."
    if model.classes is not None and len(model.classes) == 2:
        is_so = outcome_words(model, 1)
        yield f"Selected: of all rows, those judged that {is_so}."
        yield "False alarms: of the rows where it is not so, those judged so."
        yield "Missed: of the rows where it is so, those not judged so."
        yield "Precision: of the rows judged so, those where it is so."
    yield f"Intervals are exact {LEVEL:.0%} intervals of Clopper and Pearson. {TOO_FEW}".replace("%", " %")
    yield from operating_lines(model)


def _evaluation(model: Model) -> Iterator[str]:
    measured = model.record.held_out
    if measured is None:
        yield "The whole fit was not repeated on held-out rows (crystalogic fit --splits or --protect does that)."
        return
    splits = count(measured.splits, "split")
    yield f"Rows of the training table, held out: {splits}, the whole fit repeated without them."
    if measured.groups:
        yield "By group, each row counts once: when it is first held out, as the rule learned without it judges it."


def _training(model: Model) -> Iterator[str]:
    record = model.record
    rows = "" if record.n_rows is None else f", {count(record.n_rows, 'row')}"
    yield f"Source: {one_line(record.source or 'not noted')}{rows}."
    if record.class_weight:
        yield "Classes were weighed."


def _analyses(model: Model) -> Iterator[str]:
    yield held_out_text(model) or "Nothing was measured by repeating the whole fit."
    for front in shown_fronts(model):
        row, of = front.rows[front.chosen], "" if front.label is None else f" for {one_line(front.label)}"
        if row.validated is not None:
            score = f"{model.judged_by.capitalize()}{of}: {row.validated:.1%} ± {row.standard_error or 0:.1%}"
            yield f"{score}; the size was chosen by it, so it is a little too good."
    if not groups_held_out(model):
        yield "Nothing was measured by group: crystalogic fit --protect and crystalogic evaluate --by do that."


def _groups(model: Model) -> Iterator[CardTable]:
    for column, groups in groups_held_out(model).items():
        title = f"Judged that {outcome_words(model, 1)}, by {one_line(column)}, on rows held out"
        yield CardTable(title, rates_rows(column, groups))


def _ethics(model: Model) -> Iterator[str]:
    if model.record.protected:
        yield "Leaving a column out does not make a rule blind to it: other columns can stand in for it."
    yield f"{FILL_IN} whom a wrong decision harms, how, and how they can object."


def _caveats(model: Model) -> Iterator[str]:
    yield "Accuracy, risks and rates are measured on rows, not proved; rows of another place or time can differ."
    yield "Intervals take rows to be independent: with several rows of one person they are too narrow."
    yield f"{FILL_IN} when it is to be judged again, and what would make you withdraw it."


def _proved(model: Model) -> Iterator[str]:
    yield f"{CLAIM.capitalize()}."
    yield f"Scope: {one_line(model.certificate.scope)}. How: {one_line(model.certificate.how)}."
    yield from (f"Proved of every formula: {one_line(promise)}." for promise in model.record.promises)
    if model.record.protected:
        names = ", ".join(map(one_line, model.record.protected))
        yield f"No value of {names} changes a decision: no formula has a fact about it."
