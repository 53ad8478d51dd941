from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic.encoding import Degree, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.export import to_python
from crystalogic.export.program import Value, program
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.logic.simplify import simplify
from crystalogic.model import Risk
from crystalogic.model.risk import OUT_OF
from depth import deep
from strategies import NAMES, formulas, rows

TRUTHS = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in NAMES))


def model(formula):
    return model_of([formula], TRUTHS, "degree", None)


@settings(max_examples=deep(60))
@given(formulas(), rows())
def test_the_program_computes_the_very_same_floating_point_numbers(formula, row):
    floats = {name: float(value) for name, value in row.items()}
    scope = {}
    exec(to_python(model(formula)), scope)
    expected = model(formula).degrees({name: [value] for name, value in floats.items()})
    assert [scope["decide"](floats)["degrees"]] == expected.tolist()


@settings(max_examples=deep(100))
@given(st.lists(st.integers(1, OUT_OF - 1), min_size=2, max_size=6), st.data())
def test_the_probabilities_of_a_list_are_the_very_same_doubles(shares, data):
    """Each rule of the list is one fact; which rules apply, and which class is tried when, is drawn."""
    n = len(shares)
    columns = tuple(Column(f"c{i}", "category", (Is(f"c{i}", "yes"),), ("no", "yes")) for i in range(n))
    order = tuple(data.draw(st.permutations(range(n + 1))))
    formulas = [parse("1")] * (n + 1)
    for rule, place in enumerate(order[:-1]):
        formulas[place] = parse(f"{{c{rule}=yes}}")
    listed = replace(model_of(formulas, Encoding(columns), "class", tuple(range(n + 1))), order=order)
    listed = replace(listed, chain=tuple(Risk((min(share, 5000), share)) for share in shares))
    row = {f"c{i}": data.draw(st.sampled_from(["yes", "no"])) for i in range(n)}
    scope = {}
    exec(to_python(listed), scope)
    told = scope["decide_risk"](row)
    expected = listed.probabilities({name: [cell] for name, cell in row.items()})
    assert [told["probabilities"]] == expected.tolist()
    assert max(told["probabilities"]) == told["probabilities"][told["decision"]]
    assert "probabilities" not in scope["decide"](row)


def test_steps_that_formulas_share_are_written_once():
    formulas = [parse("(a ⊗ b) ⊕ c"), parse("¬(a ⊗ b)"), parse("a ⊗ b")]
    found = program(model_of(formulas, TRUTHS, "class", ("x", "y", "z")))
    assert [step.name for step in found.steps] == ["s1", "s2", "s3"]
    assert found.outputs == ("s2", "s3", "s1")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("red", Value("red", None)),
        ("4", Value("4", 4)),
        ("-4.50", Value("-4.5", -4.5)),
        ("007", Value("007", None)),
        ("1e16", Value("10000000000000000", 10**16)),
        ("9007199254740993", Value("9007199254740993", 2**53 + 1)),
        ("-0.0", Value("0", 0)),
        (" red", Value("red", None)),
        ("1e400", Value("1e400", None)),
    ],
)
def test_a_value_is_the_level_of_its_text_and_the_exact_number_that_it_writes(text, value):
    assert _read(text) == (value,)


def test_nothing_equals_a_word_for_missing_unless_it_is_a_level():
    assert _read("NA", known=("a", "b")) == ()
    assert _read("NA", known=("NA", "b")) == (Value("NA", None),)


def _read(text, known=None):
    encoding = Encoding((Column("x", "category", (Is("x", text),), known or (text,)),))
    (fact,) = program(model_of([parse("{x=" + text + "}")], encoding, "y", (0, 1))).facts
    return fact.values


@pytest.mark.parametrize(
    ("number", "is_beyond", "double"),
    [
        (2**53 - 1, False, float(2**53 - 1)),
        (2**53, True, float(2**53)),
        (-(2**53) - 1, True, None),
        (int(1e31), False, 1e31),
        (0.1, False, 0.1),
    ],
)
def test_a_value_knows_whether_a_double_tells_it_from_others(number, is_beyond, double):
    value = Value(str(number), number)
    assert (value.is_beyond, value.double) == (is_beyond, double)


def test_simplified_formulas_have_programs_too():
    formula = simplify(parse("a ⊗ 1 ⊕ 0"))
    assert program(model(formula)).outputs == ("f1",)
