"""The risk on the page: in its table, in the calculator, in plots of a labelled table, and on the pocket card."""

import re
from dataclasses import replace
from functools import cache
from random import Random

import pandas as pd
import pytest

from calculator import SET_ROWS, random_rows
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.evaluation import evaluate
from crystalogic.fitting import model_of
from crystalogic.intervals import Share
from crystalogic.logic.formula import AtLeast, Variable
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model import Model, Risk
from crystalogic.model.file import has_fitting_risk
from crystalogic.model.risk import Band
from crystalogic.report import Table, report_page
from crystalogic.report.page import LONG, SHEETS
from crystalogic.words.risks import operating_lines, percent_text, risk_lines
from invented_names import Page

A6 = (298, 420)  # points
A5 = (420, 595)
NASTY = '"><img src=x onerror=alert(1)>'
RISK = """
() => {
  const of = (id) => document.getElementById(id), { score, share, low, high } = of("risk").dataset;
  const words = ["stored", "risk-words", "decision", "reason"].map((id) => of(id).innerText);
  return [score, share, low, high, of("risk").textContent, of("risk-fill").getAttribute("width"), ...words];
}
"""


def risk_of(formula, step=1):
    """A risk that grows with the score, with rows held out for each."""
    most = score_of(formula).most
    shares = [300 + 9400 * score // max(1, most) for score in range(most + 1)]
    return Risk(tuple(shares), tuple(Share(20 * share // 10_000, 20 + step * n) for n, share in enumerate(shares)))


def facts(names, target="ill", classes=("no", "yes"), formula=None, band=None):
    """A rule over facts that such columns have the value 1, with a risk."""
    columns = tuple(Column(name, "code", (Is(name, "1"),), ("0", "1"), has_missing=True) for name in names)
    known = [Variable(literal.name) for column in columns for literal in column.literals]
    rule = AtLeast(-(-len(known) // 2), *known) if formula is None else parse(formula)
    model = model_of([rule], Encoding(columns), target, classes)
    return replace(model, risk=risk_of(model.formulas[0]), band=band)


@cache
def models() -> dict[str, Model]:
    names = "abcdefgh"
    points = "at least 6 of (4·{a=1}, 3·{b=1}, 2·¬{c=1}, 2·({d=1} ⊗ {e=1}), {f=1} ⊕ {g=1}, 2·¬({g=1} ⊗ {h=1}))"
    return {
        "facts": facts(names[:4]),
        "points": facts(names, formula=points),
        "band": facts(names[:4], band=Band(1, 3, 1000, (50, 40))).with_facts(
            operated={"abstain": "0.1", "rows": "90", "source": "of a table"}
        ),
        "literal": facts("a", formula="¬{a=1}"),
        "never": facts("ab", formula="{a=1} ⊗ {b=1}", target=NASTY, classes=("<b>", "&amp;")),
    }


@cache
def listed() -> Model:
    """A list of three rules with a risk each, tried in an order of its own."""
    columns = tuple(Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "abcd")
    texts = ["at least 3 of (2·{a=1}, {b=1}, ¬{c=1})", "1", "at least 2 of ({b=1}, {c=1}, {d=1})"]
    made = model_of([parse(text) for text in texts], Encoding(columns), "stage", ("x", "y", "z"))
    model = replace(made, order=(2, 0, 1))
    return replace(model, chain=tuple(risk_of(model.formulas[place]) for place in (2, 0)))


@pytest.mark.parametrize("name", ["facts", "points", "band", "literal", "never"])
def test_the_calculator_tells_the_risk_that_the_model_tells(visit, name):
    model = models()[name]
    page = visit(report_page(model, seconds=0))
    for row, cells in random_rows(model, 40):
        page.evaluate(SET_ROWS, [cells])
        found = model.explain(row)
        score, share, low, high, text, width, stored, words, decision, reason = page.evaluate(RISK)
        line = next(each for each in risk_lines(model) if each.low <= found.score <= each.high)
        assert (int(score), int(share)) == (found.score, found.probability * 10_000)
        assert (float(low), float(high)) == model.risk.interval(line.low, line.high)
        assert text == percent_text(int(share))
        assert float(stored) == float(found.probability)
        assert f"interval {line.interval} %" in words
        assert float(width) == pytest.approx(100 * float(found.probability))
        asks = model.band is not None and bool(model.band.asks(found.score))
        said = f"{model.target} is {found.decision}"
        assert decision == ("Ask a person" if asks else said)
        assert reason == (f"Without asking, {said}." if asks else "")


def test_a_list_tells_how_likely_each_class_is(visit):
    model = listed()
    assert has_fitting_risk(model)
    page = visit(report_page(model, seconds=0))
    different = set()
    for row, cells in random_rows(model, 40):
        page.evaluate(SET_ROWS, [cells])
        likely = model.explain(row).likelihoods
        shown = page.eval_on_selector_all(".total", "all => all.map((e) => [Number(e.dataset.share), e.textContent])")
        assert [share for share, _ in shown] == list(likely)
        assert [text for _, text in shown] == [percent_text(round(10_000 * share)) for share in likely]
        different.add(likely)
    assert len(different) > 5


def test_without_a_risk_the_calculator_has_no_bar(visit):
    page = visit(report_page(replace(models()["points"], risk=None), seconds=0))
    assert page.locator("#risk, .risk-bar").count() == 0
    assert page.inner_text("#reason") == "at least 6 are needed"


def test_the_table_has_intervals_and_says_when_to_ask():
    model = models()["band"]
    text = report_page(model, seconds=0)
    for line in risk_lines(model):
        decision = "ask a person" if line.asks else "yes" if line.is_reached else "no"
        row = f'<th scope="row">{line.points}</th><td>{line.percent} ({line.interval})</td><td>{decision}</td></tr>'
        assert text.count(row) == 2  # on the page and on the card
    assert [line.asks for line in risk_lines(model)] == [False, True, True, False, False]
    assert all(f'<p class="operating">{line}</p>' in text for line in operating_lines(model))
    assert "probability (90 % intervals)" in text
    assert "intervals)" not in report_page(replace(model, risk=Risk(model.risk.shares)), seconds=0)


def labelled(model, n_rows=200):
    """Rows whose class follows their score, with some noise."""
    draw = Random(3)
    rows = pd.DataFrame({name: [draw.choice("01") for _ in range(n_rows)] for name in model.columns})
    likely = model.probabilities(rows)[:, 1]
    return rows, [model.classes[int(draw.random() < share)] for share in likely]


def points_of(page, selector):
    return [
        tuple(map(float, point.split(",")))
        for point in page.get_attribute(f"figure:has(#plot-{selector}", "points").split()
    ]


@pytest.mark.parametrize("name", ["facts", "points"])
def test_plots_are_drawn_where_the_evaluation_has_its_values(visit, name):
    model = models()[name]
    rows, labels = labelled(model)
    found = evaluate(model, rows, labels)
    page = visit(report_page(model, Table(rows, labels, "new.csv", is_training=False), seconds=0))

    def x(share):
        return 62 + 238 * share

    def y(value, low=0.0, high=1.0):
        return 256 - 246 * (value - low) / (high - low)

    dots = page.eval_on_selector_all(
        "figure:has(#plot-calibration) .dot", "all => all.map((e) => [e.getAttribute('cx'), e.getAttribute('cy')])"
    )
    if name == "facts":
        assert [tuple(map(float, dot)) for dot in dots] == [
            pytest.approx((x(line.told), y(line.observed.value)), abs=0.01) for line in found.lines
        ]
        bars = page.eval_on_selector_all(
            "figure:has(#plot-calibration) .bar", "all => all.map((e) => [e.getAttribute('y1'), e.getAttribute('y2')])"
        )
        assert [tuple(map(float, bar)) for bar in bars] == [
            pytest.approx(tuple(map(y, line.observed.interval())), abs=0.01) for line in found.lines
        ]
    else:
        assert len(dots) == len(found.lifts) < len(found.lines)
    rates = [(1 - each.specificity.value, each.sensitivity.value) for each in found.thresholds]
    curve = points_of(page, "roc) .model")
    assert curve == [pytest.approx((x(across), y(up)), abs=0.01) for across, up in rates]
    own = page.locator("figure:has(#plot-roc) .own .dot")
    place = next(rate for rate, each in zip(rates, found.thresholds, strict=True) if each.is_own)
    assert (float(own.get_attribute("cx")), float(own.get_attribute("cy"))) == pytest.approx(
        (x(place[0]), y(place[1])), abs=0.01
    )
    assert f"(AUC) is {found.figures.auc.value:.2f}" in page.inner_text("#plot-roc-caption")
    high = max(max(each.of_model, each.of_all) for each in found.benefits)
    for kind, values in {"model": "of_model", "all": "of_all"}.items():
        drawn = points_of(page, f"benefit) .curve.{kind}")
        assert drawn == [
            pytest.approx((x(each.percent / 100), y(getattr(each, values), -0.25 * high, 1.08 * high)), abs=0.01)
            for each in found.benefits
        ]
    assert page.inner_text("#plot-benefit-caption").endswith(
        "Drawn from 200 rows of new.csv, not the rows that it was learned from."
    )
    assert page.locator("svg.chart[role=img]").count() == 3


def test_plots_of_training_rows_say_that_they_flatter():
    model = models()["facts"]
    rows, labels = labelled(model)
    text = report_page(model, Table(rows, labels, is_training=True), seconds=0)
    assert text.count("Drawn from the 200 rows that it was learned from, which flatter it.") == 3
    alone = report_page(model, Table(rows, ["yes"] * 200), seconds=0)
    assert "ROC curve" not in alone  # with one class there is nothing to rank
    assert "Decision curve" in alone
    assert "Decision curve" not in report_page(replace(model, risk=None), Table(rows, labels), seconds=0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_plots_and_bar_whole(visit, scheme):
    model = models()["band"]
    page = visit(
        report_page(model, Table(*labelled(model)), seconds=0),
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [each.bounding_box() for each in page.locator("svg.chart, .risk-bar").all()]
    assert len(boxes) == 4
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def sheets(page, **options):
    """The sizes of the sheets that are printed, in points."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page.pdf(prefer_css_page_size=True, **options))
    return [(round(float(width)), round(float(height))) for width, height in boxes]


@pytest.mark.parametrize("word", ["", "a finding ", "MWMW", "血圧の値"])
@pytest.mark.parametrize("n_facts", [1, 8, 12, 20, 30, 45, 90])
def test_the_card_is_one_side_of_the_sheet_that_it_says(visit, n_facts, word):
    names = [f"{n} {word * 9}"[:40].strip() for n in range(n_facts)]
    model = facts(names, band=Band(1, 2, 1000, (50, 40))).with_facts(source="patients.csv", n_rows=303)
    text = report_page(model, seconds=0, made="2026-01-31")
    (sheet,) = re.findall(r'<aside id="card" class="pocket ([^"]*)"', text)
    assert sheet != LONG or n_facts > 12
    if sheet == LONG and word:
        return  # any number of sheets
    page = visit(text)
    page.goto(page.url + "#card")
    found = sheets(page)
    expected = {"a6": [A6], "a5": [A5]}
    assert found == expected.get(sheet[:2], found)
    assert sheet.startswith("a6") or n_facts > 12 or word in ("MWMW", "血圧の値")


def test_the_card_is_the_last_sheet_of_the_printed_page_and_hidden_on_screen(visit):
    model = models()["points"].with_facts(source="patients.csv", n_rows=303)
    page = visit(report_page(model, seconds=0, made="2026-01-31"))
    assert not page.is_visible("#card")
    *others, last = sheets(page, format="A4")
    assert last == A6
    assert set(others) == {(596, 843)}
    page.click("text=Pocket card")
    assert page.is_visible("#card")
    words = page.inner_text("#card")
    assert "4 points if a is 1" in words
    assert f"Learned from patients.csv, 303 rows. Model {model.fingerprint[:12]}, 2026-01-31." in words
    assert "Proved: formula and network are one function. Scope: " in words


def test_nothing_of_a_nasty_name_gets_out(visit):
    model = facts([NASTY, "</title><script>alert(2)</script>"], NASTY, (NASTY + "0", NASTY + "1"))
    rows, labels = labelled(model)
    page = visit(report_page(model.with_facts(source=NASTY), Table(rows, labels, NASTY), seconds=0))
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert NASTY in page.text_content("#plot-calibration-caption")
    assert NASTY in page.text_content("#card")
    assert NASTY in page.text_content("#risk-words")
    plain = facts(["a", "b"], "c", ("d", "e"))
    other = report_page(plain.with_facts(source="f"), Table(*labelled(plain), "f"), seconds=0)
    pages = page, visit(other)
    for each in pages:
        each.wait_for_selector("#change[data-state=done]")
    found, wanted = (Page(each.content()).elements for each in pages)
    assert found == wanted


def test_the_sheets_grow():
    letters, lines = zip(*SHEETS.values(), strict=True)
    assert sorted(letters) == list(letters)
    assert sorted(lines) == list(lines)
