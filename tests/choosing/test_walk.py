"""The page in a browser: a person opens it, filters, compares, edits, saves, and the saved choice becomes a model."""

import json
import re
from dataclasses import replace

import pytest

import crystalogic as cl
from crystalogic.choosing import chooser_page, take_choice
from crystalogic.choosing.rules import rule_of
from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.report import Table
from crystalogic.words.checklists import checklist

COUNTS = "() => document.querySelector('#one .figures-of').dataset.counts"


@pytest.fixture(scope="session")
def heart_page(heart, good):
    model, table = heart
    return chooser_page(model, good, table, embed_rows=True, made="2026-01-01")


def counts_of(model, table):
    told = model.predict(table.rows) == "1"
    labels = [label == "1" for label in table.labels]
    pairs = list(zip(labels, told.tolist(), strict=True))
    return [pairs.count(each) for each in ((True, True), (True, False), (False, True), (False, False))]


def saved(page, tmp_path):
    with page.expect_download() as download:
        page.click("#take")
    path = tmp_path / "choice.json"
    download.value.save_as(path)
    return path


def test_the_whole_walk(visit, heart, heart_page, tmp_path, capsys):
    """Open, filter, compare, edit, save, take, verify; and the file decides every row as the page did."""
    model, table = heart
    model.save(tmp_path / "model.json")
    page = visit(heart_page)
    n_rules = page.locator("#list tr").count()
    thal = page.get_by_label("thal is", exact=True)
    thal.select_option("not used")
    assert 0 < page.locator("#list tr").count() < n_rules
    assert "The list is complete" in page.inner_text("#passing")
    assert not any("thal" in text for text in page.locator("#list .words").all_inner_texts())
    page.locator("#list button", has_text="This one").first.click()
    thal.select_option("either")
    page.locator("#list button", has_text="Compare").first.click()
    assert "differently: this one is right about" in page.inner_text("#differ")
    page.select_option("#fact-0", label="oldpeak is at least 0.8")
    page.click("#shift-0-up")
    page.fill("#points-0", "2")
    page.press("#points-0", "Tab")
    page.fill("#threshold", "3")
    page.press("#threshold", "Tab")
    assert "Edited by hand: nothing is proved about it being best." in page.inner_text("#one")
    assert "2 points if oldpeak is at least 1.4" in page.inner_text("#one")
    page_counts = json.loads(f"[{page.evaluate(COUNTS)}]")
    page.click("#take")
    assert page.inner_text("#lacking") == "Please say who chooses it."
    page.fill("#who", "Dr. </script> Ada")
    page.fill("#why", "oldpeak is measured\nin our ward anyway")
    path = saved(page, tmp_path)
    assert "--take choice.json" in page.inner_text("#saved")

    chosen = tmp_path / "chosen.json"
    assert run(["choose", str(tmp_path / "model.json"), "--take", str(path), "--output", str(chosen)]) == 0
    assert run(["verify", str(chosen)]) == 0
    said = capsys.readouterr().out
    assert "Proved: the formulas and the crystal compute the same function" in said
    assert "Chosen by Dr. </script> Ada: oldpeak is measured in our ward anyway" in said
    taken = cl.load(chosen)
    assert taken.record.chosen_by.model == model.fingerprint
    assert "2·{oldpeak ≥ 1.4}" in str(taken.formulas[0])
    assert counts_of(taken, table) == page_counts


def test_every_figure_and_every_word_of_the_page_is_that_of_the_library(visit, heart, heart_page):
    model, table = heart
    page = visit(heart_page)
    data = page.evaluate("() => data")
    told = page.evaluate("() => data.rules.map((r) => [Rules.recount(r), Rules.heading(r), Rules.lines(r)])")
    names = [parse(fact["text"]).name for fact in data["facts"]]
    for rule, (counts, heading, lines) in zip(data["rules"], told, strict=True):
        literals = [("" if holds else "¬") + "{" + names[fact] + "}" for fact, holds, _ in rule["facts"]]
        formula = parse(
            f"at least {rule['threshold']} of ({', '.join(literals)})" if len(literals) > 1 else literals[0]
        )
        assert rule_of(formula).threshold == rule["threshold"]
        assert counts == rule["counts"] == counts_of(model.with_formulas([rule_of(formula).formula]), table)
        words = checklist(rule_of(formula).formula, model.encoding.literals, model.encoding.gaps)
        assert words == (lines[0] if not heading else "\n  - ".join([heading + ":", *lines]))


