"""Expressions of SQL, Python, C and JavaScript as one small tree; what is not understood is refused.

One tokenizer and one parser by precedence; what differs between the languages is a table of languages.toml.
"""

import ast
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NoReturn

from crystalogic.errors import ReadbackError

DEEPEST = 120  # brackets one inside the other


def refuse(message: str) -> NoReturn:
    raise ReadbackError(message)


@dataclass(frozen=True, eq=False)
class Node:
    """An operation on parts, a column or a constant; `columns` are those that it reads."""

    op: str
    parts: "tuple[Node, ...]" = ()
    value: Any = None
    columns: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        own = frozenset([self.value] if self.op == "column" else ())
        object.__setattr__(self, "columns", own.union(*(part.columns for part in self.parts)))


def constant(value: Any) -> Node:
    return Node("constant", (), value)


@dataclass(frozen=True)
class Language:
    """A language or dialect by its name: how it is written, and what differs in what it means."""

    name: str
    family: str  # sql, python, c or javascript
    tokens: Mapping[str, str]
    binary: Mapping[str, tuple[int, str]]  # how tightly an operator binds, and what it is called here
    words: Mapping[str, Any]
    functions: Mapping[str, int]  # and how many arguments they take at most
    holds: str  # what a cell of a column of unknown type can be
    types: Mapping[str, str] = field(default_factory=dict)
    traits: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()  # the regular expressions that may stand in a text
    apart: tuple[str, ...] = ()  # what is known to differ, in words
    frame: str = ""  # what stands around the rule, as a regular expression
    chunks: str = ""  # where a definition begins
    rewrites: tuple[tuple[str, str], ...] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)  # what functions mean
    prelude: Mapping[str, str] = field(default_factory=dict)  # fingerprints of their definitions

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        named = (f"(?P<{name}>{text})" for name, text in self.tokens.items())
        return re.compile("|".join(named), re.DOTALL)

    def call(self, name: str, parts: tuple[Node, ...]) -> Node:
        """A call of a known function; those with a definition are what the definition says."""
        parts = tuple(constant(tuple(each.value for each in part.parts)) if part.op == "list" else part for part in parts)
        if name in self.definitions:
            names, _, body = self.definitions[name].partition(": ")
            known = dict(zip(names.split(), parts, strict=False))
            if len(known) != len(names.split()) or len(parts) != len(known):
                refuse(f"{name} takes {len(names.split())} values, got {len(parts)}")
            plain = replace(languages()["javascript"], definitions={})
            return Parser(body, plain, known.__getitem__).whole()
        if name not in self.functions or not 1 <= len(parts) <= self.functions[name]:
            refuse(f"the function {name} with {len(parts)} values is not one that is known")
        return Node(name, parts)


@cache
def languages() -> dict[str, Language]:
    """All languages and dialects by their names."""
    data = tomllib.loads(files("crystalogic.readback").joinpath("languages.toml").read_text("utf-8"))
    found = {}
    for name, own in data["language"].items():
        body = dict(data["family"].get(own["family"], data["family"]["program"]))
        body |= {key: {**body.get(key, {}), **each} if isinstance(each, dict) else each for key, each in own.items()}
        body |= {"patterns": tuple(body.get("patterns", ())), "traits": frozenset(body.get("traits", ()))}
        body |= {"apart": tuple(body.get("apart", ())), "rewrites": tuple(map(tuple, body.get("rewrites", ())))}
        words = {word: None if value == "null" else value for word, value in body["words"].items()}
        found[name] = Language(**{**body, "name": name, "words": words, "frame": "".join(body.get("frame", ()))})
    return found


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    place: int


