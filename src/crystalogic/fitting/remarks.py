"""What is worth a look after a fit: facts that may give the answer away, columns about people, stand-ins for no value.

None of it is an error, and all of it is measured on the training rows; a person who knows the table has to judge.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import number_text
from crystalogic.decision import THRESHOLD
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.unusable import identifier_note, unit_of
from crystalogic.fitting.protected import FOLDS, MOST_ROWS, ask_tree, find_protected, find_stand_ins
from crystalogic.fitting.remark import FewRows, GivesAway, HasUnit, IsIdentifier, Overlooks, Remark, StandsIn
from crystalogic.logic.formula import Not, Variable
from crystalogic.model import FrontRow, Model
from crystalogic.words.literals import literal_words

FEW_ROWS = 50
RARE = 0.2  # of the rows
MOST_ERRORS = 0.005  # of the rows that a fact gets wrong which gives the answer away
FAR_FEWER = 7  # times as many errors are left by all other columns together
FEWEST_ERRORS = 10  # rows that these get wrong; fewer could be chance
LARGEST = 3e38  # trees compute with single precision; a missing number is below all others


def remarks_on(model: Model, rows: Any, y: Any, *, is_balanced: bool) -> list[Remark]:
    """What is worth a look; `rows` and `y` are the training rows and their classes."""
    encoding = model.encoding
    left_out = (each for each in encoding.columns if each.note == identifier_note(each.name))
    found: list[Remark] = [*find_protected(model), *find_stand_ins(model, rows)]
    found += [IsIdentifier(each.name, each.note) for each in left_out]
    found += [*_units(encoding), *_stand_ins(encoding, rows)]
    if model.classes is not None:
        counts = Counter(map(str, y))
        found = [*_giveaways(model, rows, y, counts), *found]
        if not is_balanced:
            found += _find_overlooked(model, rows, y, counts)
    if len(y) < FEW_ROWS:
        found.append(FewRows(len(y)))
    return found


def _giveaways(model: Model, rows: Any, y: Any, counts: Counter[str]) -> Iterator[GivesAway]:
    """Single facts that all but decide the class, or tell it far better than all other columns; each column once."""
    said: set[str] = set()
    n_rows = counts.total()
    classes = list(model.classes or ())[-len(model.fronts) :]
    for label, front in zip(classes, model.fronts, strict=True):
        is_class = np.fromiter((str(each) == str(label) for each in y), bool, n_rows)
        fewest = min(is_class.sum(), n_rows - is_class.sum())
        for row in (row for row in front if row.size == 1):
            column, words = _fact(row, model.encoding)
            if column in said:
                continue
            n_wrong = int((_tell(model, rows, row) != is_class).sum())
            others = None
            if n_wrong > min(MOST_ERRORS * n_rows, fewest / 10):
                if FAR_FEWER * n_wrong > fewest:
                    continue
                others = measure_others(model.encoding, rows, is_class, column)
                if others is None or n_rows * (1 - others) < max(FEWEST_ERRORS, FAR_FEWER * n_wrong):
                    continue
            said.add(column)
            yield GivesAway(column, words, model.target, str(label), 1 - n_wrong / n_rows, others)


def _tell(model: Model, rows: Any, row: FrontRow) -> Any:
    """Which rows a formula of the front says the class of."""
    formula = row.formula
    truths = model.encoding.transform(rows, formula.variables, dtype="float64")
    return formula.evaluate(dict(zip(formula.variables, truths.T, strict=True))) >= THRESHOLD


def _fact(row: FrontRow, encoding: Encoding) -> tuple[str, str]:
    """The column of a formula of one literal, and what it says."""
    formula = row.formula
    inner = formula.parts[0] if isinstance(formula, Not) else formula
    literal = encoding.literals[inner.name] if isinstance(inner, Variable) else None
    if literal is None:
        return str(formula), str(formula)
    return literal.column, literal_words(literal, negated=isinstance(formula, Not), gaps=encoding.gaps)


def _units(encoding: Encoding) -> Iterator[HasUnit]:
    """Categories that are numbers with a unit."""
    categories = (each for each in encoding.columns if each.kind == "category" and len(each.known) > 2)
    return (HasUnit(each.name, unit) for each in categories if (unit := unit_of(each.known)))


def _stand_ins(encoding: Encoding, rows: Any) -> Iterator[StandsIn]:
    """Numbers such as 999 that lie far from all others: they may stand for a missing value."""
    for column in encoding.columns:
        if column.kind not in ("number", "code"):
            continue
        numbers = encoding.read(rows, column.name).numbers
        found, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        for far, rest in ((found[-1], found[:-1]), (found[0], found[1:])) if len(found) > 2 else ():
            distance = min(abs(far - rest[0]), abs(far - rest[-1]))
            if _is_stand_in(float(far), column) and distance > rest[-1] - rest[0]:
                n = int(counts[found == far][0])
                yield StandsIn(column.name, float(far), n, float(rest[0]), float(rest[-1]))


def _is_stand_in(number: float, column: Column) -> bool:
    """Whether a number is one that people write for no value: 99, 999, -9; a code also 9."""
    digits = number_text(abs(number)).replace(".", "")
    fewest = 1 if column.kind == "code" or number < 0 else 2
    return len(digits) >= fewest and set(digits) in ({"9"}, {"8"})


def _find_overlooked(model: Model, rows: Any, y: Any, counts: Counter[str]) -> Iterator[Overlooks]:
    """The rarest class, if the rule overlooks most of its rows."""
    label, n = min(counts.items(), key=lambda each: each[1])
    if n >= RARE * counts.total():
        return
    decided = [str(each) for each in model.predict(rows)]
    hits = sum(truth == guess == label for truth, guess in zip(map(str, y), decided, strict=True))
    if 2 * hits < n:
        yield Overlooks(model.target, label, n, counts.total(), hits)


def measure_others(encoding: Encoding, rows: Any, is_class: Array, column: str) -> float | None:
    """The share of rows of which all other columns tell whether they have the class; None if there are too few."""
    n_rows = len(is_class)
    some = np.arange(n_rows) if n_rows <= MOST_ROWS else np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS]
    truth = np.asarray(is_class)[some]
    constant = max(truth.mean(), 1 - truth.mean())
    found = [each[some] for each in _numbers(encoding, rows, column)]
    if min(truth.sum(), len(truth) - truth.sum()) < FOLDS:
        return None
    if not found:
        return float(constant)
    return float(max(constant, (ask_tree(np.column_stack(found), truth) == truth).mean()))


def _numbers(encoding: Encoding, rows: Any, column: str) -> Iterator[Array]:
    """The other columns as numbers that a tree can ask about."""
    for each in encoding.columns:
        if each.kind == "left out" or each.name == column:
            continue
        values = encoding.read(rows, each.name)
        if each.kind in ("number", "code"):
            yield np.nan_to_num(values.parsed, nan=-LARGEST).clip(-LARGEST, LARGEST)
        elif each.kind == "ordinal":
            place = {level: index for index, level in enumerate(each.known)}
            yield np.array([place.get(text, -1) for text in values.texts], float)
        else:
            yield from (values.equal(value).astype(float) for value in each.known)
