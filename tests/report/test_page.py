"""The page as text: safe, complete, and honest about where its numbers come from."""

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pandas as pd
import pytest

import export_cases
from crystalogic.encoding import Cut, Degree, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CertificateError, EncodingError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import FrontRow, HeldOut
from crystalogic.report import Table, report_page
from crystalogic.verify.questions import entails

VOID = {"meta", "input", "br", "line", "rect", "circle", "polyline", "path"}
MODELS = {**export_cases.MODELS, "hostile": export_cases.hostile}


class Outline(HTMLParser):
    """What is in a page: tags in order, attributes, texts; a tag that is not closed is an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.fixture(params=MODELS)
def page(request):
    return report_page(MODELS[request.param](), seconds=0)


def words_of(text):
    """The text that a reader sees, with single spaces."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_every_tag_is_closed_and_every_id_is_one(page):
    outline = Outline(page)
    ids = [value for _, name, value in outline.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    points_to = [
        value for _, name, value in outline.attributes if name in ("for", "aria-labelledby", "aria-describedby")
    ]
    links = [value.removeprefix("#") for tag, name, value in outline.attributes if tag == "a" and name == "href"]
    assert set(points_to) | set(links) <= set(ids)


def test_the_policy_allows_its_own_script_and_style_and_nothing_else(page):
    def allowed(tag):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    directives = dict(part.strip().split(" ", 1) for part in policy.replace("&#39;", "'").split(";"))
    assert directives == {
        "default-src": "'none'",
        "style-src": allowed("style"),
        "script-src": allowed("script"),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_nothing_is_fetched_and_nothing_stands_in_an_attribute_that_runs(page):
    outline = Outline(page)
    assert not set(outline.tags) & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "audio",
        "video",
        "image",
        "use",
    }
    for tag, name, value in outline.attributes:
        assert name not in ("src", "srcset", "style", "action", "xlink:href", "formaction"), (tag, name)
        assert not name.startswith("on")
        assert name != "href" or value.startswith("#")
    assert re.findall(r"https?://|url\(|@import", page) == []


def test_headings_do_not_skip_a_level_and_landmarks_are_there(page):
    tags = Outline(page).tags
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert {"header", "nav", "main", "footer"} <= set(tags)


def test_every_control_has_a_label(page):
    outline = Outline(page)
    labelled = {value for tag, name, value in outline.attributes if tag == "label" and name == "for"}
    for match in re.findall(r"<(?:input|select)\b[^>]*>", page):
        (key,) = re.findall(r'id="([^"]*)"', match)
        assert key in labelled or "aria-label=" in match


def test_names_that_try_to_be_something_else_stay_texts():
    text = report_page(export_cases.hostile(), seconds=0)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert Outline(text).tags.count("script") == 2


def test_a_name_that_cannot_be_written_is_replaced():
    """Bug: half of a surrogate pair, as JSON lines can hold it, made a page that could not be saved."""
    encoding = Encoding((Column("age\ud800", "number", (Degree("age\ud800", 0.0, 1.0),)),))
    text = report_page(model_of([parse("{age\ud800}")], encoding, "x", ("a", "b")), seconds=0)
    assert text.encode("utf-8")


def test_a_model_whose_certificate_does_not_hold_gets_no_page():
    model = export_cases.heart()
    with pytest.raises(CertificateError):
        report_page(replace(model, written=(parse("{cp=4}"),)), seconds=0)


def test_a_table_without_the_columns_of_the_rule_is_refused():
    with pytest.raises(EncodingError, match="the rows have no column 'oldpeak'; they have age"):
        report_page(export_cases.heart(), Table(pd.DataFrame({"age": [1]})), seconds=0)


def test_a_rule_that_cannot_be_a_script_has_a_page_without_calculator():
    encoding = Encoding((Column("x", "number", (Degree("x", -1.7e308, 1.7e308),)),))
    words = words_of(report_page(model_of([parse("x")], encoding, "y", ("a", "b")), seconds=0))
    assert "There is none: the range of 'x' is too wide to be divided by." in words


def test_the_page_says_which_rows_a_number_is_from(heart_page):
    model, evidence, text = heart_page
    words = words_of(text)
    assert "Confusion matrix on these rows" in words
    assert "Whether it was learned from some of them is not known here" in words
    assert f"{evidence.right.yes} of {evidence.right.n} rows of heart.csv" in words
    table = evidence.table
    trained = words_of(report_page(model, replace(table, is_training=True), seconds=0))
    assert "Confusion matrix on the training rows" in trained
    assert "no measure of how it does on others" in trained


def test_scores_are_called_what_they_are(heart_page):
    model, _, _ = heart_page
    front = (FrontRow(1, 1, 0.7, 0.68, 0.03, parse("a")), FrontRow(3, 1, 0.85, 0.84, 0.02, model.written[0]))
    searched = replace(model, fronts=(front,), chosen=(1,))
    words = words_of(report_page(searched, seconds=0))
    assert "cross-validated 84.0 % ± 2.0 % formulas of at most 3 literals, each learned without the rows" in words
    assert "was not measured by repeating the whole fit" in words
    measured = searched.with_facts(held_out=HeldOut(0.81, 0.06, 10))
    words = words_of(report_page(measured, seconds=0))
    assert "On rows it has not seen 81.0 % ± 6.0" in words
    assert "the whole fit repeated 10 times without a random fifth of the rows" in words
    assert "was not measured" not in words


def test_scores_of_one_class_are_not_taken_for_those_of_all():
    front = (FrontRow(0, 1, 0.7, None, None, parse("0")), FrontRow(1, 1, 0.9, 0.8, 0.02, parse("a")))
    model = replace(export_cases.three_classes(), fronts=(front,) * 3, chosen=(1, 0, 1))
    words = words_of(report_page(model.with_facts(choice=("chosen together",) * 3), seconds=0))
    assert "none against the rest, cross-validated 80.0 % ± 2.0 %" in words
    assert "mild against the rest, training 70.0 %" in words
    assert "How the formulas were chosen: chosen together." in words


def test_units_stand_with_the_values(heart_page):
    _, _, text = heart_page
    assert '<span class="name">cp</span> <span class="unit">(type)</span>' in text
    assert "page made 2026-01-01" in words_of(text)


def test_proofs_are_shown_with_their_scope(heart_page):
    model, evidence, _ = heart_page
    extra = entails(parse("a ⊗ b"), parse("a"))
    table = replace(evidence.table, rows=evidence.table.rows[:20], labels=None)
    words = words_of(report_page(model, table, answers=[extra], seconds=5))
    assert f"proved a ⊗ b ≤ a · {extra.reason}" in words
    assert "Scope: cp in {1, 2, 3, 4}; ca in {0, 1, 2, 3} or missing; thal in {3, 6, 7} or missing" in words
    assert "proved as cp rises, disease = 1 is never lost" in words
    assert "proved cp makes a difference to disease · two rows differ in it alone and get different answers" in words
    assert re.search(
        r"proved the row can be changed so that disease is \d · change \w+ from \d to \d; no change of", words
    )
    assert "whatever the other columns are · because" in words


def test_the_nearest_change_of_whole_numbers_is_whole():
    encoding = Encoding((Column("x", "number", (Degree("x", 0.0, 7.0),)),))
    model = model_of([parse("x")], encoding, "y", ("a", "b"))
    words = words_of(report_page(model, Table({"x": [1, 6]})))
    assert "change x from 1 to 4;" in words
    assert "Scope: x is a whole number from 0 to 7" in words
    assert "Scope: x from 0 to 7 " in words  # of the proofs about the model, for all numbers


def test_a_column_that_never_matters_is_proved_not_to():
    encoding = Encoding((Column("x", "number", (Degree("x", 0.0, 1.0), Cut("x", 0.5))),))
    model = model_of([parse("{x ≥ 0.5} ⊕ ¬{x ≥ 0.5}")], encoding, "y", ("a", "b"))
    assert "proved x makes no difference to y" in words_of(report_page(model))
