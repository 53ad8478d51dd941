"""Models: encoding, crystal, formulas and certificate in one JSON file, for use without the training half.

A formula speaks for one class. With two classes the one formula speaks for the second: the row has it if the degree is
at least 1/2. With more, the largest degree decides, and of equal degrees the class that was more frequent in training.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crystalogic.crystal import Crystal
from crystalogic.document import seal, unseal, write_atomically
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import column_names, n_rows, raw_column
from crystalogic.errors import CertificateError, DocumentError, EncodingError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.verify.certificate import Certificate
from crystalogic.verify.check import check
from crystalogic.verify.trace import Trace, trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND, VERSION = "model", 1
THRESHOLD = Fraction(1, 2)
BLOCK = 1 << 16  # rows evaluated at once: what lies between the table and the degrees stays small
Label = str | int | float | bool


@dataclass(frozen=True)
class FrontRow:
    """One line of the front: a formula of this size, and how good it is on training rows, seen and held out."""

    size: int
    n_neurons: int
    training: float
    validated: float | None
    standard_error: float | None
    formula: str


@dataclass(frozen=True)
class Model:
    """A rule that predicts, explains and can be checked again.

    `classes` is None for truth degrees; `order` lists the classes from the most frequent on.
    """

    target: str
    classes: tuple[Label, ...] | None
    order: tuple[int, ...]
    encoding: Encoding
    crystal: Crystal
    formulas: tuple[Formula, ...]
    certificate: Certificate
    fronts: tuple[tuple[FrontRow, ...], ...] = ()
    chosen: tuple[int, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The truth values that the formulas use."""
        return tuple(dict.fromkeys(name for formula in self.formulas for name in formula.variables))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the formulas use; no others are read."""
        return self.encoding.columns_of(self.names)

    @property
    def domain(self) -> Domain:
        """What is known of every encoded row."""
        return self.encoding.domain

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search that found it."""
        return "interrupted" in str(self.notes.get("stop", ""))

    def degrees(self, rows: Any, *, first_row: int = 0, refuse_missing: bool = True) -> "NDArray[Any]":
        """The degree of every formula for every row (rows × formulas)."""
        import numpy as np

        self._refuse_missing_columns(rows)
        result = np.empty((n_rows(rows), len(self.formulas)))
        needed = {name: raw_column(rows, name) for name in self.columns}
        for start in range(0, len(result), BLOCK):
            part = slice(start, start + BLOCK)
            block = {name: getattr(column, "iloc", column)[part] for name, column in needed.items()}
            values = self.encoding.transform(
                block, self.names, dtype="float64", first_row=first_row + start, refuse_missing=refuse_missing
            )
            columns = dict(zip(self.names, values.T, strict=True))
            for index, formula in enumerate(self.formulas):
                result[part, index] = formula.evaluate(columns)
        return result

    def _refuse_missing_columns(self, rows: Any) -> None:
        given = column_names(rows)
        missing = [column for column in self.columns if column not in given]
        if missing:
            message = (
                f"the rule needs the column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}, "
                f"the rows have {', '.join(given) or 'none'}."
            )
            raise EncodingError(message)

    def decide(self, degrees: "NDArray[Any]") -> "NDArray[Any]":
        """The class of every row, from its degrees; the degrees themselves if there are no classes."""
        import numpy as np

        if self.classes is None:
            return degrees[:, 0]
        labels = np.empty(len(self.classes), object)
        labels[:] = self.classes
        return np.asarray(labels[self.class_index(degrees)])

    def class_index(self, degrees: "NDArray[Any]") -> "NDArray[Any]":
        """Which of the classes every row has: the one home of the decision, for arrays."""
        import numpy as np

        if len(self.formulas) == 1:
            return np.asarray(degrees[:, 0] >= float(THRESHOLD), dtype=np.intp)
        order = np.array(self.order)
        return np.asarray(order[np.argmax(degrees[:, order], axis=1)])

    def predict(self, rows: Any) -> "NDArray[Any]":
        """The class (or degree) of every row."""
        return self.decide(self.degrees(rows))

    def truth_row(self, row: Mapping[str, Any]) -> dict[str, Fraction]:
        """One row of the table as exact truth values, for the formulas."""
        cells = {name: [value] for name, value in row.items()}
        self._refuse_missing_columns(cells)
        self.encoding.transform(cells, self.names)  # refuses what `degrees` refuses
        literals = {name: self.encoding.literals[name] for name in self.names}
        return {name: literal.degree_of(row[literal.column]) for name, literal in literals.items()}

    def explain(self, row: Mapping[str, Any]) -> "Explanation":
        """The decision for one row with every step, computed exactly."""
        values = self.truth_row(row)
        traces = tuple(trace(formula, values) for formula in self.formulas)
        return Explanation(self, dict(row), traces)

    def check(self) -> None:
        """Goes through the certificate again; a CertificateError if it does not hold for all rows of the model."""
        check(self.certificate, self.crystal, self.formulas)
        if not self.certificate.scope.includes(self.domain):
            message = (
                f"the certificate is about {self.certificate.scope} only, and the rows of this model are not "
                "confined to that. Fit it again, or certify it for what its encoding gives."
            )
            raise CertificateError(message)

    def content(self) -> dict[str, Any]:
        """The model as plain JSON data."""
        return {
            "target": self.target,
            "classes": self.classes,
            "order": self.order,
            "encoding": self.encoding.content(),
            "crystal": self.crystal.content(),
            "formulas": [str(formula) for formula in self.formulas],
            "certificate": self.certificate.content(),
            "fronts": [[vars(row) for row in front] for front in self.fronts],
            "chosen": self.chosen,
            "notes": dict(self.notes),
        }

    def summary(self) -> dict[str, Any]:
        """The rule and its scores, for machines."""
        chosen = [vars(front[index]) for front, index in zip(self.fronts, self.chosen, strict=True)]
        return {
            "target": self.target,
            "classes": self.classes,
            "formulas": [str(formula) for formula in self.formulas],
            "chosen": chosen,
            "notes": dict(self.notes),
        }

    def with_notes(self, **notes: Any) -> "Model":
        """The same model with more notes."""
        return replace(self, notes={**self.notes, **notes})

    def to_json(self) -> str:
        """The model as a versioned, sealed JSON document."""
        return seal(KIND, VERSION, self.content(), indent=1)

    def save(self, path: str | Path) -> None:
        """Writes the model file; an existing file is replaced only when the new one is complete."""
        write_atomically(Path(path), self.to_json())

    @staticmethod
    def from_json(text: str) -> "Model":
        """The model that `to_json` wrote, validated; `check` goes through its certificate."""
        body = unseal(text, KIND, VERSION)
        try:
            classes = None if body["classes"] is None else tuple(body["classes"])
            model = Model(
                str(body["target"]),
                classes,
                tuple(int(index) for index in body["order"]),
                Encoding.from_content(body["encoding"]),
                Crystal.from_content(body["crystal"]),
                tuple(parse(formula) for formula in body["formulas"]),
                Certificate.from_content(body["certificate"]),
                tuple(tuple(FrontRow(**row) for row in front) for front in body["fronts"]),
                tuple(int(index) for index in body["chosen"]),
                dict(body["notes"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            message = f"not a {KIND}: {type(error).__name__} {error}."
            raise DocumentError(message) from None
        model._refuse_inconsistent()
        return model

    def _refuse_inconsistent(self) -> None:
        n_formulas = 1 if self.classes is None or len(self.classes) == 2 else len(self.classes)
        problems = {
            f"{len(self.formulas)} formulas, expected {n_formulas}": len(self.formulas) != n_formulas,
            "a class that is no text, number or truth value": any(
                not isinstance(label, (str, int, float, bool)) for label in self.classes or ()
            ),
            "an order that does not list every class once": self.classes is not None
            and sorted(self.order) != list(range(len(self.classes))),
            "two classes with one name": self.classes is not None
            and len(set(map(repr, self.classes))) != len(self.classes),
            "fronts without their chosen rows": len(self.fronts) != len(self.chosen)
            or any(not 0 <= index < len(front) for front, index in zip(self.fronts, self.chosen, strict=False)),
            "a formula over truth values that its encoding does not have": not set(self.names)
            <= set(self.encoding.literals),
        }
        for problem, is_there in problems.items():
            if is_there:
                message = f"not a {KIND}: it has {problem}."
                raise DocumentError(message)


@dataclass(frozen=True)
class Explanation:
    """Why one row gets its class: the traces of all formulas, the decision and how far it is from changing."""

    model: Model
    row: Mapping[str, Any]
    traces: tuple[Trace, ...]

    @property
    def degrees(self) -> tuple[Fraction, ...]:
        """The degree of each formula."""
        return tuple(each.degree for each in self.traces)

    @property
    def decision(self) -> Label | Fraction:
        """The class, or the degree where there are no classes."""
        model = self.model
        if model.classes is None:
            return self.degrees[0]
        if len(self.traces) == 1:
            return model.classes[int(self.degrees[0] >= THRESHOLD)]
        return model.classes[max(model.order, key=lambda index: (self.degrees[index], -model.order.index(index)))]

    @property
    def margin(self) -> Fraction:
        """How far the degree is from the threshold, or the largest degree from the second."""
        if len(self.traces) == 1:
            return abs(self.degrees[0] - THRESHOLD)
        first, second, *_ = sorted(self.degrees, reverse=True)
        return first - second


def load(path: str | Path) -> Model:
    """The model in a file; a DocumentError says what is wrong with one that cannot be used."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read as a model ({error})."
        raise DocumentError(message) from None
    try:
        return Model.from_json(text)
    except DocumentError as error:
        message = f"{path}: {error}"
        raise DocumentError(message) from None
