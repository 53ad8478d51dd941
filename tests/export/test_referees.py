"""PMML, DMN and spreadsheets: what they hold, what they refuse, and what engines of others make of them."""

import xml.etree.ElementTree as ElementTree

import pytest

import export_referees as referees
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import ExportError
from crystalogic.export import to
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable
from export_cases import MODELS, hostile, hostile_rows, said, typed_rows

PMML = "{http://www.dmg.org/PMML-4_4}"
SHOWN = ("heart", "facts_only", "listed", "three_classes", "degree", "points", "listed_points", "chained")


def named(name="x", value="a", target="y"):
    encoding = Encoding((Column(name, "category", (Is(name, value),), (value, "b")),))
    return model_of([Variable(encoding.names[0])], encoding, target, (0, 1))


def assert_same(found, expected):
    assert referees.n_different(found, expected) == (0, 0)


@pytest.mark.parametrize("target", ["pmml"])
@pytest.mark.parametrize("changed", [{"name": "a\x07"}, {"value": "a\x01b"}, {"target": "\ufffe"}, {"name": "\ud800"}])
def test_what_xml_cannot_hold_is_refused_with_the_name(target, changed):
    with pytest.raises(ExportError, match="which XML cannot hold"):
        to(named(**changed), target)


def test_pmml_keeps_hostile_names():
    model = hostile()
    tree = ElementTree.fromstring(str(to(model, "pmml")))
    assert tree.get("version") == "4.4"
    assert model.fingerprint in tree.find(f"{PMML}Header").get("description")
    fields = [each.get("name") for each in tree.iter(f"{PMML}DataField")]
    assert fields == [*model.columns, model.target]
    texts = {each.text for each in tree.iter(f"{PMML}Constant")}
    assert {literal.value for literal in model.encoding.literals.values()} <= texts


@pytest.mark.parametrize("name", MODELS)
def test_pmml_derives_every_field_before_it_is_used(name):
    tree = ElementTree.fromstring(str(to(MODELS[name](), "pmml")))
    known = {each.get("name") for each in tree.iter(f"{PMML}DataField")}
    functions = {each.get("name") for each in tree.iter(f"{PMML}DefineFunction")}
    built_in = {"if", "isIn", "+", "-", "*", "/"}
    for field in tree.iter(f"{PMML}DerivedField"):
        assert {each.get("field") for each in field.iter(f"{PMML}FieldRef")} <= known
        assert {each.get("function") for each in field.iter(f"{PMML}Apply")} <= functions | built_in
        assert field.get("name") not in known
        known.add(field.get("name"))
    for predicate in tree.iter(f"{PMML}SimplePredicate"):
        assert predicate.get("field") in known


@pytest.mark.skipif(not referees.JAVA, reason="no JPMML: java or jpmml-evaluator is not installed")
def test_jpmml_decides_as_the_library():
    rows = typed_rows(1000, seed=100)
    for name in SHOWN:
        model = MODELS[name]()
        assert_same(referees.run_pmml(model, rows), said(model, rows))
    assert_same(referees.run_pmml(hostile(), hostile_rows(300)), said(hostile(), hostile_rows(300)))
