"""Export to ONNX: double and string columns in, degrees and classes out; run with onnxruntime.

Numbers and codes are double tensors, NaN where missing; all other columns are string tensors, where texts such as ''
and '?' are missing. All are of shape (rows,).
"""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crystalogic.cells import MOST_DIGITS
from crystalogic.encoding import Cut, Degree, Missing
from crystalogic.errors import ExportError, refuse
from crystalogic.export.program import (
    HALF,
    WHITESPACE,
    Fact,
    Input,
    Points,
    Program,
    Sum,
    TermComparison,
    Value,
    program,
    width,
)
from crystalogic.export.quoting import encode_text, pattern_text
from crystalogic.model import Model
from crystalogic.model.risk import LEVEL

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSET, IR_VERSION = 20, 10  # the first with regular expressions
INT64, STRING, DOUBLE = 7, 8, 11  # as onnx.TensorProto numbers them
OUTPUTS = ("degrees", "index", "label")


def to_onnx(model: Model) -> bytes:
    """The model as an ONNX file.

    Its inputs are named as the columns where these are plain identifiers, and `column_1`, … otherwise, with the name
    of the column as the description. Outputs: `degrees` (rows × formulas, NaN where the rule cannot decide), and for
    classes `index` (-1 there) and `label` (a text, empty there). Of a model with a risk also `score` (-1 there),
    `probability` (NaN there) and, where there is a band, `ask`: 1 where a person is asked, otherwise 0 (-1 there); of a
    list `probabilities` (rows × classes, NaN there).

    Parameters:
        model: the model to write.
    """
    try:
        from onnx import checker, helper
    except ImportError:
        refuse(ExportError, "ONNX is not installed. Install the extra: pip install 'crystalogic[onnx]'.")
    found = program(model)
    graph = _Graph(found, helper)
    graph.write()
    names = graph.inputs
    inputs = [
        helper.make_tensor_value_info(
            names[each.name],
            DOUBLE if each.is_number else STRING,
            ["rows"],
            doc_string=encode_text(each.column).decode(),
        )
        for each in found.inputs
    ]
    outputs = [helper.make_tensor_value_info("degrees", DOUBLE, [None, len(found.outputs)])]
    kinds = {"index": INT64, "label": STRING, "score": INT64, "probability": DOUBLE, "ask": INT64}
    more = found.told if found.labels is None else ("index", "label", *found.told)
    shapes = {"probabilities": [None, len(found.outputs)]}
    outputs += [helper.make_tensor_value_info(name, kinds.get(name, DOUBLE), shapes.get(name, [None])) for name in more]
    body = helper.make_graph(graph.nodes, "crystalogic", inputs, outputs, graph.constants)
    written = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    about = {"target": model.target, "columns": {names[each.name]: each.column for each in found.inputs}}
    helper.set_model_props(written, {"crystalogic": json.dumps({**about, "labels": found.labels})})
    checker.check_model(written)
    return bytes(written.SerializeToString())


