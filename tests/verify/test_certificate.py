import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic import (
    AtLeast,
    Certificate,
    CertificateError,
    Crystal,
    CrystalogicError,
    DocumentError,
    Domain,
    Neuron,
    Not,
    StrongAnd,
    StrongOr,
    TooLargeError,
    Variable,
    certify,
    check,
    encode,
    equivalent,
    extract,
    parse,
    simplify,
)
from crystalogic.logic.formula import is_literal
from crystalogic.logic.walk import subformulas, substitute
from crystalogic.verify.certificate import ProofStep, _rows_to_try, formula_fingerprint
from depth import deep
from strategies import crystals, random_crystal

EITHER = Crystal(["a", "b"], [Neuron([0, 1], [-1, 1], 1)], [2])


@given(crystals, st.sampled_from(["at_least", "connectives"]))
def test_every_extraction_gets_a_certificate_that_survives_json(crystal, mode):
    f = extract(crystal, mode).formula
    certificate = certify(crystal, f)
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    check(again, crystal, f)
    assert {step.neuron for step in certificate.steps} == crystal.live


def changed_neuron(crystal, draw):
    """The crystal with one weight or bias of a live neuron changed by one."""
    index = draw.choice(sorted(crystal.live))
    neuron = crystal.neurons[index]
    weights, bias = list(neuron.weights), neuron.bias
    if weights and draw.random() < 0.7:
        weights[draw.randrange(len(weights))] += draw.choice([-1, 1])
    else:
        bias += draw.choice([-1, 1])
    neurons = list(crystal.neurons)
    neurons[index] = Neuron(neuron.sources, weights, bias)
    return Crystal(crystal.inputs, neurons, crystal.outputs)


def changed_formula(f, draw):
    """The formula with one literal negated or one threshold moved."""
    nodes = subformulas(f)
    thresholds = [node for node in nodes if isinstance(node, AtLeast)]
    literals = [node for node in nodes if is_literal(node)]
    if thresholds and draw.random() < 0.5:
        node = draw.choice(thresholds)
        return substitute(f, {node: AtLeast(node.k + draw.choice([-1, 1]), *node.parts)})
    if not literals:
        return Not(f)
    node = draw.choice(literals)
    return substitute(f, {node: node.parts[0] if isinstance(node, Not) else Not(node)})


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_check_rejects_one_flipped_weight_bias_literal_or_threshold(start, monkeypatch):
    monkeypatch.setattr("crystalogic.verify.certificate.TRIED_ROWS", 0)  # which row is shown is another matter
    monkeypatch.setattr("crystalogic.verify.certificate.MOST_CORNERS", 0)
    for seed in range(start, start + deep(250)):
        draw = random.Random(seed)
        crystal = random_crystal(seed)
        f = extract(crystal, draw.choice(["at_least", "connectives"])).formula
        if not crystal.live:
            continue
        certificate = certify(crystal, f)
        mutated, altered = changed_neuron(crystal, draw), changed_formula(f, draw)
        for other, g in ((mutated, f), (crystal, altered)):
            if (other, g) == (crystal, f):
                continue
            with pytest.raises(CertificateError, match="fingerprints differ"):
                check(certificate, other, g)
            forged = replace(certificate, crystal=other.fingerprint, formulas=(formula_fingerprint(g),))
            try:
                check(forged, other, g)
            except CertificateError:
                rejected = True
            else:
                rejected = False
            assert rejected or equivalent(extract(other).formula, g, seconds=30)


def test_a_wrong_formula_is_refused_with_a_row():
    with pytest.raises(CertificateError) as caught:
        certify(EITHER, parse("a ⊗ b"))
    assert str(caught.value) == "formula a ⊗ b and the crystal differ at a=0, b=0: 0 against 1."


