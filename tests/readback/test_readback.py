"""Exports are read back from their own text, and proved to be the model or refuted by a row."""

import json
import re
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from crystalogic import parse
from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.export import to, to_sql
from crystalogic.export.languages import JAVASCRIPT, PYTHON, C
from crystalogic.export.quoting import DIALECTS
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable, substitute
from crystalogic.readback import proving, read_back, syntax
from crystalogic.readback.frames import fingerprint
from crystalogic.readback.meaning import Between
from export_cases import MODELS, hostile
from readback_mutants import ENGINES, judge, say, text_of

PROGRAMS = ("python", "javascript", "c")
OF_DEGREES = ("heart", "three_classes", "degree", "partly_constant", "deep")
FACTS = {"age": "age ≥ 55", "oldpeak": "oldpeak ≥ 0.18", "ratio": "ratio ≥ 0.3333333333333333"}
READ = [name for name in DIALECTS if name in syntax.languages()]


def of_facts(name):
    """The model with a cut in the place of each degree."""
    model = MODELS[name]()
    cuts = {Variable(degree): Variable(cut) for degree, cut in FACTS.items()}
    formulas = [substitute(formula, cuts) for formula in model.formulas]
    return replace(model_of(formulas, model.encoding, model.target, model.classes), order=model.order)


CASES = {name: partial(of_facts, name) if name in OF_DEGREES else make for name, make in MODELS.items()}
CASES["hostile"] = hostile
WHICH = [(name, READ[index % len(READ)]) for index, name in enumerate(CASES) if name != "ten_classes"]


@pytest.mark.parametrize("name", CASES)
def test_every_program_is_proved(name):
    model = CASES[name]()
    for language in PROGRAMS if name != "ten_classes" else ("c",):  # which takes longest
        assert str(read_back(str(to(model, language)), model, language)).startswith("proved")


@pytest.mark.parametrize(("name", "dialect"), WHICH)
def test_every_query_and_expression_is_proved(name, dialect):
    model = CASES[name]()
    found = read_back(to_sql(model, table="a.b", dialect=dialect, view="v"), model, dialect)
    assert str(found).startswith("proved")
    if name not in ("deep", "three_classes", "heart"):  # too long as one expression, or slow
        assert str(read_back(to_sql(model, dialect=dialect), model, dialect)).startswith("proved")


@pytest.mark.parametrize("name", OF_DEGREES)
def test_a_model_with_degrees_is_not_read_back_and_says_so(name):
    model = MODELS[name]()
    found = read_back(str(to(model, "c")), model, "c")
    assert found.code == 2
    assert str(found).startswith("not read back: the model has degrees.")


@pytest.mark.parametrize("dialect", READ)
@pytest.mark.parametrize("kind", ["integer", "number", "text"])
def test_stated_types_are_proved(dialect, kind):
    model = MODELS["checklist"]()
    if kind == "text" and dialect == "standard":
        pytest.skip("standard SQL cannot ask whether a text is a number")
    types = dict.fromkeys(("cp", "ca", "thal", "age"), kind) | {"grade": "text"}
    text = to_sql(model, table="x", dialect=dialect, types=types)
    assert str(read_back(text, model, dialect, types=types)).startswith("proved")


def test_a_proof_holds_for_the_types_that_it_was_made_for():
    """A query for whole numbers does not trim texts."""
    model = MODELS["checklist"]()
    text = to_sql(model, table="x", dialect="sqlite", types={"cp": "integer"})
    assert read_back(text, model, "sqlite", types={"cp": "integer"})
    assert read_back(text, model, "sqlite").difference is not None


def proof_of(model, language):
    return proving._Proof(Between, text_of(model, language, as_query=False), model, syntax.languages()[language], {})


@pytest.mark.parametrize("language", ENGINES)
@pytest.mark.parametrize("name", ["listed", "three_classes"])
def test_engines_do_with_every_kind_of_cell_what_reading_back_takes_them_to_do(name, language):
    model = CASES[name]()
    proof, draw = proof_of(model, language), Random(100)
    rows = [
        {column: draw.choice(cells) for column, cells in proof.cells.items()}
        for _ in range(6 if language == "duckdb" else 300)
    ]
    rows = [
        {column: float(cell) if isinstance(cell, Between) else cell for column, cell in row.items()} for row in rows
    ]
    taken = [proving.run(proof.told["decision"], row, proof.language, {}) for row in rows]
    text = text_of(model, language, as_query=False)
    said = (
        [ENGINES[language]([text], [row])[0][0] for row in rows]
        if language == "duckdb"
        else ENGINES[language]([text], rows)[0]
    )
    key = 0 if language in DIALECTS else "decision"
    shown = [say({key: each})[1:-1] for each in taken]
    assert [(row, s) for row, s, t in zip(rows, said, shown, strict=True) if not s.startswith("{" + t)] == []


