"""Every way to read a column gives its cells the meaning of docs/cells.md, which is said here once more in fractions.

Nothing of `crystalogic.cells` is used: the page is the judge.
"""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crystalogic.audit.scope import Choices, Numbers
from crystalogic.encoding import Cut, Encoding, Is, Missing, OneOf, Reaches, fit_encoding, values
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.survey import survey
from crystalogic.encoding.values import Values
from crystalogic.errors import EncodingError
from depth import deep

USUAL = {"?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "none"}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def number_in(text):
    """The number that a text writes: exact if it is whole, else the nearest double; None if it writes none."""
    if not NUMBER.fullmatch(text):
        return None
    is_whole = re.fullmatch(r"[+-]?[0-9]{1,30}", text)
    return Fraction(int(text)) if is_whole else Fraction(float(text)) if math.isfinite(float(text)) else None


def meaning(cell, words=USUAL):
    """None for a missing cell, a Fraction for a number, a text for anything else."""
    if cell is None or cell is pd.NA or cell != cell:
        return None
    if isinstance(cell, (bool, np.bool_)):
        found = str(cell)
    elif isinstance(cell, str):
        text = cell.strip()
        is_code = re.match(r"[+-]?0[0-9]", text)
        number = None if is_code else number_in(text)
        found = (text or None) if number is None else number
    else:
        exact = Fraction(cell.item() if hasattr(cell, "item") else cell)
        found = exact if exact.denominator == 1 else Fraction(float(cell))
    return None if any(found == meaning(word, ()) for word in words) else found


def as_number(cell, words=USUAL):
    """The double of a cell where a number is needed: 007 is 7 there; None if it is none."""
    said = meaning(cell, words)
    if isinstance(said, str):
        said = number_in(said) if isinstance(cell, str) else None
    return None if said is None else float(said)


WHOLE = [0, 1, 7, -9, 2**53, 2**53 + 1, 4000123412341234, 10**18 + 1, -(2**60) - 1]
TEXTS = [
    "1",
    "1.0",
    "+1",
    "1e0",
    "007",
    "7",
    "0.00001",
    "1e-05",
    "-0.0",
    "0",
    "00",
    "red",
    " red ",
    "Red",
    "True",
    "true",
]
TEXTS += [
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "4000123412341234",
    "-9",
    "-9.0",
    "",
    " ",
    "1e300",
]
TEXTS += [*sorted(USUAL), "1_000", "٣", "4 mg", "0x10", "inf", ".5", "5.", "0.5", "123456789012345678901234567890"]
FLOATS = [0.0, -0.0, 1.0, 0.5, 1e-05, -9.0, 2.0**53, 1e300, 1e15, 4000123412341234.0, 1e23, math.nan]
LEVELS = sorted({"red", "True", "007", "1", "7", "0", "0.5", "1e-05", "-9", "none", "NA", "1e+300", *map(str, WHOLE)})
WORDS = st.sampled_from([frozenset(USUAL), frozenset({"-9"}), frozenset(), frozenset({"red", "True", "007", "0.5"})])
ANY = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(WHOLE),
    st.sampled_from(FLOATS),
    st.booleans(),
    st.none(),
    st.sampled_from([Decimal("1.0"), Decimal(2**53 + 1), Decimal("0.1"), np.float32(0.1), np.int64(2**53 + 1)]),
)
COLUMNS = st.one_of(  # as tables hold them
    st.lists(ANY, min_size=1, max_size=12),
    st.lists(st.sampled_from(WHOLE), min_size=1).map(lambda cells: np.array(cells, np.int64)),
    st.lists(st.integers(0, 255), min_size=1).map(lambda cells: np.array(cells, np.uint8)),
    st.lists(st.sampled_from(FLOATS), min_size=1).map(np.array),
    st.lists(st.sampled_from(FLOATS[:7]), min_size=1).map(lambda cells: np.array(cells, np.float32)),
    st.lists(st.booleans(), min_size=1).map(np.array),
    st.lists(st.sampled_from([*WHOLE, None]), min_size=1).map(lambda cells: pd.Series(cells, dtype="Int64")),
    st.lists(st.sampled_from([*WHOLE, None]), min_size=1).map(lambda cells: pd.Series(cells, dtype="int64[pyarrow]")),
    st.lists(st.sampled_from([*WHOLE, None]), min_size=1).map(lambda cells: pl.Series(cells, dtype=pl.Int64)),
    st.lists(st.sampled_from([True, False, None]), min_size=1).map(lambda cells: pd.Series(cells, dtype="boolean")),
    st.lists(st.sampled_from(TEXTS), min_size=1).map(lambda cells: pd.Series(cells, dtype="category")),
    st.lists(st.sampled_from(TEXTS), min_size=1).map(pl.Series),
    st.lists(st.sampled_from([*WHOLE, None]), min_size=2).map(
        lambda cells: pd.Series(pd.Categorical(cells, categories=sorted({*cells} - {None})))
    ),
)


