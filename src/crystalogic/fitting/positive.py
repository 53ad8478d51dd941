"""Which of two classes the rule speaks for.

A search learns the formula of the second class. What comes second in the alphabet may be "nein" or "healthy"; then the
rule, its sensitivity and its directions speak of the wrong thing. Where a class is named, the search sees a truth value
for each row, "is it this class", and the model gets the names back.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from crystalogic.errors import TrainingDataError
from crystalogic.model import Model


def two_classes(classes: Iterable[Any], positive: Any, target: str) -> tuple[Any, Any]:
    """The other class and this one; a TrainingDataError where the target has not this one and one other."""
    known = sorted(set(classes))
    listed = ", ".join(map(repr, known))
    if positive not in known:
        message = f"{positive!r} is no class of {target!r}; the classes are {listed}."
        raise TrainingDataError(message)
    if len(known) < 2:
        message = f"{target!r} is always {positive!r}; there is nothing to learn."
        raise TrainingDataError(message)
    if len(known) > 2:
        message = f"{target!r} has the classes {listed}. Of more than two, each has a formula; name no positive one."
        raise TrainingDataError(message)
    place = known.index(positive)
    return known[1 - place], known[place]


def weights_of_two(class_weight: Any, classes: tuple[Any, Any]) -> Any:
    """The weights of the classes as those of "is it this class": no and yes."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    strange = [label for label in class_weight if label not in classes]
    if strange:
        message = f"class_weight has a weight for {strange[0]!r}; the classes are {', '.join(map(repr, classes))}."
        raise TrainingDataError(message)
    return {label == classes[1]: weight for label, weight in class_weight.items()}


def named(model: Model, classes: tuple[Any, Any], data: str | None) -> Model:
    """The model with the names of its classes, and what identifies its training data with these names, if known."""
    notes = {name: value for name, value in model.notes.items() if name != "data"}
    return replace(model, classes=classes, notes={**notes, **({"data": data} if data else {})})
