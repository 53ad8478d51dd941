"""Griffe extensions: doctests as code, which Markdown would take for quotations, and comments as descriptions."""

from collections.abc import Iterator
from typing import Any

from griffe import Attribute, Docstring, Extension, Object


class FencedDoctests(Extension):
    """Puts every doctest of every docstring into a block of code."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


class DescribedFields(Extension):
    """Takes the comment behind a field of a class as its description."""

    def on_attribute_instance(self, *, attr: Attribute, **_: Any) -> None:
        comment = attr.lines[-1].partition("  # ")[2] if attr.lines else ""
        if comment and attr.docstring is None and attr.parent is not None and attr.parent.is_class:
            attr.docstring = Docstring(f"{comment[0].upper()}{comment[1:]}.", parent=attr)


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
