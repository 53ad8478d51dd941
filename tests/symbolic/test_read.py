import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic import TooLargeError, Variable, parse, variables
from crystalogic.deadline import Deadline
from crystalogic.logic.evaluate import lattice_degrees, lattice_rows
from crystalogic.symbolic.extract import Kind, Threshold, expand, n_thresholds, read_threshold
from crystalogic.verify.questions import equivalent, find_row


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(-8, 8))
def test_read_neuron_means_what_the_neuron_computes(weights, bias):
    names = tuple(f"x{i}" for i in range(len(weights)))
    read = read_threshold([(Variable(name), weight) for name, weight in zip(names, weights, strict=True)], bias)
    grid = lattice_rows(names, 4)
    total = sum(weight * grid[name] for name, weight in zip(names, weights, strict=True)) + 4 * bias
    for formula in (read.formula(), expand(read)):
        assert (lattice_degrees(formula, grid, 4) == total.clip(0, 4)).all()


@pytest.mark.parametrize(
    ("weights", "bias", "kind", "text"),
    [
        ((1, 1), -1, Kind.CONJUNCTION, "a ⊗ b"),
        ((1, 1), 0, Kind.DISJUNCTION, "a ⊕ b"),
        ((1, 1), -2, Kind.CONSTANT, "0"),
        ((1, 1), 1, Kind.CONSTANT, "1"),
        ((-1, 1), 0, Kind.CONJUNCTION, "¬a ⊗ b"),
        ((-1, 1), 1, Kind.DISJUNCTION, "¬a ⊕ b"),
        ((1, 1, 1), -1, Kind.THRESHOLD, "at least 2 of (a, b, c)"),
        ((1, -1, 1), 0, Kind.THRESHOLD, "at least 2 of (a, ¬b, c)"),
        ((2, 1), -1, Kind.THRESHOLD, "at least 2 of (2·a, b)"),
        ((2,), -1, Kind.CONJUNCTION, "a ⊗ a"),
        ((-1,), 1, Kind.LITERAL, "¬a"),
        ((), 1, Kind.CONSTANT, "1"),
    ],
)
def test_proposition_1_theorem_1_constants_and_thresholds(weights, bias, kind, text):
    read = read_threshold(list(zip(variables("a b c"), weights, strict=False)), bias)
    assert read.kind is kind
    assert str(read.formula()) == text


def test_constants_and_opposite_terms_are_collected():
    a, b = variables("a b")
    assert str(read_threshold([(a, 1), (~a, 1), (b, 1)], -1).formula()) == "b"
    assert str(read_threshold([(parse("1"), 1), (a, 1), (b, 1)], -2).formula()) == "a ⊗ b"


def test_ten_thousand_literals_are_read_and_one_more_is_refused():
    a, b = variables("a b")
    assert len(read_threshold([(a, 9_999), (b, -1)], 0).literals) == 10_000
    with pytest.raises(TooLargeError) as caught:
        read_threshold([(a, 9_999), (b, -2)], 0)
    assert str(caught.value) == "a neuron whose weights add up to 10,001 cannot be read, at most 10,000 can."


def test_a_gigantic_weight_is_refused():
    with pytest.raises(TooLargeError, match="weights add up to 1,000,000"):
        read_threshold([(Variable("a"), 10**6)], 0)


@pytest.mark.parametrize("m", range(1, 15))
def test_the_expansion_shares_at_most_a_quarter_of_m_plus_1_squared(m):
    for k in range(1, m + 1):
        threshold = Threshold(k, variables(f"x{i}" for i in range(m)))
        assert 4 * n_thresholds(threshold) <= (m + 1) ** 2
        assert expand(threshold).n_nodes <= max(1, 2 * n_thresholds(threshold))


def test_the_expansion_of_11_of_22_is_small_as_a_dag_and_huge_as_a_tree():
    threshold = Threshold(11, variables(f"x{i}" for i in range(22)))
    assert n_thresholds(threshold) == 132
    assert expand(threshold).size == 1_352_077
    assert expand(threshold).n_nodes < 264


def test_an_expansion_has_as_many_thresholds_as_allowed_and_no_more(monkeypatch):
    monkeypatch.setattr("crystalogic.symbolic.extract.MOST_THRESHOLDS", 6)
    assert str(expand(Threshold(2, variables("a b c d")))) == "((a ⊗ b ⊕ c) ⊗ (a ⊕ b) ⊕ d) ⊗ (a ⊕ b ⊕ c)"
    with pytest.raises(TooLargeError) as caught:
        expand(Threshold(2, variables("a b c d e")))
    assert str(caught.value) == ("at least 2 of 5 expands to 8 thresholds, more than 6. Extract with mode 'at_least'.")


def test_z3_proves_the_lemma():
    """σ(g + x) = (σ(g) ⊕ x) ⊗ σ(g + 1) for every real g and every x in [0,1]."""
    import z3

    g, x = z3.Reals("g x")

    def sigma(term):
        return z3.If(term < 0, 0, z3.If(term > 1, 1, term))

    left = sigma(g + x)
    right = sigma(sigma(sigma(g) + x) + sigma(g + 1) - 1)
    solver = z3.Solver()
    solver.add(x >= 0, x <= 1, left != right)
    assert solver.check() == z3.unsat


def test_z3_proves_6_of_12_against_its_expansion():
    threshold = Threshold(6, variables(f"x{i}" for i in range(12)))
    pair = (threshold.formula(), expand(threshold))
    from crystalogic import Domain

    assert find_row(pair, Domain(), lambda x, y: x != y, Deadline.after(60)) is None
    assert equivalent(*pair).reason == "both sides have the same normal form (value numbers)"