class _Graph:
    """The nodes and constants of a program, each constant once."""

    def __init__(self, found: Program, helper: Any) -> None:
        self.program, self.helper = found, helper  # of onnx, which not everybody has
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.inputs = found.plain_names((*OUTPUTS, *found.told))
        self._known: dict[object, str] = {}

    def write(self) -> None:
        values = {fact.name: self._fact(fact) for fact in self.program.facts}
        for step in self.program.steps:
            values[step.name] = self._step(step, values)
        refused = self._refused()
        columns = []
        for output in self.program.outputs:
            degree = self.add("Where", refused, self.real(math.nan), values[output]) if refused else values[output]
            columns.append(self.add("Unsqueeze", degree, self.whole(1, shape=[1])))
        self.add("Concat", *columns, axis=1, to="degrees")
        index = None if self.program.labels is None else self._decide(refused)
        if self.program.chain and index is not None:
            self._share_out(index, values, refused)
        if self.program.points is not None:
            self._tell(self.program.points, values, refused)

    def _tell(self, points: Points, values: dict[str, str], refused: str | None) -> None:
        score, probability = self._likelihood(points, values)
        told = {"score": score, "probability": probability}
        if "ask" in self.program.told:
            low, high = (self.whole(int(end)) for end in self.program.band)
            asked = self.add("And", self.add("GreaterOrEqual", score, low), self.add("Less", score, high))
            told["ask"] = self.add("Cast", asked, to_type=INT64)
        for name, value in told.items():
            self._output(name, value, refused)

    def _likelihood(self, points: Points, values: dict[str, str]) -> tuple[str, str]:
        score = self.add("Cast", self._step(points.total, values), to_type=INT64)
        shares = self._constant(DOUBLE, [len(points.probabilities)], list(map(float, points.probabilities)))
        return score, self.add("Gather", shares, score)

    def _share_out(self, index: str, values: dict[str, str], refused: str | None) -> None:
        """How likely each class of a list is, step by step as `model.risk.share_out` has it."""
        order, one, last = self.program.model.order, self.real(1.0), self.whole(1, shape=[1])
        left, found = one, {}
        for place, points in zip(order, self.program.chain, strict=False):
            _, told = self._likelihood(points, values)
            found[place] = self.add("Mul", left, told)
            left = self.add("Mul", left, self.add("Sub", one, told))
        found[order[-1]] = left
        columns = [self.add("Unsqueeze", found[place], last) for place in range(len(order))]
        shares = self.add("Concat", *columns, axis=1)
        places = self.whole(*range(len(order)), shape=[len(order)])
        decided = self.add("Equal", self.add("Unsqueeze", index, last), places)
        own = self.add("ReduceSum", self.add("Where", decided, shares, self.real(0.0)), last)
        lacking = self.add("Sub", self.add("ReduceMax", shares, last), own)
        moved = self.add("Add", self.add("Div", lacking, self.add("Add", one, lacking)), self.real(LEVEL))
        moved = self.add("Where", self.add("Greater", lacking, self.real(0.0)), moved, self.real(0.0))
        scaled = self.add("Mul", shares, self.add("Sub", one, moved))
        shares = self.add("Add", scaled, self.add("Where", decided, moved, self.real(0.0)))
        self._output("probabilities", shares, refused and self.add("Unsqueeze", refused, last))
        if "ask" in self.program.told:
            told = self.add("ReduceMax", shares, last, keepdims=0)
            asked = self.add("Less", told, self.real(self.program.band[1]))
            self._output("ask", self.add("Cast", asked, to_type=INT64), refused)

    def _output(self, name: str, value: str, refused: str | None) -> None:
        """An output, -1 or NaN where a row is refused."""
        if refused:
            nothing = self.real(math.nan) if name.startswith("probabilit") else self.whole(-1)
            self.add("Where", refused, nothing, value, to=name)
        else:
            self.add("Identity", value, to=name)

    def _decide(self, refused: str | None) -> str:
        if len(self.program.outputs) == 1:
            first = self.add("Squeeze", "degrees", self.whole(1, shape=[1]))
            index = self.add("Cast", self.add("GreaterOrEqual", first, self.real(float(HALF))), to_type=INT64)
        else:
            order = self.whole(*self.program.model.order, shape=[len(self.program.outputs)])
            best = self.add("ArgMax", self.add("Gather", "degrees", order, axis=1), axis=1, keepdims=0)
            index = self.add("Gather", order, best)
        self._output("index", index, refused)
        texts = [*(str(label) for label in self.program.labels or ()), ""]  # -1 is the last, which is empty
        self.add("Gather", self.texts(texts), "index", to="label")
        return index

    def _refused(self) -> str | None:
        found = []
        for each in self.program.inputs:
            if not each.may_be_missing:
                found.append(self._missing(each))
            if each.needs_number:
                found.append(self.add("IsInf", self.inputs[each.name]))
        return self._any(found) if found else None

    def _missing(self, each: Input) -> str:
        name = self.inputs[each.name]
        texts = "|".join(map(pattern_text, each.missing_texts))
        found = self.add("IsNaN", name) if each.is_number else self._matches(name, texts)
        return self._any([found, *self._same(each, each.missing_numbers)])

    def _number(self, each: Input) -> str:
        """The column, NaN where a number in it stands for missing."""
        name = self.inputs[each.name]
        if not each.is_number or not each.missing_numbers:
            return name
        return self.add("Where", self._missing(each), self.real(math.nan), name)

    def _same(self, each: Input, values: Sequence[Value]) -> list[str]:
        """Where the column has one of these values, for each of them that it can have."""
        column, doubles = self.inputs[each.name], [value.double for value in values if value.double is not None]
        if each.is_number:
            return [self.add("Equal", column, self.real(double)) for double in doubles]
        found = [self._matches(column, _pattern(value)) for value in values]
        if doubles:
            is_decimal = self.add("RegexFullMatch", column, pattern=_DECIMAL)
            number = self.add("Cast", self.add("Where", is_decimal, column, self.texts(["NaN"])), to_type=DOUBLE)
            found += [self.add("Equal", number, self.real(double)) for double in doubles]
        return found

    def _fact(self, fact: Fact) -> str:
        column = self._number(fact.input)
        match fact.literal:
            case Degree() as degree:
                low, high = self.real(degree.low), self.real(degree.high)
                part = self.add("Div", self.add("Sub", column, low), self.real(width(degree)))
                above = self.add("Where", self.add("Greater", column, low), part, self.real(0.0))
                return self.add("Where", self.add("GreaterOrEqual", column, high), self.real(1.0), above)
            case Cut(at=at):
                return self._truth(self.add("GreaterOrEqual", column, self.real(at)))
            case Missing():
                return self._truth(self._missing(fact.input))
        same = self._same(fact.input, fact.values)
        return self._truth(self._any(same)) if same else self._everywhere(0.0)

    def _step(self, step: Sum | TermComparison, values: dict[str, str]) -> str:
        if isinstance(step, TermComparison):
            parts = [values[name] for name in step.terms]
            if step.kind == "alike":
                return self.add("Sub", self.real(1.0), self.add("Abs", self.add("Sub", *parts)))
            return self.add("Min" if step.kind == "least" else "Max", *parts)
        total = self.real(step.bias) if step.terms else self._everywhere(step.bias)
        for name, weight in step.terms:
            term = values[name] if abs(weight) == 1 else self.add("Mul", self.real(abs(weight)), values[name])
            total = self.add("Sub" if weight < 0 else "Add", total, term)
        total = self.add("Max", total, self.real(0.0)) if step.below else total
        return self.add("Min", total, self.real(1.0)) if step.above else total

    def _everywhere(self, number: float) -> str:
        """A constant for every row; for one row if the rule reads no column."""
        first = next(iter(self.inputs.values()), None)
        shape = self.add("Shape", first) if first else self.whole(1, shape=[1])
        return self.add("Expand", self.real(number), shape)

    def add(
        self, operator: str, *inputs: str, to: str | None = None, to_type: int | None = None, **attributes: Any
    ) -> str:
        """One node, or the one that does the same already."""
        key = (operator, inputs, to, to_type, tuple(attributes.items()))
        if key not in self._known:
            name = to or f"crystalogic/{len(self.nodes) + 1}"
            if to_type is not None:
                attributes["to"] = to_type
            self.nodes.append(self.helper.make_node(operator, list(inputs), [name], **attributes))
            self._known[key] = name
        return self._known[key]

    def _truth(self, condition: str) -> str:
        return self.add("Cast", condition, to_type=DOUBLE)

    def _any(self, conditions: list[str]) -> str:
        found, *rest = conditions
        for each in rest:
            found = self.add("Or", found, each)
        return found

    def _matches(self, column: str, pattern: str) -> str:
        return self.add("RegexFullMatch", column, pattern=f"{_SPACE}(?:{pattern}){_SPACE}")

    def real(self, number: float) -> str:
        return self._constant(DOUBLE, [], [float(number)])

    def whole(self, *numbers: int, shape: list[int] | None = None) -> str:
        return self._constant(INT64, shape or [], list(numbers))

    def texts(self, texts: list[str]) -> str:
        return self._constant(STRING, [len(texts)], list(map(encode_text, texts)))

    def _constant(self, kind: int, shape: list[int], values: list[Any]) -> str:
        key = (kind, tuple(shape), repr(values))
        if key not in self._known:
            name = f"crystalogic/constant {len(self.constants) + 1}"
            self.constants.append(self.helper.make_tensor(name, kind, shape, values))
            self._known[key] = name
        return self._known[key]


def _pattern(value: Value) -> str:
    """What a text of this value can be; if it is a number, apart from decimals."""
    sign = "" if value.number is None or value.number < 0 else "[+-]?" if value.number == 0 else r"\+?"
    return sign + pattern_text(encode_text(value.text).decode())


_SPACE = f"[{pattern_text(WHITESPACE)}]*"
# With a point, an exponent or too many digits to be exact, and such that no runtime finds it too large or too small.
_EXPONENT = "[eE][+-]?[0-9]{1,2}"
_DECIMAL = (
    rf"\s*[+-]?(?:(?:0|[1-9][0-9]{{0,99}})(?:\.[0-9]{{0,99}}(?:{_EXPONENT})?|{_EXPONENT})"
    rf"|\.[0-9]{{1,99}}(?:{_EXPONENT})?|[1-9][0-9]{{{MOST_DIGITS},199}})\s*"
)
