"""Export to ONNX: double and string columns in, degrees and classes out; run with onnxruntime.

Numbers and codes are double tensors, NaN where missing; all other columns are string tensors, where texts such as ''
and '?' are missing. All are of shape (rows,). languages.toml says which operators a call becomes.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

from crystalogic.errors import ExportError, refuse
from crystalogic.export.calls import Notation, list_calls
from crystalogic.export.languages import TOLD, Language
from crystalogic.export.program import WHITESPACE, Input, Program, Value, program
from crystalogic.export.quoting import encode_text, pattern_text, python_value
from crystalogic.model import Model

OPSET, IR_VERSION = 20, 10  # the first with regular expressions
INT64, STRING, DOUBLE = 7, 8, 11  # as onnx.TensorProto numbers them
TYPES = {"degrees": DOUBLE, "index": INT64, "label": STRING}  # of outputs
TYPES |= {"score": INT64, "probability": DOUBLE, "probabilities": DOUBLE, "ask": INT64}
TABLES = ("degrees", "probabilities")  # outputs with a column for each formula


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
    names = found.plain_names(("degrees", "index", "label", *found.told))
    shown = ("degrees", *(("index", "label") if found.labels else ()), *found.told)
    graph = _Graph(found, names, helper)
    for name in shown:
        graph.show(name)
    tensor, inputs = helper.make_tensor_value_info, []
    for each in found.inputs:
        kind, words = DOUBLE if each.is_number else STRING, encode_text(each.column).decode()
        inputs.append(tensor(names[each.name], kind, ["rows"], doc_string=words))
    rows = "rows" if inputs else None
    outputs = [tensor(name, TYPES[name], [rows, *[len(found.outputs)] * (name in TABLES)]) for name in shown]
    body = helper.make_graph(graph.nodes, "crystalogic", inputs, outputs, graph.constants)
    written = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    about = {"target": model.target, "columns": {names[each.name]: each.column for each in found.inputs}}
    helper.set_model_props(written, {"crystalogic": json.dumps({**about, "labels": found.labels})})
    checker.check_model(written)
    return bytes(written.SerializeToString())


def _missing(each: Input) -> str:
    texts = "|".join(map(pattern_text, each.missing_texts))
    return f"missing({each.name})" if each.is_number else _matches(each, texts)


def _same(each: Input, value: Value) -> str | None:
    if each.is_number:
        return None if value.double is None else f"at({each.name}, {value.double!r})"
    sign = "" if value.number is None or value.number < 0 else "[+-]?" if value.number == 0 else r"\+?"
    text = _matches(each, sign + pattern_text(encode_text(value.text).decode()))
    return text if value.double is None else f"greatest({text}, decimal({each.name}, {value.double!r}))"


def _matches(each: Input, pattern: str) -> str:
    return f"matches({each.name}, {python_value(f'{_SPACE}(?:{pattern}){_SPACE}')})"


def _call_all(name: str, terms: Sequence[str]) -> str:
    return f"{name}({', '.join(terms)})"


ONNX = Language(_missing, _same, {}, {}, _call_all)
_SPACE = f"[{pattern_text(WHITESPACE)}]*"


class _Graph:
    """The nodes and constants of a program, each of them once."""

    def __init__(self, found: Program, inputs: dict[str, str], helper: Any) -> None:
        self.program, self.helper = found, helper  # of onnx, which not everybody has
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[object, str] = {}
        first = next(iter(inputs.values()), None)
        self.shape = self.add("Shape", first) if first else self._listed(INT64, [1])  # one row if nothing is read
        self.names = dict(inputs)
        calls, _ = list_calls(found, ONNX)
        if len(found.outputs) > 1:
            calls["place"] = _call_all("first", [found.outputs[place] for place in found.model.order])
        likely = {"probability": found.points} if found.points else {}
        likely |= {f"likely_{n}": points for n, points in enumerate(found.chain, 1)}
        for name, points in likely.items():  # by a score, which is looked up in a list
            calls[name] = f"told({points.total.name}, {' '.join(points.probabilities)!r})"
        for name, text in calls.items():
            self.names[name] = Notation(self.call, self.name, self.value).write(text)

    def show(self, output: str) -> None:
        """An output, NaN or -1 where a row is refused."""
        found = self.program
        if output == "label":
            texts = [*map(str, found.labels or ()), ""]  # -1 is the last, which is empty
            self.add("Gather", self._listed(STRING, list(map(encode_text, texts))), "index", called=output)
            return
        own = {"degrees": ("place",) if found.points else found.outputs, "index": ("place",)}
        own["probabilities"] = tuple(f"share_{place}" for place in range(len(found.outputs)))
        how = "kept" if TYPES[output] == DOUBLE else "kept_whole"
        parts = [self.call(how, [self.names[name], self.names["refused"]]) for name in own.get(output, (output,))]
        what = ("Identity", self._table(parts)) if output in TABLES else ("Expand", *parts, self.shape)
        self.add(*what, called=output)

    def call(self, name: str, parts: list[str]) -> str:
        """A call: an operator, or what its pattern says in operators of the parts x, y, z and w."""
        pattern = TOLD["onnx"].get(name, name)
        if not pattern.isidentifier():
            own = dict(zip("xyzw", parts, strict=False))
            return Notation(self.call, lambda name: own.get(name) or self.name(name), self.value).write(pattern)
        match pattern:
            case "Double" | "Whole":
                return self.add("Cast", *parts, to=DOUBLE if pattern == "Double" else INT64)
            case "RegexFullMatch":
                return self.add(pattern, parts[0], pattern=parts[1])
            case "Told":
                return self.add("Gather", self._listed(DOUBLE, list(map(float, parts[1].split()))), parts[0])
            case "first":
                order = self._listed(DOUBLE, list(self.program.model.order))
                return self.add("Gather", order, self.add("ArgMax", self._table(parts), axis=1, keepdims=0))
            case "same":
                return parts[0]
        return self.add(pattern, *parts)

    def _table(self, columns: list[str]) -> str:
        """Columns beside each other, constants too."""
        whole = [self.add("Expand", each, self.shape) for each in columns]
        return self.add("Concat", *(self.add("Unsqueeze", each, self._listed(INT64, [1])) for each in whole), axis=1)

    def add(self, operator: str, *inputs: str, called: str = "", **attributes: Any) -> str:
        """One node, or the one that does the same already."""
        key = (operator, inputs, called, tuple(attributes.items()))
        if key not in self._known:
            self._known[key] = called or f"crystalogic/{len(self.nodes) + 1}"
            self.nodes.append(self.helper.make_node(operator, list(inputs), [self._known[key]], **attributes))
        return self._known[key]

    def name(self, name: str) -> str:
        if name == "NaN":
            return self.value(math.nan)
        return self._listed(STRING, ["NaN"]) if name == "NONE" else self.names[name]

    def value(self, value: float | str) -> str:
        """A number; a text is a pattern or a list, which an operator has as its own."""
        return value if isinstance(value, str) else self._constant(DOUBLE, [], [value])

    def _listed(self, kind: int, values: list[Any]) -> str:
        return self._constant(kind, [len(values)], values)

    def _constant(self, kind: int, shape: list[int], values: list[Any]) -> str:
        key = (kind, tuple(shape), repr(values))
        if key not in self._known:
            self._known[key] = f"crystalogic/constant {len(self.constants) + 1}"
            self.constants.append(self.helper.make_tensor(self._known[key], kind, shape, values))
        return self._known[key]
