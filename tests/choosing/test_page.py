"""What the page holds, without a browser."""

import json
import re
from dataclasses import replace

import pytest

from crystalogic import datasets
from crystalogic.choosing import GoodRules, Rule, chooser_page
from crystalogic.cli.app import run
from crystalogic.encoding import fit_encoding
from crystalogic.errors import ChoiceError, EncodingError, TableError
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable
from crystalogic.logic.parse import parse


def data_of(page):
    return json.loads(re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)[1])


def test_rows_are_in_the_page_only_if_asked_for_and_it_says_so(heart, good):
    model, table = heart
    plain, whole = (chooser_page(model, good, table, embed_rows=rows) for rows in (False, True))
    bits = data_of(whole)["bits"]
    assert data_of(plain)["bits"] is None
    assert not any(text in plain for text in (bits["labels"], *bits["facts"]))
    assert "This page holds no rows, only counts of them." in plain
    assert "This page holds these rows" in whole
    assert len(bits["facts"]) == len(data_of(whole)["facts"])
    assert all(len(text) == 4 * -(-38 // 3) for text in bits["facts"])  # 303 rows are 38 bytes


def test_it_says_which_rows_the_figures_are_of(heart):
    model, table = heart
    assert "The rules were learned from these very rows" in chooser_page(model, None, table)
    assert "is not known here" in chooser_page(model, None, replace(table, is_training=None))
    assert "They are not the rows that the rules were learned from." in chooser_page(
        model, None, replace(table, is_training=False)
    )
    assert "The figures are those of the model file" in chooser_page(model)
    rows = table.rows.astype(object)
    rows.loc[3, "exang"] = None
    labels = [None, *table.labels[1:]]
    page = chooser_page(model, None, replace(table, rows=rows, labels=labels))
    assert data_of(page)["rows"] == {"n": 301, "leftOut": 2}
    assert "Left out: 2 without a class" in page


def test_a_rule_that_is_in_the_front_and_on_the_list_is_shown_once(heart):
    model, table = heart
    facts = ((Variable("thal=3"), False), (Variable("ca=0"), False), (Variable("cp=4"), True))
    good = GoodRules((Rule(facts, (1, 1, 1), 2),), "checklists", 0, 3)
    rules = data_of(chooser_page(model, good, table))["rules"]
    assert [(rule["front"] is not None, rule["isListed"], rule["isOwn"]) for rule in rules] == [
        (True, False, False),
        (True, True, False),
        (True, False, True),
    ]
    assert sum(rules[1]["counts"]) == 303


def test_what_cannot_be_chosen_from_is_refused_in_a_sentence(heart, monkeypatch):
    model, table = heart
    with pytest.raises(ChoiceError, match=r"\{cp=9\}, speaks of what is no fact"):
        chooser_page(model, GoodRules((Rule(((Variable("cp=9"), True),), (1,), 1),), "", 0, 1))
    with pytest.raises(EncodingError, match="the rule needs the column 'ca'"):
        chooser_page(model, None, replace(table, rows=table.rows.drop(columns="ca")))
    with pytest.raises(TableError, match="'disease' is '7', but the classes"):
        chooser_page(model, None, replace(table, labels=["7"] * 303))
    with pytest.raises(TableError, match="of 303 rows none has a class"):
        chooser_page(model, None, replace(table, labels=[None] * 303))
    frame = datasets.load("heart").frame()
    degrees = model_of([parse("age")], fit_encoding(frame), "disease", None)
    with pytest.raises(ChoiceError, match="two classes; this model tells degrees"):
        chooser_page(degrees)
    three = model_of([parse("{cp=4}"), parse("{cp=3}"), parse("1")], fit_encoding(frame), "stage", (0, 1, 2))
    with pytest.raises(ChoiceError, match="two classes; this model has more"):
        chooser_page(three)
    with pytest.raises(ChoiceError, match="no rule of facts to choose from"):
        chooser_page(model_of([parse("age")], fit_encoding(frame), "disease", (0, 1)))
    monkeypatch.setattr("crystalogic.choosing.page.MOST_BITS", 100)
    with pytest.raises(ChoiceError, match=r"303 rows with .* facts are too many for a page"):
        chooser_page(model, None, table, embed_rows=True)


def test_facts_of_columns_that_a_table_lacks_are_not_offered(heart):
    model, table = heart
    page = chooser_page(model, None, replace(table, rows=table.rows.drop(columns="age")), embed_rows=True)
    assert "age" not in [column["name"] for column in data_of(page)["columns"]]


def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(["datasets", "heart", "--output", "heart.csv"])
    run(["fit", "heart.csv", "--target", "disease", "--max-literals", "3", "--quiet"])
    capsys.readouterr()
    assert run(["choose", "model.json", "heart.csv", "--rows"]) == 0
    assert capsys.readouterr().out == (
        "Written to choose.html. Open it in a browser; it needs no network. "
        "It holds the rows of the table, as bits: pass it on with care.\n"
    )
    data = data_of((tmp_path / "choose.html").read_text(encoding="utf-8"))
    assert (data["isTraining"], data["rows"]["n"], bool(data["bits"])) == (True, 303, True)
    assert run(["choose", "model.json", "-o", "front.html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": "front.html"}
