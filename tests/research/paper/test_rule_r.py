import math

import pytest

from crystalogic import Crystal, EvaluationError, Neuron, StrongAnd, StrongOr, TooLargeError, variables
from crystalogic.logic.walk import subformulas
from crystalogic.symbolic.extract import Threshold, read_threshold
from research.paper.rule_r import Approximation, SplitOff, approximate, is_representable, read_by_rule_r, splits
from research.paper.similarity import similarity


def threshold(k, m):
    return Threshold(k, variables(f"x{i}" for i in range(m)))


@pytest.mark.parametrize("m", range(2, 7))
def test_representable_as_the_paper_says_is_proposition_1(m):
    for k in range(1, m + 1):
        assert is_representable(threshold(k, m)) is (k in (1, m))


def test_splits_conserve_the_bias_and_have_no_constant_part():
    assert splits(threshold(1, 3)) == [SplitOff(1, False)]
    assert splits(threshold(3, 3)) == [SplitOff(2, True)]
    assert splits(threshold(2, 3)) == [SplitOff(2, False), SplitOff(1, True)]
    assert splits(threshold(1, 2)) == [SplitOff(1, False)]
    assert splits(threshold(2, 2)) == [SplitOff(1, True)]
    assert splits(threshold(1, 1)) == []
    assert splits(threshold(0, 3)) == []
    assert splits(threshold(4, 3)) == []


@pytest.mark.parametrize(("k", "m", "n"), [(2, 3, 2), (2, 4, 3), (3, 4, 2), (3, 5, 2), (2, 5, 4)])
def test_the_reported_similarity_is_that_of_the_formula(k, m, n):
    best = approximate(threshold(k, m), n)
    measured = similarity(threshold(k, m).formula(), best.formula, n)
    assert measured.is_exhaustive
    assert math.isclose(best.similarity, measured.value, rel_tol=1e-9)
    assert best.is_exhaustive
    assert 1 / math.e <= best.similarity < 1


def all_chains(literals):
    if len(literals) == 1:
        yield literals[0]
        return
    for index, last in enumerate(literals):
        for chain in all_chains(literals[:index] + literals[index + 1 :]):
            yield chain & last
            yield chain | last


@pytest.mark.parametrize(("k", "m"), [(2, 3), (2, 4), (3, 4)])
def test_no_chain_in_any_order_is_better(k, m):
    target = threshold(k, m)
    best = approximate(target, 2).similarity
    highest = max(similarity(target.formula(), chain, 2).value for chain in set(all_chains(target.literals)))
    assert math.isclose(best, highest, rel_tol=1e-9)


@pytest.mark.parametrize("weights", [(2, 1), (2, 2), (3, 1), (1, -2), (2, 1, 1)])
def test_repeated_literals_are_measured_and_arranged_as_they_are(weights):
    """Equal literals were once treated as independent: the λ shown was neither the formula's nor the best."""
    terms = list(zip(variables("a b c"), weights, strict=False))
    target = read_threshold(terms, 1 - 2 + sum(-w for w in weights if w < 0))
    best = approximate(target)
    assert math.isclose(best.similarity, similarity(target.formula(), best.formula, 4).value, rel_tol=1e-9)
    assert best.is_exhaustive
    highest = max(similarity(target.formula(), chain, 4).value for chain in set(all_chains(target.literals)))
    assert math.isclose(best.similarity, highest, rel_tol=1e-9)


def test_what_rule_r_cannot_do_is_refused():
    assert approximate(threshold(50, 100), 1).formula.size == 100
    with pytest.raises(TooLargeError) as caught:
        approximate(threshold(50, 101))
    assert str(caught.value) == "Rule R is for at most 100 literals, got 101. Extract with mode 'at_least'."
    with pytest.raises(EvaluationError, match="at least 1"):
        approximate(threshold(2, 3), 0)


def test_proposition_1_needs_no_approximation():
    assert approximate(threshold(3, 3)) == Approximation(threshold(3, 3).formula(), 1.0, 4, 1, True)
    assert str(approximate(threshold(1, 2)).formula) == "x0 ⊕ x1"


def joins(formula, connective):
    """How often the chain joins a literal by the connective."""
    return sum(len(node.parts) - 1 for node in subformulas(formula) if isinstance(node, connective))