def cells_of(column):
    """The cells of a column one by one, as Python has them."""
    return list(column)


@settings(max_examples=deep(400))
@given(COLUMNS, WORDS, st.booleans())
def test_columns_of_every_type_mean_what_their_cells_mean(column, words, is_long):
    """Whole numbers beside a gap became floats, and two identifiers one."""
    with pytest.MonkeyPatch.context() as patch:
        if is_long:
            patch.setattr(values, "MANY", 0)
        read = Values("x", column, words=words)
        expected = [meaning(cell, words) for cell in cells_of(column)]
        assert read.is_missing.tolist() == [said is None for said in expected]
        assert [meaning(text, ()) for text in read.texts] == expected
        for level in LEVELS:
            assert read.equal(level).tolist() == [said is not None and said == meaning(level, ()) for said in expected]
        numbers = [as_number(cell, words) for cell in cells_of(column)]
        is_wrong = [said is not None and number is None for said, number in zip(expected, numbers, strict=True)]
        if any(is_wrong):
            with pytest.raises(EncodingError, match=f"row {is_wrong.index(True)}: 'x' is .*, expected a number"):
                read.numbers  # noqa: B018
        else:
            assert [None if n != n else n for n in read.numbers.tolist()] == numbers


@settings(max_examples=deep(200))
@given(st.lists(ANY, min_size=1, max_size=12), WORDS)
def test_literals_say_of_one_cell_what_they_say_of_a_column(cells, words):
    order = ("none", "1", "red", "007")
    literals = [Is("x", level) for level in LEVELS] + [OneOf("x", order[1:]), Reaches("x", "1", order), Missing("x")]
    for cell in cells:
        said = meaning(cell, words)
        for literal in literals:
            match literal:
                case Is():
                    holds = said is not None and said == meaning(literal.value, ())
                case Missing():
                    holds = said is None
                case _:
                    holds = said is not None and any(said == meaning(level, ()) for level in order[1:])
            assert literal.degree_of(cell, words) == int(holds)
    column = Column("x", "category", tuple(literals[:-3]), missing_words=words)
    encoding = Encoding((column,))
    told = encoding.transform({"x": cells})
    for group in encoding.domain.exclusive:
        places = [encoding.names.index(name) for name in group]
        assert told[:, places].sum(axis=1).max() <= 1


@settings(max_examples=deep(200))
@given(st.lists(ANY, min_size=2, max_size=12), WORDS, st.integers(1, 11))
def test_a_survey_of_parts_is_that_of_the_whole_and_knows_every_level(cells, words, cut):
    assume(cut < len(cells))
    whole = survey({"x": cells}, missing=words)
    first, second = {"x": cells[:cut]}, {"x": cells[cut:]}
    assert survey(first, missing=words).join(survey(second, cut, missing=words)) == whole
    (column,) = whole.columns
    expected = [meaning(cell, words) for cell in cells]
    assert column.n_missing == expected.count(None)
    found = {meaning(text, ()): row for text, row in column.texts.items()}
    assert found == {said: expected.index(said) for said in expected if said is not None}


@settings(max_examples=deep(200))
@given(st.lists(ANY, min_size=1, max_size=8), st.lists(ANY, min_size=1, max_size=8), WORDS)
def test_a_category_knows_its_own_cells_and_no_others(cells, others, words):
    assume(len({meaning(cell, words) for cell in cells} - {None}) > 1)
    encoding = fit_encoding({"x": cells}, {"x": "category"}, missing=words)
    (column,) = encoding.columns
    assert column.kind == "category"
    known = {meaning(cell, words) for cell in cells}
    new = {meaning(cell, words) for cell in others} - known
    found = encoding.unseen({"x": others}, ["x"]).get("x", ())
    assert {None if text is None else meaning(text, ()) for text in found} == new
    told = encoding.transform({"x": cells}, refuse_missing=False)
    for row, cell in zip(told, cells, strict=True):
        said = meaning(cell, words)
        assert [name for name, value in zip(encoding.names, row, strict=True) if value] == [
            literal.name
            for literal in column.literals
            if (said is None if isinstance(literal, Missing) else said == meaning(literal.value, ()))
        ]


@settings(max_examples=deep(200))
@given(ANY, WORDS)
def test_questions_read_cells_as_the_table_does(cell, words):
    said = meaning(cell, words)
    codes = Choices("x", (0, 1, 7, 2**53 + 1), words=words).read(cell)
    texts = Choices("x", ("1", "007", "none", "red", "True"), words=words).read(cell)
    assert meaning(texts, ()) == said
    assert (codes is None) == (said is None)
    if codes is not None:
        assert (codes in (0, 1, 7, 2**53 + 1)) == (said in (0, 1, 7, 2**53 + 1))
    number = as_number(cell, words)
    if said is None or number is not None:
        assert Numbers("x", words=words).read(cell) == (None if number is None else Fraction(number))
        cut = Cut("x", 1.0)
        assert cut.degree_of(cell, words) == int(number is not None and number >= 1)
