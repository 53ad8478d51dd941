"""A column that gives the answer away is remarked upon; a good measurement is not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as sklearn_tables

import crystalogic as cl
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import Request, fit, model_of
from crystalogic.fitting.remarks import measure_others, remarks_on
from crystalogic.model import FrontRow

QUICK = Request(strategy=cl.Annealing(max_literals=1, folds=3, effort=0.2))


def remarks(frame, target="y"):
    found = fit(frame.astype({target: str}), target, QUICK).remarks
    return [SimpleNamespace(text=str(each), **each.facts) for each in found if each.kind == "GivesAway"]


def ward(n, right, others, seed=0):
    """A table with a fact that is right in so many rows, one that is less often right, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    noise = {f"lab{i}": rng.normal(size=n).round(2) for i in range(4)}
    return pd.DataFrame(
        {
            **noise,
            "sign": np.where(rng.random(n) < others, y, ~y).astype(int),
            "discharge": np.where(np.where(rng.random(n) < right, y, ~y), "ward B", "home"),
            "y": y.astype(int),
        }
    )


@pytest.mark.parametrize("n", [150, 1000])
def test_a_fact_that_is_right_in_97_percent_where_the_others_reach_68_gives_the_answer_away(n):
    """Only facts that were right in 99.5 % of the rows were remarked upon."""
    (found,) = remarks(ward(n, 0.97, 0.68))
    assert found.column == "discharge"
    assert 0.94 < found.share < 1
    assert 0.55 < found.others < 0.8
    assert f", all other columns together in about {found.others:.0%}. If discharge is only known" in found.text


def test_a_fact_that_is_right_in_every_row_gives_the_answer_away_whatever_the_others_reach():
    (found,) = remarks(ward(400, 1, 0.97))
    assert (found.column, found.share, found.others) == ("discharge", 1, None)


@pytest.mark.parametrize(("right", "others"), [(0.9, 0.68), (0.95, 0.85), (0.97, 0.95), (0.8, 0.6), (0.93, 0.75)])
def test_a_good_test_among_other_columns_that_tell_something_is_no_giveaway(right, others):
    assert not remarks(ward(600, right, others))


def _own_tables():
    for name in cl.datasets.NAMES:
        table = cl.datasets.load(name)
        yield name, table.frame(), table.labels
    for name in ("wine", "breast_cancer"):
        table = getattr(sklearn_tables, f"load_{name}")(as_frame=True)
        yield name, table.data, table.target.to_numpy() == 1


@pytest.mark.parametrize("table", list(_own_tables()), ids=lambda each: each[0])
def test_the_best_fact_of_a_known_table_gives_nothing_away(table):
    frame, y = table[1], np.asarray(table[2])
    encoding = fit_encoding(frame, numbers="cuts")
    truths = encoding.transform(frame) >= 0.5
    right = (truths == y[:, None]).mean(axis=0)
    best = max(encoding.names, key=lambda name: abs(right[encoding.names.index(name)] - 0.5))
    score = right[encoding.names.index(best)]
    formula = cl.parse(f"{{{best}}}" if score >= 0.5 else f"¬{{{best}}}")
    model = model_of([formula], encoding, "y", ("0", "1"))
    row = FrontRow(1, 1, max(score, 1 - score), None, None, formula)
    judged = replace(model, fronts=((row,),), chosen=(0,))
    assert not [
        each for each in remarks_on(judged, frame, y.astype(int), is_balanced=False) if each.kind == "GivesAway"
    ]


def test_what_the_other_columns_tell_is_measured_on_rows_that_were_not_seen():
    rng = np.random.default_rng(0)
    noise = {f"x{i}": rng.normal(size=120) for i in range(30)}
    size = [None if i % 9 == 0 else level for i, level in enumerate(["small", "medium", "large"] * 40)]
    y = np.array([level == "large" for level in size])
    encoding = fit_encoding({**noise, "size": size}, {"size": ["small", "medium", "large"]})
    rows = {**noise, "size": size}
    assert measure_others(encoding, rows, y, "size") < 0.75
    assert measure_others(encoding, rows, y, "x0") == 1
    assert measure_others(encoding, rows, np.arange(120) < 3, "x0") is None
    alone = fit_encoding({"x": [1, 2] * 60})
    assert measure_others(alone, {"x": [1, 2] * 60}, y, "x") == 1 - y.mean()


def test_the_cut_of_a_ladder_that_gives_the_answer_away_is_named():
    """A ladder was called a column, and was measured together with what it is made of."""
    for seed in range(11, 17):
        random = np.random.default_rng(seed)
        level = random.normal(0, 2, 300).round(2)
        frame = pd.DataFrame({"m": level, "k": random.integers(0, 4, 300)})
        found = fit(frame.assign(y=(level + random.normal(0, 0.15, 300) > 1).astype(str)), "y", Request()).remarks
        (told,) = [each.facts for each in found if each.kind == "GivesAway"]
        assert told["column"] == "m"
        assert abs(float(told["fact"].removeprefix("m is at least ")) - 1) < 0.3
        assert told["others"] is None or told["others"] < 0.9


def test_values_that_differ_in_case_alone_are_remarked_upon():
    frame = pd.DataFrame({"city": ["Bonn", "BONN", "Köln"] * 20, "y": ["yes", "No", "no"] * 20})
    told = [str(each) for each in fit(frame, "y", Request()).remarks if each.kind == "IsSpelled"]
    assert told == [
        "y has No and no as different values. If they mean the same, write them alike.",
        "city has BONN and Bonn as different values. If they mean the same, write them alike.",
    ]
