from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given

from crystalogic import (
    CertificateError,
    Crystal,
    CrystalError,
    FormulaError,
    Neuron,
    TooLargeError,
    certify,
    check,
    encode,
    equivalent,
    extract,
    parse,
    truth_table,
)
from crystalogic.logic.evaluate import lattice_degrees
from crystalogic.symbolic.extract import Extraction, Kind, Reading
from depth import deep
from strategies import crystals, formulas, random_crystal, rows

MODES = ("at_least", "connectives")


def crystal_numerators(crystal, columns, n):
    """Outputs times n for integer columns: the definition of the neuron, with whole arrays."""
    values = [columns[name] for name in crystal.inputs]
    for neuron in crystal.neurons:
        total = np.full_like(values[0], neuron.bias * n)
        for source, weight in neuron.links:
            total = total + weight * values[source]
        values.append(np.clip(total, 0, n))
    return values[crystal.outputs[0]]


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_random_crystals_equal_their_formulas_at_all_corners_and_200_points(start):
    for seed in range(start, start + deep(500)):
        crystal = random_crystal(seed)
        draw = np.random.default_rng(seed)
        n = int(draw.integers(2, 1000))
        corners = np.array(list(product([0, n], repeat=len(crystal.inputs))))
        points = np.vstack([corners, draw.integers(0, n + 1, (200, len(crystal.inputs)))])
        columns = dict(zip(crystal.inputs, points.T, strict=True))
        expected = crystal_numerators(crystal, columns, n)
        for mode in MODES:
            extraction = extract(crystal, mode)
            assert (lattice_degrees(extraction.formula, columns, n) == expected).all()
            check(certify(crystal, extraction.formula), crystal, extraction.formula)


@given(formulas(max_leaves=8), rows())
def test_encode_computes_the_formula_and_extract_gives_it_back(f, row):
    crystal = encode(f)
    assert crystal.run({name: row[name] for name in crystal.inputs}) == (f.evaluate(row),)
    back = extract(crystal).formula
    assert back.evaluate(row) == f.evaluate(row)
    assert bool(equivalent(back, f, seconds=20))


@given(formulas(max_leaves=8))
def test_what_encode_makes_is_certified(f):
    """Always for the formula that is extracted; for the one it came from, or else z3 shows that they are equal."""
    crystal = encode(f)
    for mode in MODES:
        assert certify(crystal, extract(crystal, mode).formula).n_cases == 1
    try:
        certify(crystal, f)
    except CertificateError as error:
        message = str(error)
    else:
        message = ""
    assert not message or (message.startswith("not shown") and equivalent(extract(crystal).formula, f))


@given(crystals)
def test_encoding_an_extraction_is_certified_too(crystal):
    f = extract(crystal).formula
    again = encode(f)
    g = extract(again).formula
    certify(again, g)
    assert bool(equivalent(f, g))


def test_an_expansion_that_would_not_fit_is_refused():
    with pytest.raises(TooLargeError, match="Extract with mode 'at_least'"):
        extract(Crystal(["a", "b"], [Neuron([0, 1], [400, 400], -399)], [2]), "connectives")


def test_a_117_16_16_1_crystal_is_extracted_and_certified():
    crystal = dense_crystal((117, 16, 16, 1))
    for mode in MODES:
        formula = extract(crystal, mode).formula
        assert len(certify(crystal, formula).steps) == len(crystal.live)


def test_each_neuron_gets_a_reading_and_dead_ones_are_dropped():
    neurons = [
        Neuron([0, 1, 2], [1, 1, -1], 0),  # at least 2 of (a, b, ¬c)
        Neuron([0], [1], 0),  # read by no one
        Neuron([1, 2], [1, 1], -5),  # constant 0
        Neuron([3, 0], [1, 1], -1),  # a residual merge
        Neuron([6, 5], [1, 1], 0),  # its second source is constant
    ]
    extraction = extract(Crystal(["a", "b", "c"], neurons, [7]))
    assert str(extraction.formula) == "at least 2 of (a, b, ¬c) ⊗ a"
    assert [(r.neuron, r.kind, r.law) for r in extraction.readings] == [
        (0, Kind.THRESHOLD, "threshold"),
        (3, Kind.CONJUNCTION, "Theorem 1"),
        (4, Kind.LITERAL, "identity"),
    ]
    assert extraction.dropped == (1, 2)


def test_a_reading_counts_its_literals():
    crystal = Crystal(["a", "b", "c"], [Neuron([0, 1, 2], [2, 1, -1], -1), Neuron([3, 0], [1, 1], 0)], [4])
    assert extract(crystal).readings == (
        Reading(0, Kind.THRESHOLD, "threshold", 3, 4, parse("at least 3 of (a, a, b, ¬c)")),
        Reading(1, Kind.DISJUNCTION, "Theorem 1", 1, 2, parse("at least 3 of (a, a, b, ¬c) ⊕ a")),
    )