def test_a_claim_that_holds_on_booleans_only_needs_its_domain():
    doubled = Crystal(["y"], [Neuron([0], [2], -1), Neuron([1], [-1], 1)], [2])
    with pytest.raises(CertificateError, match=r"formula ¬y and the crystal differ at y=1/2: 1/2 against 1"):
        certify(doubled, parse("¬y"))
    certificate = certify(doubled, parse("¬y"), Domain(["y"]))
    assert certificate.n_cases == 2
    check(certificate, doubled, parse("¬y"))
    assert str(certificate) == (
        "Proved: the formulas and the crystal compute the same function throughout the scope.\n"
        "Scope: y in {0, 1}.\n"
        "How: shown in 2 cases that cover all values of the Boolean inputs."
    )
    with pytest.raises(CertificateError):
        check(replace(certificate, scope=Domain(), n_cases=1), doubled, parse("¬y"))
    with pytest.raises(CertificateError, match=r"formula ¬y and the crystal differ at y=1/2: 1/2 against 1"):
        check(replace(certificate, scope=Domain(), n_cases=0), doubled, parse("¬y"))
    with pytest.raises(CertificateError, match="speaks of 4 cases, the proof has 2"):
        check(replace(certificate, n_cases=4), doubled, parse("¬y"))
    with pytest.raises(CertificateError, match="the step for neuron 0 does not hold"):
        check(replace(certificate, steps=(ProofStep(0, 777, "I say so"), certificate.steps[1])), doubled, parse("¬y"))


def test_inputs_that_nobody_reads_cost_nothing():
    names = [f"x{i}" for i in range(40)]
    crystal = Crystal(names, [Neuron([0], [2], -1)], [40])
    assert certify(crystal, parse("x0"), Domain(names)).n_cases == 2
    with pytest.raises(CertificateError, match="differ at x0=1"):
        certify(Crystal(names, [], [0]), parse("0"), Domain(names))


def test_many_boolean_inputs_are_split_only_as_far_as_needed():
    names = [f"x{i}" for i in range(30)]
    crystal = Crystal(names, [Neuron(range(30), [1] * 30, 0), Neuron([30], [2], -1)], [31])
    formula = StrongOr(*(Variable(name) for name in names))
    assert certify(crystal, formula, Domain(names)).n_cases == 31
    assert certify(Crystal(["a"], [], [0]), parse("1"), Domain(one_hot=[["a"]])).n_cases == 1


@pytest.mark.parametrize("text", ["(a ⊗ b ⊕ c) ⊗ (a ⊕ b)", "a ∧ b ∧ c", "a ∨ b ∨ c", "(a ⊗ b) ∧ c ∧ (a → b)"])
def test_the_rules_hold_for_neurons_as_for_formulas(text):
    """The lemma was once looked for in formulas only, so that what was encoded could not be certified."""
    crystal = encode(parse(text))
    for formula in (parse(text), extract(crystal).formula, extract(crystal, "connectives").formula):
        assert check(certify(crystal, formula), crystal, formula) is None


def test_a_sum_behind_a_minimum_is_remembered():
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], -1), Neuron([0, 2, 1], [-1, 1, 1], 0)], [3])
    assert certify(crystal, extract(crystal, "connectives").formula).n_cases == 1


def test_deep_nesting_is_no_recursion():
    parts = [Variable(f"s{i}") for i in range(602)]
    f = parts[601]
    for i in range(599, -1, -1):
        f = Not(StrongOr(parts[i], parts[i + 1], f))
    f = StrongOr(parts[0], f)
    crystal = encode(f)
    assert check(certify(crystal, f), crystal, f) is None


@given(st.integers(0, 300))
def test_simplifying_on_a_domain_can_be_certified_case_by_case(seed):
    crystal = random_crystal(seed)
    domain = Domain(crystal.inputs)
    simple = simplify(extract(crystal).formula, domain)
    certificate = certify(crystal, simple, domain)
    assert check(certificate, crystal, simple) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": ()}, "the certificate does not have one step for each neuron that an output depends on."),
        ({"crystal": "0" * 64}, "the certificate is for another crystal: the fingerprints differ."),
        ({"formulas": ("0" * 64,)}, "the certificate is for another formula: the fingerprints differ."),
    ],
)
def test_a_certificate_of_something_else_is_rejected(change, message):
    f = parse("a → b")
    with pytest.raises(CertificateError) as caught:
        check(replace(certify(EITHER, f), **change), EITHER, f)
    assert str(caught.value) == message


def test_a_step_that_does_not_hold_is_rejected():
    f = parse("a → b")
    certificate = certify(EITHER, f)
    (step,) = certificate.steps
    for wrong in (
        replace(step, node=0),
        replace(step, node=99),
        replace(step, node=-1),
        replace(step, reason="negation"),
        replace(step, node=None, reason="constant 1"),
        replace(step, node=None, reason="merged"),
        replace(step, reason="because"),
    ):
        with pytest.raises(CertificateError, match="the step for neuron 0 does not hold"):
            check(replace(certificate, steps=(wrong,)), EITHER, f)


