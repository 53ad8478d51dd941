"""PMML, DMN and spreadsheets: what they hold, what they refuse, and what engines of others make of them."""

import io
import math
import operator
import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import export_referees as referees
from crystalogic.encoding import Cut, Encoding, Is
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


@pytest.mark.parametrize("target", ["pmml", "dmn", "xlsx"])
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


FUNCTIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "abs": abs,
    "min": min,
    "max": max,
    "equal": operator.eq,
    "lessOrEqual": operator.le,
    "greaterOrEqual": operator.ge,
    "greaterThan": operator.gt,
    "or": operator.or_,
    "not": operator.not_,
    "isIn": lambda x, *others: x in others,
    "trimBlanks": lambda text: text.strip(),
    "stringLength": len,
    "matches": lambda text, pattern: bool(re.search(pattern, text, re.ASCII)),
    "replace": lambda text, pattern, new: re.sub(pattern, new, text),
}
KINDS = {"double": float, "string": str, "integer": int}


def computed(element, known, defined):
    """What an expression of PMML gives, None where it is missing: the few words of it that are written."""
    tag = element.tag.removeprefix(PMML)
    if tag == "FieldRef":
        return known[element.get("field")]
    if tag == "Constant":
        return KINDS[element.get("dataType")](element.text or "")
    name, parts = element.get("function"), list(element)
    if name == "if":
        chosen = parts[1:2] if computed(parts[0], known, defined) else parts[2:]
        return computed(chosen[0], known, defined) if chosen else None
    values = [computed(part, known, defined) for part in parts]
    if name == "isMissing":
        return values[0] is None
    if name in defined:
        *fields, body = defined[name]
        inner = computed(body, {each.get("name"): value for each, value in zip(fields, values, strict=True)}, defined)
        return inner if inner is None else KINDS[defined[name].get("dataType")](inner)
    return None if None in values else FUNCTIONS[name](*values)


def decide_in_pmml(tree, row):
    """The outputs for a row."""
    defined = {each.get("name"): each for each in tree.iter(f"{PMML}DefineFunction")}
    known = dict(row)
    for field in tree.iter(f"{PMML}DerivedField"):
        known[field.get("name")] = computed(field[0], known, defined)
    leaves = [
        node.get("score")
        for node in tree.findall(f"{PMML}TreeModel/{PMML}Node/{PMML}Node")
        for test in node.findall(f"{PMML}SimplePredicate")
        if known[test.get("field")] == float(test.get("value"))
    ]
    answers = {}
    for field in tree.iter(f"{PMML}OutputField"):
        told = computed(field[0], known, defined) if len(field) else (leaves or [None])[0]
        answers[field.get("name")] = told
    return answers


@pytest.mark.parametrize("name", [name for name in SHOWN if name != "degree"])
def test_pmml_says_what_the_library_says(name):
    model, rows = MODELS[name](), typed_rows(150, seed=101)
    tree, expected = ElementTree.fromstring(str(to(model, "pmml"))), said(model, rows)
    answers = []
    for index in range(150):
        cells = {column: rows[column][index] for column in model.columns}
        answers.append(decide_in_pmml(tree, {key: None if cell != cell else cell for key, cell in cells.items()}))
    found = referees.verdicts_of(model, {key: [each[key] for each in answers] for key in answers[0]}, 150)
    expected.decisions[:] = [None if each is None else str(each).lower() for each in expected.decisions]
    found.decisions[:] = [None if each is None else each.lower() for each in found.decisions]
    assert_same(found, expected)
    if model.risk is not None:  # the points of the items add up to the score
        n_told = 1 + len(expected.told[0])
        for each in answers:
            items = list(each.values())[n_told:]
            assert each["score"] == (None if None in items else sum(items))


def dmn_of(model):
    return referees.read_dmn(str(to(model, "dmn")))


def test_dmn_is_refused_for_degrees():
    with pytest.raises(ExportError, match="degrees would have other last digits"):
        to(MODELS["heart"](), "dmn")


def test_dmn_says_in_feel_what_a_rule_says():
    inputs, decisions = dmn_of(MODELS["listed_points"]())
    texts = {each["words"]: each.get("text") for each in decisions}
    assert tuple(inputs) == MODELS["listed_points"]().columns
    assert texts["age is at least 55"] == "(if n4 >= 55 then 1 else 0)"
    assert texts["cp is one of 1, 4"] == "max((if cp = 1 then 1 else 0), (if cp = 4 then 1 else 0))"
    tables = {each["name"]: each for each in decisions if "policy" in each}
    assert list(tables) == ["score", "decided", "probability", "ask"]
    assert tables["score"]["policy"] == "COLLECT"
    assert tables["decided"]["rules"] == [(["< 2"], "0"), ([">= 2"], "1")]
    assert tables["ask"]["rules"] == [(["< 1"], "false"), (["[1..5)"], "true"), ([">= 5"], "false")]
    assert [rule[1] for rule in tables["score"]["rules"]] == ["0", "1", "1", "1", "1", "1"]


