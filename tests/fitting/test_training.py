"""Networks are trained on tables that are read whole: in memory, from files, or brought from a cluster."""

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.cluster import cluster_parts
from crystalogic.errors import TrainingDataError
from crystalogic.files import open_table
from crystalogic.fitting import Request, fit, identity_of
from crystalogic.parts import MemoryParts
from crystalogic.train import Proximal, StraightThrough

RULE = cl.parse("{flag0=1} ⊗ {flag1=1} ⊕ {age ≥ 59}")
QUICK = Proximal(steps=300, batch_rows=200)
N = 1200


def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({f"flag{index}": rng.integers(0, 2, N) for index in range(5)})
    rows["age"] = rng.integers(20, 80, N).astype(float)
    truth = (rows.flag0 & rows.flag1) | (rows.age >= 59)
    return rows.assign(ill=np.where(truth ^ (rng.random(N) < 0.05), "yes", "no"))


def fitted(rows, strategy=QUICK, weight=None, **asked):
    parts = MemoryParts(rows.drop(columns="ill"), rows.ill.to_numpy(), weight)
    return fit(parts, "ill", Request(strategy, **asked)).model


@pytest.fixture
def little_is_searched_whole(monkeypatch):
    """Tables of more than a hundred rows are searched in parts; networks are trained on whole tables all the same."""
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 100)


def test_memory_files_and_a_cluster_give_one_rule(little_is_searched_whole, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    rows = table()
    here = fitted(rows)
    assert cl.equivalent(here.formulas[0], RULE)
    assert (here.record.strategy, here.record.n_rows) == ("Proximal", N)
    assert here.record.data == identity_of(here, rows.drop(columns="ill"), rows.ill)
    for number, piece in enumerate((rows[:500], rows[500:])):
        piece.to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    files = fit(open_table(str(tmp_path)), "ill", Request(QUICK)).model
    frame = dd.from_pandas(rows, npartitions=3)
    there = fit(cluster_parts(frame.drop(columns="ill"), frame["ill"]), "ill", Request(QUICK)).model
    assert here.crystal == files.crystal == there.crystal


def test_a_longer_table_is_refused(monkeypatch):
    monkeypatch.setattr("crystalogic.fitting.pipeline.MOST_TRAINED", 1000)
    with pytest.raises(TrainingDataError) as refused:
        fitted(table(), "proximal")
    assert str(refused.value) == (
        "the strategy 'proximal' reads a table whole, and at most 1,000 rows. "
        "Leave it out: the default learns from tables of any length."
    )


def test_degrees_are_trained():
    rows = table().drop(columns="ill")
    degree = (rows.age - rows.age.min()) / (rows.age.max() - rows.age.min())
    rule = cl.LukasiewiczRegressor(Proximal(steps=30, batch_rows=200)).fit(rows, degree)
    assert rule.model_.classes is None
    assert rule.front_[0].training > 0.5


def test_rows_without_weight_are_as_good_as_absent():
    """The rows that weigh nothing say the opposite."""
    rows = table()
    wrong = rows.assign(ill=np.where(rows.ill == "yes", "no", "yes"))
    both = pd.concat([rows, wrong], ignore_index=True)
    found = fitted(both, weight=np.r_[np.ones(N), np.zeros(N)])
    assert cl.equivalent(found.formulas[0], RULE)
    assert found.fronts[0][0].training == pytest.approx(0.95, abs=0.02)


def test_classes_may_weigh_differently():
    rows = table()
    plain, heavy = (fitted(rows, class_weight=weight) for weight in (None, {"yes": 50.0}))
    assert (heavy.predict(rows) == "yes").mean() > (plain.predict(rows) == "yes").mean()


def test_constraints_are_refused():
    with pytest.raises(TrainingDataError, match="constraints and a first formula go with strategy='annealing'"):
        fitted(table(), StraightThrough(), forbidden=["age"])


def test_one_class_is_nothing_to_learn_from():
    rows = table()
    with pytest.raises(TrainingDataError, match="there is one class, and nothing to learn"):
        fitted(rows, weight=(rows.ill == "yes").to_numpy(float))
