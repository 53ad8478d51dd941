"""The counts that a model keeps of its training rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError
from crystalogic.fitting import Request, fit
from crystalogic.learner.settings import Likelihood
from crystalogic.model import Model
from crystalogic.model.profile import Profile, profile_column, profile_of, read_profile
from crystalogic.parts import MemoryParts
from depth import deep


def test_a_profile_counts_columns_facts_scores_and_classes(model, customers):
    rows, found = customers(1000, 0), model.profile
    assert found.n_rows == found.n_judged == 1000
    assert found.by_name["plan"].levels == rows["plan"].value_counts().to_dict()
    assert found.facts == {
        "tenure ≥ 20": (rows["tenure"] >= 20).sum(),
        "plan=basic": (rows["plan"] == "basic").sum(),
        "zip=007": (rows["zip"] == "007").sum(),
    }
    points = (rows["tenure"] >= 20).astype(int) + (rows["plan"] == "basic") + (rows["zip"] == "007")
    assert list(found.scores) == np.bincount(points).tolist()
    assert found.decided == (int((points < 2).sum()), int((points >= 2).sum()))
    assert found.n_right == int(((points >= 2) == (rows["left"] == "yes")).sum())
    assert "bill" not in found.facts


@settings(max_examples=deep(60), deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-50, 50), st.floats(-1e6, 1e6)), min_size=1, max_size=80))
def test_cells_of_a_column_hold_every_number_once(numbers):
    column = profile_column(Values("x", numbers))
    present = [number for number in numbers if number is not None]
    assert (column.n_present, sum(column.counts)) == (len(present), len(present))
    for edge, share in zip(column.edges, column.shares, strict=True):
        assert round(share * len(present)) == sum(number <= edge for number in present)
    assert not present or (column.edges[0], column.edges[-1]) == (min(present), max(present))


def test_a_file_keeps_the_profile_and_files_without_one_load(model, tmp_path):
    model.save(tmp_path / "model.json")
    assert cl.load(tmp_path / "model.json").profile == model.profile
    without = replace(model, profile=None)
    without.save(tmp_path / "old.json")
    assert '"profile"' not in (tmp_path / "old.json").read_text(encoding="utf-8")
    assert cl.load(tmp_path / "old.json").profile is None


def test_another_formula_keeps_what_is_known_of_columns_and_facts(model):
    other = model.with_formulas([cl.parse("{tenure ≥ 20} ⊕ {plan=basic}")])
    assert other.profile == model.profile.without_decisions()
    assert other.profile.columns == model.profile.columns


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, r"the profile has the version 2; this library reads 1\."),
        ({"n_rows": "1"}, r"the profile, n_rows is '1', expected a whole number\."),
        ({"columns": 3}, "the profile, columns is 3, expected a list"),
        ({"facts": {"a": "b"}}, "the profile, facts, a is 'b', expected a whole number"),
        ({"told": ["x"]}, "expected a number"),
    ],
)
def test_a_broken_profile_is_refused(model, change, message):
    with pytest.raises(DocumentError, match=message):
        read_profile({**model.profile.content(), **change}, "the profile")


def test_more_values_than_rows_are_refused(model):
    body = model.profile.content()
    body["columns"][2]["levels"]["basic"] = 1000
    with pytest.raises(DocumentError, match="a count for each, and counts of rows"):
        read_profile(body, "the profile")


def test_edges_that_do_not_ascend_are_refused(model):
    body = model.profile.content()
    body["columns"][0]["edges"] = list(reversed(body["columns"][0]["edges"]))
    with pytest.raises(DocumentError, match="the profile of 'tenure' needs edges that ascend"):
        read_profile(body, "the profile")


@pytest.mark.parametrize(
    "change",
    [
        {"facts": {"nobody": 1}},
        {"scores": (-1,)},
        {"facts": {"plan=basic": 1001}},
        {"n_judged": 1001},
        {"decided": (1, 2, 3)},
        {"confusion": ((1,), (2,))},
    ],
)
def test_a_profile_of_another_model_is_refused(model, change):
    text = replace(model, profile=replace(model.profile, **change)).to_json()
    with pytest.raises(DocumentError, match="a profile that does not fit it"):
        Model.from_json(text)


def test_a_fit_keeps_a_profile_and_a_long_table_that_of_its_sample(monkeypatch):
    for name, value in {"FEWEST": 512, "MOST": 1024, "LEAST": 200}.items():
        monkeypatch.setattr(f"crystalogic.stages.{name}", value)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.integers(0, 2, 6000), "b": rng.integers(0, 90, 6000)})
    y = np.where((rows["b"] > 80) & (rows["a"] == 1), "rare", "usual")
    short = fit(MemoryParts(rows[:900], y[:900]), "y", Request(Likelihood(max_literals=3))).model
    assert short.profile == profile_of(short, rows[:900], y[:900])
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 1000)
    long = fit(MemoryParts(rows, y), "y", Request(Likelihood(max_literals=3))).model
    assert 100 < long.profile.n_rows < 2000
    share = long.profile.by_name["y"].share_of("rare")  # which the sample has far more of
    assert share == pytest.approx((y == "rare").mean(), abs=0.01)
    assert long.profile.by_name["b"].quantile(0.5) == pytest.approx(rows["b"].median(), abs=4)


def test_a_rule_that_reads_nothing_has_a_profile(about, customers):
    found = about(customers(50, 3), "1").profile
    assert (found.n_judged, found.decided, found.facts) == (50, (0, 50), {})
    assert isinstance(found, Profile)
