"""The page in a browser: every number that it shows is the library's, and nothing leaves it."""

import json
from functools import cache

import pytest

import export_cases
from calculator import SET_ROWS, random_rows
from crystalogic.encoding import Cut, Degree, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.report import Table, report_page
from crystalogic.report.controls import controls
from crystalogic.words.explanations import row_points, worth_words
from crystalogic.words.literals import value_words as shown

MODELS = {**export_cases.MODELS, "hostile": export_cases.hostile}


@cache
def model_named(name):
    return MODELS[name]()


@cache
def page_named(name):
    return report_page(model_named(name), seconds=0)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("constant")])
def test_the_calculator_shows_the_degrees_of_the_library(visit, name):
    model, page = model_named(name), visit(page_named(name))
    rows = random_rows(model, 60)
    found = page.evaluate(SET_ROWS, [cells for _, cells in rows])
    table = {column: [row[column] for row, _ in rows] for column in model.columns}
    degrees, decisions = model.degrees(table), model.predict(table).tolist()
    assert [[float(text) for text in each["degrees"]] for each in found] == degrees.tolist()
    if model.classes is None:
        assert [float(each["decision"]) for each in found] == decisions
    else:
        assert [each["decision"] for each in found] == list(map(str, decisions))


def points_model():
    """A rule with points over facts, a group of values and a neuron; and the same with a degree."""
    columns = (
        Column("age", "number", (Degree("age", 20.0, 80.0), Cut("age", 40.0), Cut("age", 55.0))),
        Column("cp", "code", (Is("cp", "3"), Is("cp", "4")), ("1", "2", "3", "4"), True),
        Column("sex", "category", (Is("sex", "m"),), ("f", "m")),
    )
    return {
        name: model_of([parse(text)], Encoding(columns), "ill", ("no", "yes"))
        for name, text in {
            "facts": "at least 5 of (2·{age ≥ 40}, 3·({cp=3} ⊕ {cp=4}), 2·({sex=m} ⊕ {age ≥ 55}), ¬{cp=4})",
            "degrees": "at least 4 of (3·age, 2·¬{cp=4}, {sex=m})",
        }.items()
    }


@pytest.mark.parametrize("name", ["facts", "degrees"])
def test_the_calculator_adds_up_points(visit, name):
    model = points_model()[name]
    page = visit(report_page(model, seconds=0))
    for row, cells in random_rows(model, 25):
        (found,) = page.evaluate(SET_ROWS, [cells])
        explained = model.explain(row)
        score = row_points(explained)[0]
        assert found["decision"] == explained.decision
        assert f"{found['texts'][0]}, {page.inner_text('#reason')}" == str(score)
        badges = page.eval_on_selector_all("output[data-points]", "all => all.map((each) => each.textContent)")
        assert badges == [worth_words(line, score.degrees) for line in score.lines]


def test_steps_add_up_to_the_degree_that_is_shown(visit):
    model, page = model_named("heart"), visit(page_named("heart"))
    (row, cells), *_ = random_rows(model, 1)
    page.evaluate(SET_ROWS, [cells])
    trace = model.explain(row).traces[0]
    of_library = {str(step.formula): float(step.degree) for step in trace.steps}
    of_page = page.eval_on_selector_all("output[data-part]", "all => all.map((each) => Number(each.dataset.degree))")
    assert len(of_page) > 25
    assert of_page[0] == pytest.approx(of_library[str(model.formulas[0])], abs=1e-12)
    assert all(any(abs(each - degree) < 1e-12 for degree in of_library.values()) for each in of_page)


def test_a_slider_moves_the_number_and_the_number_the_slider(visit):
    page = visit(page_named("heart"))
    page.focus("#c0")
    before = page.input_value("#c0-number")
    page.keyboard.press("ArrowRight")
    assert float(page.input_value("#c0-number")) == float(before) + 1
    page.keyboard.press("End")
    assert page.input_value("#c0-number") == "77"
    page.fill("#c0-number", "31.5")
    assert page.input_value("#c0") in ("31", "32")
    assert float(page.get_attribute("[data-part=f1]", "data-degree")) == (31.5 - 29) / (77 - 29)


def test_of_equal_degrees_the_page_says_which_class_comes_first(visit):
    page = visit(page_named("three_classes"))
    page.fill("#c1-number", "29")
    page.fill("#c0-number", "7")
    assert page.inner_text("#decision") == "stage is severe"
    said = "several degrees are equally large; then the first of severe, none, mild"
    assert page.inner_text("#reason") == said


def test_a_value_that_must_be_there_and_is_not_gets_no_decision(visit):
    page = visit(page_named("heart"))
    page.fill("#c0-number", "")
    assert page.inner_text("#decision") == "No decision"
    assert page.inner_text("#reason") == "Enter a number for age."
    assert page.inner_text("#degree-0") == ""
    page.fill("#c0-number", "60")
    assert page.inner_text("#decision").startswith("disease is ")


@pytest.mark.parametrize("name", ["heart", "three_classes"])
def test_a_change_that_the_page_suggests_changes_the_decision_of_the_library(visit, name):
    model, page = model_named(name), visit(page_named(name))
    n_found = 0
    for row, cells in random_rows(model, 6):
        page.evaluate(SET_ROWS, [cells])
        page.wait_for_selector("#change[data-state=done]")
        changes = json.loads(page.get_attribute("#change", "data-changes") or "[]")
        n_found += bool(changes)
        assert not changes or model.explain(row).decision != model.explain({**row, **dict(changes)}).decision
        assert len(changes) <= 2
    assert n_found >= 3


