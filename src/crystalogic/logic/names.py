"""Symbols and names in text: the one table of connectives that the parser and all printers share, and names.

Bare identifiers are names, and everything else in braces is, as in {cp=4} or {age ≥ 55}. A name may hold anything. What
would command a terminal, end a line or change the order of what is seen is shown as an escape, by `visible` alone.
"""

import re
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from crystalogic.logic.formula import Formula, Iff, Implies, Maximum, Minimum, Not, StrongAnd, StrongOr


@dataclass(frozen=True)
class Operator:
    """How a connective is written. A higher precedence binds more tightly."""

    node: type[Formula]
    precedence: int
    chain: str  # x ∘ y ∘ z is one node ("flat"), x ∘ (y ∘ z) ("right") or nothing ("none"); or "prefix"
    unicode: str
    ascii: str
    latex: str
    also: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.unicode, self.ascii, *self.also)


OPERATORS = (
    Operator(Iff, 1, "none", "↔", "<->", r"\leftrightarrow", ("⇔", "≡", "<=>")),
    Operator(Implies, 2, "right", "→", "->", r"\rightarrow", ("⇒", "⊃", "=>", ">>")),
    Operator(Maximum, 3, "flat", "∨", r"\/", r"\vee"),
    Operator(StrongOr, 4, "flat", "⊕", "|", r"\oplus", ("||",)),
    Operator(Minimum, 5, "flat", "∧", "/\\", r"\wedge"),
    Operator(StrongAnd, 6, "flat", "⊗", "&", r"\otimes", ("&&", "⊙")),
    Operator(Not, 7, "prefix", "¬", "~", r"\neg ", ("!",)),
)
BY_NODE = {operator.node: operator for operator in OPERATORS}
BY_SPELLING = {spelling: operator for operator in OPERATORS for spelling in operator.spellings}
ATOM_PRECEDENCE = 8  # variables, constants and at least k of (…): never in parentheses
TIMES = {"unicode": "·", "ascii": "*", "latex": r"\cdot "}  # between points and what has them
KEYWORDS = ("let", "in")
BARE = re.compile(r"[^\W\d]\w*")
_ESCAPES = {"\\": "\\", "{": "{", "}": "}", "\n": "n", "\r": "r", "\t": "t"}
_UNESCAPES = {code: char for char, code in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_COMMANDS = re.compile(  # control characters, line separators, bidirectional controls, halves of characters
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@cache
def symbols() -> dict[str, Any]:
    """How others write: what is `typed` for connectives, as characters or as `words`; `latex`, and `greek` letters."""
    return tomllib.loads((resources.files("crystalogic.logic") / "symbols.toml").read_text(encoding="utf-8"))


def write_name(name: str, *, ascii_only: bool = False) -> str:
    """The name as `parse` reads it back."""
    if BARE.fullmatch(name) and name not in KEYWORDS and (name.isascii() or not ascii_only):
        return name
    escaped = visible("".join("\\" + _ESCAPES[char] if char in _ESCAPES else char for char in name))
    if ascii_only:
        escaped = "".join(char if char.isascii() else _code_point(char) for char in escaped)
    return "{" + escaped + "}"


def visible(text: str) -> str:
    """The text with all that cannot be seen and does something as escapes; line ends and tabs stay."""
    return _COMMANDS.sub(lambda found: _code_point(found[0]), text)


def one_line(name: object) -> str:
    """A name for people: on one line, visible."""
    return visible(" ".join(str(name).split()))


def read_name(inside: str) -> str:
    """The name whose text between the braces is this; ValueError for an escape that does not exist."""

    def replacement(match: re.Match[str]) -> str:
        if code := match[1] or match[2]:
            return chr(int(code, 16))
        if match[3] not in _UNESCAPES:
            raise ValueError(match[0])
        return _UNESCAPES[match[3]]

    return _ESCAPE.sub(replacement, inside)


def fresh_name(wanted: str, taken: Collection[str], mark: str = "'") -> str:
    """The name, or with so many marks behind it that it is none of those taken."""
    while wanted in taken:
        wanted += mark
    return wanted


def fresh_prefix(wanted: str, names: Collection[str]) -> str:
    """The name, so often that none of the names is that with a number: numbers can follow it."""
    digits = "".join({char for name in names for char in name if char.isdigit()})
    return fresh_name(wanted, {name.rstrip(digits) for name in names if name[-1:].isdigit()}, wanted)


def size_text(count: int) -> str:
    """A count for people; a gigantic one as a power of ten."""
    return f"{count:,}" if count < 10**18 else f"about 10^{int(count.bit_length() * 0.30103)}"


def latex_name(name: str) -> str:
    """The name as LaTeX: words in italics, everything else as text."""
    letter, digits = name[:1], name[1:].translate(_SUBSCRIPTS)
    is_indexed = len(name) > 1 and digits.isdigit() and digits.isascii() and not name[1:].isascii()
    greek = symbols()["greek"]
    if (letter in greek or (letter.isalpha() and letter.isascii())) and (len(name) == 1 or is_indexed):
        symbol = greek.get(letter, letter)
        return f"{symbol}_{{{digits}}}" if digits else symbol
    escaped = latex_text(name)
    return rf"\mathit{{{escaped}}}" if BARE.fullmatch(name) else rf"\text{{{escaped}}}"


def latex_text(text: str) -> str:
    """Any text as LaTeX for text mode, on one line; what cannot be shown is left out."""
    return "".join(symbols()["latex"].get(char, char) for char in " ".join(text.split()) if char.isprintable())


def _code_point(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that may have been meant, capitals and spaces apart, if one is close."""
    from difflib import get_close_matches

    folded = {each.casefold(): each for each in sorted(known)}
    close = get_close_matches(name.strip().casefold(), folded, n=1, cutoff=0.75)
    return folded[close[0]] if close else None
