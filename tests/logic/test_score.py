"""How formulas count: a score, a threshold, and the degree that follows from them."""

from fractions import Fraction

from hypothesis import given

from crystalogic.logic.evaluate import evaluate
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from strategies import formulas, rows


@given(formulas(), rows())
def test_the_degree_is_the_score_beyond_the_threshold_clamped(formula: Formula, row: dict[str, Fraction]) -> None:
    found = score_of(formula)
    assert evaluate(formula, row) == min(max(found.of(row) - found.threshold + 1, 0), 1)
    assert 0 <= found.of(row) <= found.most


@given(formulas(), rows())
def test_facts_have_whole_scores_that_are_possible(formula: Formula, row: dict[str, Fraction]) -> None:
    facts = {name: Fraction(round(degree)) for name, degree in row.items()}
    assert score_of(formula).of(facts) in score_of(formula).possible


def test_parts_that_are_repeated_are_worth_as_many_points() -> None:
    found = score_of(parse("at least 3 of (a, a, a, ¬b, ¬b, c ⊗ d)"))
    assert {str(part): worth for part, worth in found.points.items()} == {"a": 3, "¬b": 2, "c ⊗ d": 1}
    assert (found.threshold, found.most, found.possible) == (3, 6, (0, 1, 2, 3, 4, 5, 6))
    assert score_of(parse("at least 4 of (a, a, a, b, b, b)")).possible == (0, 3, 6)


def test_other_formulas_are_one_of_one_and_constants_count_nothing() -> None:
    for text in ("a", "¬a", "a ∧ b", "¬(a ⊗ b)"):
        assert (score_of(parse(text)).threshold, score_of(parse(text)).most) == (1, 1)
    assert [(score_of(parse(text)).threshold, score_of(parse(text)).most) for text in "01"] == [(1, 0), (0, 0)]
    assert (score_of(parse("a ⊕ b")).threshold, score_of(parse("a ⊗ b")).threshold) == (1, 2)
