"""Print formulas: Unicode, ASCII and LaTeX from the one table in `syntax`.

A formula whose tree would be long and which repeats subformulas is printed with let-bindings, one line each:

    let s1 = a ⊗ b;
        s2 = s1 ⊕ c
    in s2 ⊗ ¬s1
"""

from collections import Counter
from typing import Literal

from crystalogic.logic.formula import (
    AtLeast,
    Constant,
    Formula,
    Implies,
    Not,
    Variable,
    fold,
    is_literal,
    subformulas,
)
from crystalogic.logic.names import fresh_prefix, latex_name, write_name
from crystalogic.logic.syntax import ATOM_PRECEDENCE, BY_NODE

Notation = Literal["unicode", "ascii", "latex"]
LONG_TREE = 60  # literals; beyond it, repeated subformulas get names
LONG_TEXT = 10_000  # beyond it, those that are repeated as negations too, and those of constants alone


def render(formula: Formula, notation: Notation = "unicode") -> str:
    """The text of the formula.

    >>> from crystalogic.logic.parse import parse
    >>> render(parse("~(a & b) -> {cp=4}"), "latex")
    '\\\\neg (a \\\\otimes b) \\\\rightarrow \\\\text{cp=4}'
    """
    names = named_parts(formula)
    if not names:
        return _expression(formula, notation, {})
    bindings = [(name, _expression(node, notation, names)) for node, name in names.items()]
    body = _expression(formula, notation, names)
    if notation == "latex":
        lines = [rf"{_latex_binding(name)} &= {text}, \\" for name, text in bindings]
        return "\n".join([r"\begin{aligned}", *lines, rf"&\phantom{{=}}\; {body}", r"\end{aligned}"])
    return "let " + ";\n    ".join(f"{name} = {text}" for name, text in bindings) + f"\nin {body}"


def named_parts(formula: Formula) -> dict[Formula, str]:
    """The subformulas that get names of their own, parts first: those that a long formula repeats."""
    nodes = subformulas(formula)
    n_literals = fold(formula, lambda node, counts: 1 if isinstance(node, Variable) else _cap(counts))
    shared = _used_twice(nodes) if n_literals > LONG_TREE else []
    if _n_written(nodes, set(shared)) > LONG_TEXT:
        shared = _used_twice(nodes, under_negations=True)
    prefix = fresh_prefix("s", formula.variables) if shared else ""
    return {node: f"{prefix}{number}" for number, node in enumerate(shared, 1)}


def _used_twice(nodes: list[Formula], *, under_negations: bool = False) -> list[Formula]:
    """The compound subformulas that occur more than once, parts first; also those that their negation repeats."""
    inner: dict[Formula, Formula] = {}
    for node in nodes:
        inner[node] = inner[node.parts[0]] if under_negations and isinstance(node, Not) else node
    uses = Counter(
        inner[part] for node in nodes if not (under_negations and isinstance(node, Not)) for part in node.parts
    )
    return [node for node in nodes if uses[node] > 1 and not is_literal(node) and not isinstance(node, (Constant, Not))]


def _n_written(nodes: list[Formula], named: set[Formula]) -> int:
    """How many variables, constants and names the text has; it counts little further than LONG_TEXT."""
    counts: dict[Formula, int] = {}
    for node in nodes:
        counts[node] = _cap([1 if part in named else counts[part] for part in node.parts] or [1])
    return sum(counts[node] for node in (*named, nodes[-1]))


def _cap(counts: list[int]) -> int:
    """The sum, or a number beyond LONG_TEXT: the tree of a small formula can be larger than all memory."""
    return min(sum(counts), LONG_TEXT + 1)


def _expression(formula: Formula, notation: Notation, names: dict[Formula, str]) -> str:
    """The text with the named nodes written as their names."""
    return "".join(text for text, _ in spell(formula, notation, names))


def spell(formula: Formula, notation: Notation, names: dict[Formula, str]) -> list[tuple[str, Formula]]:
    """The text in pieces, each with the node that it belongs to; an explicit stack, so depth is no limit."""
    written: list[tuple[str, Formula]] = []
    pending: list[tuple[str | Formula, Formula]] = [(formula, formula)]
    while pending:
        item, owner = pending.pop()
        if isinstance(item, str):
            written.append((item, owner))
        elif item in names and item is not formula:
            name = names[item]
            written.append((_latex_binding(name) if notation == "latex" else name, item))
        else:
            pending.extend((piece, item) for piece in reversed(_pieces(item, notation, names)))
    return written


def _latex_binding(name: str) -> str:
    letters = name.rstrip("0123456789")
    return f"{letters}_{{{name[len(letters) :]}}}"


def _pieces(node: Formula, notation: Notation, names: dict[Formula, str]) -> list[str | Formula]:
    match node:
        case Variable():
            plain = (
                latex_name(node.name) if notation == "latex" else write_name(node.name, ascii_only=notation == "ascii")
            )
            return [plain]
        case Constant():
            return [str(node.value)]
        case AtLeast():
            head = rf"\text{{at least }}{node.k}\text{{ of }}(" if notation == "latex" else f"at least {node.k} of ("
            listed: list[str | Formula] = [head]
            for part in node.parts:
                listed += [part, ", "]
            return [*listed[:-1], ")"]
    operator = BY_NODE[type(node)]
    symbol = getattr(operator, notation)
    pieces: list[str | Formula] = [symbol] if isinstance(node, Not) else []
    for position, part in enumerate(node.parts):
        if position:
            pieces.append(f" {symbol} ")
        if part not in names and _needs_parentheses(node, position, part):
            pieces += ["(", part, ")"]
        else:
            pieces.append(part)
    return pieces


def _needs_parentheses(node: Formula, position: int, part: Formula) -> bool:
    outer, inner = BY_NODE[type(node)].precedence, precedence(part)
    if inner == outer and isinstance(node, (Not, Implies)):
        return isinstance(node, Implies) and position == 0
    return inner <= outer


def precedence(node: Formula) -> int:
    """How tightly the outermost connective binds."""
    return BY_NODE[type(node)].precedence if type(node) in BY_NODE else ATOM_PRECEDENCE
