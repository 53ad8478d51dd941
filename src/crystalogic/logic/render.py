"""Print formulas: Unicode, ASCII and LaTeX from the one table in `names`.

A formula whose tree would be long and which repeats subformulas is printed with let-bindings, one line each:

    let s1 = a ⊗ b;
        s2 = s1 ⊕ c
    in s2 ⊗ ¬s1

People read points, `at least 4 of (3·a, 2·b, c)`. Files and fingerprints have each part as often as it counts.
"""

from collections import Counter
from typing import Literal

from crystalogic.logic.formula import AtLeast, Constant, Formula, Implies, Not, Variable, is_literal
from crystalogic.logic.names import ATOM_PRECEDENCE, BY_NODE, TIMES, fresh_prefix, latex_name, write_name
from crystalogic.logic.walk import fold, subformulas, sum_written, written

Notation = Literal["unicode", "ascii", "latex"]
Parts = dict[Formula, list[Formula]]  # of every node, as they are written
LONG_TREE = 60  # literals; beyond it, repeated subformulas get names
LONG_TEXT = 10_000  # beyond it, those that are repeated as negations too, and those of constants alone


def render(formula: Formula, notation: Notation = "unicode", *, points: bool = True) -> str:
    """The text of the formula; without `points`, what counts three times is written three times."""
    names = named_parts(formula, points=points)

    def express(root: Formula) -> str:
        texts: list[str] = []
        pending: list[str | Formula] = [root]  # an explicit stack, so depth is no limit
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                texts.append(item)
            elif item in names and item is not root:
                texts.append(_latex_binding(names[item]) if notation == "latex" else names[item])
            else:
                pending.extend(reversed(_pieces(item, notation, names, points)))
        return "".join(texts)

    body = express(formula)
    if not names:
        return body
    bindings = [(name, express(node)) for node, name in names.items()]
    if notation == "latex":
        lines = [rf"{_latex_binding(name)} &= {text}, \\" for name, text in bindings]
        return "\n".join([r"\begin{aligned}", *lines, rf"&\phantom{{=}}\; {body}", r"\end{aligned}"])
    return "let " + ";\n    ".join(f"{name} = {text}" for name, text in bindings) + f"\nin {body}"


def named_parts(formula: Formula, *, points: bool = True) -> dict[Formula, str]:
    """The subformulas that get names of their own, parts first: those that a long formula repeats."""
    parts = {node: [part for part, _ in written(node, points=points)] for node in subformulas(formula)}

    def n_literals(node: Formula, counts: list[int]) -> int:
        return 1 if isinstance(node, Variable) else _cap(sum_written(node, counts, points=points))

    shared = _used_twice(parts) if fold(formula, n_literals) > LONG_TREE else []
    if _n_written(parts, set(shared), formula) > LONG_TEXT:
        shared = _used_twice(parts, under_negations=True)
    prefix = fresh_prefix("s", formula.variables) if shared else ""
    return {node: f"{prefix}{number}" for number, node in enumerate(shared, 1)}


def _used_twice(parts: Parts, *, under_negations: bool = False) -> list[Formula]:
    """The compound subformulas that occur more than once, parts first; also those that their negation repeats."""
    inner: dict[Formula, Formula] = {}
    for node in parts:
        inner[node] = inner[node.parts[0]] if under_negations and isinstance(node, Not) else node
    users = [node for node in parts if not (under_negations and isinstance(node, Not))]
    uses = Counter(inner[part] for node in users for part in parts[node])
    return [node for node in parts if uses[node] > 1 and not is_literal(node) and not isinstance(node, (Constant, Not))]


def _n_written(parts: Parts, named: set[Formula], formula: Formula) -> int:
    """How many variables, constants and names the text has; it counts little further than LONG_TEXT."""
    counts: dict[Formula, int] = {}
    for node in parts:
        counts[node] = _cap(sum([1 if part in named else counts[part] for part in parts[node]] or [1]))
    return sum(counts[node] for node in (*named, formula))


def _cap(count: int) -> int:
    """The count, or a number beyond LONG_TEXT: the tree of a small formula can be larger than all memory."""
    return min(count, LONG_TEXT + 1)


def _latex_binding(name: str) -> str:
    letters = name.rstrip("0123456789")
    return f"{letters}_{{{name[len(letters) :]}}}"


def _pieces(node: Formula, notation: Notation, names: dict[Formula, str], points: bool) -> list[str | Formula]:
    match node:
        case Variable():
            is_latex, is_ascii = notation == "latex", notation == "ascii"
            return [latex_name(node.name) if is_latex else write_name(node.name, ascii_only=is_ascii)]
        case Constant():
            return [str(node.value)]
        case AtLeast():
            head = rf"\text{{at least }}{node.k}\text{{ of }}(" if notation == "latex" else f"at least {node.k} of ("
            listed: list[str | Formula] = [head]
            for part, times in written(node, points=points):
                is_long = times > 1 and part not in names and precedence(part) < BY_NODE[Not].precedence
                factor = [f"{times}{TIMES[notation]}"] if times > 1 else []
                listed += [*factor, *(["(", part, ")"] if is_long else [part]), ", "]
            return [*listed[:-1], ")"]
    operator = BY_NODE[type(node)]
    symbol = getattr(operator, notation)
    pieces: list[str | Formula] = [symbol] if isinstance(node, Not) else []
    for position, part in enumerate(node.parts):
        is_bare = isinstance(node, Not) or (isinstance(node, Implies) and position == 1)  # ¬¬x, x → y → z
        is_inside = part not in names and precedence(part) <= operator.precedence - is_bare
        pieces += [*[f" {symbol} "] * bool(position), *(["(", part, ")"] if is_inside else [part])]
    return pieces


def precedence(node: Formula) -> int:
    """How tightly the outermost connective binds."""
    return BY_NODE[type(node)].precedence if type(node) in BY_NODE else ATOM_PRECEDENCE
