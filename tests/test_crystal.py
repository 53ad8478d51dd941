from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic import Crystal, CrystalError, DocumentError, EvaluationError, Neuron, NotCrystallizedError
from strategies import crystals


def network() -> Crystal:
    return Crystal(["a", "b"], [Neuron([0, 1], [1, -1], 0), Neuron([2, 0], [1, 1], -1)], [3])


@given(crystals, st.data())
def test_run_clamps_integer_sums_exactly(crystal, data):
    row = [data.draw(st.fractions(0, 1, max_denominator=9)) for _ in crystal.inputs]
    values = list(row)
    for neuron in crystal.neurons:
        total = sum(weight * values[source] for source, weight in neuron.links) + neuron.bias
        values.append(min(Fraction(1), max(Fraction(0), total)))
    expected = tuple(values[output] for output in crystal.outputs)
    assert crystal.run(row) == expected
    assert crystal.run(dict(zip(crystal.inputs, row, strict=True))) == expected
    array = np.array([[float(value) for value in row]] * 3)
    assert abs(crystal.run_rows(array) - [float(value) for value in expected]).max() < 1e-9


@given(crystals)
def test_json_gives_the_same_crystal_back(crystal):
    again = Crystal.from_json(crystal.to_json())
    assert again == crystal
    assert again.fingerprint == crystal.fingerprint


def test_numpy_numbers_are_plain_numbers():
    """numpy's small integers once overflowed inside exact arithmetic."""
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [100, 100], -50)], [2])
    assert crystal.run([np.int8(1), np.int8(1)]) == (1,)
    assert network().run([np.float32(0.5), np.uint8(0)]) == network().run([Fraction(1, 2), 0])


def test_names_that_no_file_can_hold_survive_json():
    crystal = Crystal(["\ud800", "ß"], [], [0])
    assert Crystal.from_json(crystal.to_json().encode().decode()) == crystal


def test_zero_weights_are_no_links():
    assert Neuron([0, 1], [0, 1], 0) == Neuron([1], [1], 0)


def test_the_fingerprint_depends_on_every_number():
    base = network()
    others = [
        Crystal(["a", "c"], base.neurons, [3]),
        Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0), base.neurons[1]], [3]),
        Crystal(["a", "b"], [Neuron([0, 1], [1, -1], 1), base.neurons[1]], [3]),
        Crystal(["a", "b"], base.neurons, [2]),
    ]
    assert len({crystal.fingerprint for crystal in [base, *others]}) == 5


def test_live_neurons_are_those_an_output_depends_on():
    crystal = Crystal(["a"], [Neuron([0], [1], 0), Neuron([0], [-1], 1), Neuron([2], [1], 0)], [3])
    assert crystal.live == {1, 2}


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Neuron([0], [0.47], 0), NotCrystallizedError, "weight 0.47 is not an integer"),
        (lambda: Neuron([0], [1], 0.5), NotCrystallizedError, "bias 0.5 is not an integer"),
        (lambda: Neuron([0, 1], [1], 0), CrystalError, "2 sources needs as many weights, got 1"),
        (lambda: Neuron([0, 0], [1, 1], 0), CrystalError, "source 0 is named twice"),
        (lambda: Crystal(["a"], [Neuron([1], [1], 0)], [1]), CrystalError, "does not come before it"),
        (lambda: Crystal(["a"], [Neuron([7], [1], 0)], [1]), CrystalError, "source 7, which does not exist"),
        (lambda: Crystal(["a"], [Neuron([-1], [1], 0)], [1]), CrystalError, "source -1, which does not exist"),
        (lambda: Crystal(["a"], [], [4]), CrystalError, "the output reads source 4"),
        (lambda: Crystal(["a"], [], []), CrystalError, "at least one output"),
        (lambda: Crystal(["a", "a"], [], [0]), CrystalError, "'a' is named twice"),
        (lambda: Crystal([""], [], [0]), CrystalError, "needs a name"),
        (lambda: network().run({"a": 1}), EvaluationError, "no value for 'b': the crystal reads a, b"),
        (lambda: network().run([1]), EvaluationError, "expected 2 values"),
        (lambda: network().run([1, 2]), EvaluationError, "'b' is 2, expected a truth value"),
        (lambda: network().run_rows(np.zeros((3, 5))), EvaluationError, "rows × 2 inputs"),
        (lambda: network().run_rows([[0.5, 7]]), EvaluationError, "'b in row 0' is 7.0"),
        (lambda: network().run_rows([[0.5, np.nan]]), EvaluationError, "'b in row 0' is nan"),
        (lambda: Neuron([0], [10**5000], 0), CrystalError, "a weight is at most"),
        (lambda: Neuron(5, 5, 1), CrystalError, "a list of sources"),
        (lambda: Crystal("ab", [], [0]), CrystalError, "a list of input names"),
        (lambda: Crystal(["a"], [(1, 2)], [0]), CrystalError, "a list of neurons"),
    ],
)
def test_what_is_no_crystal_or_row_says_why(build, error, message):
    with pytest.raises(error, match=message):
        build()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-20], "broken JSON"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "version 2, this library reads version 1"),
        (lambda text: text.replace('"bias": -1', '"bias": 0'), "was changed after it was written"),
        (lambda text: text.replace("crystalogic crystal", "crystalogic model"), "its format is 'crystalogic model'"),
        (lambda text: "[]", "its format is None"),
        (lambda text: "[" * 100_000, "nested too deeply|broken JSON"),
        (lambda text: text.replace('"bias": -1', '"bias": 1' + "0" * 5000), "broken JSON"),
    ],
)
def test_a_damaged_file_is_refused(damage, message):
    with pytest.raises(DocumentError, match=message):
        Crystal.from_json(damage(network().to_json()))


def test_a_sealed_document_with_the_wrong_shape_is_refused():
    from crystalogic.document import seal

    with pytest.raises(DocumentError, match="not a crystal: KeyError"):
        Crystal.from_json(seal("crystal", 1, {"inputs": ["a"]}))
    with pytest.raises(DocumentError, match="not a crystal"):
        Crystal.from_json(seal("crystal", 1, {"inputs": 3, "neurons": [], "outputs": [0]}))
