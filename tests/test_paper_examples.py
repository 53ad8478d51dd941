"""The formulas, networks and traces printed in the paper, step by step."""

from fractions import Fraction

from crystalogic import Crystal, Domain, Neuron, certify, check, equivalent, extract, parse
from crystalogic.symbolic.extract import Kind

HEART = parse("¬(¬trestbps ⊗ ¬oldpeak ⊗ ¬ca) ⊗ ¬(thalach ⊗ ¬ca ⊗ ¬{cp=4})")


def row(**values):
    return {("cp=4" if name == "cp4" else name): Fraction(value) for name, value in values.items()}


PATIENT_A = row(ca="1.00", trestbps="0.64", oldpeak="0.42", thalach="0.29", cp4="1")
PATIENT_B = row(ca="0.00", trestbps="0.27", oldpeak="0.00", thalach="0.79", cp4="0")
STEPS = [  # the rows of the paper's evaluation trace
    ("¬ca", "0.00", "1.00"),
    ("¬trestbps", "0.36", "0.73"),
    ("¬oldpeak", "0.58", "1.00"),
    ("¬{cp=4}", "0.00", "1.00"),
    ("¬trestbps ⊗ ¬oldpeak ⊗ ¬ca", "0.00", "0.73"),
    ("thalach ⊗ ¬ca ⊗ ¬{cp=4}", "0.00", "0.79"),
    ("¬(¬trestbps ⊗ ¬oldpeak ⊗ ¬ca)", "1.00", "0.27"),
    ("¬(thalach ⊗ ¬ca ⊗ ¬{cp=4})", "1.00", "0.21"),
    (str(HEART), "1.00", "0.00"),
]


def test_the_heart_formula_takes_the_steps_of_its_table_on_both_patients():
    for text, for_a, for_b in STEPS:
        assert parse(text).evaluate(PATIENT_A) == Fraction(for_a), text
        assert parse(text).evaluate(PATIENT_B) == Fraction(for_b), text


def heart_network():
    inputs = ["trestbps", "oldpeak", "ca", "thalach", "cp=4"]
    neurons = [
        Neuron([0, 1, 2], [-1, -1, -1], 1),  # n1
        Neuron([3, 2, 4], [1, -1, -1], 0),  # n5
        Neuron([5, 6], [-1, -1], 1),  # i1
    ]
    return Crystal(inputs, neurons, [7])


def test_the_heart_network_is_the_heart_formula():
    crystal = heart_network()
    extraction = extract(crystal)
    assert extraction.formula is HEART
    assert [(r.kind, r.law) for r in extraction.readings] == [(Kind.CONJUNCTION, "Proposition 1, case 1")] * 3
    check(certify(crystal, HEART), crystal, HEART)
    assert crystal.run(PATIENT_A) == (1,)
    assert crystal.run(PATIENT_B) == (0,)


def test_the_monk_3_network_equals_its_formula_on_booleans_only():
    """Residual block: y = body ⊕ jacket on both paths, merge bias -1, then a negation."""
    crystal = Crystal(
        ["body_shape", "jacket_color"],
        [
            Neuron([0, 1], [1, 1], 0),  # the projection, h
            Neuron([0, 1], [1, 1], 0),  # the inner layer, F
            Neuron([3, 2], [1, 1], -1),  # the merge neuron
            Neuron([4], [-1], 1),
        ],
        [5],
    )
    extraction = extract(crystal)
    y = "(body_shape ⊕ jacket_color)"
    assert str(extraction.formula) == f"¬({y} ⊗ {y})"
    assert [r.law for r in extraction.readings][2] == "Theorem 1"
    printed = parse("¬(body_shape ⊕ jacket_color)")
    booleans = Domain(["body_shape", "jacket_color"])
    assert equivalent(extraction.formula, printed, booleans)
    refuted = equivalent(extraction.formula, printed)
    assert not refuted
    found = refuted.counterexample
    assert extraction.formula.evaluate(found) != printed.evaluate(found)
    check(certify(crystal, printed, booleans), crystal, printed)


def test_not_y_and_y_equals_not_y_on_booleans_and_is_refuted_elsewhere():
    doubled, plain = parse("¬(y ⊗ y)"), parse("¬y")
    assert equivalent(doubled, plain, Domain(["y"]))
    assert equivalent(doubled, plain).counterexample == {"y": Fraction(1, 2)}


def test_theorem_1_for_every_merge_bias():
    for bias, kind, text in [
        (-2, Kind.CONSTANT, "0"),
        (-1, Kind.CONJUNCTION, "f ⊗ h"),
        (0, Kind.DISJUNCTION, "f ⊕ h"),
        (1, Kind.CONSTANT, "1"),
    ]:
        extraction = extract(Crystal(["f", "h"], [Neuron([0, 1], [1, 1], bias)], [2]))
        assert str(extraction.formula) == text
        assert extraction.readings[0].kind is kind
