"""Constraints on columns as promises, and as the search keeps them, truth value by truth value."""

from crystalogic.candidates import Knowledge
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.own import describe_unknown, express, include_facts
from crystalogic.encoding.values import way_of
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.fitting.promises import AtMost, Direction, Promise, Unused, Used
from crystalogic.request import Request
from crystalogic.symbolic.extract import encode


def promises_of(encoding: Encoding, request: Request) -> tuple[Promise, ...]:
    """What the request declares of every formula."""
    return (
        *(Direction(name, sign, _signs(encoding, name, sign)) for name, sign in request.monotone.items()),
        *(Unused(name, frozenset(_literals_of(encoding, name))) for name in request.forbidden),
        *(_used(encoding, name) for name in include_facts(encoding, request.required)[1].values()),
        AtMost(request.most_literals, "literals"),
        *(() if request.is_likelihood else (AtMost(request.settings.max_neurons, "neurons"),)),
    )


def add_own_facts(encoding: Encoding, request: Request) -> Encoding:
    """The encoding with the facts that the request names, such as cuts of one's own."""
    return include_facts(encoding, [*request.required, *(() if request.start is None else request.start.variables)])[0]


def knowledge_of(encoding: Encoding, request: Request, *, is_negated: bool = False) -> Knowledge:
    """What the request declares as the search keeps it, truth value by truth value.

    One that two directions want with different signs goes with neither, and is not used. Where the search looks for the
    negation of what the promises speak of, all directions are the other way round.
    """
    promises = promises_of(encoding, request)
    start = None if request.start is None else express([request.start], encoding)[0][0]
    wanted: dict[str, int] = {}
    for direction in (each for each in promises if isinstance(each, Direction)):
        for name, sign in direction.allowed.items():
            wanted[name] = sign if wanted.get(name, sign) == sign else 0
    turn = -1 if is_negated else 1
    first = None if start is None else encode(start)
    unused = [name for each in promises if isinstance(each, Unused) for name in sorted(each.literals)]
    return Knowledge(
        monotone={name: turn * sign for name, sign in wanted.items() if sign},
        forbidden=[*unused, *(name for name, sign in wanted.items() if not sign)],
        required=[each.name for each in promises if isinstance(each, Used)],
        start=first.negate() if first is not None and is_negated else first,
    )


def _literals_of(encoding: Encoding, name: str) -> list[str]:
    """All truth values of a column, by the column's name, or a single one by its own."""
    of_column = [literal.name for literal in encoding.literals.values() if literal.column == name]
    if not of_column and name not in encoding.literals:
        raise TrainingDataError(describe_unknown(encoding, name))
    return of_column or [name]


def _used(encoding: Encoding, name: str) -> Used:
    """A truth value by its own name; a column alone does not say which of its truth values is meant."""
    choices = ", ".join(_literals_of(encoding, name))
    message = f"which truth value of {name!r} is required? It has {choices}."
    refuse_first(TrainingDataError, {message: name not in encoding.literals})
    return Used(name)


def _signs(encoding: Encoding, name: str, sign: int) -> dict[str, int]:
    """The signs of truth values that make a rule go one way with a column, 0 for those that it must not use for that.

    Degrees, cuts and levels grow with their column, its least values (`ca=0`) go against it, its greatest with it; a
    value between them does both. That a value is missing has no place in the order, and stays free.
    """
    column = next((each for each in encoding.columns if each.name == name), None)
    signs: dict[str, int] = {}
    for each in _literals_of(encoding, name):
        literal = encoding.literals[each]
        if column is None or literal.rises:
            signs[each] = sign
        elif literal.levels:
            order = _order_of(column)
            if len(order) > 1:
                signs[each] = sign * way_of(literal.levels, order)
            elif column.kind == "number":
                signs[each] = 0
    return signs


def _order_of(column: Column) -> tuple[str, ...]:
    """The values of a column from the least on; an error if they have no order."""
    if column.kind == "category" and tuple(map(str.lower, column.known)) != ("false", "true"):
        literal = next(each.name for each in column.literals if isinstance(each, Is))
        message = (
            f"{column.name!r} is a category without an order, so that it has no direction. "
            f"Declare its order as its kind, or give one of its truth values a direction, such as {literal!r}."
        )
        raise TrainingDataError(message)
    return column.known
