"""What a rule does to groups: rates and gaps against counts by hand, pairs of columns, few rows, several classes."""

import json
from math import sqrt

import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import EncodingError
from crystalogic.evaluation.judging import Gap
from crystalogic.fitting import model_of
from crystalogic.intervals import Rates, Share, binomial_interval, difference_interval
from crystalogic.logic.parse import parse


def checklist():
    """Ill, if a and b are both 1."""
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "ab"]
    return model_of([parse("at least 2 of ({a=1}, {b=1})")], Encoding(columns), "ill", ("no", "yes"))


def table(**counts):
    """Rows of groups, each given by its rows that are well and left alone, well and alarmed, ill and missed, found."""
    kinds = [("no", 0), ("no", 1), ("yes", 0), ("yes", 1)]
    pairs = [(group, kind, n) for group, each in counts.items() for kind, n in zip(kinds, each, strict=True)]
    rows = [(group, *kind) for group, kind, n in pairs for _ in range(n)]
    return pd.DataFrame([(group, ill, fact, fact) for group, ill, fact in rows], columns=["group", "ill", "a", "b"])


BOTH = table(f=(60, 20, 10, 30), m=(40, 40, 12, 28))


def test_rates_of_groups_are_counts_of_their_rows():
    by = cl.evaluate(checklist(), BOTH, by="group").by
    assert [(value, figures.rates) for value, figures in by.groups] == [
        ("f", Rates(Share(50, 120), Share(20, 80), Share(10, 40), Share(30, 50))),
        ("m", Rates(Share(68, 120), Share(40, 80), Share(12, 40), Share(28, 68))),
    ]
    assert Rates.of(60, 20, 10, 30).counts == (60, 20, 10, 30)


def test_gaps_are_those_of_the_groups_furthest_apart():
    by = cl.evaluate(checklist(), BOTH, by="group", level=0.95).by
    low, high = difference_interval(Share(40, 80), Share(20, 80), 0.95)
    assert by.gaps[1] == Gap("false_alarms", "m", "f", 0.25, low, high)
    assert [(gap.rate, gap.most, gap.least) for gap in by.gaps] == [
        ("selected", "m", "f"),
        ("false_alarms", "m", "f"),
        ("missed", "m", "f"),
        ("precision", "f", "m"),
    ]


def test_a_difference_has_the_ends_of_newcombe_with_exact_shares():
    (low, high), (least, most) = binomial_interval(40, 80, 0.9), binomial_interval(20, 80, 0.9)
    expected = 0.25 - sqrt((0.5 - low) ** 2 + (most - 0.25) ** 2), 0.25 + sqrt((high - 0.5) ** 2 + (0.25 - least) ** 2)
    assert difference_interval(Share(40, 80), Share(20, 80)) == pytest.approx(expected)


def test_the_intervals_of_three_groups_are_wider_because_three_pairs_hold_at_once():
    three = pd.concat([BOTH, table(x=(50, 30, 11, 29))])
    gap = cl.evaluate(checklist(), three, by="group").by.gaps[1]
    assert (gap.low, gap.high) == difference_interval(Share(40, 80), Share(20, 80), 1 - 0.1 / 3)


PAGE = """\
Judged that ill is yes, by group
  group  rows      selected  false alarms        missed     precision
  f       120  42 % (34–50)  25 % (17–34)  25 % (14–39)  60 % (47–72)
  m       120  57 % (49–64)  50 % (40–60)  30 % (18–44)  41 % (31–52)

The largest gaps between groups by group; the intervals of all pairs hold at once
  rate          most  least  gap in points
  selected         m      f   15 (4 to 26)
  false alarms     m      f  25 (12 to 37)
  missed           m      f  5 (-13 to 23)
  precision        f      m   19 (2 to 34)"""


def test_the_page_tells_rates_and_gaps():
    page = str(cl.evaluate(checklist(), BOTH, by="group"))
    assert page[page.index("Judged that") :] == PAGE


def test_a_rate_with_few_rows_is_not_judged():
    """29 rows are too few and 30 are enough; the rate of a group with few rows makes no gap."""
    rows = table(f=(30, 0, 1, 28), m=(0, 30, 15, 15))
    found = cl.evaluate(checklist(), rows, by="group")
    assert [gap.rate for gap in found.by.gaps] == ["selected", "false_alarms"]
    page = str(found)
    assert "too few: 1 of 29" in page
    assert "Too few: fewer than 30 rows to judge a rate by." in page
    assert "No two groups have enough rows to compare: missed, precision." in page


def test_several_columns_are_judged_each_and_in_pairs():
    rows = BOTH.assign(age=[20 + place % 40 for place in range(len(BOTH))], side=["left", None] * 120)
    found = cl.evaluate(checklist(), rows, by=["group", "side", "age"])
    names = [found.by.column, *(each.column for each in found.also_by)]
    assert names == ["group", "side", "age", "group × side", "group × age", "side × age"]
    pairs = {value: figures.accuracy.n for value, figures in found.also_by[2].groups}
    assert pairs == {"f × left": 60, "f × missing": 60, "m × left": 60, "m × missing": 60}
    assert [value for value, _ in found.also_by[3].groups][:2] == ["f × 20 to 29", "f × 30 to 39"]
    assert cl.evaluate(checklist(), rows, by=("group",)).by == found.by


def test_plain_data_have_rates_and_gaps():
    content = json.loads(json.dumps(cl.evaluate(checklist(), BOTH, by=["group", "a"]).content()))
    assert content["by"]["groups"][0][1]["rates"]["false_alarms"]["yes"] == 20
    assert content["by"]["gaps"][0]["rate"] == "selected"
    assert [each["column"] for each in content["also_by"]] == ["a", "group × a"]


def test_more_classes_have_accuracy_by_group_and_say_so():
    rows = pd.DataFrame({"x": ["a", "b", "c"] * 20, "y": ["p", "q", "r"] * 20, "g": ["u", "v"] * 30})
    model = cl.LukasiewiczClassifier().fit(rows[["x"]], rows["y"]).model_
    assert str(cl.evaluate(model, rows, by="g")).splitlines()[-1] == (
        "Rates of groups and their gaps are told of two classes; here are more."
    )


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(EncodingError, match="the rows have no column 'sex'"):
        cl.evaluate(checklist(), BOTH, by=["group", "sex"])
