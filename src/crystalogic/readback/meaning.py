"""What operations mean in each language, on one cell at a time: the engines' own rules, written again.

Cells are values of Python, whose types stand for those of the language: None, bool, int, float and str. A number that
may be any between two others is a float that knows it (`Between`), as long as nothing but cuts and degrees ask for it.
"""

import math
import operator
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_number, level_of, number_of
from crystalogic.readback.syntax import Language, Node, refuse

SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt}
SIGNS |= {"<=": operator.le, ">": operator.gt, ">=": operator.ge}
LISTED = frozenset(("", *MISSING_WORDS))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)


class Failure:
    """What an engine gives where it ends with an error."""

    def __repr__(self) -> str:
        return "an error"


FAILS = Failure()


class Symbolic(Exception):
    """One answer for all numbers of an interval was asked for, and there is none."""


class Between(float):
    """Any number between two neighbours of those that a rule names: compared with these, all give one answer."""

    ends: tuple[float, float]
    key = "x"

    def __abs__(self) -> float:
        found = Between(abs(float(self)))
        found.key = "x" if self >= 0 else "-x"
        return found

    def __sub__(self, other: float) -> "Scaled":
        return Scaled("-", self, other)


class Scaled(float):
    """What is computed from such a number; equal if it is computed in the same way."""

    def __abs__(self) -> float:
        raise Symbolic

    def __new__(cls, sign: str, number: "Between | Scaled", other: float) -> "Scaled":
        value = float(number) - float(other) if sign == "-" else float(number) / float(other)
        found = super().__new__(cls, value)
        found.key = (sign, number.key, float(other))
        return found

    key: tuple[Any, ...]

    def __truediv__(self, other: float) -> "Scaled":
        return Scaled("/", self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaled) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Written(str):
    """Such a number as a text, which can be read again."""

    number: Between


