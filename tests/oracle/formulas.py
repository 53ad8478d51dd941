"""Formulas of Łukasiewicz logic, read from their text and evaluated in fractions: with no code of the package.

A text becomes a list of instructions for a stack, operands first, so that depth is no matter.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

ZERO, ONE = Fraction(0), Fraction(1)
_SPELLINGS = {
    "iff": ("↔", "<->", "⇔", "≡", "<=>"),
    "implies": ("→", "->", "⇒", "⊃", "=>", ">>"),
    "max": ("∨", "\\/"),
    "or": ("⊕", "||", "|"),
    "min": ("∧", "/\\"),
    "and": ("⊗", "&&", "⊙", "&"),
    "not": ("¬", "~", "!"),
}
_TIGHTNESS = {name: place for place, name in enumerate(_SPELLINGS)}
_BY_SPELLING = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
_TOKEN = re.compile(
    r"\s*(?:(?P<count>at\s+least\s+(?P<k>[-−]?[0-9]+)\s+of\b)|(?P<braced>\{(?:[^{}\\]|\\.)*\})"
    rf"|(?P<sign>{'|'.join(re.escape(each) for each in sorted(_BY_SPELLING, key=len, reverse=True))})"
    r"|(?P<mark>[(),;=])|(?P<points>[0-9]+)\s*[·*]|(?P<constant>[01⊤⊥](?!\w))|(?P<name>[^\W\d]\w*))",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}

Step = tuple[str, Any]  # an instruction: what it does, and with what


@dataclass(frozen=True)
class Formula:
    """Instructions that leave the degree on the stack."""

    steps: tuple[Step, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The truth values that it reads, each once."""
        return tuple(dict.fromkeys(str(what) for how, what in self.steps if how == "read"))

    @property
    def size(self) -> int:
        """How many literals it has, written out."""
        stack: list[int] = []
        kept: dict[object, int] = {}
        for how, what in self.steps:
            if how in ("read", "constant"):
                stack.append(int(how == "read"))
            elif how == "keep":
                kept[what] = stack.pop()
            elif how == "again":
                stack.append(kept[what])
            elif how not in ("not", "times"):
                n = what[1] if how == "count" else 2
                stack.append(sum(stack.pop() for _ in range(n)))
        return stack[0]

    def degree(self, values: Mapping[str, Fraction]) -> Fraction:
        """The truth degree, exactly."""
        stack: list[Fraction] = []
        kept: dict[object, Fraction] = {}
        for how, what in self.steps:
            if how == "read":
                stack.append(Fraction(values[str(what)]))
            elif how == "constant":
                stack.append(Fraction(int(str(what))))
            elif how == "keep":
                kept[what] = stack.pop()
            elif how == "again":
                stack.append(kept[what])
            elif how == "not":
                stack.append(1 - stack.pop())
            elif how == "times":
                stack.append(what * stack.pop())
            elif how == "count":
                k, n = what
                parts = [stack.pop() for _ in range(n)]
                stack.append(_clamped(sum(parts, ZERO) - (k - 1)))
            else:
                y, x = stack.pop(), stack.pop()
                stack.append(_joined(how, x, y))
        (found,) = stack
        return found


def _joined(how: str, x: Fraction, y: Fraction) -> Fraction:
    match how:
        case "iff":
            return 1 - abs(x - y)
        case "implies":
            return min(ONE, 1 - x + y)
        case "max":
            return max(x, y)
        case "min":
            return min(x, y)
        case "or":
            return min(ONE, x + y)
        case "and":
            return max(ZERO, x + y - 1)
    raise ValueError(how)


def _clamped(x: Fraction) -> Fraction:
    return min(ONE, max(ZERO, x))


def read(text: str) -> Formula:
    """The formula of a text, in Unicode or ASCII."""
    return _Reader(text).whole()


class _Reader:
    """Operators wait on a stack until a looser one, a comma or a parenthesis lets them out."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.place = 0
        self.bound: set[str] = set()
        self.steps: list[Step] = []

    def whole(self) -> Formula:
        if self._is("name", "let"):
            self.place += 1
            while True:
                name = self.tokens[self.place][1]
                self.place += 2  # the name and =
                self._expression()
                self.steps.append(("keep", name))
                self.bound.add(name)
                self.place += 1  # ; or in
                if self.tokens[self.place - 1] == ("name", "in"):
                    break
        self._expression()
        if self.tokens[self.place][0] != "end":
            raise ValueError(self.tokens[self.place])
        return Formula(tuple(self.steps))

    def _is(self, kind: str, text: str) -> bool:
        return self.tokens[self.place] == (kind, text)

    def _expression(self) -> None:
        waiting: list[tuple[str, int]] = []  # operators, "times" with points, "(", a count's k with its parts so far
        needs_operand = True
        while True:
            kind, text = self.tokens[self.place]
            if needs_operand:
                self.place += 1
                if kind == "sign" and _BY_SPELLING[text] == "not":
                    waiting.append(("not", 0))
                elif kind == "points":
                    waiting.append(("times", int(text)))
                elif kind == "count":
                    self.place += 1  # (
                    waiting.append((f"count {text}", 1))
                elif (kind, text) == ("mark", "("):
                    waiting.append(("(", 0))
                else:
                    self.steps.append(self._operand(kind, text))
                    needs_operand = False
            elif kind == "sign" and _BY_SPELLING[text] != "not":
                self.place += 1
                self._let_out(waiting, _BY_SPELLING[text])
                waiting.append((_BY_SPELLING[text], 0))
                needs_operand = True
            else:
                self._let_out(waiting, None)
                if not waiting:
                    return
                self.place += 1
                opened, n = waiting.pop()
                if (kind, text) == ("mark", ",") and opened != "(":
                    waiting.append((opened, n + 1))
                    needs_operand = True
                elif (kind, text) != ("mark", ")"):
                    raise ValueError(kind, text)
                elif opened != "(":
                    self.steps.append(("count", (int(opened.split()[1]), n)))

    def _let_out(self, waiting: list[tuple[str, int]], before: str | None) -> None:
        while waiting and waiting[-1][0] in (*_TIGHTNESS, "times"):
            last, points = waiting[-1]
            if last == "times":
                if before is not None:
                    raise ValueError(before)
                self.steps.append(("times", points))
                waiting.pop()
                continue
            if before is not None and _TIGHTNESS[last] < _TIGHTNESS[before] + (before == "implies"):
                return
            self.steps.append((waiting.pop()[0], None))

    def _operand(self, kind: str, text: str) -> Step:
        if kind == "constant":
            return "constant", {"⊤": "1", "⊥": "0"}.get(text, text)
        if kind == "braced":
            return "read", _ESCAPE.sub(_unescaped, text[1:-1])
        if kind == "name":
            return ("again" if text in self.bound else "read"), text
        raise ValueError(kind, text)


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(text[place : place + 20])
        kind = "count" if match["count"] else str(match.lastgroup)
        found.append((kind, match["k"].replace("−", "-") if match["count"] else match[kind]))
        place = match.end()
    return [*found, ("end", "")]


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(match[3], match[3])