@pytest.mark.parametrize("name", ["facts_only", "points", "listed_points", "one_fact", "chained", "graded"])
def test_dmn_requires_what_its_decisions_read(name):
    text = str(to(MODELS[name](), "dmn"))
    tree = ElementTree.fromstring(text)
    ids = [each.get("id") for each in tree.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    inputs, decisions = referees.read_dmn(text)
    known = {*inputs.values(), *(each["name"] for each in decisions)}
    for element, each in zip(tree.iter(f"{referees.MODEL}decision"), decisions, strict=True):
        read = set(re.findall(r"\w+", re.sub(r'"[^"]*"', "", " ".join(each.get("inputs", [each.get("text") or ""])))))
        required = element.findall(f"{referees.MODEL}informationRequirement/*")
        assert {link.get("href")[1:] for link in required} == read & known


def test_numbers_of_feel_have_no_exponents():
    encoding = Encoding((Column("x", "number", (Cut("x", 1.5e-7),), ()),))
    _, decisions = dmn_of(model_of([Variable(encoding.names[0])], encoding, "y", (0, 1)))
    assert "(if n1 >= 0.00000015 then 1 else 0)" in [each.get("text") for each in decisions]


def plain_rows():
    """Rows without NaN, infinite and tiny numbers."""
    odd = (math.inf, -math.inf, 5e-324)
    rows = typed_rows(100, seed=100)
    return {name: [None if cell != cell or cell in odd else cell for cell in cells] for name, cells in rows.items()}


needs_feel = pytest.mark.skipif(not referees.FEEL, reason="no FEEL engine: CRYSTALOGIC_FEEL is no folder with feelin")


@needs_feel
def test_feelin_decides_as_the_library():
    rows = plain_rows()
    for name in ("facts_only", "listed_points", "points", "chained"):
        assert_same(referees.run_dmn(MODELS[name](), rows), said(MODELS[name](), rows))
    assert_same(referees.run_dmn(hostile(), hostile_rows(100)), said(hostile(), hostile_rows(100)))


def book_of(model, rows=2):
    return pytest.importorskip("openpyxl").load_workbook(io.BytesIO(bytes(to(model, "xlsx", rows=rows))))


def test_no_name_is_a_formula_in_a_spreadsheet():
    model = named("=cmd|'/c calc'!A0", "=1+1", "+SUM(A1)")
    book = book_of(model)
    assert book.sheetnames == ["Calculator", "Batch", "Rule"]
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    formulas = [cell.value for cell in cells if cell.data_type == "f"]
    assert all("cmd" not in each and "1+1" not in each and "'" not in each for each in formulas)
    assert {"=cmd|'/c calc'!A0", "=1+1"} <= {cell.value for cell in cells if cell.data_type == "s"}
    words = [cell for cell in book_of(MODELS["checklist"]())["Rule"]["A"] if cell.value == "#N/A"]
    assert [cell.data_type for cell in words] == ["s"]


def test_formulas_compare_exactly():
    """Spreadsheets take 54.99999999999999 for 55, and Male for male."""
    book = book_of(MODELS["points"]())
    titles = {cell.value: book["Batch"].cell(2, cell.column).value for cell in book["Batch"][1]}
    age = next(column for column, cell in zip("ABCDEFGHIJ", book["Batch"][1], strict=False) if cell.value == "age")
    assert titles["step n2"].startswith(f'=IF(ISLOGICAL(${age}2),"",IF(ISNUMBER(${age}2),${age}2,')
    assert re.fullmatch(r"=IF\(ISNUMBER\(\$[A-Z]+2\),GESTEP\(\$[A-Z]+2,55\),0\)", titles["step f2"])
    assert re.fullmatch(r"=IF\(EXACT\(\$[A-Z]+2,Rule!\$A\$\d+\),1,0\)", titles["step f3"])


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_constants_of_a_sheet_are_exact_for_programs_that_read_15_digits(number):
    from crystalogic.export.xlsx import exact_cell

    cell = exact_cell(number)
    if isinstance(cell, str):
        found = re.fullmatch(r"=(-?)\((\d{1,15})\*2\^27\+(\d{1,15})\)\*2\^(-?\d+)", cell)
        exact = Fraction(int(found[2]) * 2**27 + int(found[3])) * Fraction(2) ** int(found[4])
        assert (-exact if found[1] else exact) == Fraction(number)
    else:
        assert cell == number
        assert float(f"{number:.15g}") == number


def test_a_spreadsheet_has_as_many_rows_as_asked_for():
    assert book_of(MODELS["checklist"](), rows=7)["Batch"].max_row == 8
    with pytest.raises(ExportError, match="1 to 1,048,575 rows"):
        to(MODELS["checklist"](), "xlsx", rows=0)


@pytest.mark.skipif(not referees.SOFFICE, reason="no LibreOffice: soffice is not installed")
def test_libreoffice_decides_as_the_library():
    pytest.importorskip("openpyxl")
    rows = plain_rows()
    model = MODELS["listed_points"]()
    assert_same(referees.run_xlsx(model, rows), said(model, rows))
