"""Columns that cannot be used as they are: what they seem to hold, and what can be done about it."""

import re
import shlex
from collections.abc import Sequence

from crystalogic.errors import EncodingError

MOST_NAMED = 20  # columns of one message
MOST_READ = 100  # values, spread over the rows, that are looked at
DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
_COMMAS = re.compile(r"[+-]?\d{1,3}(?:[.,' ]\d{3})*,\d+|[+-]?\d{1,3}(?:[.,' ]\d{3})+(?:\.\d+)?")
_UNIT = re.compile(r"[<>≤≥~]?\s*[+-]?\d+(?:[.,]\d+)?\s*(?P<unit>[^\W\d_][^\s\d]*|%|°\w*)")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_LEAVE_OUT = "leave the column out (--ignore, or kind 'ignore')"


class UnusableColumn(EncodingError):
    """A column that can only be changed or left out; `what` it holds, and the `remedy`."""

    def __init__(self, name: str, what: str, remedy: str) -> None:
        super().__init__(f"{name!r} {what}. {remedy}, or {_LEAVE_OUT}.")
        self.name, self.what, self.remedy = name, what, remedy


def refuse_unusable(found: Sequence[UnusableColumn]) -> None:
    """An EncodingError for all of these columns at once, so that a table is corrected in one go."""
    if len(found) == 1:
        raise EncodingError(*found[0].args)
    if found:
        more = f"\n  … and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        lines = "".join(f"\n  {each.name!r} {each.what}. {each.remedy}." for each in found[:MOST_NAMED])
        options = " ".join(f"--ignore {shlex.quote(each.name)}" for each in found[:MOST_NAMED])
        message = (
            f"{len(found)} columns cannot be used as they are:{lines}{more}\n"
            f"Or leave them out: {options} (in Python, kind 'ignore')"
        )
        if more:
            message += "\nA pattern such as --ignore 'id_*' names many columns at once, and --only reads some alone."
        raise EncodingError(message)


def dates_column(name: str, example: str) -> UnusableColumn:
    if DATE.fullmatch(example.strip()):
        remedy = "Turn them into a number with a meaning, for example days since an event"
        return UnusableColumn(name, f"holds dates, such as {example!r}", remedy)
    return UnusableColumn(name, f"holds times, such as {example!r}", "Turn them into a number, for example hours")


def many_values(name: str, n_values: int | None, most: int, examples: Sequence[str]) -> UnusableColumn:
    """A column with more different texts than a category may have, `n_values` if they were counted.

    >>> many_values("charge", 1496, 100, ["125,170", "3,400"]).what
    "holds numbers with commas or thousands separators, such as '125,170'"
    """
    many = f"more than {most} different values" if n_values is None else f"{n_values:,} different values"
    texts = [text.strip() for text in examples[:: 1 + len(examples) // MOST_READ]]
    kinds = (
        (_TIME, "times of day", "Turn them into a number, for example hours"),
        (_COMMAS, "numbers with commas or thousands separators", "Write them plainly, as in 1234.5"),
        (_UNIT, "numbers with a unit", "Write the numbers alone"),
    )
    for pattern, what, remedy in kinds:
        like = [text for text in texts if pattern.fullmatch(text)]
        if 2 * len(like) > len(texts):
            return UnusableColumn(name, f"holds {what}, such as {like[0]!r}", remedy)
    words = [text for text in texts if not _NUMBER.fullmatch(text)]
    if words and 2 * len(words) <= len(texts):
        remedy = f"Correct the texts, or leave cells empty whose value is not known, or declare {name!r} a number"
        return UnusableColumn(name, f"holds numbers, and texts such as {words[0]!r}", remedy)
    more = "" if n_values is None else f", more than {most}"
    return UnusableColumn(name, f"has {many}{more}", "Group its values first")


def number_advice(name: str, value: str) -> str:
    """What to do about a value, as Python shows it, that should be a number."""
    text = value.strip("'\" ")
    if _COMMAS.fullmatch(text):
        return "Write it plainly, as in 1234.5."
    if _UNIT.fullmatch(text):
        return "Write the number alone, without its unit."
    return f"Correct it, leave it empty if it is not known, or declare {name!r} a category."


def unit_of(texts: Sequence[str]) -> str | None:
    """The unit that all these texts have after a number, if they have one.

    >>> unit_of(["5 mg", "10 mg"]), unit_of(["5 mg", "a lot"])
    ('mg', None)
    """
    found = [_UNIT.fullmatch(text.strip()) for text in texts]
    units = {each["unit"] for each in found if each}
    return units.pop() if texts and all(found) and len(units) == 1 else None
