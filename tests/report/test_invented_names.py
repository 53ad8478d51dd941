"""Names that hypothesis invents, on pages: they add nothing, and the rule of the page decides as the model."""

import json
from functools import partial

import pytest
from hypothesis import given

from crystalogic.cells import level_of
from crystalogic.logic.names import one_line
from crystalogic.report import Table, report_page
from crystalogic.words.models import model_html
from export_cases import said
from invented_names import TALLY, Page, case_of, cases, harmless, tell, tried

ANSWERS = "(records) => records.map((record) => decide(JSON.parse(record)))"


@pytest.fixture(autouse=True, scope="module")
def tally(request):
    yield
    tell(request)


def pages_of(case, has_labels):
    table = Table(case.rows, said(case.model, case.rows).decisions if has_labels else None, case.model.target)
    report = partial(report_page, case.model, seconds=0, units=case.model.record.units)
    return [report(table), report(), model_html(case.model)]


@given(drawn=cases())
@tried(2)
def test_names_add_nothing_to_a_page(drawn):
    names, seed = drawn
    case, other = case_of(names, seed), case_of(harmless(names), seed)
    has_labels = all(level_of(label) == label for label in case.model.classes)  # others no cell of a table can have
    for hostile, plain in zip(pages_of(case, has_labels), pages_of(other, has_labels), strict=True):
        assert Page(hostile).elements == Page(plain).elements
    TALLY["HTML"] += len(names)


@given(drawn=cases())
@tried(2)
def test_a_browser_shows_names_and_runs_the_rule_alone(drawn, chromium, tmp_path_factory):
    case = case_of(*drawn)
    path = tmp_path_factory.getbasetemp() / "names.html"
    path.write_text(pages_of(case, has_labels=True)[0], encoding="utf-8")
    page = chromium.new_page()
    said_besides = []
    page.on("request", lambda request: said_besides.append(request.url))
    page.on("console", lambda message: said_besides.append(message.text))
    page.on("pageerror", lambda error: said_besides.append(str(error)))
    page.on("dialog", lambda dialog: (said_besides.append(dialog.message), dialog.dismiss()))
    try:
        page.goto(path.as_uri())
        data = json.loads(page.evaluate("document.getElementById('page-data').textContent"))
        records = [json.dumps(record).replace("NaN", "null") for record in case.records]
        answers = page.evaluate(ANSWERS, records)
        assert page.evaluate("'canary' in window") is False
    finally:
        page.close()
    assert said_besides == [path.as_uri()]
    assert data["target"] == case.model.target
    expected = said(case.model, case.rows)
    assert [answer["degrees"] for answer in answers] == expected.degrees.tolist()
    assert [one_line(answer["decision"]) for answer in answers] == list(map(one_line, expected.decisions))
    TALLY["the report page in Chromium"] += len(case.names)