@pytest.mark.parametrize("language", ENGINES)
@pytest.mark.parametrize("name", ["checklist", "points"])
def test_mutants_are_refused_with_a_row_that_the_engine_confirms(name, language):
    counts, wrong = judge(MODELS[name](), language, as_query=True, n=4, seed=101)
    assert wrong == []
    assert counts["changed, refuted with a row"] > 0


CHANGES = [
    ("a cut", "reaches(n4, 55.0)", "reaches(n4, 55.00000000000001)"),
    ("a level", "same(v1, 4)", "same(v1, 4.5)"),
    ("a word for missing", "missing(v5)", "missing(v5, ('', '?'))"),
    ("who is refused", "missing(v1) + missing(v3)", "missing(v1) + missing(v2)"),
    ("an operator", "1.0 + f1 - f2", "1.0 + f1 + f2"),
    ("a weight", "2.0 + f1", "2.0 + 2.0 * f1"),
    ("the threshold", "degrees[0] >= 0.5", "degrees[0] >= 1.5"),
    ("a class", "(0, 1)[", "(0, True)["),
    ("a risk", "(0.6312,", "(0.6311,"),
    ("the band", "1 <= score < 3", "1 <= score < 4"),
]


@pytest.mark.parametrize(("old", "new"), [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES])
def test_one_change_is_refuted_by_a_row_of_the_users_columns(old, new):
    model = MODELS["checklist"]()
    text = str(to(model, "python"))
    assert text.count(old) == 1
    found = read_back(text.replace(old, new), model, "python")
    assert found.code == 1
    assert set(found.difference.row) == set(model.columns)
    decide: dict = {}
    exec(text.replace(old, new), decide)
    right: dict = {}
    exec(text, right)
    assert say(decide["decide_risk"](found.difference.row)) != say(right["decide_risk"](found.difference.row))


def test_what_does_not_change_the_function_is_proved():
    """The order of terms, a comparison from the other side, a clamp written otherwise."""
    model = MODELS["checklist"]()
    text = to_sql(model, table="x", dialect="sqlite")
    other = text.replace('"crystalogic score" >= 2 THEN', '2 <= "crystalogic score" THEN').replace(
        "< 2 THEN 0 END", "<> 9 THEN 0 END"
    )
    assert other != text
    assert read_back(other, model, "sqlite")