def test_formulas_that_do_not_fit_the_crystal_are_refused():
    with pytest.raises(CertificateError, match="1 outputs, got 2 formulas"):
        certify(EITHER, [parse("a"), parse("b")])
    with pytest.raises(CertificateError, match="uses 'z', which is no input"):
        certify(EITHER, parse("a → z"))


def test_a_damaged_certificate_file_is_refused():
    text = certify(EITHER, parse("a → b")).to_json()
    for damaged in (text[:50], text.replace('"n_cases": 1', '"n_cases": 2'), text.replace("certificate", "crystal")):
        with pytest.raises(DocumentError):
            Certificate.from_json(damaged)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"claim": "something else"},
            "this certificate claims 'something else', "
            "expected 'the formulas and the crystal compute the same function throughout the scope'.",
        ),
        ({"steps": [[0]]}, "not a certificate: ValueError not enough values to unpack (expected 3, got 1)."),
        ({"steps": 7}, "not a certificate: TypeError object of type 'int' has no len()."),
        ({"steps": {}}, "not a certificate: the steps is {}, expected a list."),
        ({"steps": [["a", 1, ""]]}, "not a certificate: the steps, member 0 is 'a', expected a whole number."),
        ({"steps": [[0, 1.5, ""]]}, "not a certificate: the steps, member 0 is 1.5, expected a whole number."),
        ({"steps": [[0, 1, None]]}, "not a certificate: the steps, member 0 is None, expected a text."),
        ({"n_cases": "1"}, "not a certificate: the number of cases is '1', expected a whole number."),
        ({"n_cases": 1.5}, "not a certificate: the number of cases is 1.5, expected a whole number."),
        ({"formulas": "abc"}, "not a certificate: the formulas is 'abc', expected a list."),
        ({"formulas": ["abc", 1]}, "not a certificate: the formulas, member 1 is 1, expected a text."),
        ({"crystal": None}, "not a certificate: the crystal is None, expected a text."),
    ],
)
def test_a_certificate_of_another_shape_is_refused(wrong, message):
    content = certify(EITHER, parse("a → b")).content()
    with pytest.raises(DocumentError) as caught:
        Certificate.from_content({**content, **wrong})
    assert str(caught.value) == message


def test_a_certificate_that_misses_something_is_refused():
    content = certify(EITHER, parse("a → b")).content()
    for key in content:
        with pytest.raises(DocumentError) as caught:
            Certificate.from_content({name: value for name, value in content.items() if name != key})
        assert str(caught.value) == f"not a certificate: KeyError {key!r}."


def test_a_certificate_with_more_steps_than_a_crystal_may_have_is_refused():
    content = certify(EITHER, parse("a → b")).content()
    with pytest.raises(TooLargeError) as caught:
        Certificate.from_content({**content, "steps": [[0, 1, "equal"]] * 10_001})
    assert str(caught.value) == ("this certificate has 10,001 neurons, more than the 10,000 that are read from a file.")


@pytest.mark.parametrize(
    ("crystal", "text", "how", "steps"),
    [
        (
            Crystal(
                ["a", "b"], [Neuron([0, 1], [1, 1], -5), Neuron([0, 1], [1, 1], 0), Neuron([3, 2], [-1, 1], 1)], [4]
            ),
            "¬a ⊗ ¬b",
            "2 neurons shown equal to a part of the formula; 1 neuron shown constant",
            (ProofStep(0, None, "constant 0"), ProofStep(1, 4, "negation"), ProofStep(2, 4, "equal")),
        ),
        (
            Crystal(["a", "b", "c"], [Neuron([0, 1], [1, 1], 0), Neuron([3, 2], [1, 1], 0)], [4]),
            "a ⊕ b ⊕ c",
            "1 neuron shown equal to a part of the formula; 1 neuron merged into another neuron",
            (ProofStep(0, None, "merged"), ProofStep(1, 3, "equal")),
        ),
        (
            Crystal(["a"], [Neuron([0], [1], 1)], [1]),
            "1",
            "1 neuron shown constant",
            (ProofStep(0, None, "constant 1"),),
        ),
        (Crystal(["a"], [], [0]), "a", "0 neurons shown equal to a part of the formula", ()),
    ],
)
def test_a_certificate_tells_how_each_neuron_was_shown(crystal, text, how, steps):
    certificate = certify(crystal, parse(text))
    assert certificate.steps == steps
    assert str(certificate).splitlines()[-1] == f"How: {how}."