def text_of(value: Any, language: Language) -> Any:
    """A cell as the engine writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return value if isinstance(value, str) else str(value)
    if not math.isfinite(value):
        words = ("nan", "inf", "-inf") if language.name in ("duckdb", "sqlite") else ("NaN", "Infinity", "-Infinity")
        return {"sqlite": ("", "Inf", "-Inf")}.get(language.name, words)[0 if value != value else 1 + (value < 0)]
    plain = repr(float(value))
    plain = plain.removesuffix(".0") if language.name == "postgresql" else plain
    if isinstance(value, Between):
        plain = Written(plain)
        plain.number = value
    return plain


def _cast(language: Language, kind: str, value: Any) -> Any:
    kind, is_try = kind.removeprefix("try "), kind.startswith("try ")
    if kind == "text":
        return text_of(value, language)
    nothing = None if is_try else FAILS
    if isinstance(value, bool):
        return float(value) if "truths are numbers" in language.traits else nothing
    if isinstance(value, Written):
        return value.number
    if isinstance(value, str):
        return _read_double(language, kind, value, nothing)
    if isinstance(value, int) and kind == "double":
        return float(value) if abs(value) < 10**308 else nothing
    return value


def _read_double(language: Language, kind: str, text: str, nothing: Any) -> Any:
    if "affinity" in language.traits:  # the number that a text begins with
        found = _NUMBER.match(text.lstrip(" "))
        return 0.0 if found is None else float(found[0]) if kind == "double" else _whole_or(found[0])
    text = text.strip()
    if language.name == "duckdb":
        text = re.sub(r"(?<=\d)_(?=\d)", "", text).replace("+-", "-")
    if language.name == "standard" or (not _NUMBER.fullmatch(text) and not _is_special(text)):
        return nothing
    return Fraction(text) if kind == "numeric" else float(text)


def _is_special(text: str) -> bool:
    return text.lower().lstrip("+-") in ("nan", "inf", "infinity")


def _whole_or(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _compare(language: Language, how: str | None, sign: str, *pair: Any) -> Any:
    if how == "numeric":  # SQLite: texts that write numbers become numbers
        pair = tuple(
            _whole_or(each.strip(" ")) if isinstance(each, str) and _NUMBER.fullmatch(each.strip(" ")) else each
            for each in pair
        )
    if any(isinstance(each, Scaled) for each in pair):
        raise Symbolic
    left, right = pair
    if isinstance(left, str) != isinstance(right, str):
        if "affinity" not in language.traits:
            return sign == "<>" if language.family != "sql" else FAILS
        left, right = int(isinstance(left, str)), int(isinstance(right, str))  # numbers stand before texts
    elif "NaN is greatest" in language.traits and not isinstance(left, str):
        left, right = (left != left, 0 if left != left else left), (right != right, 0 if right != right else right)
    return SIGNS[sign](left, right)


def _add(sign: str, left: Any, right: Any) -> Any:
    if isinstance(left, str) or isinstance(right, str):
        return FAILS
    if sign == "-" and type(left) is Between and not isinstance(right, (Between, Scaled)):
        return left - right
    if sign == "/" and type(left) is Scaled and not isinstance(right, (Between, Scaled)):
        return left / right
    if any(isinstance(each, (Between, Scaled)) for each in (left, right)):
        raise Symbolic
    if sign == "/":
        is_whole = isinstance(left, int) and isinstance(right, int)
        return FAILS if right == 0 or is_whole else left / right
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def _neg(value: Any) -> Any:
    if isinstance(value, (Between, Scaled)):
        raise Symbolic
    return -value


def _matches(how: str) -> Callable[..., Any]:
    def match(language: Language, text: Any, pattern: str, new: str = "") -> Any:
        is_simple = len(pattern) <= 60 and "(" not in pattern and sum(map(pattern.count, "*+{")) <= 4  # and so never slow
        if pattern not in language.patterns and not is_simple:
            refuse(f"the regular expression {pattern!r} is not one that is known")
        if how == "replace":
            return re.sub(pattern, new.replace("$1", r"\1"), text, count=1, flags=re.ASCII)
        flags = re.ASCII | (re.IGNORECASE if how == "no case" else 0)
        return bool((re.fullmatch if how == "full" else re.search)(pattern, text, flags))

    return match


def _is_like(_: Language, text: str, pattern: str) -> bool:
    if not pattern.endswith("%") or set(pattern[:-1]) & set("%_"):
        refuse(f"LIKE {pattern!r} is not one that is known")
    return text.startswith(pattern[:-1])


def shown(value: Any) -> str:
    """A cell as texts are compared in Python and JavaScript."""
    return str(value).strip()


def _is_missing(_: Language, value: Any, words: Any = LISTED) -> float:
    return float(value is None or value != value or shown(value) in words)


def _is_same(_: Language, value: Any, wanted: Any) -> float:
    if value is None or value != value:
        return 0.0
    level = level_of(value, NO_WORDS)
    return float(shown(value) == wanted if isinstance(wanted, str) else level is not None and level_number(level) == wanted)


def _writes(language: Language, value: Any, text: str, wanted: float) -> float:
    """Whether a text counts this in C; more digits than a double has are compared as they are."""
    level = None if value is None else level_of(value, NO_WORDS)
    number = None if level is None else level_number(level)
    is_long = isinstance(number, int) and len(shown(value).lstrip("+-")) > 15 and shown(value).lstrip("+-").isdigit()
    return float(number is not None and (shown(value).removeprefix("+") == text if is_long else number == wanted))


def _number(_: Language, value: Any) -> float:
    found = value if isinstance(value, Between) else number_of(value)
    return found if math.isfinite(found) else math.nan


def _index(family: str, *parts: Any) -> Any:
    *items, place = parts
    if isinstance(place, float) and (family == "python" or not place.is_integer()):
        return FAILS
    place = int(place) - (family == "sql")
    first = -len(items) if family == "python" else 0
    return items[place] if first <= place < len(items) else None if family == "sql" else FAILS


def _kind_of(language: Language, value: Any) -> str:
    names = {bool: "boolean", int: "integer", str: "text"}
    found = "double" if isinstance(value, float) else names.get(type(value), "text")
    return {**dict(zip(("boolean", "integer", "double", "text"), KINDS[language.name], strict=True))}[found]


KINDS = {
    "duckdb": ("BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR"),
    "sqlite": ("integer", "integer", "real", "text"),
    "postgresql": ("boolean", "bigint", "double precision", "text"),
    "spark": ("boolean", "bigint", "double", "string"),
}
# of values that are not NULL; the first argument is the language
STRICT: dict[str, Callable[..., Any]] = {
    "abs": lambda _, x: abs(x),
    "isfinite": lambda _, x: math.isfinite(x),
    "isinf": lambda _, x: math.isinf(x),
    "isnan": lambda _, x: x != x,
    "trim": lambda _, x: x.strip(" "),
    "ltrim": lambda language, x, chars=" ": text_of(x, language).lstrip(chars),
    "rtrim": lambda _, x, chars=" ": x.rstrip(chars),
    "substr": lambda _, x, start: x[int(start) - 1 :],
    "array_position": lambda _, listed, x: listed.index(x) + 1 if x in listed else None,
    "glob": lambda language, x, pattern: fnmatchcase(text_of(x, language), pattern.replace("[^", "[!")),
    "like": _is_like,
    "regexp_matches": _matches("some"),
    "~": _matches("some"),
    "~*": _matches("no case"),
    "regexp_full_match": _matches("full"),
    "regexp_replace": _matches("replace"),
    "int": lambda _, x: int(x),
    "in": lambda _, x, *listed: x in listed,
}
LOOSE: dict[str, Callable[..., Any]] = {
    "is null": lambda _, x: x is None,
    "coalesce": lambda _, *parts: next((each for each in parts if each is not None), None),
    "typeof": _kind_of,
    "pg_typeof": _kind_of,
    "missing": _is_missing,
    "missing_text": _is_missing,
    "absent": lambda _, x: float(x is None or not shown(x)),
    "same": _is_same,
    "writes": _writes,
    "number": _number,
    "unread": lambda _, x: float(x != x),
    "missing_number": lambda _, x: float(x != x),
}


def agree(told: Any, expected: Any) -> bool:
    """Whether what is told is what is expected: numbers by what they count, all else as it is."""
    if told is None or expected is None:
        return told is expected
    kinds = [next((kind for kind in (str, bool, float) if isinstance(each, kind)), float) for each in (told, expected)]
    return kinds[0] is kinds[1] and bool(told == expected)


def operate(language: Language, op: str, value: Any, args: tuple[Any, ...]) -> Any:
    """What an operation gives for the values of its parts."""
    if op == "agrees":
        return agree(*args)
    if any(each is FAILS for each in args):
        return FAILS
    if op in ("and", "or"):
        last = op == "or"
        return last if any(each == last and each is not None for each in args) else None if None in args else not last
    if op in LOOSE:
        return LOOSE[op](language, *args)
    if any(each is None for each in args):
        return None if language.family == "sql" or op == "index" else FAILS
    if op == "index":
        return _index(value, *args)
    if op in ("=", "<>", "<", "<=", ">", ">="):
        return _compare(language, value, op, *args)
    if op in ("+", "-", "*", "/"):
        return _add(op, *args)
    if op in ("not", "neg"):
        return not args[0] if op == "not" else _neg(args[0])
    try:
        return _cast(language, value, *args) if op == "cast" else STRICT[op](language, *args)
    except (TypeError, AttributeError, OverflowError, ValueError, re.error):  # a type that the engine refuses, too
        return FAILS


def run(node: Node, cells: dict[str, Any], language: Language, known: dict[int, Any]) -> Any:
    """The value of an expression for one row; what is not needed is not computed."""
    key = id(node)
    if key not in known:
        match node.op:
            case "constant":
                found = node.value
            case "column":
                found = cells[node.value]
            case "if":
                condition = run(node.parts[0], cells, language, known)
                branch = node.parts[1 if condition is not None and condition is not FAILS and condition else 2]
                found = FAILS if condition is FAILS else run(branch, cells, language, known)
            case _:
                found = operate(language, node.op, node.value, tuple(run(p, cells, language, known) for p in node.parts))
        known[key] = found
    return known[key]