@pytest.mark.parametrize(
    ("language", "change", "why"),
    [
        ("python", ("return 1.0 if number >= cut", "return 1.0 if number > cut"), "was changed"),
        ("c", ("number >= cut", "number > cut"), "was changed"),
        ("javascript", ('"use strict"', '"use sloppy"'), "what stands around the rule"),
        ("python", ("    degrees = [s1]\n", "    s1 = 0.0\n    degrees = [s1]\n"), "is not one that is known"),
        ("python", ("# decides disease", "# decides\rimport os"), "what stands around the rule"),
        ("python", ("    f2 = ", "    missing = 3\n    f2 = "), "is not one that is known"),
        ("sqlite", ("FROM crystalogic_scores AS t", "FROM crystalogic_scores AS t WHERE 1 = 1"), "expected a end"),
        ("sqlite", ("TRIM(", "UPPER("), "the function upper of 1 values is not one that is known"),
        ("sqlite", ('"predicted disease"', '"predicted health"'), "no column 'predicted disease'"),
        ("sqlite", (">= 55", f">= {'(' * 200}55{')' * 200}"), "nested too deeply"),
        ("sqlite", (">= 55", ">= 1e99999999"), "is too long"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_never_accepted(language, change, why):
    model = MODELS["checklist"]()
    text = text_of(model, language, as_query=True)
    assert change[0] in text
    found = read_back(text.replace(change[0], change[1], 1), model, language)
    assert found.code == 2
    assert why in str(found)


def test_numbers_that_are_computed_with_are_never_accepted():
    """Numbers between two cuts are proved alike by comparing them, and not by a sum of one of them."""
    model = MODELS["checklist"]()
    for language, old, new in (
        ("python", "reaches(n4, 55.0)", "reaches(n4 + 1.0, 56.0)"),
        ("python", "reaches(n4, 55.0)", "reaches(2.0 * n4, 110.0)"),
        ("sqlite", ">= 55", "+ 1 >= 56"),
        ("duckdb", ">= 55", "- 55 >= 0"),
    ):
        text = text_of(model, language, as_query=True)
        assert old in text
        assert not read_back(text.replace(old, new), model, language)


def test_any_piece_of_a_file_is_refused():
    model, draw = MODELS["checklist"](), Random(100)
    for language in ("python", "javascript", "c", "duckdb"):
        text = text_of(model, language, as_query=True)
        for _ in range(30):
            start, end = sorted(draw.sample(range(len(text)), 2))
            assert not read_back(text[start:end], model, language)


def test_the_definitions_that_programs_carry_are_the_known_ones():
    """Who changes a definition of `export` writes down what it means in `readback.meaning`, and its new fingerprint."""
    for name, language in (("python", PYTHON), ("javascript", JAVASCRIPT), ("c", C)):
        known = syntax.languages()[name]
        for text in language.prelude.values():
            for chunk in filter(str.strip, re.split(known.chunks, text, flags=re.MULTILINE)):
                assert fingerprint(chunk) in known.prelude.values(), chunk


def test_large_whole_numbers_and_odd_levels_are_told_apart():
    levels = ("9007199254740993", "it's", 'a "b"', "007", "1e400", " ", "ä🦀")
    columns = (
        Column("id", "category", tuple(Is("id", each.strip() or "x") for each in levels), levels),
        Column("n", "number", (Cut("n", 2.0**53),)),
    )
    formula = parse(
        'at least 2 of ({id=9007199254740993}, {id=it\'s}, {id=a "b"}, {id=007}, {id=1e400}, {id=ä🦀},'
        " {n ≥ 9007199254740992.0})"
    )
    model = model_of([formula], Encoding(columns), "y", ("no", "yes"))
    for language in (*PROGRAMS, *READ[1:]):
        text = text_of(model, language, as_query=True)
        assert str(read_back(text, model, language)).startswith("proved"), language
        if language in ("python", "duckdb"):
            assert (
                read_back(text.replace("9007199254740993", "9007199254740992"), model, language).difference is not None
            )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MODELS["checklist"]().save(tmp_path / "model.json")
    return tmp_path


def test_the_proof_travels_with_the_file_and_is_checked_again(folder, capsys):
    for target, more in (
        ("python", []),
        ("c", []),
        ("javascript", []),
        ("sql", ["--table", "x", "--dialect", "duckdb", "--type", "cp=integer"]),
    ):
        assert run(["export", "model.json", target, "--output", f"rule.{target}", *more]) == 0
        text = (folder / f"rule.{target}").read_text("utf-8")
        assert "again: crystalogic verify THIS_FILE --against MODEL_FILE" in text
        assert run(["verify", f"rule.{target}", "--against", "model.json"]) == 0
        assert capsys.readouterr().out.startswith("proved")
    scope: dict = {}
    exec((folder / "rule.python").read_text("utf-8"), scope)
    assert scope["decide"](dict.fromkeys(("cp", "ca", "thal", "age", "grade"), 4))["decision"] == 1


def test_exit_codes_tell_proved_refuted_and_not_read(folder, capsys):
    run(["export", "model.json", "sql", "--dialect", "sqlite", "--output", "rule.sql"])
    text = (folder / "rule.sql").read_text("utf-8")
    (folder / "rule.sql").write_text(text.replace(">= 55", "> 55"), "utf-8")
    assert run(["verify", "rule.sql", "--against", "model.json", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuted"
    assert found["difference"]["row"]["age"] == 55
    (folder / "rule.sql").write_text("SELECT 1", "utf-8")
    assert run(["verify", "rule.sql", "--against", "model.json"]) == 2
    assert "not one of the shapes that can be proved" in capsys.readouterr().out
    assert run(["verify", "rule.sql", "--against", "model.json", "--dialect", "cobol"]) == 2
