"""Is an exported file the function of a model? Read back, and proved for all rows of stated cells.

First each column alone: all that the file asks of it, and all that the model says of it, for each cell (`cells`). Then
all columns together: the file and the model as decision diagrams over what is left to tell apart, which are one object
if they are one function (`diagrams`). A difference is a row, and is run again through the whole file.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from crystalogic.decision import THRESHOLD
from crystalogic.encoding.values import Values
from crystalogic.errors import ReadbackError
from crystalogic.logic.evaluate import Instruction, program_of
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable
from crystalogic.logic.score import score_of
from crystalogic.model import Model
from crystalogic.model.risk import OUT_OF, Risk
from crystalogic.readback.cells import cells_of, kinds_of, named_in
from crystalogic.readback.diagrams import Diagram, Space, find_false
from crystalogic.readback.frames import Told, choose, find_best, read_file, share_out
from crystalogic.readback.meaning import Between, ComputedError, run
from crystalogic.readback.syntax import Language, Node, constant, data_file, express, languages, refuse, walk
from crystalogic.readback.telling import Difference, Readback

REFUSED = "refused"


def read_back(text: str, model: Model, language: str, *, types: Mapping[str, str] | None = None) -> Readback:
    """Whether an exported text is the function of the model, for all rows that its language can hold.

    Parameters:
        text: what `export` wrote, or somebody else.
        model: the model that it should be.
        language: "python", "c", "javascript", or the name of a dialect of SQL.
        types: the types of columns in the database, as `export.to_sql` takes them.
    """
    spoken, stated, sentences = languages().get(language), dict(types or {}), data_file()["sentences"]
    common: dict[str, Any] = {"language": language, "fingerprint": model.fingerprint, "types": stated}
    if spoken is None:
        return Readback(**common, problem=f"{language} cannot be read back; these can: {', '.join(languages())}")
    own = () if spoken.family == "sql" else (sentences["prelude"],)
    common["scope"] = (sentences["cells"], *own, *spoken.apart)
    if model.rounding:
        return Readback(**common, problem="the model has degrees")
    try:
        proof, difference = _look_for_difference(text, model, spoken, stated)
    except (ReadbackError, RecursionError, ValueError, SyntaxError) as error:
        return Readback(**common, problem=str(error) or "it is nested too deeply")
    return Readback(**common, outputs=tuple(proof.told), n_cells=proof.n_cells, difference=difference)


def _look_for_difference(*asked: Any) -> "tuple[_Proof, Difference | None]":
    try:
        proof = _Proof(Between, *asked)
        return proof, proof.find_difference()
    except ComputedError:  # then nothing can be proved, and yet some number may show a difference
        proof = _Proof(float, *asked)
        if (found := proof.find_difference()) is None:
            raise
        return proof, found


class _Proof:
    def __init__(
        self, between: type[float], text: str, model: Model, language: Language, types: Mapping[str, str]
    ) -> None:
        self.model, self.language, self.between = model, language, between
        self.told = read_file(text, model, language)
        self.wanted = write_model(model, write_labels(model, language, self.told["decision"]))
        is_short = language.family == "sql" and list(self.told) == ["decision"]
        for name in self.told if is_short else {**self.told, **self.wanted}:
            if name not in self.told or name not in self.wanted:
                refuse(f"it does not tell the {name}" if name in self.wanted else f"the model tells no {name}")
        self.values: dict[Any, list[Any]] = {}  # of facts, for each cell that is kept of their column
        self.cells: dict[str, list[Any]] = {}
        self.n_cells = 0
        parts = list(walk(self.told.values(), lambda node: len(node.columns) > 1))
        for column in model.columns:
            facts = [node for node in parts if node.columns == {column}]  # the largest parts that read it alone
            self._look_at(column, facts, kinds_of(model, column, language, types))
        self.space = Space(language)
        self.done: dict[int, Diagram] = {}

    def _look_at(self, column: str, facts: list[Node], kinds: set[str]) -> None:
        """Tells apart the cells of a column that are not alike in all that is asked of them."""
        cells = cells_of(self.model, column, named_in(facts, self.language), kinds, self.between)
        self.n_cells += len(cells)
        names = [name for name in self.model.names if self.model.encoding.literals[name].column == column]
        refused = self.model.encoding.find_refused({column: cells}, names).tolist()
        rows = [({column: cell}, dict[int, Any]()) for cell in cells]
        table: dict[Any, list[Any]] = {(REFUSED, column): refused}
        table |= {id(node): [run(node, row, self.language, known) for row, known in rows] for node in facts}
        table |= {name: self._say(name, cells, refused) for name in names}
        kept: dict[Any, int] = {}
        for index in range(len(cells)):
            own = (values[index] for values in table.values())
            kept.setdefault(tuple((type(each), repr(each)) for each in own), index)
        self.cells[column] = [cells[index] for index in kept.values()]
        self.values |= {key: [values[index] for index in kept.values()] for key, values in table.items()}

    def _say(self, name: str, cells: list[Any], refused: list[bool]) -> list[Any]:
        """What the model says of each cell, 1 or 0; None of those that it refuses."""
        literal = self.model.encoding.literals[name]
        kept = [cell for cell, is_refused in zip(cells, refused, strict=True) if not is_refused]
        words = self.model.encoding.by_name[literal.column].words
        truth = iter(literal.truth(Values(literal.column, kept, words=words)).tolist() if kept else ())
        return [None if is_refused else int(next(truth)) for is_refused in refused]

    def find_difference(self) -> Difference | None:
        """A row of which the file tells something else than the model, which tells nothing of rows that it refuses."""
        flags = (_read(column, (REFUSED, column)) for column in self.model.columns)
        refused = reduce(lambda x, y: Node("or", (x, y)), flags, constant(False))
        for name, node in self.told.items():
            expected = self._function(Node("if", (refused, constant(None), self.wanted[name])))
            if (path := find_false(self.space.combine("agrees", None, (self._function(node), expected)))) is not None:
                places = [path.get(place, 0) for place in range(len(self.cells))]
                cells = {name: own[place] for (name, own), place in zip(self.cells.items(), places, strict=True)}
                row = {column: float(cell) if isinstance(cell, Between) else cell for column, cell in cells.items()}
                while expected.below:
                    expected = expected.below[places[int(expected.place)]]
                return Difference(row, name, run(node, row, self.language, {}), expected.value)
        return None

    def _function(self, root: Node) -> Diagram:
        """The function that an expression is: parts before those that use them, however deep."""
        inside = [root]
        while inside:
            node = inside[-1]
            key = node.value if node.op == "literal" else id(node)
            lacking = [part for part in node.parts if key not in self.values and id(part) not in self.done]
            inside += lacking
            if not lacking:
                self.done[id(inside.pop())] = self._combine(node, key)
        return self.done[id(root)]

    def _combine(self, node: Node, key: Any) -> Diagram:
        if key in self.values:
            (column,) = node.columns
            return self.space.column(list(self.cells).index(column), self.values[key])
        if node.op == "constant":
            return self.space.leaf(node.value)
        return self.space.combine(node.op, node.value, tuple(self.done[id(part)] for part in node.parts))


def _read(column: str, what: Any) -> Node:
    """What the model says of a column, by its name."""
    return Node("literal", (Node("column", (), column),), what)


def write_model(model: Model, classes: Sequence[Any]) -> Told:
    """What a file must tell, as expressions of what the model says of columns."""
    known: dict[Formula, Node] = {}
    degrees = [_write(formula, model, known) for formula in model.formulas]
    if model.classes is None:
        return {"decision": degrees[0], "degree 0": degrees[0]}
    labels = list(map(constant, classes))
    if len(degrees) == 1:
        decision = express(f"degree >= {float(THRESHOLD)} ? yes : no", degree=degrees[0], no=labels[0], yes=labels[1])
    else:
        decision = choose(model.order, degrees, labels)
    told = {"decision": decision, **{f"degree {index}": degree for index, degree in enumerate(degrees)}}

    def score(formula: Formula) -> Node:
        return _sum(0, [(_write(part, model, known), worth) for part, worth in score_of(formula).points.items()])

    def risk_of(risk: Risk, points: Node) -> Node:
        return Node("index", (*(constant(share / OUT_OF) for share in risk.shares), points), "c")

    if model.risk is not None:
        points = score(model.formulas[0])
        told |= {"score": points, "probability": risk_of(model.risk, points)}
    if model.chain:
        rules = zip(model.chain, model.order, strict=False)
        shares = [risk_of(risk, score(model.formulas[place])) for risk, place in rules]
        likely = share_out(shares, model.order, find_best(model.order, degrees))
        told |= {f"probability {n}": node for n, node in enumerate(likely)}
        points = choose(model.order, degrees, likely)
    if model.band is not None:
        low, high = map(constant, model.band.ends)
        told["ask"] = express("low <= points && points < high", points=points, low=low, high=high)
    return told


def _write(formula: Formula, model: Model, known: dict[Formula, Node]) -> Node:
    for step in (each for each in program_of(formula) if each.node not in known):
        known[step.node] = _step(step, model, known)
    return known[formula]


def _step(step: Instruction, model: Model, known: Mapping[Formula, Node]) -> Node:
    match step.node:
        case Variable(name=name):
            return _read(model.encoding.literals[name].column, name)
        case Iff() | Minimum() | Maximum():
            text = {Iff: "1 - abs(x - y)", Minimum: "x < y ? x : y", Maximum: "x > y ? x : y"}[type(step.node)]
            return reduce(lambda x, y: express(text, x=x, y=y), [known[part] for part in step.node.parts])
    found = _sum(step.bias, [(known[part], weight) for part, weight in step.terms])
    return express("x > 1 ? 1 : x > 0 ? x : 0", x=found)


def _sum(bias: int, terms: Iterable[tuple[Node, int]]) -> Node:
    weighted = (node if weight == 1 else Node("*", (constant(weight), node)) for node, weight in terms)
    return reduce(lambda x, y: Node("+", (x, y)), weighted, constant(bias))


def write_labels(model: Model, language: Language, decision: Node) -> list[Any]:
    """The classes as a file has them: as they are, or all as texts where not all targets can hold them."""
    labels = list(model.classes or ())
    kinds = {str if isinstance(each, str) else bool if isinstance(each, bool) else float for each in labels}
    numbers = [each for each in labels if not isinstance(each, (str, bool))]
    is_exact = all(abs(each) < 2**53 and (each or math.copysign(1, each) > 0) for each in numbers)
    texts = list(map(str, labels))
    is_odd = (len(kinds) > 1 or not is_exact) and set(texts) <= set(named_in([decision], language))
    return texts if language.family == "c" or is_odd else labels
