"""What is worth a word about the values of rows: those that no training row had."""

from collections.abc import Iterator
from typing import Any

from crystalogic.logic.names import closest
from crystalogic.model import Model
from crystalogic.words.literals import MOST_VALUES

MOST_NOTES = 20


class Unseen:
    """Says once of each new value that no training row had it, and of each column whose numbers leave their range."""

    def __init__(self, rule: Model) -> None:
        self._rule = rule
        self._known = {column.name: column.known for column in rule.encoding.columns}
        self._said: set[tuple[str, str | None]] = set()
        self._beyond: set[str] = set()

    def find(self, part: Any) -> Iterator[str]:
        """Sentences about the values of these rows."""
        for column, values in self._rule.encoding.unseen(part, self._rule.columns).items():
            for value in values:
                if (column, value) not in self._said and len(self._said) < MOST_NOTES:
                    self._said.add((column, value))
                    yield self._words(column, value)
        read = [name for name in self._rule.columns if name in part and name not in self._beyond]
        for name, (number, low, high) in self._rule.encoding.beyond(part, read).items():
            self._beyond.add(name)
            yield f"{name} = {number} lies outside {low} to {high}, the range of training."

    def _words(self, column: str, value: str | None) -> str:
        known = self._known[column]
        listed = ", ".join(known[:MOST_VALUES]) + ", …" * (len(known) > MOST_VALUES)
        is_what = "is missing, which it" if value is None else f"= {value}"
        meant = None if value is None else closest(value, known)
        return (
            f"{column} {is_what} was in no training row; it equals none of the known values ({listed})."
            f"{f' Did you mean {meant}?' if meant else ''}"
        )
