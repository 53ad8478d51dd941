"""Small changes to a program, one at a time: what a test suite that means something must notice."""

import ast
import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
NOT_RUN = {"annotation", "returns", "decorator_list", "type_params"}  # fields that say something, and do nothing


@dataclass(frozen=True)
class Mutant:
    """One changed program: the file, the function, its lines there, and the statement before and after."""

    path: Path
    function: str
    lines: range | None  # of the outermost function; None outside of functions
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name} {self.function}: {self.before}  =>  {self.after}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of one file, in the order of the source."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    original = ast.unparse(tree)
    number = 0
    while True:
        changing = _Change(number)
        changed = ast.unparse(ast.fix_missing_locations(changing.visit(copy.deepcopy(tree))))
        if not changing.is_done:
            return
        if changed != original:
            before, after = _difference(original, changed)
            yield Mutant(path, changing.function or "module", changing.lines, before, after, changed)
        number += 1


def _difference(original: str, changed: str) -> tuple[str, str]:
    lines = [line for line in difflib.ndiff(original.splitlines(), changed.splitlines()) if line[0] in "-+"]
    texts = ["; ".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+"]
    return texts[0], texts[1]


class _Change(ast.NodeTransformer):
    """Puts the alternative with this number in its place."""

    def __init__(self, wanted: int) -> None:
        self.left = wanted
        self.is_done = False
        self.function = ""
        self.lines: range | None = None
        self._names: list[str] = []
        self._spans: list[range] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if self.is_done or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            return node
        for other in _alternatives(node):
            if self.left == 0:
                self.is_done = True
                self.function = ".".join(self._names)
                self.lines = self._spans[0] if self._spans else None
                return ast.copy_location(other, node)
            self.left -= 1
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function:
            self._spans.append(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if is_function or isinstance(node, ast.ClassDef):
            self._names.append(node.name)
        for field, value in ast.iter_fields(node):
            if field in NOT_RUN or self.is_done:
                continue
            if isinstance(value, list):
                value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        if is_function:
            self._spans.pop()
        if is_function or isinstance(node, ast.ClassDef):
            self._names.pop()
        return node


def _alternatives(node: ast.AST) -> list[ast.AST]:
    """The nodes that may stand in the place of this one."""
    match node:
        case ast.Constant(value=bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(value=int(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return [operand]
        case ast.Compare(ops=[operator]):
            return [_with(node, ops=[OPPOSITE[type(operator)]()])]
        case ast.Compare(ops=[first, second]):
            swapped = [OPPOSITE[type(operator)]() for operator in (first, second)]
            return [_with(node, ops=[swapped[0], second]), _with(node, ops=[first, swapped[1]])]
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in OPPOSITE:
            return [_with(node, op=OPPOSITE[type(operator)]())]
        case ast.AugAssign(op=operator):
            return [_with(node, op=OPPOSITE[type(operator)]()), ast.Pass()]
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return [_with(node, test=ast.UnaryOp(ast.Not(), test))]
        case ast.comprehension(ifs=[_, *_] as conditions):
            negated = [ast.UnaryOp(ast.Not(), condition) for condition in conditions]
            return [_with(node, ifs=[*conditions[:i], each, *conditions[i + 1 :]]) for i, each in enumerate(negated)]
        case ast.Return(value=value) if value is not None and ast.unparse(value) != "None":
            return [ast.Return(ast.Constant(None))]
        case ast.Break() | ast.Continue():
            return [OPPOSITE[type(node)]()]
        case ast.Raise() | ast.Expr(value=ast.Call()):
            return [ast.Pass()]
    return []


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """The node with other fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other