class Parser:
    """Reads one text; names are looked up by `resolve`, which refuses those that mean nothing."""

    def __init__(self, text: str, language: Language, resolve: Callable[[str], Node]) -> None:
        self.text, self.language, self.resolve = text, language, resolve
        self.tokens, self.at, self.depth = list(self._split()), 0, 0
        self.made: dict[Any, Node] = {}

    def node(self, op: str, parts: tuple[Node, ...] = (), value: Any = None) -> Node:
        """What is written twice is one node."""
        key = (op, *map(id, parts), type(value), value)
        return self.made.setdefault(key, Node(op, parts, value))

    def constant(self, value: Any) -> Node:
        return self.node("constant", (), value)

    def _split(self) -> Any:
        place = 0
        while place < len(self.text):
            found = self.language.pattern.match(self.text, place)
            if found is None:
                refuse(f"{self.text[place : place + 30]!r} is not {self.language.name}")
            if found.lastgroup != "space":
                yield Token(str(found.lastgroup), found[0], place)
            place = found.end()
        yield Token("end", "", place)

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, *texts: str) -> bool:
        """Whether these words come next, which are then read."""
        ahead = self.tokens[self.at : self.at + len(texts)]
        is_next = [t.text.upper() if t.kind == "word" else t.text for t in ahead if t.kind in ("word", "sign")]
        if is_next != list(texts):
            return False
        self.at += len(texts)
        return True

    def expect(self, *texts: str) -> None:
        if not self.take(*texts):
            where = self.text[self.next.place : self.next.place + 40]
            refuse(f"expected {' '.join(texts)} before {where!r}" if where else f"expected {' '.join(texts)} at the end")

    def advance(self, kind: str) -> str:
        """The next token, which must be of this kind."""
        if self.next.kind != kind:
            refuse(f"expected a {kind} before {self.text[self.next.place : self.next.place + 40]!r}")
        self.at += 1
        return self.tokens[self.at - 1].text

    def whole(self) -> Node:
        """The one expression that the text is."""
        found = self.expression()
        self.advance("end")
        return found

    def expression(self, least: int = 0) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            refuse("it is nested too deeply")
        left = self._prefix()
        while (after := self._infix(left, least)) is not None:
            left = after
        self.depth -= 1
        return left

    def _prefix(self) -> Node:
        if self.take("NOT") or self.take("!"):
            return self.node("not", (self.expression(4 if self.language.family == "sql" else 8),))
        if self.take("+"):
            return self.expression(8)
        if self.take("-"):
            found = self.expression(8)
            is_number = found.op == "constant" and isinstance(found.value, (int, float)) and found.value is not True
            return self.constant(-found.value) if is_number else self.node("neg", (found,))
        return self._postfix(self._primary())

    def _postfix(self, found: Node) -> Node:
        while True:
            if self.take("["):
                if found.op != "list":
                    refuse("only a list has places")
                found = self.node("index", (*found.parts, self.expression()), self.language.family)
                self.expect("]")
            elif "::" in self.language.tokens["sign"] and self.take("::"):
                found = self._cast(found, self.advance("word").upper())
            else:
                return found

    def _infix(self, left: Node, least: int) -> Node | None:
        start, is_not = self.at, self.take("NOT")
        token = self.next
        binds, op = self.language.binary.get(token.text.upper() if token.kind == "word" else token.text, (-1, ""))
        if binds < max(least, 0) or token.kind not in ("word", "sign"):
            self.at = start
            return None
        self.at += 1
        if op == "!~":
            is_not, op = True, "~"
        if op == "is":
            is_not = self.take("NOT")
            self.expect("NULL")
            found = self.node("is null", (left,))
        elif op == "in":
            self.expect("(")
            found = self.node("in", (left, *self.listed(")")))
        elif op == "between":
            low = self.expression(5)
            self.expect("AND")
            found = self.node("and", (self._compare(">=", left, low), self._compare("<=", left, self.expression(5))))
        elif op in ("?", "if"):
            other = self.expression(1 if op == "if" else 0)
            self.expect(":" if op == "?" else "ELSE")
            last = self.expression()
            found = self.node("if", (left, other, last) if op == "?" else (other, left, last))
        else:
            found = self._compare(op, left, self.expression(binds + 1))
            also, after = self.language.binary.get(self.next.text, (0, ""))
            if self.language.family == "python" and binds == also == 4:  # a chain
                self.at += 1
                found = self.node("and", (found, self._compare(after, found.parts[1], self.expression(binds + 1))))
        return self.node("not", (found,)) if is_not else found

    def _compare(self, op: str, left: Node, right: Node) -> Node:
        """SQLite reads a text as a number where it is compared with a cast to one."""
        has_cast = any(part.op == "cast" and part.value != "text" for part in (left, right))
        return Node(op, (left, right), "numeric" if has_cast and "affinity" in self.language.traits else None)

    def listed(self, end: str) -> tuple[Node, ...]:
        """Expressions between commas up to an end; the last comma may be followed by nothing."""
        found: list[Node] = []
        while not self.take(end):
            found.append(self.expression())
            if not self.take(","):
                self.expect(end)
                break
        return tuple(found)

    def _primary(self) -> Node:
        token = self.next
        if token.kind in ("number", "text"):
            self.at += 1
            return self.constant(read_number(token.text) if token.kind == "number" else read_text(token.text, self.language))
        if self.take("("):
            parts = self.listed(")")
            is_one = len(parts) == 1 and self.tokens[self.at - 2].text != ","
            return parts[0] if is_one else self.node("list", parts)
        if self.take("["):
            return self.node("list", self.listed("]"))
        if token.kind == "name":
            return self.resolve(self.name())
        name = self.advance("word")
        if self.take("."):
            return self.resolve(self.name())
        word = name.upper() if self.language.family == "sql" else name
        if word in self.language.words:
            return self.constant(self.language.words[word])
        if word == "CASE":
            return self._case()
        if not self.take("("):
            return self.resolve(name)
        if word in ("CAST", "TRY_CAST"):
            found = self.expression()
            self.expect("AS")
            kind = self.advance("word").upper()
            kind += " PRECISION" if self.take("PRECISION") else ""
            self.expect(")")
            return self._cast(found, kind, "try " if word == "TRY_CAST" else "")
        return self.language.call(name.lower() if self.language.family == "sql" else name, self.listed(")"))

    def _cast(self, found: Node, kind: str, how: str = "") -> Node:
        if kind not in self.language.types:
            refuse(f"the type {kind} is not one that is known")
        return self.node("cast", (found,), how + self.language.types[kind])

    def name(self) -> str:
        """A name in its quotes, without them."""
        text = self.advance("name")
        return text[1:-1].replace(text[0] * 2, text[0])

    def _case(self) -> Node:
        subject = None if self.next.text.upper() == "WHEN" else self.expression()
        cases = []
        while self.take("WHEN"):
            condition = self.expression()
            condition = condition if subject is None else self._compare("=", subject, condition)
            self.expect("THEN")
            cases.append((condition, self.expression()))
        found = self.expression() if self.take("ELSE") else self.constant(None)
        self.expect("END")
        for condition, then in reversed(cases):
            found = self.node("if", (condition, then, found))
        return found


def read_number(text: str) -> int | float | Fraction:
    """A numeral: a whole number, the double that it writes, or exactly what it says if it is no double."""
    plain = text.removesuffix("n")
    if len(plain) > 400:
        refuse(f"the number {plain[:20]}… is too long")
    if plain.isdigit():
        return int(plain)
    double = float(plain)
    return double if abs(double) != float("inf") and Fraction(repr(double)) == Fraction(plain) else Fraction(plain)


def read_text(text: str, language: Language) -> str:
    """What a text in its quotes says."""
    if language.family == "sql":
        if "backslash" in language.traits:
            return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
        return text[1:-1].replace("''", "'")
    if language.family == "c":
        raw = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text[1:-1])
        return raw.encode("latin-1").decode("utf-8")
    return str(json.loads(text) if language.family == "javascript" else ast.literal_eval(text))