@pytest.mark.parametrize(
    "text",
    [
        "at least 4 of (2·{age ≥ 51}, {age ≥ 59}, 3·{cp=4}, ¬{thal=3}, {age ≥ 64})",
        "at least 5 of (2·¬{thalach ≥ 143}, ¬{thalach ≥ 153}, 2·{age ≥ 51}, 3·¬{age ≥ 64}, {sex=1})",
        "at least 3 of (¬{ca ≥ 2}, 2·{ca=0}, ¬{thal=3})",
        "at least 3 of (¬{age ≥ 51}, 2·¬{age ≥ 59}, ¬{age ≥ 64}, ¬{thal=3})",
        "{cp=4} ⊗ {sex=1}",
    ],
)
def test_points_and_cuts_of_one_column_are_told_as_the_library_tells_them(visit, heart, text):
    model, table = heart
    columns = [replace(each, has_missing=each.name in {"ca", "thal", "thalach"}) for each in model.encoding.columns]
    encoding = replace(model.encoding, columns=tuple(columns))
    other = replace(model.with_formulas([parse(text)]), encoding=encoding, fronts=(), chosen=())
    page = visit(chooser_page(other, None, table, embed_rows=True))
    heading, lines = page.evaluate("() => [Rules.heading(data.rules[0]), Rules.lines(data.rules[0])]")
    assert "\n  - ".join([heading + ":", *lines]) == checklist(parse(text), encoding.literals, encoding.gaps)
    assert json.loads(f"[{page.evaluate(COUNTS)}]") == counts_of(other, table)
    assert page.evaluate("() => [...Rules.byScore(data.rules[0]).values()].reduce((n, line) => n + line[0], 0)") == 303


def test_a_part_that_is_no_plain_fact_is_counted_and_taken_like_one(visit, heart, tmp_path):
    model, table = heart
    formula = parse("at least 2 of (({cp=3} ⊕ {cp=4}), ¬{thal=3}, {sex=1} ⊗ {exang=1})")
    other = replace(model.with_formulas([formula]), fronts=(), chosen=())
    page = visit(chooser_page(other, None, table, embed_rows=True))
    assert "cp is one of 3, 4\nthal is not 3 (or missing)\nboth of these: sex is 1; exang is 1" in page.inner_text(
        "#one"
    )
    assert json.loads(f"[{page.evaluate(COUNTS)}]") == counts_of(other, table)
    page.select_option("#fact-1", label="slope is not 1")
    page.fill("#who", "an auditor")
    page.fill("#why", "as good")
    taken = take_choice(other, saved(page, tmp_path).read_text(encoding="utf-8"))
    assert str(taken.formulas[0]) == "at least 2 of ({cp=3} ⊕ {cp=4}, ¬{slope=1}, {sex=1} ⊗ {exang=1})"
    assert json.loads(f"[{page.evaluate(COUNTS)}]") == counts_of(taken, table)


def test_two_rules_are_compared_on_the_same_rows(visit, heart_page):
    page = visit(heart_page)
    page.locator("#list button", has_text="Compare").nth(3).click()
    differ = page.evaluate("() => document.getElementById('difference').dataset.differ")
    first, second = map(int, differ.split(","))
    counts = [
        list(map(int, page.get_attribute(f"#{slot} .figures-of", "data-counts").split(",")))
        for slot in ("one", "other")
    ]
    right = [each[0] + each[3] for each in counts]
    assert first + second > 0
    assert right[0] - right[1] == first - second


def test_filters_keep_what_they_say(visit, heart_page):
    page = visit(heart_page)
    page.fill("#sensitivity", "80")
    page.fill("#specificity", "80")
    page.fill("#most", "3")
    cells = (
        "(all) => all.map((row) => [...row.querySelectorAll('.number')].map((cell) => parseFloat(cell.textContent)))"
    )
    kept = page.eval_on_selector_all("#list tr", cells)
    everything = page.evaluate("() => data.rules.map((r) => [r.facts.length, ...r.counts])")
    passing = [
        each
        for each in everything
        if each[0] <= 3 and each[1] >= 0.8 * (each[1] + each[2]) and each[4] >= 0.8 * (each[3] + each[4])
    ]
    assert len(kept) == len(passing)
    assert all(size <= 3 and sensitivity >= 80 and specificity >= 80 for size, _, sensitivity, specificity in kept)
    page.fill("#sensitivity", "100")
    assert page.inner_text("#passing").startswith("None of the")
    assert "none of all checklists of at most 4 of 11 facts" in page.inner_text("#passing")
    page.click("#clear")
    assert page.locator("#list tr").count() == len(everything)


def test_a_direction_is_read_off_the_signs_of_facts(visit, heart_page):
    """ca is not 0 rises with ca; thalach is below 143 falls with thalach."""
    page = visit(heart_page)
    n_rules = page.locator("#list tr").count()
    page.get_by_label("as ca rises, the score").select_option("never falls")
    assert page.locator("#list tr").count() == n_rules
    page.get_by_label("as ca rises, the score").select_option("never rises")
    assert not any(re.search(r"\bca is", text) for text in page.locator("#list .words").all_inner_texts())
    page.click("#clear")
    page.get_by_label("as thalach rises, the score").select_option("never falls")
    assert not any("thalach" in text for text in page.locator("#list .words").all_inner_texts())


