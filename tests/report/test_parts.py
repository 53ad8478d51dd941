"""What the page is made of: checklists, tables of evidence, controls and the chart."""

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import export_cases
from crystalogic.encoding import Cut, Degree, Encoding, fit_encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.intervals import Share
from crystalogic.logic.formula import Variable
from crystalogic.logic.parse import parse
from crystalogic.model import FrontRow
from crystalogic.report.chart import chart
from crystalogic.report.controls import controls, decimal_text
from crystalogic.report.evidence import Evidence, Table
from crystalogic.words.checklists import MOST_LEVELS, outline
from crystalogic.words.literals import legend

COLORS = fit_encoding({"age": [20, 30, 40, 50, 60, 70], "color": ["red", "blue"] * 3}, n_cuts=1)


def shown_tree(item, indent=0):
    return [" " * indent + item.words] + [line for part in item.parts for line in shown_tree(part, indent + 2)]


def test_a_formula_reads_as_a_list_inside_lists():
    (block,) = outline(parse("at least 2 of (a, ¬b, c ∧ ¬(d → e))"), {})
    assert shown_tree(block.item) == [
        "at least 2 of these 3",
        "  a",
        "  not b",
        "  the least true of these",
        "    c",
        "    not: if the first of these, then the second",
        "      d",
        "      e",
    ]


def test_double_negations_and_constants_are_said_plainly():
    (block,) = outline(parse("¬¬a ⊕ ¬1 ⊕ 1"), {})
    assert shown_tree(block.item) == ["at least one of these 3", "  a", "  never", "  always"]


def test_a_fact_that_is_repeated_is_counted():
    (block,) = outline(parse("a ⊗ a ⊗ (b → b) ⊗ ¬(c ⊕ d ⊕ d ⊕ d)"), {})
    assert shown_tree(block.item) == [
        "all of these 4",
        "  a, counted twice",
        "  if the first of these, then the second",
        "    b",
        "    b",
        "  not: at least one of these 4",
        "    c",
        "    d, counted 3 times",
    ]


def test_what_lies_deep_or_is_repeated_becomes_a_step_of_its_own():
    blocks = outline(export_cases.deep().formulas[0], {})
    assert [block.name for block in blocks[:3]] == [None, "step 1", "step 2"]
    assert sum(len(shown_tree(block.item)) for block in blocks) < 1000
    chain = Variable("x")
    for index in range(300):
        chain = (chain & Variable(f"a{index}")) | Variable(f"b{index}")
    blocks = outline(chain, {})
    assert max(line.count("  ") for block in blocks for line in shown_tree(block.item)) <= MOST_LEVELS
    assert sum("step" not in line for block in blocks for line in shown_tree(block.item)) >= 601


def test_each_symbol_of_a_formula_is_explained():
    assert [symbol for symbol, _ in legend((parse("¬a ⊗ b"),))] == ["¬", "⊗"]


def colored(formula="{age ≥ 50} ⊗ {color=red}"):
    return model_of([parse(formula)], COLORS, "risk", ["no", "yes"])


def test_the_confusion_matrix_counts_rows():
    rows = pd.DataFrame({"age": [55, 55, 20, 60, 61], "color": ["red", "blue", "red", "red", "red"]})
    found = Evidence(colored(), Table(rows, pd.Series(["yes", "yes", "no", "no", None])))
    assert [each.name for each in found.evaluation.figures.classes] == ["no", "yes"]
    assert found.evaluation.figures.confusion == ((1, 1), (1, 1))
    assert found.right == Share(2, 4)


def test_rows_that_get_no_decision_are_counted_and_left_aside():
    rows = pd.DataFrame({"age": [55, None, "old", 60], "color": ["red", "red", "red", None]})
    found = Evidence(colored(), Table(rows, ["yes", "yes", "yes", "no"]))
    assert (found.n_rows, found.n_refused) == (4, 2)
    assert found.right == Share(2, 2)


