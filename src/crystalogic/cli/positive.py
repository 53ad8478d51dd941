"""Which of two classes the rule speaks for.

A search learns the formula of the second class. What comes second in the alphabet may be "nein" or "healthy"; then the
rule, its sensitivity and its directions speak of the wrong thing. Where a class is named, the search sees a truth value
for each row, "is it this class", and the model gets the names back.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from crystalogic.cli.targets import class_texts
from crystalogic.errors import TableError
from crystalogic.model import Model


def two_classes(classes: Iterable[Any], positive: str, target: str) -> tuple[str, str]:
    """The other class and this one; a TableError where the target has not this one and one other."""
    known = sorted(set(map(str, classes)))
    listed = ", ".join(map(repr, known))
    if positive not in known:
        message = f"{positive!r} is no class of {target!r}; the classes are {listed}."
        raise TableError(message)
    if len(known) != 2:
        message = f"{target!r} has the classes {listed}. Of more than two, each has a formula; leave out --positive."
        raise TableError(message)
    return known[known[0] == positive], positive


def is_class(labels: Any, first_row: int, positive: str) -> Any:
    """Whether each row of a part of a table has the class."""
    return class_texts(labels, first_row) == positive


def named(model: Model, classes: tuple[str, str], data: str | None) -> Model:
    """The model with the names of its classes, and what identifies its training data with these names, if known."""
    notes = {name: value for name, value in model.notes.items() if name != "data"}
    return replace(model, classes=classes, notes={**notes, **({"data": data} if data else {})})
