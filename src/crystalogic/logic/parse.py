"""Parse formulas: operator precedence with explicit stacks, so that depth is no limit.

Grammar, loosest first: x ↔ y, x → y (to the right), x ∨ y, x ⊕ y, x ∧ y, x ⊗ y, ¬x; then names, {any name},
0 or ⊥, 1 or ⊤, (x), at least k of (x, 3·y, …). A text may begin with `let s = x; t = y in`, and then use s and t.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from crystalogic.errors import FormulaError, FormulaSyntaxError, refuse
from crystalogic.logic.formula import AtLeast, Constant, Formula, Variable
from crystalogic.logic.names import BARE, BY_SPELLING, KEYWORDS, Operator, read_name, symbols
from crystalogic.truth import LARGEST_INTEGER

CONSTANTS = {"0": 0, "1": 1, "⊥": 0, "⊤": 1}
OPERAND = "a variable, 0, 1, '¬' or '('"
MOST_POINTS = 100_000  # of all parts of a text together: a short text is not to fill the memory

_symbols = "|".join(re.escape(spelling) for spelling in sorted(BY_SPELLING, key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<atleast>(?i:at\s+least)\s+(?P<k>[-−]?\d+)\s+(?i:of)\b)|(?P<symbol>{_symbols})|(?P<mark>[(),;=])"
    rf"|\{{(?P<braced>(?:[^{{}}\\]|\\.)*)\}}|(?P<points>\d+)\s*[·*]|(?P<number>\d[\w./]*|[⊤⊥])|(?P<name>{BARE.pattern})",
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


@dataclass
class _Level:
    """What stands between two parentheses so far."""

    k: int | None = None  # the threshold, inside at least k of (…)
    done: list[Formula] = field(default_factory=list)  # parts before the last comma
    points: int | None = None  # of the part after it, where they are written
    operands: list[Formula] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)


def parse(text: str) -> Formula:
    """The formula written in `text`; what is printed is read back as the same formula.

    >>> parse("a & b | ~{cp=4}") is parse("(a ⊗ b) ⊕ ¬{cp=4}")
    True

    Parameters:
        text: in Unicode or ASCII; names that are not plain identifiers stand in braces. A FormulaSyntaxError shows the
            place of a mistake.
    """
    if not isinstance(text, str):
        refuse(FormulaError, f"parse takes text, got {type(text).__name__}.")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.index = self.n_points = 0
        self.bound: dict[str, Formula] = {}

    def _tokens(self) -> list[_Token]:
        tokens, position = [], 0
        while position < len(self.text):
            if (match := _TOKEN.match(self.text, position)) is None:
                char = self.text[position]
                hint = "a closing '}'" if char == "{" else "an operator, a name, 0, 1 or a parenthesis"
                before = re.search(rf"{BARE.pattern}\Z", self.text[max(0, position - 40) : position])
                typed = next((typed for chars, typed in symbols()["typed"].items() if char in chars), None)
                if typed is not None and not (char == "'" and before is not None):
                    hint += f"; {typed}"
                elif before is not None and char != "{":
                    hint += f"; a name with this character stands in braces, such as {{{before[0]}{char}}}"
                self._fail(f"unexpected {char!r}, expected {hint}", position)
            kind = str(match.lastgroup)
            if kind != "space":
                text = match["k"].replace("−", "-") if kind == "atleast" else match[kind]
                tokens.append(_Token(kind, text, position))
            position = match.end()
        return [*tokens, _Token("end", "", len(self.text))]

    def _fail(self, problem: str, position: int) -> NoReturn:
        raise FormulaSyntaxError(problem, self.text, position)

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def _next(self) -> _Token:
        self.index += 1
        return self.tokens[self.index - 1]

    def _is_at(self, kind: str, text: str | None) -> bool:
        return self.token.kind == kind and text in (None, self.token.text)

    def _expect(self, kind: str, text: str | None, what: str) -> _Token:
        if not self._is_at(kind, text):
            self._fail(f"expected {what}", self.token.position)
        return self._next()

    def whole(self) -> Formula:
        if self._is_at("name", "let"):
            self._binding()
            while self._is_at("mark", ";"):
                self._binding()
            self._expect("name", "in", "';' and another binding, or 'in' and the formula")
        formula = self.expression()
        if self._is_at("mark", "="):
            hint = "a name such as cp=4 stands in braces: {cp=4}; equality is <->"
            self._fail(f"expected an operator; {hint}", self.token.position)
        if self._is_at("mark", ")"):
            self._fail("')' without '('", self.token.position)
        if self.token.kind != "end":
            self._fail_after_operand("an operator or the end of the formula")
        return formula

    def _binding(self) -> None:
        """What follows `let` or `;`: a name and the formula that it stands for."""
        self._next()
        token = self._expect("name", None, "a name to bind")
        self._refuse_keyword(token)
        if token.text in self.bound:
            self._fail(f"'{token.text}' is bound already; choose another name", token.position)
        self._expect("mark", "=", "'=' after the bound name")
        self.bound[token.text] = self.expression()

    def _fail_after_operand(self, wanted: str) -> NoReturn:
        """Where an operator should be: a word here, or the one before it, may be one of another language."""
        words = [each.text for each in (self.token, self.tokens[self.index - 1]) if each.kind == "name"]
        hint = next(filter(None, (symbols()["words"].get(word.lower()) for word in words)), None)
        self._fail(f"expected an operator; {hint}" if hint else f"expected {wanted}", self.token.position)

    def expression(self) -> Formula:
        """One formula, up to a token that cannot continue it."""
        levels = [_Level()]
        while True:
            self._operand(levels)
            while self._closes(levels):
                pass
            token, level = self.token, levels[-1]
            if token.kind == "symbol" and BY_SPELLING[token.text].chain != "prefix":
                self._operator(level)
            elif self._is_at("mark", ",") and level.k is not None:
                self._next()
                level.done += _finish_part(level)
            elif len(levels) > 1:
                self._fail_after_operand("an operator, ',' or ')'" if level.k is not None else "an operator or ')'")
            else:
                return _finish(level)

    def _operand(self, levels: list[_Level]) -> None:
        """Prefixes and opening parentheses, then a variable or a constant."""
        while True:
            token = self.token
            if token.kind == "symbol" and BY_SPELLING[token.text].chain == "prefix":
                levels[-1].operators.append(BY_SPELLING[self._next().text])
            elif token.kind == "atleast":
                self._next()
                self._expect("mark", "(", "'(' after 'at least k of'")
                if len(token.text) > 17 or abs(int(token.text)) > LARGEST_INTEGER:
                    self._fail(f"expected a threshold of at most {LARGEST_INTEGER:,} in size", token.position)
                levels.append(_Level(int(token.text)))
            elif self._is_at("mark", "("):
                self._next()
                levels.append(_Level())
            elif token.kind == "points":
                self._points(levels[-1])
            else:
                levels[-1].operands.append(self._atom())
                return

    def _points(self, level: _Level) -> None:
        """The points before a part of at least k of (…)."""
        token = self._next()
        if level.k is None or level.points is not None or level.operators or level.operands:
            self._fail("points such as 3·a stand only before a part of at least k of (…)", token.position)
        self.n_points += int(token.text[:7])
        if not int(token.text[:7]) or self.n_points > MOST_POINTS:
            self._fail(f"expected points from 1 on, at most {MOST_POINTS:,} in one text", token.position)
        level.points = int(token.text)

    def _atom(self) -> Formula:
        token = self.token
        if token.kind == "name":
            self._refuse_keyword(token)
            self._next()
            return self.bound.get(token.text, Variable(token.text))
        if token.kind == "braced":
            try:
                name = read_name(token.text)
            except (ValueError, OverflowError):
                self._fail(r"expected an escape such as \}, \\, \n or \u2265 after a backslash", token.position)
            if not name:
                self._fail("expected a name between the braces", token.position)
            self._next()
            return Variable(name)
        if token.kind == "number":
            if token.text not in CONSTANTS:
                self._fail(f"{token.text} is no constant, expected {OPERAND}", token.position)
            return Constant(CONSTANTS[self._next().text])
        self._fail(f"expected {OPERAND}", token.position)

    def _refuse_keyword(self, token: _Token) -> None:
        if token.text in KEYWORDS:
            self._fail(f"'{token.text}' is a keyword; the variable is written {{{token.text}}}", token.position)

    def _operator(self, level: _Level) -> None:
        token = self._next()
        operator = BY_SPELLING[token.text]
        if level.points is not None:
            self._fail(f"expected ',' or ')': points of a longer part are written {level.points}·(…)", token.position)
        while level.operators and level.operators[-1].precedence > operator.precedence:
            _apply(level)
        if operator.chain == "none" and level.operators and level.operators[-1] is operator:
            self._fail(f"expected parentheses: x {token.text} y {token.text} z has two readings", token.position)
        level.operators.append(operator)

    def _closes(self, levels: list[_Level]) -> bool:
        """Whether a ')' ended the innermost level, whose formula is then an operand of the level around it."""
        if len(levels) == 1 or not self._is_at("mark", ")"):
            return False
        self._next()
        level = levels.pop()
        inner = _finish(level) if level.k is None else AtLeast(level.k, *level.done, *_finish_part(level))
        levels[-1].operands.append(inner)
        return True


def _finish(level: _Level) -> Formula:
    """The formula of what the level holds, which is emptied."""
    while level.operators:
        _apply(level)
    return level.operands.pop()


def _finish_part(level: _Level) -> list[Formula]:
    """The last part of at least k of (…), as often as it counts."""
    times, level.points = level.points or 1, None
    return [_finish(level)] * times


def _apply(level: _Level) -> None:
    """Join the last operands by the last operator; x ∘ y ∘ z of a flat one at once."""
    operator = level.operators.pop()
    n_parts = 1 if operator.chain == "prefix" else 2
    while operator.chain == "flat" and level.operators and level.operators[-1] is operator:
        level.operators.pop()
        n_parts += 1
    level.operands[-n_parts:] = [operator.node(*level.operands[-n_parts:])]