def test_rules_in_the_picture_are_reached_with_the_keyboard(visit, heart_page):
    page = visit(heart_page)
    before = page.inner_text("#one")
    page.focus("#picture [tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == page.inner_text("#under")
    page.keyboard.press("Enter")
    assert page.inner_text("#one") != before
    assert page.evaluate("() => document.getElementById('picture').contains(document.activeElement)")
    page.check("input[value=other]")
    page.locator("#picture .dot.best path").first.click()
    assert "Proved best" in page.inner_text("#other")


def test_an_edited_rule_that_is_known_is_recognised_and_can_be_undone(visit, heart_page):
    page = visit(heart_page)
    assert page.inner_text("#proof").startswith("From the front of the model: what its search found for this size.")
    assert page.inner_text("#proof").endswith("Another rule here, with no more facts, is right about 10 more rows.")
    before = page.inner_text("#one")
    page.click("#add")
    assert "Edited by hand" in page.inner_text("#proof")
    assert page.locator("#picture .dot.edited").count() == 1
    page.locator("#parts button", has_text="Remove").last.click()
    assert page.inner_text("#one") == before
    page.click("#add")
    page.click("#undo")
    assert page.inner_text("#one") == before


HOSTILE = ["</script><script>alert(1)</script>", "\u202egnirts 'x\" <b>&amp;", "very long " * 60]


def hostile_model():
    script, reverse, long = HOSTILE
    columns = (
        Column(script, "number", (Cut(script, 1.5), Cut(script, 2.5)), low=0.0, high=9.0),
        Column(reverse, "category", (Is(reverse, "<!--<script>"),), ("<!--<script>", "x")),
        Column(long, "category", (Is(long, "y" * 500), Missing(long)), ("y" * 500, "z"), True),
    )
    names = Encoding(columns).names
    formula = cl.AtLeast(2, *(cl.Variable(name) for name in (names[0], names[2], names[3])))
    return model_of([formula], Encoding(columns), "t</title>\u202e", ("no</script>", "yes'\""))


@pytest.mark.parametrize("width", [1200, 390])
def test_names_are_shown_and_never_run(visit, tmp_path, width):
    model = hostile_model()
    script, reverse, long = HOSTILE
    rows = {script: [1, 2, 3, 0], reverse: ["<!--<script>", "x", "x", "x"], long: ["y" * 500, "z", None, "z"]}
    table = Table(rows, ["yes'\"", "no</script>", "yes'\"", "no</script>"], "</p><img src=x onerror=alert(2)>")
    page = visit(
        chooser_page(model, None, table, embed_rows=True, file="$(touch x).json"),
        viewport={"width": width, "height": 800},
    )
    assert page.locator("script").count() == 2
    assert page.locator("img, b").count() == 0
    shown = page.inner_text("#one")
    assert "</script><script>alert(1)</script> is at least 1.5" in shown
    assert "\\u202egnirts" in shown
    assert "\u202e" not in page.inner_text("body")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.fill("#who", "\u202e'\"</script>")
    page.fill("#why", "why")
    path = saved(page, tmp_path)
    assert "'$(touch x).json' --take" in page.inner_text("#saved")
    model.save(tmp_path / "model.json")
    assert run(["choose", str(tmp_path / "model.json"), "--take", str(path), "-o", str(tmp_path / "c.json")]) == 0
    assert cl.load(tmp_path / "c.json").formulas == model.formulas


@pytest.mark.parametrize(("kind", "scheme"), [("rows", "light"), ("counts", "dark"), ("file", "dark")])
def test_a_narrow_screen_needs_no_scrolling_to_the_side(visit, heart, good, kind, scheme):
    model, table = heart
    given = (None, None) if kind == "file" else (good, table)
    text = chooser_page(model, *given, embed_rows=kind == "rows")
    page = visit(text, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    assert page.locator("#editor").is_visible() == (kind == "rows")
    assert page.get_by_label("sensitivity of at least").is_visible() == (kind != "file")
    assert page.locator("#list tr").count() == (3 if kind == "file" else page.evaluate("() => data.rules.length"))


def test_a_page_without_rows_still_saves(visit, heart, tmp_path):
    model, _ = heart
    page = visit(chooser_page(model))
    page.locator("#list button", has_text="This one").nth(1).click()
    page.fill("#who", "an auditor")
    page.fill("#why", "shorter")
    taken = take_choice(model, saved(page, tmp_path).read_text(encoding="utf-8"))
    assert str(taken.formulas[0]) == "at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})"
    assert taken.chosen == (1,)
    taken.check()
