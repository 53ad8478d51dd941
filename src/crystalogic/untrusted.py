"""What is read from files of others: within limits, and only in the shape that was expected.

Nothing here trusts a file: its size, its depth, its numbers and the types of its values are looked at before they are
used. The numbers below are the only ones; docs/security.md lists them.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_type_hints

from crystalogic.errors import DocumentError, TooLargeError, refuse

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """How much of a document is read; far more than a rule that a person can read ever needs."""

    bytes: int = 64 * 1024 * 1024  # of the file
    objects: int = 1_000_000  # and lists
    values: int = 4_000_000  # of all objects and lists together
    levels: int = 32  # of brackets one inside the other
    digits: int = 64  # of one number
    neurons: int = 10_000
    links: int = 1_000_000  # of all neurons together
    literals: int = 100_000  # of the encoding
    characters: int = 1_000_000  # of all formulas together, and of those of a front
    formulas: int = 1_000

    def refuse(self, name: str, found: int, what: str) -> None:
        if found > (most := getattr(self, name)):
            refuse(TooLargeError, f"{what} has {found:,} {name}, more than the {most:,} that are read from a file.")


@dataclass(frozen=True)
class ServiceLimits:
    """How much a client of `serve`, or an assistant over `mcp`, may ask for."""

    bytes: int = 1024 * 1024  # of a request, and of the answer of a tool
    rows: int = 1_000  # of a request
    seconds: int = 10  # until a request has come, until it is answered, until the answer is taken
    connections: int = 100  # at once
    table_bytes: int = 256 * 1024 * 1024  # of the files that a tool reads
    tool_seconds: int = 600


LIMITS, SERVED = Limits(), ServiceLimits()


def read_text(path: Path, kind: str) -> str:
    """The text of a file, read no further than the limit; an error says why there is none."""
    try:
        with path.open("rb") as file:
            content = file.read(LIMITS.bytes + 1)
        LIMITS.refuse("bytes", len(content), f"{path}: this file")
        return content.decode("utf-8")
    except (OSError, ValueError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else error
        refuse(DocumentError, f"{path}: cannot be read as a {kind} ({why}).")


def json_data(text: str, kind: str) -> Any:
    """The JSON data of a text within the limits; keys that stand twice, NaN and infinity are refused."""
    LIMITS.refuse("bytes", len(text), f"this {kind}")
    # Counted before anything is made of it: an empty object takes 3 characters here and 30 times that in memory.
    n_objects = text.count("{") + text.count("[")
    LIMITS.refuse("objects", n_objects, f"this {kind}")
    LIMITS.refuse("values", n_objects + text.count(","), f"this {kind}")
    try:
        content = json.loads(
            text, object_pairs_hook=_different, parse_int=_integer, parse_float=_number, parse_constant=_no_number
        )
        is_deep = _is_deep(content)
    except RecursionError:
        is_deep = True
    except ValueError as error:
        message = f"not a {kind}: broken JSON ({error}). It may be truncated; write it again."
        if not text.lstrip().startswith(("{", "[")):
            message = f"not a {kind}: this is no JSON, it begins with {text[:20]!r}. Do you mean something else?"
        raise DocumentError(message) from None
    if is_deep:
        refuse(DocumentError, f"not a {kind}: nested too deeply to be one, beyond {LIMITS.levels} levels.")
    return content


def _is_deep(content: Any) -> bool:
    """Whether something stands within more brackets than the limit."""
    inside = [content]
    for _ in range(LIMITS.levels):
        outer = [each for each in inside if isinstance(each, (dict, list))]
        inside = [inner for each in outer for inner in (each.values() if isinstance(each, dict) else each)]
    return any(isinstance(each, (dict, list)) for each in inside)


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        refuse(ValueError, f"the key {find_repeated([key for key, _ in pairs])!r} stands twice in one object")
    return found


def _integer(digits: str) -> int:
    return int(_short(digits))


def _number(digits: str) -> float:
    found = float(_short(digits))
    return found if abs(found) != float("inf") else _no_number(digits)


def _short(digits: str) -> str:
    if len(digits) > LIMITS.digits:
        refuse(ValueError, f"a number has {len(digits):,} digits, more than {LIMITS.digits}")
    return digits


def _no_number(text: str) -> NoReturn:
    refuse(ValueError, f"{text} is no finite number")


def find_repeated(names: Iterable[Any]) -> Any:
    """The first of the names that stands there twice; None if there is none."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _reader(kind: type[T], expected: str) -> Callable[[Any, str], T]:
    """What gives a value as it is, if it is of this kind and no other: a truth value is no whole number."""
    return lambda value, what: value if type(value) is kind else _refuse(value, what, expected)


text = _reader(str, "a text")
whole = _reader(int, "a whole number")
flag = _reader(bool, "true or false")
table: Callable[[Any, str], dict[str, Any]] = _reader(dict, "an object")


def number(value: Any, what: str) -> float:
    """The value, which must be a number."""
    return float(value) if type(value) in (int, float) else _refuse(value, what, "a number")


def finite(value: Any, what: str) -> Any:
    """The number as it is, whole or not; neither NaN nor infinity."""
    return value if abs(number(value, what)) < float("inf") else _refuse(value, what, "a finite number")


def each(read: Callable[[Any, str], T], value: Any, what: str) -> tuple[T, ...]:
    """The members of a list, each read in the same way."""
    if not isinstance(value, (list, tuple)):
        _refuse(value, what, "a list")
    return tuple(read(member, f"{what}, member {place}") for place, member in enumerate(value))


def named(read: Callable[[Any, str], T], value: Any, what: str) -> dict[str, T]:
    """The members of a JSON object, each read in the same way."""
    return {name: read(member, f"{what}, {name}") for name, member in table(value, what).items()}


def read_fields(kind: type[T], value: Any, what: str) -> T:
    """A dataclass from a JSON object, each field read as its annotation says; one with a default may be absent."""
    body, readers = table(value, what), readers_of(kind)
    wanted = {name: read for name, read in readers.items() if name in body or not hasattr(kind, name)}
    return kind(**{name: read(body.get(name), f"{what}, {name}") for name, read in wanted.items()})


def readers_of(kind: type) -> dict[str, Callable[[Any, str], Any]]:
    """How each field of a dataclass is read, for those whose annotation says it."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}


def perhaps(read: Callable[[Any, str], T], value: Any, what: str) -> T | None:
    """The value, unless it is null."""
    return None if value is None else read(value, what)


def _refuse(value: Any, what: str, expected: str) -> NoReturn:
    refuse(DocumentError, f"{what} is {shorten(value)}, expected {expected}.")


def shorten(value: Any) -> str:
    """A value for a message, cut off where it is long."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