def test_a_class_that_the_model_does_not_know_counts_as_wrong():
    rows = pd.DataFrame({"age": [55, 55], "color": ["red", "red"]})
    found = Evidence(colored(), Table(rows, ["yes", "perhaps"]))
    assert found.evaluation.figures.accuracy == Share(1, 1)
    assert found.right == Share(1, 2)


def test_labels_are_compared_as_values_whatever_their_type():
    model = model_of([parse("{age ≥ 50}")], COLORS, "risk", [0, 1])
    rows = pd.DataFrame({"age": [55, 20]})
    assert Evidence(model, Table(rows, ["1", "0"])).right.value == 1
    assert Evidence(model, Table(rows, [1.0, 0.0])).right.value == 1


def test_examples_are_typical_close_and_wrong():
    model = colored("age ⊗ {color=red}")  # the degree of a red row is its age between 20 and 70
    ages = [25, 30, 46, 44, 65, 66, 67]
    rows = pd.DataFrame({"age": ages, "color": ["red"] * 7})
    found = Evidence(model, Table(rows, ["no", "no", "yes", "no", "yes", "no", "yes"])).examples()
    assert [(each.index, each.why.split(":")[0]) for each in found] == [
        (1, "typical of the rows judged no"),
        (5, "typical of the rows judged yes"),
        (2, "among the rows closest to another decision"),
        (3, "among the rows closest to another decision"),
    ]
    facts = Evidence(colored(), Table(rows, ["no"] * 7)).examples()
    assert not any("closest" in each.why for each in facts)  # all are equally far
    assert any("wrongly" in each.why for each in facts)


def test_a_column_is_summed_up_in_its_own_words():
    rows = pd.DataFrame({"age": [20, 30.5, 70], "color": ["red", "red", None]})
    found = Evidence(colored(), Table(rows))
    assert found.column("age") == "20 to 70, median 30.5"
    assert found.column("color") == "red: 2; 1 missing"
    assert [(label, share.yes) for label, share in found.shares] == [("no", 3), ("yes", 0)]


def test_sliders_have_round_steps_and_cover_the_training_range():
    columns = (
        Column("age", "number", (Degree("age", 29.0, 77.0), Cut("age", 55.0))),
        Column("oldpeak", "number", (Degree("oldpeak", 0.0, 6.2),)),
        Column("tiny", "number", (Degree("tiny", 0.00012, 0.00057),)),
        Column("cut", "number", (Cut("cut", 130.5),)),
    )
    model = model_of([parse("age ⊗ oldpeak ⊗ tiny ⊗ {cut ≥ 130.5} ⊗ {age ≥ 55}")], Encoding(columns), "y", ("a", "b"))
    found = {each.column: each for each in controls(model, {"age": "years"})}
    assert [(each.low, each.high, each.step) for each in found.values()] == [
        ("29", "77", "1"),
        ("0", "6.2", "0.1"),
        ("0.00012", "0.00057", "0.00001"),
        ("65", "196", "1"),
    ]
    assert {"54", "55"} <= set(found["age"].tried)
    assert {"130", "131"} <= set(found["cut"].tried)
    assert found["age"].unit == "years"


def test_the_page_tries_the_cuts_themselves_where_the_slider_is_too_coarse():
    """Once, a column with 999 in it had a slider in steps of ten, and 2.4 was to become 10 rather than 2.79."""
    columns = (Column("lactate", "number", (Degree("lactate", -1.6, 999.0), Cut("lactate", 2.79))),)
    model = model_of([parse("{lactate ≥ 2.79}")], Encoding(columns), "y", ("a", "b"))
    (control,) = controls(model, {})
    assert control.step == "10"
    assert {"2.78", "2.79"} <= set(control.tried)


