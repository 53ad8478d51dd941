import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from crystalogic.crystal import Crystal, Neuron
from crystalogic.decision import classes_of
from crystalogic.document import fingerprint
from crystalogic.encoding import Cut, Degree, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CertificateError, DocumentError, EncodingError, TooLargeError
from crystalogic.fitting.reading import certify_model, model_of
from crystalogic.logic.domain import Domain
from crystalogic.logic.parse import parse
from crystalogic.model import Model, load
from crystalogic.model.file import read_model
from crystalogic.symbolic.extract import encode
from crystalogic.untrusted import Limits
from crystalogic.verify.certificate import certify
from crystalogic.words.checklists import checklist
from crystalogic.words.explanations import explanation_text
from crystalogic.words.models import formulas_text, rule_text

HEART = "¬(¬trestbps ⊗ ¬oldpeak ⊗ ¬ca) ⊗ ¬(thalach ⊗ ¬ca ⊗ ¬{cp=4})"


def heart_model() -> Model:
    """The paper's rule as a model over columns that are truth values already."""
    degrees = ("trestbps", "oldpeak", "ca", "thalach")
    columns = [Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in degrees]
    columns.append(Column("cp", "code", (Is("cp", "4"),), ("1", "2", "3", "4")))
    return model_of([parse(HEART)], Encoding(tuple(columns)), "disease", (0, 1))


def three_classes() -> Model:
    encoding = Encoding((Column("x", "number", (Cut("x", 1.0), Cut("x", 2.0))),))
    crystal = encode([parse("¬{x ≥ 1}"), parse("{x ≥ 1} ⊗ ¬{x ≥ 2}"), parse("{x ≥ 2}")])
    return certify_model("size", ("small", "medium", "large"), (2, 0, 1), encoding, crystal)


PATIENT_A = {"ca": 1.0, "trestbps": 0.64, "oldpeak": 0.42, "thalach": 0.29, "cp": 4}
PATIENT_B = {"ca": 0.0, "trestbps": 0.27, "oldpeak": 0.0, "thalach": 0.79, "cp": 2}


def test_the_papers_rule_explains_its_two_patients():
    model = heart_model()
    assert model.explain(PATIENT_A).decision == 1
    explained = model.explain(PATIENT_B)
    assert explained.decision == 0
    steps = {str(step.formula): round(float(step.degree), 2) for step in explained.traces[0].steps}
    assert steps["¬trestbps ⊗ ¬oldpeak ⊗ ¬ca"] == 0.73
    assert steps["thalach ⊗ ¬ca ⊗ ¬{cp=4}"] == 0.79
    assert steps["¬(¬trestbps ⊗ ¬oldpeak ⊗ ¬ca)"] == 0.27
    assert steps[HEART] == 0
    assert explained.margin == Fraction(1, 2)


def test_a_model_that_could_not_be_used_again_replaces_no_file(tmp_path, monkeypatch):
    """A fit wrote a model that nothing could read, in the place of one that could."""
    path, good = tmp_path / "model.json", three_classes()
    good.save(path)
    before = path.read_bytes()
    monkeypatch.setattr("crystalogic.encoding.encoding.LIMITS", Limits(literals=5))
    wide = Encoding(tuple(Column(f"x{i}", "number", (Cut(f"x{i}", 1.0),)) for i in range(6)))
    unfaithful = replace(heart_model(), written=(parse("trestbps"),))
    for bad, error, what in (
        (model_of([parse("{x0 ≥ 1}")], wide, "y", (0, 1)), TooLargeError, "this encoding has 6 literals"),
        (unfaithful, CertificateError, "is not written, because it could not be used again"),
        (replace(good, order=(0, 0, 1)), DocumentError, "an order that does not list every class once"),
        (good.with_facts(units={"x": 5}), DocumentError, "units, x is 5, expected a text"),
        (good.with_facts(more={"label": Label("x")}), DocumentError, "no text, number or truth value"),
    ):
        with pytest.raises(error, match=what):
            bad.save(path)
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


