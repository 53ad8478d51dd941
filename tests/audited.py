"""Models for the tests of the audit: a small finite table that can be gone through row by row, and planted faults."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from crystalogic import Formula, Model, encode, extract, parse
from crystalogic.audit.scope import Scope, scope_of
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.model import Explanation, FrontRow
from crystalogic.model.record import HeldOut, Record
from crystalogic.verify.trace import trace

ORDER = ("low", "mid", "high")
SMALL = Encoding(
    (
        Column("n", "number", (Degree("n", 0.0, 4.0), Cut("n", 1.5), Cut("n", 3.0))),
        Column(
            "c",
            "code",
            (Is("c", "1"), Is("c", "3"), OneOf("c", ("1", "2")), Cut("c", 2.0), Missing("c")),
            ("1", "2", "3"),
            True,
        ),
        Column("k", "category", (Is("k", "b"),), ("a", "b")),
        Column("o", "ordinal", (Reaches("o", "mid", ORDER), Reaches("o", "high", ORDER)), ORDER),
    )
)
CELLS: dict[str, tuple[Any, ...]] = {"n": (0, 1, 2, 3, 4), "c": (1, 2, 3, None), "k": ("a", "b"), "o": ORDER}


def small_model(formulas: Sequence[Formula | str], classes: Sequence[Any] | None) -> Model:
    """A model over the small table; its formulas are read back from their crystal, which is always certified."""
    crystal = encode([parse(each) if isinstance(each, str) else each for each in formulas])
    return model_of(extract(crystal).formulas, SMALL, "y", classes)


def small_scope(model: Model) -> Scope:
    return scope_of(model, whole=["n"])


def small_rows(columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every row of the small table, in the columns given."""
    for values in product(*(CELLS[column] for column in columns)):
        yield dict(zip(columns, values, strict=True))


@lru_cache(maxsize=None, typed=True)
def small_degree(name: str, cell: Any) -> Fraction:
    """The degree of a fact of the small table, for one of its few cells."""
    return SMALL.literals[name].degree_of(cell)


def explain_small(model: Model, row: dict[str, Any]) -> Explanation:
    """What `Model.explain` says of a row of the small table, whose cells are read once for all models."""
    values = {name: small_degree(name, row[SMALL.literals[name].column]) for name in model.names}
    return Explanation(model, row, tuple(trace(formula, values) for formula in model.formulas))


LOAN = Encoding(
    (
        Column("age", "number", (Degree("age", 18.0, 80.0), Cut("age", 25.0), Cut("age", 60.0))),
        Column("income", "number", (Degree("income", 0.0, 100.0), Cut("income", 30.0))),
        Column("sex", "category", (Is("sex", "m"),), ("f", "m")),
        Column("debts", "code", (Is("debts", "0"), Cut("debts", 2.0), Missing("debts")), ("0", "1", "2"), True),
    )
)


def loan(formula: str) -> Model:
    """A rule for approving a loan, by the formula of approval."""
    return model_of([parse(formula)], LOAN, "approved", ("no", "yes"))


def with_front(model: Model, *shorter: str) -> Model:
    """The model with a front: these formulas before its own, each one literal longer or more."""
    formulas = [*map(parse, shorter), *model.formulas]
    rows = tuple(FrontRow(each.size, 1, 0.5 + each.size / 10, 0.6, 0.01, each) for each in formulas)
    record = Record(choice=("the shortest",), held_out=HeldOut(0.9, 0.1, 5), promises=("'age' is used",))
    return replace(model, fronts=(rows,), chosen=(len(rows) - 1,), record=record)


SOUND = "{income ≥ 30} ⊗ ¬{debts ≥ 2} ⊗ {age ≥ 25}"
NOT_MONOTONE = "{income ≥ 30} ⊗ {age ≥ 25} ⊗ ¬{age ≥ 60}"
UNFAIR = "({income ≥ 30} ⊗ {sex=m}) ⊕ {debts=0}"
