"""The cells that a column can hold in a language, one for each way in which a rule can look at it.

A rule compares a column with finitely many numbers and texts. So all doubles fall into finitely many cells: each of
these numbers, the doubles beside it, and all that lie between two of them. Whole numbers, texts and what is missing
are represented by ways of writing what the rule names, and by some that it does not name.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from crystalogic.cells import level_number, number_of, number_text
from crystalogic.model import Model
from crystalogic.readback.frames import is_number
from crystalogic.readback.meaning import run
from crystalogic.readback.syntax import Language, Node, walk

LARGEST = sys.float_info.max
OTHERS = ("other", "", " ", *"true false True False nan inf 1_000 0x10 1e400".split(), "4 mg", "+-5", "-")
_NOT_PLAIN = re.compile(r"\d\.?[eE][+-]?\d|^\s*(?:true|false)\s*$")
HOLDS = {"integer": "null whole", "number": "null double nan infinite", "text": "null text", "boolean": "null truth"}


def kinds_of(model: Model, column: str, language: Language, types: Mapping[str, str]) -> set[str]:
    """What a cell of the column can be."""
    held, stated = set(language.holds.split()), types.get(column, "any")
    if language.family == "c":
        return held if is_number(model, column) else {"null", "text"}
    if stated != "any":
        return set(HOLDS[stated].split()) & (held | {"truth"})
    if language.name == "standard":
        return {"null", "plain", *(("whole", "double") if is_number(model, column) else ("text",))}
    return held


def named_in(nodes: Iterable[Node], language: Language) -> Iterator[Any]:
    """All constants of some expressions, those that are computed too, and their negatives: signs may be taken away."""
    values = (run(node, {}, language, {}) for node in walk(nodes) if not node.columns)
    found = [each for value in values for each in (value if isinstance(value, tuple) else [value])]
    yield from found
    yield from (-each for each in found if isinstance(each, float) or type(each) is int)


def cells_of(model: Model, column: str, named: Iterable[Any], kinds: set[str], between: type[float]) -> list[Any]:
    """The cells, those that are easiest to read first; numbers between two others are of the type `between`."""
    read, numbers = model.encoding.by_name[column], {0.0, 1.0}
    texts = {*read.words, *read.known[:50]}
    for literal in (model.encoding.literals[name] for name in model.names):
        if literal.column == column:
            texts |= set(literal.levels)
            numbers |= set(map(float, literal.cuts))
    for each in named:
        if isinstance(each, str):
            texts.add(each)
        elif isinstance(each, (int, float)) and not isinstance(each, bool) and abs(each) <= LARGEST:
            numbers.add(float(each))
    wholes = {number for text in texts if isinstance(number := level_number(text.strip()), int)}
    numbers |= {number for text in texts if abs(number := number_of(text)) <= LARGEST}
    found: list[Any] = []
    if kinds & {"double", "whole"}:
        found += _numbers(sorted(numbers), set() if "plain" in kinds else wholes, kinds, between)
        found = [each for each in found if "plain" not in kinds or type(each) is not int or abs(each) < 2**53]
    plain: dict[str, list[Any]] = {"null": [None], "truth": [True, False]}
    plain |= {"nan": [math.nan], "infinite": [math.inf, -math.inf]}
    found += [cell for kind, cells in plain.items() if kind in kinds for cell in cells]
    if "text" in kinds:
        written = dict.fromkeys(_texts(sorted(numbers), sorted(texts), is_number(model, column)))
        found += [each for each in written if "plain" not in kinds or not _NOT_PLAIN.search(each)]
    return found


def _numbers(numbers: list[float], wholes: set[int], kinds: set[str], between: type[float]) -> Iterator[Any]:
    for number in numbers:
        if "double" in kinds:
            yield number
        if "whole" in kinds and number.is_integer() and abs(number) < 2**63:
            yield from (int(number) + step for step in (0, 1, -1) if abs(int(number) + step) < 2**63)
    yield from (each for each in sorted(wholes) if "whole" in kinds and 2**53 <= abs(each) < 2**63)
    for low, high in pairwise([-LARGEST, *(each for each in numbers if abs(each) < LARGEST), LARGEST]):
        beside = [math.nextafter(low, high), math.nextafter(high, low)]
        middle = low + 1.0 if high == LARGEST else high - 1.0 if low == -LARGEST else low / 2 + high / 2
        if "double" in kinds:
            yield from beside
        inside = middle if "double" in kinds else math.floor(middle)
        if beside[0] < middle < beside[1] and inside > low:
            yield between(inside)


def _texts(numbers: list[float], texts: list[str], are_read: bool) -> Iterator[str]:
    for number in numbers:
        plain = number_text(number)
        ways = [plain, f"+{plain}", f" {plain} ", f"0{plain}", f"{plain}x", f"{plain}e0"]
        ways += [f"{plain}.0", f"{plain}."] if plain.lstrip("-").isdigit() else []
        yield from ways if are_read or abs(number) < 2**53 else ways[:3]
    for text in texts:
        yield from (text, f" {text} ", text.swapcase(), f"{text}x", f"x{text}", f"+{text}", f"0{text}")
    yield from OTHERS
