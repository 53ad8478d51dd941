"""Examples of docstrings as code: a Griffe extension that fences doctests, which Markdown would take for quotations."""

from collections.abc import Iterator
from typing import Any

from griffe import Extension, Object


class FencedDoctests(Extension):
    """Puts every doctest of every docstring into a block of code."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


def fenced(lines: list[str]) -> Iterator[str]:
    """The lines, with a fence around each run of lines from `>>>` to the next empty one."""
    inside = False
    for line in [*lines, ""]:
        if not inside and line.startswith(">>> "):
            inside = True
            yield "```pycon"
        elif inside and not line.strip():
            inside = False
            yield "```"
        yield line
