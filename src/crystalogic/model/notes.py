"""What is noted about a fit."""

from typing import Any

from crystalogic.untrusted import each, number, table
from crystalogic.untrusted import text as text_of


def read_notes(value: Any, what: str) -> dict[str, Any]:
    """Notes are free, but those that pages and texts read have their shapes."""
    notes = table(value, what)
    for unit in table(notes.get("units", {}), f"{what}, the units").values():
        text_of(unit, f"{what}, a unit")
    each(text_of, notes.get("choice", []), f"{what}, the choice")
    text_of(notes.get("stop", ""), f"{what}, the stop")
    each(number, notes.get("range", []), f"{what}, the range")
    measured = table(notes.get("held_out", {}), f"{what}, held out")
    for name in ("mean", "spread", "splits") if measured else ():
        number(measured[name], f"{what}, held out, {name}")
    return notes