@pytest.mark.parametrize(
    ("bias", "text", "domain", "n_cases"),
    [
        (-1, "a ∧ b", Domain(["a", "b"]), 2),
        (-1, "a ∧ b", Domain(["a"]), 2),
        (-1, "0", Domain(exclusive=[["a", "b"]]), 3),
        (0, "1", Domain(one_hot=[["a", "b"]]), 2),
    ],
)
def test_cases_are_those_that_can_occur(bias, text, domain, n_cases):
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], bias)], [2])
    certificate = certify(crystal, parse(text), domain)
    assert certificate.n_cases == n_cases
    assert check(certificate, crystal, parse(text)) is None


def test_a_row_outside_of_the_scope_is_no_counterexample():
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0)], [2])
    with pytest.raises(CertificateError) as caught:
        certify(crystal, parse("1"), Domain(exclusive=[["a", "b"]]))
    assert str(caught.value) == "formula 1 and the crystal differ at a=0, b=0: 1 against 0."
    with pytest.raises(CertificateError) as caught:
        certify(crystal, parse("a ⊗ b"), Domain(one_hot=[["a", "b"]]))
    assert str(caught.value) == "formula a ⊗ b and the crystal differ at a=0, b=1: 0 against 1."


def test_rows_with_many_inputs_keep_to_the_scope_too():
    names = [f"x{i}" for i in range(12)]
    domain = Domain(names[:3], [names[3:6]], [names[6:9]])
    crystal = Crystal(names, [Neuron(range(12), [1] * 12, 0)], [12])
    for row in _rows_to_try(names, domain):
        assert domain.contains(row)
    assert len(list(_rows_to_try(names, domain))) == 2_000
    assert len(list(_rows_to_try(names[:11], Domain()))) == 2_000
    assert len(list(_rows_to_try(names[:10], Domain()))) == 2_000 + 2**10
    assert {value.denominator for row in _rows_to_try(["a"], Domain()) for value in row.values()} == {
        1,
        2,
        3,
        4,
        6,
        8,
        12,
    }
    assert list(_rows_to_try(names, domain)) == list(_rows_to_try(names, domain))
    with pytest.raises(CertificateError, match=r"x8=\d, x9=\d+/\d+, .*: 0 against 1\.$"):
        certify(crystal, AtLeast(13, *map(Variable, names)), domain)


def test_a_long_formula_is_not_repeated_in_the_message():
    names = [f"x{i}" for i in range(13)]
    for n_literals, is_shown in ((12, True), (13, False)):
        crystal = Crystal(names[:n_literals], [Neuron(range(n_literals), [1] * n_literals, 0)], [n_literals])
        with pytest.raises(CertificateError) as caught:
            certify(crystal, StrongAnd(*map(Variable, names[:n_literals])))
        assert str(caught.value).startswith("formula x0 ⊗" if is_shown else "the formula and the crystal differ at x0=")


def test_what_is_equal_and_cannot_be_shown_is_said_so():
    with pytest.raises(CertificateError) as caught:
        certify(encode(parse("(a ∧ b) ⊕ (a ∨ b)")), parse("a ⊕ b"))
    assert str(caught.value) == (
        "not shown: formula and crystal agree on the 2004 rows tried, but no proof was found for all of [0,1]ⁿ. "
        "Certify the formula that `extract` gives, and compare the two formulas with `equivalent`."
    )


def test_too_many_cases_are_not_begun(monkeypatch):
    names = [f"x{i}" for i in range(10)]
    crystal = Crystal(names, [Neuron(range(10), [1] * 10, 0), Neuron([10], [2], -1)], [11])
    formula = StrongOr(*map(Variable, names))
    per_case = 13  # two neurons and eleven subformulas
    for limit, least in (("MOST_CASES", 9), ("MOST_WORK", 9 * per_case)):
        with monkeypatch.context() as patched:
            patched.setattr(f"crystalogic.verify.certificate.{limit}", least)
            assert certify(crystal, formula, Domain(names)).n_cases == 11
            patched.setattr(f"crystalogic.verify.certificate.{limit}", least - 1)
            with pytest.raises(CertificateError, match="not shown: formula and crystal agree on the 3024 rows"):
                certify(crystal, formula, Domain(names))