def test_what_cannot_change_is_not_changed(visit):
    page = visit(page_named("three_classes"))
    page.wait_for_selector("#change[data-state=done]")
    (column, _), *_ = json.loads(page.get_attribute("#change", "data-changes"))
    index = [control.column for control in controls(model_named("three_classes"), {})].index(column)
    page.check(f"#c{index}-keep")
    page.wait_for_selector("#change[data-state=done]")
    assert column not in dict(json.loads(page.get_attribute("#change", "data-changes") or "[]"))


def test_a_value_that_no_training_row_had_is_not_a_missing_one(visit):
    model = model_named("three_classes")
    rows = {"age": [40.0], "oldpeak": [3.0], "ratio": [0.5], "sex": ["unheard of"]}
    page = visit(report_page(model, Table(rows), seconds=0))
    page.click("[data-load='0']")
    assert page.eval_on_selector("#c3", "e => e.selectedOptions[0].textContent") == "unheard of (in no training row)"
    assert page.get_attribute("#decision", "data-decision") == model.predict(rows)[0]


def test_the_keyboard_alone_suffices(visit):
    page = visit(page_named("heart"))
    reached, shown_focus = [], []
    for _ in range(200):
        page.keyboard.press("Tab")
        tag, key, outline = page.evaluate(
            """() => {
              const e = document.activeElement, key = e.id || e.dataset.copy || e.getAttribute("href") || "";
              return [e.tagName, key, getComputedStyle(e).outlineStyle];
            }"""
        )
        if tag == "BODY":
            break
        reached.append(key)
        shown_focus.append(outline != "none")
        if key == "c0":
            page.keyboard.press("End")
        if key == "c3":  # cp, a choice
            page.keyboard.press("ArrowDown")
        if key == "c2-missing":
            page.keyboard.press("Space")
        if tag == "SUMMARY":
            page.keyboard.press("Enter")
    wanted = page.eval_on_selector_all("#controls input, #controls select", "all => all.map((each) => each.id)")
    assert set(wanted) <= set(reached)
    assert {"#main", "#rule", "#calculator", "sql-text", "latex-text"} <= set(reached)
    assert all(shown_focus)
    assert page.input_value("#c0-number") == "77"
    assert page.eval_on_selector("#c3", "each => each.selectedOptions[0].textContent") == "2"
    assert page.is_checked("#c2-missing")


def test_copy_puts_the_text_on_the_clipboard(visit):
    page = visit(page_named("heart"), permissions=["clipboard-read", "clipboard-write"])
    page.click("summary:has-text('SQL')")
    page.click("text=Copy SQL")
    page.wait_for_selector("text=Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.text_content("#sql-text")


def test_without_scripts_the_rule_is_there_and_the_calculator_says_why_it_is_not(visit):
    page = visit(page_named("heart"), java_script_enabled=False)
    assert page.is_visible("text=age is at least 55")
    assert page.is_visible("#no-script")
    assert not page.is_visible("#controls")
    assert not page.is_visible("button")


def test_names_that_try_to_be_scripts_are_shown_as_they_are(visit):
    page = visit(page_named("hostile"))
    assert page.text_content("h1") == export_cases.HOSTILE[0]
    assert page.inner_text("label[for=c2]").strip() == "<script>alert(1)</script>"
    assert page.locator("script").count() == 2
    assert "DROP TABLE" in page.text_content("#sql-text")


def test_a_script_that_gets_into_the_page_is_not_run(chromium, tmp_path):
    path = tmp_path / "report.html"
    intruders = '<script>window.hacked = 1</script><img src="x" onerror="window.hacked = 2"><p style="color:red">x</p>'
    path.write_text(page_named("heart").replace("</main>", f"{intruders}</main>"), encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.evaluate("window.hacked") is None
    assert page.inner_text("#decision").startswith("disease is ")  # its own script is
    assert page.evaluate("getComputedStyle(document.querySelector('[style]')).color") != "rgb(255, 0, 0)"
    context.close()


CONTRASTS = """
() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = rgb.slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const rgb = parse(getComputedStyle(e).backgroundColor);
      if (rgb.length === 3 || rgb[3] > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("svg")) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push([element.textContent.slice(0, 40), ratio]);
  }
  return low;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(visit, scheme):
    page = visit(page_named("heart"), color_scheme=scheme)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert dark == (scheme == "dark")
    assert page.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("name", ["heart", "three_classes", "deep", "hostile"])
def test_a_phone_needs_no_sideways_scrolling(visit, name):
    page = visit(page_named(name), viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1180])
def test_the_result_stays_in_sight_of_the_last_control(visit, width):
    page = visit(page_named("heart"), viewport={"width": width, "height": 844})
    page.locator("#controls .control").last.scroll_into_view_if_needed()
    top, bottom = page.eval_on_selector(
        "#decision", "e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]"
    )
    assert 0 <= top < bottom <= 844


def test_paper_shows_the_report_and_no_controls(visit):
    page = visit(page_named("heart"))
    page.emulate_media(media="print")
    assert page.is_visible("text=Sign-off")
    assert page.is_visible("h2:has-text('What was proved')")
    assert not page.is_visible("#controls")
    assert not page.is_visible("nav")
    assert not page.is_visible("button")


def test_a_row_of_the_table_can_be_put_into_the_calculator(visit, heart_page):
    model, evidence, text = heart_page
    page = visit(text)
    for index, example in enumerate(evidence.examples()):
        page.click(f"[data-load='{index}']")
        assert page.get_attribute("#decision", "data-decision") == str(example.explanation.decision)
        assert float(page.get_attribute("#degree-0", "data-degree")) == float(example.explanation.degrees[0])
        values = page.eval_on_selector_all(
            "#controls select", "all => all.map((e) => e.selectedOptions[0].textContent)"
        )
        assert values == [shown(example.explanation.row[name]) for name in model.columns]