def test_a_choice_has_the_values_of_training_and_missing_where_that_can_be():
    found = {each.column: each for each in controls(export_cases.heart(), {})}
    assert found["sex"].values == ("female", "male")
    assert found["sex"].may_be_missing
    assert found["cp"].values == ("1", "2", "3", "4")
    assert not found["cp"].may_be_missing
    assert found["size"].places == (0, 0.5, 1)
    assert found["ca"].places == (0, 0.4, 1)  # 0, 1 and 2.5
    assert found["sex"].places == ()


def test_a_control_can_show_a_value_that_no_training_row_had():
    """Bug: a row with such a value was put into the calculator as if the value were missing."""
    rows = [{"age": "31", "color": "red"}, {"age": "31", "color": "green"}]
    age, color = controls(colored(), {}, rows)
    assert (age.start, color.start) == ("31", "red")
    assert (color.values, color.unseen) == (("blue", "red", "green"), ("green",))


def test_columns_of_whole_numbers_are_known():
    assert Evidence(colored(), Table({"age": [55, "20.0", None], "color": ["red"] * 3})).whole == ["age"]
    assert Evidence(colored(), Table({"age": [55, 20.5], "color": ["red"] * 2})).whole == []


def test_rows_may_be_a_mapping_of_lists():
    found = Evidence(colored(), Table({"age": [55, 20], "color": ["red", "red"]}, ["yes", "yes"]))
    assert found.right == Share(1, 2)
    assert found.examples()[0].explanation.row == {"age": 55, "color": "red"}


def test_a_rule_that_reads_no_column_is_judged_too():
    found = Evidence(colored("1"), Table({"age": [55, 20]}, ["yes", "no"]))
    assert (found.n_rows, found.right.yes) == (2, 1)


@given(st.decimals(-1000, 1000, places=4))
def test_a_decimal_number_is_written_in_full(number):
    assert Fraction(decimal_text(Fraction(number))) == Fraction(number)
    assert "e" not in decimal_text(Fraction(number))


@pytest.mark.parametrize("validated", [None, 0.8])
def test_the_chart_keeps_its_points_inside(validated):
    front = tuple(FrontRow(size, 1, 0.7 + size / 100, validated, 0.02, parse("f")) for size in (0, 1, 4, 12))
    frame = chart(front)
    for row in front:
        assert frame.left <= frame.x(row.size) <= frame.right
        assert frame.top <= frame.y(row.training) <= frame.bottom
        ends = [] if validated is None else [frame.y(validated + error) for error in (0.02, 0, -0.02)]
        assert ends == sorted(ends)
        assert all(frame.top <= end <= frame.bottom for end in ends)
    alone = chart((FrontRow(0, 0, 1.0, None, None, parse("1")),))
    assert alone.top <= alone.y(1.0) <= alone.bottom


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        ((0.0, 1.0), [0.0, 1.0]),
        ((0, 1), ["0", "1.0"]),
        ((False, True), [False, True]),
        (("1.1", "1.10"), ["1.1", "1.10"]),
    ],
)
def test_rows_that_get_their_own_class_are_called_right(classes, labels):
    """With classes 0.0 and 1.0 every row that was shown was called wrong, and 1.1 was mixed up with 1.10."""
    model = model_of([parse("{color=red}")], COLORS, "y", classes)
    rows = pd.DataFrame({"age": [20] * 6, "color": ["blue", "red"] * 3})
    evidence = Evidence(model, Table(rows, pd.Series(labels * 3)))
    assert evidence.right == Share(6, 6)
    assert evidence.evaluation.figures.confusion == ((3, 0), (0, 3))
    assert [example.is_right for example in evidence.examples()] == [True, True]


def test_the_narrowest_range_of_all_has_a_slider():
    """A thousandth of the smallest float is no float, and its logarithm was a ValueError."""
    encoding = Encoding((Column("n", "number", (Degree("n", 0.0, 5e-324),)),))
    (control,) = controls(model_of([parse("n")], encoding, "y", (0, 1)), {})
    assert float(control.high) == 5e-324
    assert 0 < Fraction(control.step) < Fraction(control.high)
