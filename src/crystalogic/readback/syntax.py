"""Expressions of SQL, Python, C and JavaScript as one small tree; what is not understood is refused.

One tokenizer and one parser by precedence. What differs between languages is a table of languages.toml, whose entries
are the fields of a `Language`.
"""

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

from crystalogic.errors import ReadbackError

FAILS = type("Failure", (), {"__repr__": lambda _: "an error"})()  # what an engine gives where it ends with an error
DEEPEST = 120  # brackets one inside the other
Language = SimpleNamespace  # a language or dialect: how it is written, and what differs in what it means


def refuse(message: str, error: type[ReadbackError] = ReadbackError) -> NoReturn:
    raise error(message)


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


def walk(nodes: Iterable[Node], is_entered: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """Nodes and their parts, each once; the parts of those alone that are entered."""
    seen, inside = set(), list(nodes)
    while inside:
        node = inside.pop()
        if id(node) not in seen:
            seen.add(id(node))
            inside += node.parts if is_entered(node) else ()
            yield node


@cache
def data_file() -> dict[str, Any]:
    """What languages.toml says."""
    return tomllib.loads(files("crystalogic.readback").joinpath("languages.toml").read_text("utf-8"))


@cache
def languages() -> dict[str, Language]:
    """All languages and dialects by their names."""
    data, found = data_file(), {}
    for name, own in data["language"].items():
        body = {**data["family"]["any"], **data["family"].get(own["family"], data["family"]["program"])}
        body |= {key: {**body[key], **each} if isinstance(each, dict) else each for key, each in own.items()}
        body["words"] = {word: None if value == "null" else value for word, value in body["words"].items()}
        tokens = re.compile("|".join(f"(?P<{kind}>{text})" for kind, text in body["tokens"].items()), re.DOTALL)
        found[name] = Language(**{**body, "name": name, "tokens": tokens, "frame": "".join(body["frame"])})
    return found


def call(language: Language, name: str, parts: tuple[Node, ...]) -> Node:
    """A call of a known function; those with a definition are what the definition says."""
    parts = tuple(constant(tuple(each.value for each in part.parts)) if part.op == "list" else part for part in parts)
    known = {**language.functions, **language.definitions}
    if name in known and name not in getattr(language, "defined", known):  # which a program finds out when it runs
        return constant(FAILS)
    names, _, body = language.definitions.get(name, "").partition(": ")
    if body and len(names.split()) == len(parts):
        return express(body, **dict(zip(names.split(), parts, strict=True)))
    if body or name not in language.functions or not 1 <= len(parts) <= language.functions[name]:
        refuse(f"the function {name} of {len(parts)} values is not one that is known")
    return Node(name, parts)


def express(text: str, **parts: Node) -> Node:
    """An expression of these parts, written as in JavaScript."""
    return Parser(text, languages()["javascript"], parts.__getitem__).whole()


class Token(NamedTuple):
    kind: str
    text: str
    place: int


class Parser:
    """Reads one text; names are looked up by `resolve`, which refuses those that mean nothing."""

    def __init__(self, text: str, language: Language, resolve: Callable[[str], Node]) -> None:
        self.text, self.language, self.resolve = text, language, resolve
        self.tokens: list[Token] = []
        self.at, self.depth, place = 0, 0, 0
        self.made: dict[Any, Node] = {}
        while place < len(text):
            found = language.tokens.match(text, place) or refuse(f"{text[place : place + 30]!r} is not {language.name}")
            if found.lastgroup != "space":
                self.tokens.append(Token(found.lastgroup, found[0], place))
            place = found.end()
        self.tokens.append(Token("end", "", place))

    def node(self, op: str, parts: tuple[Node, ...] = (), value: Any = None) -> Node:
        """What is written twice is one node."""
        return self.made.setdefault((op, *map(id, parts), type(value), value), Node(op, parts, value))

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, *texts: str) -> bool:
        """Whether these words come next, which are then read."""
        ahead = self.tokens[self.at : self.at + len(texts)]
        is_next = [t.text.upper() if t.kind == "word" else t.text for t in ahead if t.kind in ("word", "sign")]
        self.at += len(texts) if is_next == list(texts) else 0
        return is_next == list(texts)

    def expect(self, *texts: str) -> None:
        if not self.take(*texts):
            refuse(f"expected {' '.join(texts)} before {self.text[self.next.place :][:40]!r}")

    def advance(self, kind: str) -> str:
        """The text of the next token, which must be of this kind."""
        if self.next.kind != kind:
            refuse(f"expected a {kind} before {self.text[self.next.place :][:40]!r}")
        self.at += 1
        return self.tokens[self.at - 1].text

    def name(self) -> str:
        """A name in its quotes, without them."""
        text = self.advance("name")
        return text[1:-1].replace(text[0] * 2, text[0])

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
        if self.take("NOT"):
            return self.node("not", (self.expression(4),))
        if self.take("+"):
            return self.expression(8)
        if self.take("-"):
            found = self.expression(8)
            is_number = isinstance(found.value, (int, float)) and not isinstance(found.value, bool)
            return self.node("constant", (), -found.value) if is_number else self.node("neg", (found,))
        found = self._primary()
        while True:
            if self.take("["):
                if found.op != "list":
                    refuse("only a list has places")
                found = self.node("index", (*found.parts, self.expression()), self.language.family)
                self.expect("]")
            elif self.take("::"):
                found = self._cast(found, self.advance("word").upper())
            else:
                return found

    def _infix(self, left: Node, least: int) -> Node | None:
        start, is_not, token = self.at, self.take("NOT"), self.next
        binds, op = self.language.binary.get(token.text.upper() if token.kind == "word" else token.text, (-1, ""))
        if binds < least or token.kind not in ("word", "sign"):
            self.at = start
            return None
        self.at += 1
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
        elif op == "?":
            yes = self.expression()
            self.expect(":")
            found = self.node("if", (left, yes, self.expression()))
        else:
            is_not |= op == "!~"
            found = self._compare(op.lstrip("!"), left, self.expression(binds + 1))
            also, after = self.language.binary.get(self.next.text, (0, ""))
            if self.language.family == "python" and binds == also == 4:  # a chain
                self.at += 1
                found = self.node("and", (found, self._compare(after, found.parts[1], self.expression(binds + 1))))
        return self.node("not", (found,)) if is_not else found

    def _compare(self, op: str, left: Node, right: Node) -> Node:
        """SQLite reads a text as a number where it is compared with a cast to one."""
        has_cast = any(part.op == "cast" and part.value != "text" for part in (left, right))
        return self.node(op, (left, right), "numeric" if has_cast and "affinity" in self.language.traits else None)

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
            value = read_number(token.text) if token.kind == "number" else read_text(token.text, self.language)
            self.at += 1
            return self.node("constant", (), value)
        if self.take("("):
            parts = self.listed(")")
            return parts[0] if len(parts) == 1 and self.tokens[self.at - 2].text != "," else self.node("list", parts)
        if self.take("["):
            return self.node("list", self.listed("]"))
        if token.kind == "name":
            return self.resolve(self.name())
        name = self.advance("word")
        if self.take("."):
            return self.resolve(self.name())
        word = name.upper() if self.language.family == "sql" else name
        if word in self.language.words:
            return self.node("constant", (), self.language.words[word])
        if word == "CASE":
            return self._case()
        if not self.take("("):
            return self.resolve(name)
        if word in ("CAST", "TRY_CAST"):
            found = self.expression()
            self.expect("AS")
            kind = self.advance("word").upper() + (" PRECISION" if self.take("PRECISION") else "")
            self.expect(")")
            return self._cast(found, kind, "try " if word == "TRY_CAST" else "")
        return call(self.language, name.lower() if self.language.family == "sql" else name, self.listed(")"))

    def _cast(self, found: Node, kind: str, how: str = "") -> Node:
        if kind not in self.language.types:
            refuse(f"the type {kind} is not one that is known")
        return self.node("cast", (found,), how + self.language.types[kind])

    def _case(self) -> Node:
        subject = None if self.next.text.upper() == "WHEN" else self.expression()
        cases = []
        while self.take("WHEN"):
            condition = self.expression()
            condition = condition if subject is None else self._compare("=", subject, condition)
            self.expect("THEN")
            cases.append((condition, self.expression()))
        found = self.expression() if self.take("ELSE") else constant(None)
        self.expect("END")
        for condition, then in reversed(cases):
            found = self.node("if", (condition, then, found))
        return found


def read_number(text: str) -> int | float | Fraction:
    """A numeral: a whole number, the double that it writes, or exactly what it says if it is no double."""
    plain = text.removesuffix("n")
    if len(plain) > 400 or re.search(r"[eE][+-]?\d{5}", plain):
        refuse(f"the number {plain[:20]}… is too long")
    if plain.isdigit():
        return int(plain)
    double, exact = float(plain), Fraction(plain)
    return double if abs(double) != float("inf") and Fraction(repr(double)) == exact else exact


def read_text(text: str, language: Language) -> str:
    """What a text in its quotes says."""
    if language.family == "sql":
        is_escaped = "backslash" in language.traits
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.S) if is_escaped else text[1:-1].replace("''", "'")
    if language.family == "c":
        raw = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text[1:-1])
        return raw.encode("latin-1").decode("utf-8")
    return str(json.loads(text) if language.family == "javascript" else ast.literal_eval(text))
