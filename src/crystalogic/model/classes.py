"""The classes of a model, and when two are the same."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from crystalogic.cells import NO_WORDS, level_of
from crystalogic.errors import DocumentError

if TYPE_CHECKING:
    from crystalogic.model.model import Model

Label = str | int | float | bool


def class_naming(*models: "Model") -> Callable[[object], str]:
    """How classes are called where they are compared: 1, 1.0 and '1' are one, unless a model has such two."""
    are_told = all(len(set(map(class_level, model.classes or ()))) == len(model.classes or ()) for model in models)
    return class_level if are_told else str


def class_level(label: object) -> str:
    """A class by which it equals others: no word is missing there."""
    return level_of(label, NO_WORDS) or str(label)


def read_label(value: Any, what: str) -> Label:
    if not isinstance(value, (str, int, float)):
        message = f"not a model: it has a class that is no text, number or truth value ({what})."
        raise DocumentError(message)
    return value