@pytest.mark.parametrize("mode", MODES)
def test_an_extraction_tells_of_what_and_how(mode):
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], -1), Neuron([0], [1], 0)], [2])
    reading = Reading(0, Kind.CONJUNCTION, "Proposition 1, case 1", 2, 2, parse("a ⊗ b"))
    assert extract(crystal, mode) == Extraction(crystal, mode, (parse("a ⊗ b"),), (reading,), (1,))


@pytest.mark.parametrize(
    ("neuron", "kind", "law"),
    [
        (Neuron([0, 2], [1, 1], -2), Kind.CONSTANT, "constant"),
        (Neuron([2], [1], 0), Kind.LITERAL, "identity"),
        (Neuron([0, 1], [1, 1], -1), Kind.CONJUNCTION, "Proposition 1, case 1"),
        (Neuron([0, 1], [1, 1], 0), Kind.DISJUNCTION, "Proposition 1, case 2"),
        (Neuron([0, 2], [1, -1], 0), Kind.CONJUNCTION, "Proposition 1, case 1"),
        (Neuron([0, 2], [1, -1], 1), Kind.DISJUNCTION, "Proposition 1, case 2"),
        (Neuron([0, 2], [1, 1], -1), Kind.CONJUNCTION, "Theorem 1"),
        (Neuron([2, 0], [1, 1], 0), Kind.DISJUNCTION, "Theorem 1"),
        (Neuron([0, 1, 2], [1, 1, 1], -1), Kind.THRESHOLD, "threshold"),
    ],
)
def test_a_neuron_is_read_by_the_law_that_names_it(neuron, kind, law):
    """Input 2 is a neuron itself, a ⊗ b."""
    reading = extract(Crystal(["a", "b"], [Neuron([0, 1], [1, 1], -1), neuron], [3])).readings[-1]
    assert (reading.kind, reading.law) == (kind, law)


def test_a_reading_tells_the_law_of_its_mode():
    between = Crystal(["a", "b", "c"], [Neuron([0, 1, 2], [1, 1, 1], -1)], [3])
    assert extract(between, "connectives").readings == (
        Reading(0, Kind.THRESHOLD, "lemma of Rose and Rosser", 2, 3, parse("(a ⊗ b ⊕ c) ⊗ (a ⊕ b)")),
    )


def test_what_only_a_constant_reads_is_dropped_with_all_that_it_reads():
    neurons = [Neuron([0, 1], [1, 1], -1), Neuron([3, 2], [1, 1], -1), Neuron([4], [1], 1)]
    extraction = extract(Crystal(["a", "b", "c"], neurons, [5]))
    assert extraction.readings == (Reading(2, Kind.CONSTANT, "constant", 0, 1, parse("1")),)
    assert extraction.dropped == (0, 1)


def test_several_outputs_and_plain_inputs():
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0)], [2, 0])
    extraction = extract(crystal)
    assert [str(f) for f in extraction.formulas] == ["a ⊕ b", "a"]
    check(certify(crystal, extraction.formulas), crystal, extraction.formulas)
    assert encode(extraction.formulas).outputs == (2, 0)
    with pytest.raises(CrystalError, match="2 outputs"):
        _ = extraction.formula


def test_what_is_no_crystal_cannot_be_extracted():
    with pytest.raises(CrystalError, match="takes a Crystal, got ndarray"):
        extract(np.zeros((2, 2)))
    with pytest.raises(CrystalError, match="the mode is one of at_least, connectives, got 'boolean'"):
        extract(Crystal(["a"], [], [0]), "boolean")


def dense_crystal(shape, seed=0):
    draw = Random(seed)
    neurons, layer, count = [], list(range(shape[0])), shape[0]
    for width in shape[1:]:
        for _ in range(width):
            weights = [draw.choice([-1, 0, 1]) for _ in layer]
            k = draw.randint(1, sum(map(abs, weights)))
            neurons.append(Neuron(layer, weights, weights.count(-1) - k + 1))
        layer, count = list(range(count, count + width)), count + width
    return Crystal([f"f{i}" for i in range(shape[0])], neurons, [count - 1])


@pytest.mark.parametrize("mode", MODES)
def test_a_dense_22_8_8_1_crystal_is_extracted_and_certified(mode):
    crystal = dense_crystal((22, 8, 8, 1))
    extraction = extract(crystal, mode)
    certificate = certify(crystal, extraction.formula)
    check(certificate, crystal, extraction.formula)
    assert len(certificate.steps) == len(crystal.live)


def test_both_modes_give_the_same_function():
    crystal = dense_crystal((5, 3, 1), seed=4)
    one, other = (truth_table(extract(crystal, mode).formula, 2) for mode in MODES)
    assert (one.variables, one.numerators) == (other.variables, other.numerators)


def test_print_of_an_extraction_shows_its_formulas():
    crystal = encode([parse("at least 2 of (a, b, c)"), parse("a")])
    assert str(extract(crystal)) == "at least 2 of (a, b, c)\na\n(exact, 1 neuron read)"


def test_encode_refuses_text_in_a_sentence():
    with pytest.raises(FormulaError, match="expected a formula, 0 or 1, got 'a'"):
        encode("a")
