"""What a table says of a model, rows worth a look, and what is asked of every model and of these rows."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.audit.counterfactual import counterfactual, sufficient_reason
from crystalogic.audit.monotone import ignores, monotone
from crystalogic.audit.scope import scope_of
from crystalogic.cells import NO_WORDS, number_of, number_text
from crystalogic.decision import margins_of
from crystalogic.encoding.encoding import n_rows, raw_column
from crystalogic.encoding.values import Values
from crystalogic.evaluation import Evaluation, evaluate
from crystalogic.intervals import Share
from crystalogic.logic.formula import Formula
from crystalogic.model import Explanation, Model, class_level, class_naming
from crystalogic.model.rows import take_cells
from crystalogic.verify.questions import Answer, Verdict
from crystalogic.words.explanations import decision_sentence
from crystalogic.words.literals import value_words
from crystalogic.words.risks import risk_sentence

MOST_TYPICAL, MOST_CLOSE, MOST_LISTED = 3, 2, 6  # rows of these kinds, and values of a column
MOST_COLUMNS = 12  # that are asked about
LONG_FRACTION = re.compile(r"-?\b\d+/[1-9]\d{4,}\b")


@dataclass(frozen=True)
class Table:
    """Rows to judge a model on.

    Parameters:
        rows: a frame, or a mapping from columns to values.
        labels: what their target is; None if it is not known.
        source: where they are from, as the page is to say it.
        is_training: whether they are the rows that the model was learned from; None if that is not known.
    """

    rows: Any
    labels: Any = None
    source: str = ""
    is_training: bool | None = None


@dataclass(frozen=True)
class Example:
    """A row with its explanation, why it is shown, and its class if that is known."""

    index: int
    why: str
    explanation: Explanation
    label: str | None
    is_right: bool  # whether that is what the model says

    @property
    def cells(self) -> list[tuple[str, str]]:
        """The columns that the rule reads, and what the row has there."""
        columns, row = self.explanation.model.encoding.by_name, self.explanation.row
        return [(name, value_words(row[name], columns[name].words)) for name in self.explanation.model.columns]

    @property
    def degrees(self) -> list[dict[Formula, Fraction]]:
        return [{step.formula: step.degree for step in trace.steps} for trace in self.explanation.traces]

    @property
    def sentence(self) -> str:
        """What is decided, and how likely that is."""
        return ". ".join(filter(None, (decision_sentence(self.explanation), risk_sentence(self.explanation))))


class Evidence:
    """A model on a table. Rows that the rule refuses to judge are counted and left aside."""

    def __init__(self, model: Model, table: Table, by: Sequence[str] = ()) -> None:
        self.model, self.table, self._named, self.by = model, table, class_naming(model), by
        self.columns = {name: model.encoding.read(table.rows, name) for name in model.columns}
        self.n_rows = n_rows(table.rows)
        refused = model.encoding.find_refused(self.columns or table.rows, model.names)
        self.n_refused = int(refused.sum())
        self.places = np.flatnonzero(~refused)
        judged = {name: values.array[self.places] for name, values in self.columns.items()}
        self._judged = judged or {"": self.places}  # a rule may read no column
        self.degrees: Array = model.degrees(self._judged)

    @cached_property
    def decisions(self) -> list[str]:
        """The class of every row that is judged, as text."""
        if self.model.classes is None:
            return [number_text(degree) for degree in self.degrees[:, 0].tolist()]
        labels = list(map(self._named, self.model.classes))
        return [labels[index] for index in self.model.class_index(self._judged, self.degrees).tolist()]

    @cached_property
    def known(self) -> list[str | None]:
        """The class that the table has for every row that is judged; None where it is not known."""
        if self.table.labels is None:
            return [None] * len(self.places)
        values = Values("target", self.table.labels, words=self.model.target_words)
        texts = (values.texts if self._named is class_level else values.array)[self.places]
        pairs = zip(texts, values.is_missing[self.places], strict=True)
        return [None if is_gone else str(text) for text, is_gone in pairs]

    @cached_property
    def right(self) -> Share | None:
        """The share of rows that got their own class; nobody gets a class that the model does not know."""
        pairs = [pair for pair in zip(self.known, self.decisions, strict=True) if pair[0] is not None]
        n_right = sum(label == decision for label, decision in pairs)
        return Share(n_right, len(pairs)) if pairs and self.model.classes else None

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """How good the model is on the rows of classes that it knows; None without such rows."""
        classes = set(map(self._named, self.model.classes or ()))
        labels = [label if label in classes else None for label in self.known]
        groups = {name: take_cells(raw_column(self.table.rows, name), self.places) for name in self.by}
        return evaluate(self.model, groups | self._judged, labels, by=self.by) if set(labels) - {None} else None

    @cached_property
    def mean_error(self) -> float | None:
        """For truth degrees: how far the degree is from the one in the table, on average."""
        if self.model.classes is not None:
            return None
        goals = map(number_of, self.known)
        errors = [abs(goal - degree) for goal, degree in zip(goals, self.degrees[:, 0], strict=True) if goal == goal]
        return sum(errors) / len(errors) if errors else None

    @cached_property
    def shares(self) -> list[tuple[str, Share]]:
        """How many rows have each class in the table or, where that is not known, get it."""
        found = [label for label in (self.known if self.right else self.decisions) if label is not None]
        labels = map(self._named, self.model.classes or ())
        return [(label, Share(found.count(label), len(found))) for label in labels if found]

    @cached_property
    def whole(self) -> list[str]:
        """The columns of numbers that hold whole ones only."""
        numbers = [name for name in self.columns if self.model.encoding.by_name[name].kind == "number"]
        return [name for name in numbers if all(number_of(text).is_integer() for text in set(self._texts(name)))]

    def _texts(self, name: str) -> list[str]:
        """The values of a column that are not missing."""
        return [text for text in self.columns[name].texts if text is not None]

    def column(self, name: str) -> str:
        """What a column holds in these rows."""
        n_missing, counts = int(self.columns[name].is_missing.sum()), Counter(self._texts(name))
        missing = f"; {n_missing} missing" if n_missing else ""
        numbers = np.repeat([number_of(text) for text in counts], list(counts.values()))
        if self.model.encoding.by_name[name].kind == "number" and len(numbers) and np.isfinite(numbers).all():
            low, middle, high = (number_text(round(float(n), 6)) for n in np.quantile(numbers, [0, 0.5, 1]))
            return f"{low} to {high}, median {middle}{missing}"
        ranked = sorted(counts, key=lambda text: (-counts[text], text))
        listed = ", ".join(f"{value_words(text, NO_WORDS)}: {counts[text]}" for text in ranked[:MOST_LISTED])
        more = f", {len(ranked) - MOST_LISTED} more values" if len(ranked) > MOST_LISTED else ""
        return f"{listed}{more}{missing}"

    def examples(self) -> list[Example]:
        """Rows to look at: one in the middle of each class, those closest to another class, the clearest mistake.

        A rule of facts that are true or false has all rows equally far from a change, and then none is closest.
        """
        if not len(self.places):
            return []
        chosen, margins = dict[int, str](), margins_of(self.degrees)
        for label in list(dict.fromkeys(self.decisions))[:MOST_TYPICAL] if self.model.classes else []:
            inside = np.array([i for i, decision in enumerate(self.decisions) if decision == label])
            middle = inside[np.argsort(margins[inside], kind="stable")[len(inside) // 2]]
            chosen.setdefault(int(middle), f"typical of the rows judged {label}: in the middle by its degree")
        closest = np.argsort(margins, kind="stable")
        closest = closest[margins[closest] < margins.max()][: MOST_CLOSE + len(chosen)]
        for index in [i for i in map(int, closest) if i not in chosen][:MOST_CLOSE]:
            words = "closest to another decision" if self.model.classes else "closest to the degree 1/2"
            chosen[index] = f"among the rows {words}"
        wrong = [i for i, label in enumerate(self.known) if label not in (None, self.decisions[i])]
        if wrong and self.right:
            others = f" ({len(wrong)} of them)" if len(wrong) > 1 else ""
            why = f"among the rows that are judged wrongly{others}, the furthest from a change"
            chosen.setdefault(max(wrong, key=lambda i: margins[i]), why)
        examples = []
        for index, why in chosen.items():
            place, known = int(self.places[index]), self.known[index]
            found = self.model.explain({name: values.array[place] for name, values in self.columns.items()})
            examples.append(Example(place, why, found, known, self._named(found.decision) == known))
        return examples


def round_fractions(text: str) -> str:
    """The text with fractions that are too long to be read as decimals, marked as rounded.

    >>> round_fractions("change x from 1/3 to 3050513207599405553/3539829307113209856")
    'change x from 1/3 to ~0.861768'
    """
    return LONG_FRACTION.sub(lambda found: f"~{float(Fraction(found[0])):.6g}", text)


def model_proofs(model: Model, seconds: float) -> list[Answer]:
    """What is asked of every model: in which direction each column works, and whether it matters at all."""
    scope, columns = scope_of(model).only(model.columns), model.columns[:MOST_COLUMNS]
    ordered = [column for column in columns if scope.field(column).is_ordered and len(model.formulas) == 1]
    directions = []
    for column in ordered:  # that the answer rises with it, or that it falls where that is what can be proved
        rising = monotone(model, column, seconds=seconds)
        directions.append(rising or monotone(model, column, decreasing=True, seconds=seconds) or rising)
    return [*directions, *(_difference(model, column, seconds) for column in columns)]


def _difference(model: Model, column: str, seconds: float) -> Answer:
    """That a column makes no difference, or that it does: the rows that refute the one prove the other."""
    found = ignores(model, column, seconds=seconds)
    if found.verdict is not Verdict.REFUTED:
        return found
    claim = f"{column} makes a difference to {model.target}"
    reason = "two rows differ in it alone and get different answers"
    return replace(found, verdict=Verdict.PROVED, claim=claim, reason=reason)


def row_proofs(found: Explanation, whole: Collection[str], seconds: float) -> list[Answer]:
    """What is asked of a row: which facts alone decide it, and the least change for another class.

    Columns in `whole` are taken to hold whole numbers, so that no answer is a fraction that nobody could measure.
    """
    model = found.model
    if model.classes is None or not model.columns or not seconds:
        return []
    scope = scope_of(model, whole=whole)
    return [ask(model, found.row, scope=scope, seconds=seconds) for ask in (sufficient_reason, counterfactual)]
