"""What is worth a look after a fit: facts that may give the answer away, numbers that may mean no value, rare classes.

None of it is an error, and all of it is measured on the training rows; a person who knows the table has to judge.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from crystalogic.cells import number_text
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.unusable import unit_of
from crystalogic.logic.formula import Not, Variable
from crystalogic.logic.names import one_line
from crystalogic.logic.parse import parse
from crystalogic.model import FrontRow, Model
from crystalogic.words.literals import literal_words

FEW_ROWS = 50
RARE = 0.2  # of the rows
MOST_ERRORS = 0.005  # of the rows that a fact gets wrong which gives the answer away


def remarks_on(model: Model, rows: Any, y: Any, *, is_balanced: bool) -> list[str]:
    """A sentence or two for each of them; `rows` and `y` are the training rows and their classes as texts."""
    found = [*_units(model.encoding), *_stand_ins(model.encoding, rows)]
    if model.classes is not None:
        counts = Counter(map(str, y))
        found = [*_giveaways(model, counts), *found]
        if not is_balanced:
            found += _overlooked(model, rows, y, counts)
    if len(y) < FEW_ROWS:
        found.append(f"{len(y)} rows are few: try the rule on other rows before you trust it.")
    return found


def _giveaways(model: Model, counts: Counter[str]) -> Iterator[str]:
    """Single facts that all but decide the class; each column once."""
    said: set[str] = set()
    n_rows = counts.total()
    classes = [str(label) for label in model.classes or ()][-len(model.fronts) :]
    for label, front in zip(classes, model.fronts, strict=True):
        share = counts[label] / n_rows
        for row in front:
            if row.size == 1 and 1 - row.training <= min(MOST_ERRORS, min(share, 1 - share) / 10):
                column, words = _fact(row, model.encoding)
                if column not in said:
                    said.add(column)
                    yield (
                        f"One fact alone, {words!r}, tells {one_line(model.target)} = {one_line(label)} in "
                        f"{'every row' if row.training == 1 else f'{row.training:.1%} of the rows'}. If {column} is "
                        f"only known afterwards, it gives the answer away: --ignore {column}."
                    )


def _fact(row: FrontRow, encoding: Encoding) -> tuple[str, str]:
    """The column of a formula of one literal, and what it says."""
    formula = parse(row.formula)
    inner = formula.parts[0] if isinstance(formula, Not) else formula
    literal = encoding.literals[inner.name] if isinstance(inner, Variable) else None
    if literal is None:
        return row.formula, row.formula
    return one_line(literal.column), literal_words(literal, negated=isinstance(formula, Not), gaps=encoding.gaps)


def _units(encoding: Encoding) -> Iterator[str]:
    """Categories that are numbers with a unit."""
    for column in encoding.columns:
        unit = unit_of(column.known) if column.kind == "category" and len(column.known) > 2 else None
        if unit:
            yield (
                f"{one_line(column.name)} holds numbers with the unit {one_line(unit)}, read as a category. "
                "Write the numbers alone, and they can be compared."
            )


def _stand_ins(encoding: Encoding, rows: Any) -> Iterator[str]:
    """Numbers such as 999 that lie far from all others: they may stand for a missing value."""
    import numpy as np

    for column in encoding.columns:
        if column.kind not in ("number", "code"):
            continue
        numbers = encoding.read(rows, column.name).numbers
        found, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        for far, rest in ((found[-1], found[:-1]), (found[0], found[1:])) if len(found) > 2 else ():
            distance = min(abs(far - rest[0]), abs(far - rest[-1]))
            if _is_stand_in(float(far), column) and distance > rest[-1] - rest[0]:
                value, n = number_text(float(far)), int(counts[found == far][0])
                yield (
                    f"{one_line(column.name)} is {value} in {n:,} row{'s' * (n > 1)}, and otherwise from "
                    f"{number_text(float(rest[0]))} to {number_text(float(rest[-1]))}. If {value} stands for a "
                    f"missing value, leave those cells empty, or name it: --missing {value}."
                )


def _is_stand_in(number: float, column: Column) -> bool:
    """Whether a number is one that people write for no value: 99, 999, -9; a code also 9."""
    digits = number_text(abs(number)).replace(".", "")
    fewest = 1 if column.kind == "code" or number < 0 else 2
    return len(digits) >= fewest and set(digits) in ({"9"}, {"8"})


def _overlooked(model: Model, rows: Any, y: Any, counts: Counter[str]) -> Iterator[str]:
    """The rarest class, if the rule overlooks most of its rows."""
    label, n = min(counts.items(), key=lambda each: each[1])
    if n >= RARE * counts.total():
        return
    decided = [str(each) for each in model.predict(rows)]
    hits = sum(truth == guess == label for truth, guess in zip(map(str, y), decided, strict=True))
    if 2 * hits < n:
        yield (
            f"{one_line(model.target)} = {one_line(label)} is rare, {n:,} of {counts.total():,} rows, and the rule "
            f"finds {hits:,} of them: accuracy hardly counts them. --balanced counts every class alike."
        )
