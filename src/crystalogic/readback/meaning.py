"""What operations mean in each language, on one cell at a time: the engines' own rules, written again.

Cells are values of Python, whose types stand for those of the language: None, bool, int, float and str. A number that
may be any between two others is a float that knows it (`Between`): it is compared, and nothing is computed with it.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_number, level_of, number_of
from crystalogic.errors import ReadbackError
from crystalogic.readback.syntax import FAILS, Language, Node, refuse

SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt}
SIGNS |= {"<=": operator.le, ">": operator.gt, ">=": operator.ge}
SUMS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
LISTED = frozenset(("", *MISSING_WORDS))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_SPECIAL = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class ComputedError(ReadbackError):
    """Something is computed with a number that stands for many, which then do not all have one answer."""


class Between(float):
    """Any number between two neighbours of those that a rule names: compared with these, all give one answer."""

    def __abs__(self) -> "Between":
        return Between(abs(float(self)))


class Written(str):
    """Such a number as a text, which can be read again as long as nothing is done to it."""

    number: Between | None = None


def refuse_open(value: Any) -> None:
    """A ComputedError for what stands for many numbers or texts."""
    if isinstance(value, (Between, Written)):
        refuse("it computes with the numbers of a column, and rules of facts only compare them", ComputedError)


def text_of(value: Any, language: Language) -> Any:
    """A cell as the engine writes it."""
    if not isinstance(value, float):
        return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    if not math.isfinite(value):
        words = language.types.get(" of what is not finite", "NaN Infinity -Infinity").split()
        return str(words[0 if value != value else 1 + (value < 0)])
    plain = repr(float(value)).removesuffix(".0" if language.name == "postgresql" else "")
    if isinstance(value, Between):
        plain = Written(plain)
        plain.number = value
    return plain


def _cast(language: Language, kind: str, value: Any) -> Any:
    kind, nothing = kind.removeprefix("try "), None if kind.startswith("try ") else FAILS
    if kind == "text":
        return text_of(value, language)
    if isinstance(value, bool):
        return float(value) if "truths are numbers" in language.traits else nothing
    if isinstance(value, str):
        if not isinstance(value, Written):
            return _read(language, kind, value, nothing)
        if value.number is None:
            refuse_open(value)
        return value.number
    if isinstance(value, int) and kind == "double":
        return float(value) if abs(value) < 10**308 else nothing
    return value


def _read(language: Language, kind: str, text: str, nothing: Any) -> Any:
    if "affinity" in language.traits:  # the number that a text begins with
        found = _NUMBER.match(text.lstrip(" "))
        return 0.0 if found is None else float(found[0]) if kind == "double" else _exact(found[0])
    text = text.strip()
    if language.name == "duckdb":
        text = re.sub(r"(?<=\d)_(?=\d)", "", text).replace("+-", "-")
    if language.name == "standard" or not (_NUMBER.fullmatch(text) or _SPECIAL.fullmatch(text)):
        return nothing
    return Fraction(text) if kind == "numeric" else float(text)


def _exact(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _compare(language: Language, how: str | None, sign: str, *pair: Any) -> Any:
    if how == "numeric":  # SQLite: texts that write numbers become numbers
        texts = [each.strip(" ") if isinstance(each, str) else "" for each in pair]
        pair = tuple(_exact(t) if _NUMBER.fullmatch(t) else each for t, each in zip(texts, pair, strict=True))
    if language.name == "postgresql" and len({isinstance(each, str) for each in pair}) > 1:  # as in x = 'NaN'
        pair = tuple(_read(language, "double", each, FAILS) if isinstance(each, str) else each for each in pair)
    left, right = pair
    if left is FAILS or right is FAILS:
        return FAILS
    if isinstance(left, str) != isinstance(right, str):
        if "affinity" not in language.traits:
            return FAILS if language.family == "sql" else sign == "<>"
        left, right = isinstance(left, str), isinstance(right, str)  # numbers stand before texts
    elif "NaN is greatest" in language.traits and not isinstance(left, str):
        left, right = ((each != each, 0 if each != each else each) for each in pair)
    return SIGNS[sign](left, right)


def calculate(sign: str, left: Any, right: Any) -> Any:
    are_whole = isinstance(left, int) and isinstance(right, int)  # which languages divide in different ways
    if isinstance(left, str) or isinstance(right, str) or (sign == "/" and (are_whole or right == 0)):
        return FAILS
    refuse_open(left)
    refuse_open(right)
    return SUMS[sign](left, right)


def _matches(how: str) -> Callable[..., Any]:
    def match(language: Language, text: Any, pattern: str, new: str = "") -> Any:
        is_quick = len(pattern) <= 60 and "(" not in pattern and sum(map(pattern.count, "*+{")) <= 4
        if pattern not in language.patterns:
            refuse_open(text)
            if not is_quick:
                refuse(f"the pattern {pattern!r} is not one that is known")
        if how == "glob":
            return fnmatchcase(text_of(text, language), pattern.replace("[^", "[!"))
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
    level = None if value is None or value != value else level_of(value, NO_WORDS)
    is_same = shown(value) == wanted if isinstance(wanted, str) else level_number(level or "x") == wanted
    return float(is_same and (level is not None or wanted == shown(value) == ""))


def _writes(_: Language, value: Any, text: str, wanted: float) -> float:
    """Whether a text counts this in C; more digits than a double has are compared as they are."""
    level = None if value is None else level_of(value, NO_WORDS)
    number, digits = level_number(level or "x"), shown(value).lstrip("+-")
    is_long = len(digits) > 15 and digits.isdigit()
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
    kind = "truth" if isinstance(value, bool) else "whole" if isinstance(value, int) else "text"
    return str(language.types[f" of {'double' if isinstance(value, float) else kind}"])


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
    "glob": _matches("glob"),
    "like": _is_like,
    **dict.fromkeys(("regexp_matches", "~"), _matches("some")),
    "~*": _matches("no case"),
    "regexp_full_match": _matches("full"),
    "regexp_replace": _matches("replace"),
    "int": lambda _, x: int(x),
    "in": lambda _, x, *listed: x in listed,
    "not": lambda _, x: not x,
    "neg": lambda _, x: calculate("-", 0, x),
}
LOOSE: dict[str, Callable[..., Any]] = {
    "agrees": lambda _, told, expected: agree(told, expected),
    "is null": lambda _, x: x is None,
    "coalesce": lambda _, *parts: next((each for each in parts if each is not None), None),
    **dict.fromkeys(("typeof", "pg_typeof"), _kind_of),
    **dict.fromkeys(("missing", "missing_text"), _is_missing),
    "absent": lambda _, x: float(x is None or not shown(x)),
    "same": _is_same,
    "writes": _writes,
    "number": _number,
    **dict.fromkeys(("unread", "missing_number"), lambda _, x: float(x != x)),
}


def agree(told: Any, expected: Any) -> bool:
    """Whether what is told is what is expected: numbers by what they count, all else as it is."""
    if told is None or expected is None:
        return told is expected
    kinds = [next((kind for kind in (str, bool, float) if isinstance(each, kind)), float) for each in (told, expected)]
    return kinds[0] is kinds[1] and bool(told == expected)


def operate(language: Language, op: str, value: Any, args: tuple[Any, ...]) -> Any:
    """What an operation gives for the values of its parts."""
    if any(each is FAILS for each in args):
        return False if op == "agrees" else FAILS
    if op in ("and", "or"):
        last = op == "or"
        return last if any(each == last and each is not None for each in args) else None if None in args else not last
    if op in LOOSE:
        return LOOSE[op](language, *args)
    if any(each is None for each in args):
        return None if language.family == "sql" or op == "index" else FAILS
    if op == "index":
        return _index(value, *args)
    if op in SIGNS:
        return _compare(language, value, op, *args)
    if op in SUMS:
        return calculate(op, *args)
    try:
        found = _cast(language, value, *args) if op == "cast" else STRICT[op](language, *args)
    except (TypeError, AttributeError, OverflowError, ValueError, re.error):  # a type that the engine refuses, too
        return FAILS
    if type(found) is str and isinstance(args[0], (Between, Written)):
        return args[0] if found == args[0] else Written(found)
    return found


def run(node: Node, cells: Mapping[str, Any], language: Language, known: dict[int, Any]) -> Any:
    """The value of an expression for one row; what is not needed is not computed."""
    if id(node) not in known:
        if node.op in ("constant", "column", "literal"):
            found = node.value if node.op == "constant" else cells[node.value]
        elif node.op == "if":
            condition = run(node.parts[0], cells, language, known)
            branch = node.parts[1 if condition is not FAILS and condition else 2]
            found = FAILS if condition is FAILS else run(branch, cells, language, known)
        else:
            args = tuple(run(part, cells, language, known) for part in node.parts)
            found = operate(language, node.op, node.value, args)
        known[id(node)] = found
    return known[id(node)]