@pytest.mark.parametrize(("k", "m"), [(2, 3), (3, 5), (6, 16), (7, 16), (12, 24)])
def test_a_chain_has_every_literal_once_and_the_conjunctions_of_the_bias(k, m):
    best = approximate(threshold(k, m), 1)
    assert (joins(best.formula, StrongAnd), joins(best.formula, StrongOr)) == (k - 1, m - k)
    assert best.formula.size == len(best.formula.variables) == m


@pytest.mark.parametrize(
    ("k", "m", "n_candidates", "is_exhaustive"),
    [(2, 3, 2, True), (3, 5, 6, True), (6, 16, 3003, True), (7, 16, 288, False), (12, 24, 300, False)],
)
def test_all_orders_are_tried_up_to_five_thousand(k, m, n_candidates, is_exhaustive):
    """Beyond, 300 are drawn with a fixed seed, and equal ones count once."""
    best = approximate(threshold(k, m), 1)
    assert (best.n, best.n_candidates, best.is_exhaustive) == (1, n_candidates, is_exhaustive)


def test_few_repeated_literals_are_tried_in_every_arrangement():
    """a, a and b stand in 3 orders, joined by ⊗ and ⊕ or by ⊕ and ⊗."""
    best = approximate(read_threshold(list(zip(variables("a b"), (2, 1), strict=True)), -1))
    assert (best.n, best.n_candidates, best.is_exhaustive) == (4, 6, True)


def test_repeated_literals_in_too_many_arrangements_are_sampled_and_said_so():
    """2,520 arrangements of 20 orders each."""
    target = read_threshold(list(zip(variables("a b c d e f"), (2, 1, 1, 1, 1, 1), strict=True)), -3)
    best = approximate(target, 1)
    assert not best.is_exhaustive
    assert 1_000 < best.n_candidates <= 2 * 10**6 // (2**6 * 7)
    assert math.isclose(best.similarity, similarity(target.formula(), best.formula, 1).value, rel_tol=1e-9)
    assert approximate(target, 1) == best


@pytest.mark.parametrize(("n", "is_exhaustive"), [(22, True), (23, True), (24, False)])
def test_all_arrangements_are_tried_as_long_as_their_rows_are_affordable(n, is_exhaustive):
    """a, a, b and c stand in 12 orders, joined in 3 ways; 2,000,000 // (4 · 24³) = 36 are affordable on S₂₃."""
    best = approximate(read_threshold(list(zip(variables("a b c"), (2, 1, 1), strict=True)), -1), n)
    assert best.is_exhaustive is is_exhaustive
    assert best.n_candidates == 36 if is_exhaustive else best.n_candidates < 36


def test_twenty_candidates_are_always_affordable():
    """One literal twice and 17 more, on a sample of 100,000 rows."""
    literals = variables(f"x{i}" for i in range(18))
    best = approximate(read_threshold(list(zip(literals, (2, *[1] * 17), strict=True)), -8), 1)
    assert (best.n_candidates, best.is_exhaustive) == (20, False)


@pytest.mark.parametrize("n", [1, 2])
def test_representable_is_decided_on_coarse_degrees_too(n):
    assert not is_representable(threshold(2, 3), n)
    assert not is_representable(threshold(3, 5), n)
    assert is_representable(threshold(4, 4), n)


def test_many_literals_are_sampled_and_said_so():
    best = approximate(threshold(12, 24), 2)
    assert not best.is_exhaustive
    assert 1 / math.e <= best.similarity < 1
    assert approximate(threshold(12, 24), 2) == best


def test_a_crystal_is_read_neuron_by_neuron():
    """Two different neurons can become the same approximate text, and cancel."""
    neurons = [
        Neuron([0, 1], [1, 1], -1),
        Neuron([3, 2], [1, 1], 0),
        Neuron([0, 1, 2], [1, 1, 1], -1),
        Neuron([4, 5], [1, -1], 0),
    ]
    assert str(read_by_rule_r(Crystal(["a", "b", "c"], neurons, [6]))) == "0"
    assert str(read_by_rule_r(Crystal(["a", "b", "c"], neurons[:3], [5]))) == "a ⊗ b ⊕ c"
