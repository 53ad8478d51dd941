"""Functions of truth values for the rows of a table, in blocks; classes of rows, when two are the same, and why."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from crystalogic.arrays import Array, np
from crystalogic.cells import NO_WORDS, level_of
from crystalogic.counts import plural
from crystalogic.decision import class_of, classes_of, is_certain, margin_of
from crystalogic.encoding.encoding import column_names, n_rows, raw_column
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, EncodingError, refuse
from crystalogic.logic.evaluate import degree_bounds, exact_degrees
from crystalogic.logic.formula import Variable
from crystalogic.logic.names import one_line
from crystalogic.logic.score import score_of
from crystalogic.verify.trace import Trace, decimal

if TYPE_CHECKING:
    from crystalogic.model.model import Model

Label = str | int | float | bool
Unknown = Literal["refuse", "skip", "false"]  # what to do with a value that is missing and was in no training row
BLOCK = 1 << 16  # rows evaluated at once: what lies between the table and the results stays small
Functions = Sequence[Callable[[Any], Any]]  # of the truth values, by their names


def evaluate_rows(model: "Model", functions: Functions, rows: Any, unknown: Unknown, first_row: int = 0) -> Array:
    """These functions of a model's truth values for every row (rows × functions); `Model.degrees` tells of the rest."""
    if unknown not in get_args(Unknown):
        refuse(EncodingError, f"unknown is one of {', '.join(get_args(Unknown))}, got {unknown!r}.")
    encoding, names = model.encoding, model.names
    refuse_missing_columns(rows, model.columns)
    needed = {name: raw_column(rows, name) for name in model.columns}
    if unknown == "skip" and (refused := encoding.find_refused(rows, names)).any():
        result, judged = np.full((len(refused), len(functions)), np.nan), np.flatnonzero(~refused)
        if len(judged):
            block = {name: take_cells(column, judged) for name, column in needed.items()}
            result[judged] = evaluate_rows(model, functions, block, "refuse")
        return result
    result = np.empty((n_rows(rows), len(functions)))
    for start in range(0, len(result), BLOCK):
        part = slice(start, start + BLOCK)
        block = {name: getattr(column, "iloc", column)[part] for name, column in needed.items()}
        how: Any = {"dtype": "float64", "first_row": first_row + start, "refuse_missing": unknown == "refuse"}
        truths = dict(zip(names, encoding.transform(block, names, **how).T, strict=True))
        for index, function in enumerate(functions):
            result[part, index] = function(truths)
    result += 0.0  # -0.0 becomes 0.0
    return result


def refuse_missing_columns(rows: Any, columns: Collection[str]) -> None:
    """An EncodingError that names the columns which the rows do not have."""
    given = dict.fromkeys(column_names(rows))
    if missing := [column for column in columns if column not in given]:
        problem = f"the rule needs the {plural(len(missing), 'column')} {', '.join(map(repr, missing))},"
        refuse(EncodingError, f"{problem} the rows have {', '.join(given) or 'none'}.")


def take_cells(column: Any, places: Array) -> Any:
    """The cells of a column at these places, as what they are."""
    if isinstance(column, (list, tuple)):
        return [column[place] for place in places.tolist()]
    return (column.array if isinstance(column, Values) else getattr(column, "iloc", column))[places]


def decide_exactly(model: "Model", rows: Any, unsure: Array, found: Array) -> None:
    """Puts the exact classes of some of the rows, by their places, into what floats say of all (`found`)."""
    columns = {name: raw_column(rows, name) for name in model.columns}
    for start in range(0, len(unsure), BLOCK):
        part = unsure[start : start + BLOCK]
        block = {name: take_cells(column, part) for name, column in columns.items()}
        measured = dict(model.encoding.truths(block, model.names, refuse_missing=False, measured=True))
        found[part] = _decide_block(model, measured, found[part])


