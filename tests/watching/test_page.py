"""The page of what changed: everything escaped, nothing loaded, and it fits a phone."""

import re

import pytest

import crystalogic as cl
from crystalogic.watching.watch import watch_page

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def changed(about, customers):
    """A model and rows in which most things changed, with hostile names."""
    before = customers(800, 0).rename(columns={"plan": HOSTILE})
    model = about(before, f"at least 2 of ({{tenure ≥ 20}}, {{{HOSTILE}=basic}}, {{zip=007}})")
    rows = customers(300, 1).rename(columns={"plan": HOSTILE})
    rows["tenure"] *= 30
    rows.loc[:60, HOSTILE] = "</td><script>alert(2)</script>"
    rows["zip"] = rows["zip"].str.lstrip("0")
    return model, cl.watch(model, rows)


def test_everything_is_escaped_and_every_finding_is_there(changed):
    model, found = changed
    page = watch_page(model, found, "<b>april</b>.csv", "2026-01-01")
    assert "<img" not in page
    assert "<script" not in page
    assert "<b>april" not in page
    assert page.count('<article class="card finding">') == len(found.findings)
    assert "Written on 2026-01-01" in page
    assert not re.search(r' (?:style|on\w+)="', page)


def test_a_table_without_findings_says_so(model, rows):
    page = watch_page(model, cl.watch(model, rows))
    assert '<h2 id="look">Nothing to see</h2>' in page
    assert "<article" not in page


def test_columns_that_are_gone_or_empty_have_a_page(model, rows):
    for table in (rows.drop(columns="tenure"), rows.assign(tenure=None, plan="x"), rows[:1]):
        found = cl.watch(model, table)
        assert watch_page(model, found).count("<article") == len(found.findings)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_draws_what_changed(visit, changed, scheme):
    model, found = changed
    page = visit(watch_page(model, found), viewport={"width": 390, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("article").count() == len(found.findings)
    box = page.locator("polygon.seen").first.bounding_box()
    assert box["width"] > 200
    assert box["height"] > 30
    widths = page.locator("rect.seen").evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert max(widths) > 40
    colours = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    assert (sum(map(int, re.findall(r"\d+", colours[0])[:3])) > 380) == (scheme == "dark")