@pytest.mark.parametrize(
    ("neurons", "formula"),
    [
        ("(a ⊗ b ⊕ c) ⊗ (a ⊕ b)", "at least 2 of (a, b, c)"),
        ("(a ⊕ b) ⊗ (¬c ⊕ a ⊗ b)", "at least 2 of (a, b, ¬c)"),
        ("((a ⊗ b ⊕ c) ⊗ (a ⊕ b) ⊕ d) ⊗ (a ⊕ b ⊕ c)", "at least 2 of (a, b, c, d)"),
        ("(a ⊗ b ⊗ c ⊕ d) ⊗ ((a ⊗ b ⊕ c) ⊗ (a ⊕ b))", "at least 3 of (a, b, c, d)"),
        ("(b → a) ⊗ b", "a ∧ b"),
        ("¬(¬a ∨ ¬b)", "b ∧ a"),
        ("(a → b) → b", "b ∨ a"),
        ("a ∧ (b ∧ c)", "c ∧ b ∧ a"),
        ("(a ∧ b) ⊗ ((a ∧ b) → (c ∧ d))", "a ∧ b ∧ c ∧ d"),
    ],
)
def test_neurons_that_follow_a_law_are_shown_equal_to_its_other_side(neurons, formula):
    crystal = encode(parse(neurons))
    assert certify(crystal, parse(formula)).n_cases == 1


def test_a_certificate_says_what_it_is_in_the_first_version():
    formula = parse("a ⊗ ¬b")
    text = certify(encode(formula), formula).to_json()
    assert text.startswith('{"format": "crystalogic certificate", "version": 1, ')
    assert Certificate.from_json(text) == certify(encode(formula), formula)
    with pytest.raises(DocumentError, match="version 0"):
        Certificate.from_json(text.replace('"version": 1', '"version": 0', 1))


@pytest.mark.parametrize("scope", [None, {}, [], "all", {"boolean": []}])
def test_a_certificate_without_a_scope_is_none(scope):
    """An empty scope was read as all of [0,1]ⁿ, so that a claim about nothing stood as one about everything."""
    crystal = Crystal(["a"], [Neuron([0], [-1], 1)], [1])
    content = {**certify(crystal, parse("¬a")).content(), "scope": scope}
    with pytest.raises(DocumentError, match=r"the scope is|not a domain"):
        Certificate.from_content(content)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c, f, proof: certify(f, c), "expected a Crystal, got Variable."),
        (lambda c, f, proof: check(proof.to_json(), c, f), "expected a Certificate, got str."),
        (lambda c, f, proof: check(proof, c.to_json(), f), "What `to_json` wrote is read by Crystal.from_json."),
        (lambda c, f, proof: certify(c, "a"), "expected a formula, 0 or 1, got 'a'."),
        (lambda c, f, proof: check(proof, c, "a"), "expected a formula, 0 or 1, got 'a'."),
        (lambda c, f, proof: certify(c, f, "a"), "expected a Domain, such as"),
    ],
)
def test_things_in_the_wrong_place_are_refused_in_a_sentence(call, message):
    """`certify(crystal, formula, "fever")` gave a certificate whose scope was a text."""
    formula = parse("a")
    crystal = Crystal(["a"], [Neuron([0], [1], 0)], [1])
    with pytest.raises(CrystalogicError) as caught:
        call(crystal, formula, certify(crystal, formula))
    assert message in str(caught.value)


def test_a_certificate_over_finitely_many_values_is_written_and_read():
    crystal = Crystal(["a"], [Neuron([0], [2], -1)], [1])
    proof = certify(crystal, parse("a ⊗ a"), Domain(n=2))
    assert Certificate.from_json(proof.to_json()) == proof
    check(proof, crystal, parse("a ⊗ a"))
    with pytest.raises(CertificateError, match=r"agree on the \d+ rows tried"):
        certify(crystal, parse("a ⊗ a ⊗ a"), Domain(n=2))
