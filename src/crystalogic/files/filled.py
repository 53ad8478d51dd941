"""Text without its empty rows: spreadsheets write them as lines of nothing but delimiters."""

import re


class FilledLines:
    """Takes a text part by part, and gives it on without the lines that are nothing but delimiters and spaces.

    >>> lines = FilledLines(";")
    >>> [lines.next(part) for part in ("1;2\\n;", ";\\n3;\\n", "")]
    ['1;2\\n', '3;\\n', '']
    """

    def __init__(self, delimiter: str) -> None:
        marks = re.escape(delimiter)
        self._empty = re.compile(rf"^[{marks} ]*{marks}[{marks} ]*(?:\n|\Z)", re.MULTILINE)
        self._may_be_empty = re.compile(rf"[{marks} ]*")
        self._begins_so = (f"\n{delimiter}", "\n ")
        self._held = ""  # the beginning of a line that may turn out to be empty
        self._is_new_line = True  # where the next part begins
        self._is_quoted = False  # likewise

    def next(self, part: str) -> str:
        """What is kept of the text up to here; an empty part ends it."""
        text, self._held = self._held + part, ""
        if part:
            end = text.rfind("\n") + 1
            if (end or self._is_new_line) and self._may_be_empty.fullmatch(text, end):
                text, self._held = text[:end], text[end:]
        before = "\n" if self._is_new_line else "x"  # so that all lines begin after a line end
        kept = self._without_empty(before + text) if text else ""
        self._is_new_line = text.endswith("\n") if text else self._is_new_line
        return kept[1:]

    def _without_empty(self, text: str) -> str:
        is_likely = any(begin in text for begin in self._begins_so)
        kept, place, is_quoted = [], 0, self._is_quoted
        for found in self._empty.finditer(text, 1) if is_likely else ():
            is_quoted ^= text.count('"', place, found.start()) % 2 == 1
            kept.append(text[place : found.end() if is_quoted else found.start()])
            place = found.end()
        self._is_quoted = is_quoted ^ (text.count('"', place) % 2 == 1)
        return "".join([*kept, text[place:]]) if place else text
