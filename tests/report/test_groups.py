"""Groups and the model card on the page: rates as figures and bars, gaps, names of any kind, what is to fill in."""

import re
from html import unescape

import pandas as pd

from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.intervals import Rates
from crystalogic.logic.parse import parse
from crystalogic.model import Group, HeldOut
from crystalogic.report import Table, report_page


def rule():
    columns = [Column("a", "code", (Is("a", "1"),), ("0", "1"))]
    model = model_of([parse("{a=1}")], Encoding(columns), "ill", ("no", "yes"))
    groups = Group("sex", "<f>", Rates.of(60, 20, 10, 30)), Group("sex", None, Rates.of(5, 1, 2, 2))
    return model.with_facts(protected=("sex",), held_out=HeldOut(0.75, 0.02, 5, groups))


def words_of(page):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.partition("<main")[2])).split())


def test_groups_held_out_in_training_are_shown_without_a_table():
    page = report_page(rule(), seconds=0)
    words = words_of(page)
    assert '<li><a href="#groups">Groups</a></li>' in page
    assert "By sex, which the rule does not read, on rows held out in training sex rows selected" in words
    assert "<f> 120 42 % (34–50) 25 % (17–34) 25 % (14–39) 60 % (47–72)" in words
    assert "missing 10 too few: 3 of 10 too few: 1 of 6 too few: 2 of 4 too few: 2 of 3" in words
    assert "<f>" not in page


def test_a_bar_is_where_its_rate_is():
    """Of 80 rows of the other class 20 are false alarms: the mark is at 25 %, its interval from 17.2 to 34.2 %."""
    page = report_page(rule(), seconds=0)
    assert '<rect class="fill" x="17.23" width="16.99" y="2" height="4"/><rect class="threshold" x="24.40"' in page


def test_groups_of_a_table_have_gaps_and_pairs():
    a = [0] * 60 + [1] * 60
    rows = pd.DataFrame({"a": a * 2, "g": ["<u>"] * 120 + ["v"] * 120, "h": ["x", "y"] * 120})
    labels = (["no"] * 45 + ["yes"] * 75) + (["no"] * 75 + ["yes"] * 45)
    table = Table(rows, labels, "new.csv", is_training=False)
    page = report_page(rule(), table, seconds=0, by=["g", "h"])
    words = words_of(page)
    assert "By g, on these rows g rows selected false alarms missed precision <u> 120" in words
    assert "By g × h, on these rows" in words
    assert "false alarms 20 (10 to 29), v over <u>" in words  # 15 of 75 against 0 of 45
    assert "<u>" not in page


def test_the_card_is_on_the_page_and_can_be_filled_in():
    words = words_of(report_page(rule(), seconds=0))
    assert "Model card Model details A rule for ill with 1 literal over 1 column." in words
    assert "Intended use To be filled in: which decision it supports, who uses it, and on whom." in words


def test_a_page_without_groups_has_no_such_part():
    assert 'id="groups"' not in report_page(rule().with_facts(protected=(), held_out=None), seconds=0)