def _decide_block(model: "Model", measured: Mapping[str, Array], found: Array) -> Array:
    """The exact classes of rows, given what was measured: by bounds, and by fractions for each different row left."""
    formulas, order, rows = model.formulas, model.order, np.column_stack(list(measured.values()))
    literals = {name: model.encoding.literals[name] for name in measured}
    values = {name: literal.bounds(numbers) for (name, literal), numbers in zip(literals.items(), rows.T, strict=True)}
    bounds = [np.broadcast_arrays(*degree_bounds(each, values), found)[:2] for each in formulas]
    lows, highs = (np.column_stack(each) for each in zip(*bounds, strict=True))
    if len(open_rows := np.flatnonzero(~is_certain(lows, highs, order, found))):
        different, place = np.unique(rows[open_rows], axis=0, return_inverse=True)
        pairs = zip(literals.items(), different.T, strict=True)
        exact = {name: list(map(literal.exact_degree, numbers.tolist())) for (name, literal), numbers in pairs}
        degrees, one = exact_degrees(formulas, exact)
        found[open_rows] = classes_of(degrees, order, one=one)[place.reshape(-1)]
    return found


def class_naming(*models: "Model") -> Callable[[object], str]:
    """How classes are called where they are compared: 1, 1.0 and '1' are one, unless a model has such two."""
    are_told = all(len(set(map(class_level, model.classes or ()))) == len(model.classes or ()) for model in models)
    return class_level if are_told else str


def class_level(label: object) -> str:
    """A class by which it equals others: no word is missing there."""
    return level_of(label, NO_WORDS) or str(label)


def read_label(value: Any, what: str) -> Label:
    if not isinstance(value, (str, int, float)):
        refuse(DocumentError, f"not a model: it has a class that is no text, number or truth value ({what}).")
    return value


@dataclass(frozen=True)
class Explanation:
    """Why one row gets its class: the traces of all formulas, the decision and how far it is from changing."""

    model: "Model"  # that was asked
    row: Mapping[str, Any]
    traces: tuple[Trace, ...]  # every step of every formula, exactly

    def __str__(self) -> str:
        is_what = "" if self.model.classes is None else f" is {one_line(self.decision)}"
        degrees = ", ".join(map(decimal, self.degrees))
        sentence = f"{one_line(self.model.target)}{is_what}: {plural(len(self.degrees), 'degree')} {degrees}"
        return "\n\n".join([*map(str, self.traces), sentence])

    @property
    def degrees(self) -> tuple[Fraction, ...]:
        return tuple(each.degree for each in self.traces)

    @property
    def score(self) -> Fraction:
        """How many points the formula of two classes counts, or that of grades."""
        return _score_of(next((each for each in self.traces if each.formula.parts), self.traces[0]))

    @property
    def likelihoods(self) -> tuple[float, ...]:
        """How likely each class is; nothing for a model without a risk."""
        scores = np.array([[float(_score_of(each)) for each in self.traces]])
        return tuple(self.model.likelihoods(scores)[0].tolist()) if self.model.has_risk else ()

    @property
    def probability(self) -> Fraction | None:
        """How likely the second class is; None for a model without a risk."""
        return None if self.model.risk is None else self.model.risk.of(self.score)

    @property
    def decision(self) -> Label | Fraction:
        """The class, or the degree where there are no classes."""
        model = self.model
        return self.degrees[0] if model.classes is None else model.classes[class_of(self.degrees, model.order)]

    @cached_property
    def rounded(self) -> Label | None:
        """The class that exports give instead, where rounding takes them across a smaller margin; mostly None.
        They compute with floats, all in the same order, so all say the same."""
        if self.model.classes is None or self.margin > 2 * self.model.rounding:
            return None
        cells = {name: [self.row[name]] for name in self.model.columns}
        degrees = self.model.degrees(cells, unknown="false")  # a row that was refused has no explanation
        found = self.model.classes[int(classes_of(degrees, self.model.order)[0])]
        return None if found == self.decision else found

    @property
    def margin(self) -> Fraction:
        """How far the degree is from the threshold, or the largest degree from the second."""
        return Fraction(margin_of(self.degrees))


def _score_of(trace: Trace) -> Fraction:
    values = {step.formula.name: step.degree for step in trace.steps if isinstance(step.formula, Variable)}
    return Fraction(score_of(trace.formula).of(values))