class Label:
    def __init__(self, text: str) -> None:
        self.text = text


def test_predictions_agree_with_explanations_and_only_used_columns_are_needed():
    model = heart_model()
    rows = {name: [PATIENT_A[name], PATIENT_B[name]] for name in PATIENT_A}
    assert model.predict({**rows, "another": ["x", "y"]}).tolist() == [1, 0]
    del rows["ca"], rows["cp"]
    with pytest.raises(EncodingError, match="the rule needs the columns 'ca', 'cp', the rows have trestbps"):
        model.predict(rows)


def test_the_largest_degree_decides_and_ties_go_to_the_more_frequent_class():
    model = three_classes()
    assert model.predict({"x": [0, 1.5, 7]}).tolist() == ["small", "medium", "large"]
    tied = classes_of(np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.2]]), model.order)
    assert [model.classes[index] for index in tied] == ["large", "small"]
    assert model.explain({"x": 1.5}).decision == "medium"


def test_a_model_file_gives_the_same_model_back(tmp_path):
    for model in (heart_model(), three_classes()):
        path = tmp_path / "model.json"
        model.save(path)
        again = load(path)
        again.check()
        assert again == model


def test_reading_a_model_needs_no_training_half(tmp_path):
    path = tmp_path / "model.json"
    heart_model().save(path)
    program = (
        "import sys; from crystalogic.model import load\n"
        f"model = load({str(path)!r}); model.check(); model.explain({PATIENT_A!r})\n"
        "print([name for name in ('numba', 'sklearn', 'scipy', 'pandas', 'z3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formulas": ["a"]}, "a formula over truth values that its encoding does not have"),
        ({"formulas": []}, "0 formulas, expected 1"),
        ({"order": [0, 0]}, "an order that does not list every class once"),
        ({"classes": [[1], 2]}, "a class that is no text, number or truth value"),
        ({"classes": 3}, "the classes is 3, expected a list"),
        ({"classes": [1, 1]}, "two classes with one name"),
        ({"classes": [1, "1"]}, "two classes with one name"),
        ({"classes": [1, True]}, "two classes with one name"),
        ({"chosen": [0]}, "fronts without their chosen rows"),
        ({"encoding": {}}, "not an encoding"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(change, message):
    from crystalogic.document import seal

    body = json.loads(json.dumps(heart_model().content()))
    with pytest.raises(DocumentError, match=message):
        Model.from_json(seal("model", 1, {**body, **change}))


def test_a_model_with_another_rule_than_its_certificate_does_not_check():
    from dataclasses import replace

    with pytest.raises(CertificateError):
        replace(heart_model(), written=(parse("ca"),)).check()


def test_a_certificate_for_fewer_rows_than_the_model_has_does_not_check():
    """A model passed whose certificate was about a in {0, 1}, while its rows have degrees: 2a - 1 stood as `a`."""
    encoding = Encoding((Column("a", "number", (Degree("a", 0.0, 1.0),)),))
    crystal, formula = Crystal(["a"], [Neuron([0], [2], -1)], [1]), parse("a")
    certificate = certify(crystal, formula, Domain(boolean=["a"]))
    model = Model("y", (0, 1), (0, 1), encoding, crystal, (formula,), certificate)
    with pytest.raises(CertificateError, match=r"the certificate is about a in \{0, 1\} only"):
        model.check()


def test_a_broken_model_file_is_named(tmp_path):
    """With two model files on one command line, it was not said which of them was broken."""
    path = tmp_path / "old.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"old\.json: not a model: broken JSON"):
        load(path)


def test_a_folder_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(DocumentError, match="cannot be written"):
        heart_model().save(tmp_path / "nowhere" / "model.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DocumentError, match="cannot be written"):
        heart_model().save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(DocumentError, match="cannot be read as a model"):
        load(tmp_path / "model.json")


def test_the_used_part_keeps_the_function():
    neurons = [Neuron([0, 2], [1, 1], -1), Neuron([1], [1], 0), Neuron([3], [-1], 1)]
    part = Crystal(["a", "b", "c"], neurons, [5]).narrow()
    assert part.inputs == ("a", "c")
    assert len(part.neurons) == 2
    assert part.run([1, Fraction(1, 2)]) == (Fraction(1, 2),)


def test_a_rule_is_told_in_words():
    model = heart_model()
    assert rule_text(model) == (
        "disease is 1 if both of these:\n"
        "  - not: all of these 3:\n"
        "    - trestbps is low (from 0 to 1)\n"
        "    - oldpeak is low (from 0 to 1)\n"
        "    - ca is low (from 0 to 1)\n"
        "  - not: all of these 3:\n"
        "    - thalach is high (from 0 to 1)\n"
        "    - ca is low (from 0 to 1)\n"
        "    - cp is not 4\n"
        "otherwise disease is 0"
    )
    assert checklist(parse("a ∧ b"), {}) == "a ∧ b"
    assert explanation_text(model.explain(PATIENT_A)).endswith(
        "disease is 1: the degree 1.00 is at least 0.50 (distance 0.50)"
    )


def test_a_file_of_the_first_version_keeps_loading():
    """Written by version 0.1.0 and never written again: whoever changes the format keeps reading this one."""
    from crystalogic import datasets

    model = load(Path(__file__).parent / "data" / "model-1.json")
    model.check()
    heart = datasets.load("heart")
    assert str(model.formulas[0]) == "at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})"
    assert (model.predict(heart.frame()) == np.array(heart.labels).astype(str)).sum() == 257
    assert Model.from_json(model.to_json()) == model


def test_a_model_is_printed_as_its_formulas():
    """It was printed as all that it holds, in thousands of characters."""
    assert str(heart_model()) == f"disease = 1: {HEART}"
    assert repr(three_classes()) == (
        "<Model size = small: ¬{x ≥ 1}; size = medium: {x ≥ 1} ⊗ ¬{x ≥ 2}; size = large: {x ≥ 2}>"
    )
    degree = model_of([parse("x")], Encoding((Column("x", "number", (Degree("x", 0.0, 1.0),)),)), "hot\nness", None)
    assert str(degree) == "degree of hot ness: x"


def test_each_of_several_formulas_names_its_class():
    assert formulas_text(three_classes()) == (
        "formula for size = small: ¬{x ≥ 1}\n"
        "formula for size = medium: {x ≥ 1} ⊗ ¬{x ≥ 2}\n"
        "formula for size = large: {x ≥ 2}"
    )
    assert formulas_text(heart_model()) == f"formula: {HEART}"


def test_a_class_that_json_cannot_hold_is_an_error_of_the_document():
    """It was a TypeError of the json module."""
    from dataclasses import replace
    from datetime import date

    with pytest.raises(DocumentError, match=r"cannot be written: it holds what is no text, .*\(Object of type date"):
        replace(heart_model(), classes=(date(2020, 1, 1), date(2021, 1, 1))).to_json()


def test_a_file_has_points_as_repeated_parts_so_that_fingerprints_stay():
    rule = parse("at least 3 of (2·{cp=4}, {ca=0}, {ca=1})")
    literals = [Is("cp", "4"), Is("ca", "0"), Is("ca", "1")]
    columns = (Column("cp", "code", (literals[0],), ("1", "4")), Column("ca", "code", tuple(literals[1:]), ("0", "1")))
    model = model_of([rule], Encoding(columns), "y", (0, 1))
    content = json.loads(model.to_json())
    assert content["formulas"] == ["at least 3 of ({cp=4}, {cp=4}, {ca=0}, {ca=1})"]
    assert model.certificate.formulas == (fingerprint("at least 3 of ({cp=4}, {cp=4}, {ca=0}, {ca=1})"),)
    assert read_model(model.to_json()) == model
    assert model.summary()["formulas"] == ["at least 3 of (2·{cp=4}, {ca=0}, {ca=1})"]
