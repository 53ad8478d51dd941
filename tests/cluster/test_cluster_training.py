"""The three training strategies on tables in parts: one crystal, whoever holds the parts."""

import os
import resource
import signal
import tempfile

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from crystalogic import LukasiewiczClassifier, LukasiewiczRegressor, equivalent, load, parse
from crystalogic.blocks import blocks
from crystalogic.blocks.blocks import encoder_of
from crystalogic.cli.app import app
from crystalogic.cluster import ClusterFiles, ClusterParts
from crystalogic.encoding import fit_encoding
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.files import open_table
from crystalogic.fitting import Request, fit
from crystalogic.fitting.targets import Target
from crystalogic.parts import FileParts, MemoryParts
from crystalogic.stages.overview import look_over
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, Task, train_task

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

SIZES = (500, 1, 399, 300)
ALL_ROWS = 10**9
ON_BATCHES = [
    StraightThrough(steps=25, batch_rows=200),
    LevenbergMarquardt(steps=12, explore=4, batch_rows=200),
]
ON_ALL_ROWS = [
    StraightThrough(steps=8, batch_rows=ALL_ROWS),
    Proximal(steps=8, batch_rows=ALL_ROWS),
    LevenbergMarquardt(steps=5, explore=2, batch_rows=ALL_ROWS),
]


RULE = parse("{flag0=1} ⊗ {flag1=1} ⊕ {age ≥ 60}")


def table():
    rng, n = np.random.default_rng(0), sum(SIZES)
    rows = pd.DataFrame({f"flag{index}": rng.integers(0, 2, n) for index in range(5)})
    rows["age"] = rng.integers(20, 80, n).astype(float)
    truth = (rows.flag0 & rows.flag1) | (rows.age >= 60)
    return rows.assign(ill=np.where(truth ^ (rng.random(n) < 0.05), "yes", "no"))


def pieces(rows):
    ends = np.cumsum(SIZES)
    return [rows.iloc[end - size : end] for size, end in zip(SIZES, ends, strict=True)]


def frame(rows):
    """A Dask dataframe with these pieces as partitions, and an empty one between them."""
    first, *others = pieces(rows)
    return dd.concat([dd.from_pandas(each, npartitions=1) for each in (first, first.iloc[:0], *others)])


def cluster_parts(rows, target="ill"):
    whole = frame(rows)
    return ClusterParts(whole.drop(columns=target), whole[target])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The pieces as files."""
    folder = tmp_path_factory.mktemp("rows")
    for number, piece in enumerate(pieces(table())):
        piece.to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


def file_parts(folder):
    return FileParts(open_table(str(folder)), "ill", Target("ill").read)


def fitted(parts, strategy, **more):
    return fit(parts, "ill", Request(strategy=strategy, **more)).model


def blocks_of(parts):
    def encode(rows, survey, weight):
        return fit_encoding(rows, weight=weight, survey=survey)

    overview = look_over(parts, degrees=False)
    return blocks.blocks_of(parts, encoder_of(parts, overview, encode, None, seed=0), overview.n_rows)


@pytest.fixture(scope="module")
def holders(cluster, folder):
    """The same rows in the same parts, encoded: files in this process, files and partitions on the workers."""
    parts = {"here": file_parts(folder), "files": ClusterFiles(file_parts(folder)), "frame": cluster_parts(table())}
    return {name: blocks_of(each) for name, each in parts.items()}


def trained(rows, strategy, callback=None):
    """All numbers of a run, but for its seconds."""
    run = train_task(None, Task(rows), strategy, restarts=4, callback=callback)
    return [run.runs, run.stop, run.n_steps, *(array.tolist() for array in vars(run.outcome).values())]


@pytest.mark.parametrize(
    "strategy", ON_BATCHES + ON_ALL_ROWS, ids=lambda each: f"{type(each).__name__}-{each.batch_rows}"
)
def test_whoever_holds_the_parts_the_bits_are_the_same(holders, strategy):
    here = trained(holders["here"], strategy)
    assert any(report.n_literals for report in here[0])
    assert trained(holders["files"], strategy) == here
    assert trained(holders["frame"], strategy) == here


def test_a_worker_that_dies_in_the_middle_changes_nothing(cluster, holders):
    strategy = LevenbergMarquardt(steps=5, explore=2, batch_rows=ALL_ROWS)
    killed = []

    def kill(progress):
        if progress.done == 3:
            worker, keys = max(cluster.has_what().items(), key=lambda each: len(each[1]))
            assert keys
            killed.append(worker)
            os.kill(cluster.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)

    there = trained(holders["frame"], strategy, kill)
    assert len(killed) == 1
    assert there == trained(holders["here"], strategy)


@pytest.mark.parametrize("strategy", [ON_BATCHES[0], ON_ALL_ROWS[2]], ids=lambda each: type(each).__name__)
def test_blocks_on_the_disk_are_the_same_blocks(monkeypatch, holders, folder, strategy):
    monkeypatch.setattr(blocks, "machine_bytes", lambda: 0)
    stored = blocks_of(file_parts(folder))
    assert all(isinstance(each, np.memmap) for each in stored.each(weights_of))
    assert trained(stored, strategy) == trained(holders["here"], strategy)


def weights_of(block):
    return block.weight


def test_a_full_disk_is_told_in_a_sentence(monkeypatch, folder):
    monkeypatch.setattr(blocks, "machine_bytes", lambda: 0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(TooLargeError) as caught:
            blocks_of(file_parts(folder))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(caught.value) == (
        f"no room in {tempfile.gettempdir()} for 0.0 GiB of encoded rows (File too large). "
        "Set TMPDIR to a folder with more room, or use a cluster."
    )


@pytest.fixture(autouse=True)
def everything_is_long(monkeypatch):
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 100)


def test_parts_do_not_change_the_sums_but_for_rounding(cluster):
    """The blocks are other ones here, so that the bits of a sum may differ, and the rule does not."""
    rows = table()
    strategy = Proximal(steps=300, batch_rows=200)
    memory = fit(MemoryParts(rows.drop(columns="ill"), rows.ill), "ill", Request(strategy=strategy)).model
    there = fitted(cluster_parts(rows), strategy)
    assert equivalent(memory.formulas[0], RULE)
    assert equivalent(there.formulas[0], RULE)


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # that is what it compares with
def test_the_classifier_trains_where_the_partitions_are(cluster):
    whole = frame(table())
    strategy = ON_BATCHES[0]
    classifier = LukasiewiczClassifier(strategy).fit(whole.drop(columns="ill"), whole["ill"])
    with dask.config.set(scheduler="synchronous"):
        local = LukasiewiczClassifier(strategy).fit(whole.drop(columns="ill"), whole["ill"])
    assert classifier.crystal_ == local.crystal_
    assert classifier.classes_.tolist() == ["no", "yes"]
    predicted = classifier.predict(whole.drop(columns="ill")).compute()
    assert (predicted == local.predict(table().drop(columns="ill"))).all()


def test_the_regressor_trains_on_truth_degrees(cluster):
    rows = table().drop(columns="ill")
    rows["ill"] = (rows.age - rows.age.min()) / (rows.age.max() - rows.age.min())
    whole = frame(rows)
    strategy = Proximal(steps=30, batch_rows=200)
    there = LukasiewiczRegressor(strategy).fit(whole.drop(columns="ill"), whole["ill"])
    here = LukasiewiczRegressor(strategy).fit(rows.drop(columns="ill"), rows["ill"])
    assert there.model_.classes is None
    assert there.front_[0].training == pytest.approx(here.front_[0].training)


def test_rows_without_weight_are_as_good_as_absent(cluster):
    """The rows that weigh nothing say the opposite; numbers of rows are counted without them."""
    rows = table()
    wrong = rows.assign(ill=np.where(rows.ill == "yes", "no", "yes"))
    weight = np.r_[np.ones(len(rows)), np.zeros(len(rows))]
    both = pd.concat([rows, wrong], ignore_index=True)
    strategy = Proximal(steps=300, batch_rows=200)
    whole = dd.from_pandas(both.assign(weight=weight), npartitions=3)
    parts = ClusterParts(whole.drop(columns=["ill", "weight"]), whole["ill"], whole["weight"])
    found = fitted(parts, strategy)
    assert equivalent(found.formulas[0], RULE)
    assert found.fronts[0][0].training == pytest.approx(0.95, abs=0.02)


def test_classes_may_weigh_differently_in_short_and_long_tables(monkeypatch):
    rows = table()
    fits = {}
    for limit in (100, 10_000):
        monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", limit)
        for weight in (None, {"yes": 50.0}):
            request = Request(strategy=Proximal(steps=300, batch_rows=200), class_weight=weight)
            model = fit(MemoryParts(rows.drop(columns="ill"), rows.ill), "ill", request).model
            fits[limit, weight is None] = model
    for limit in (100, 10_000):
        plain, heavy = (np.mean(_said_yes(fits[limit, is_plain], rows)) for is_plain in (True, False))
        assert heavy > plain


def _said_yes(model, rows):
    return model.class_index(rows, model.degrees(rows)) == 1


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_none_is_named_with_its_row(weight):
    rows = table()
    weights = np.ones(len(rows))
    weights[700] = weight
    with pytest.raises(TrainingDataError) as caught:
        fitted(MemoryParts(rows.drop(columns="ill"), rows.ill.to_numpy(), weights), "proximal")
    assert str(caught.value) == f"row 700: the weight is {weight:g}, expected a finite number that is not negative."


def test_rows_of_one_class_are_nothing_to_learn_from(cluster):
    rows = table()
    weight = (rows.ill == "yes").astype(float)
    local = MemoryParts(rows.drop(columns="ill"), rows.ill.to_numpy(), weight.to_numpy())
    whole = frame(rows.assign(weight=weight))
    spread = ClusterParts(whole.drop(columns=["ill", "weight"]), whole["ill"], whole["weight"])
    message = "^all rows that weigh something have the same target; there is nothing to learn\\.$"
    for parts in (local, spread):
        with pytest.raises(TrainingDataError, match=message):
            fitted(parts, "proximal")


def test_more_than_two_classes_and_constraints_are_refused():
    rows = table()
    three = MemoryParts(rows.drop(columns="ill"), np.arange(len(rows)) % 3)
    with pytest.raises(TrainingDataError, match="the strategy 'proximal' learns two classes, got 3"):
        fitted(three, "proximal")
    two = MemoryParts(rows.drop(columns="ill"), rows.ill.to_numpy())
    with pytest.raises(TrainingDataError, match="constraints and a first formula go with strategy='annealing'"):
        fitted(two, "proximal", forbidden=["age"])


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # that is what it compares with
def test_the_plan_tells_where_the_rows_are_kept_and_what_training_takes(monkeypatch, folder):
    plans = []

    def plan_of(parts):
        fitted(parts, ON_BATCHES[0], announce=plans.append)
        return str(plans.pop())

    text = (
        "1,200 rows × 6 columns, encoded once as 11 truth values: about 0.0 MiB {}.\n"
        "Training takes about 31 MiB beside them; its scores are those of all rows."
    )
    assert plan_of(file_parts(folder)) == text.format("of memory")
    monkeypatch.setattr(blocks, "machine_bytes", lambda: 0)
    assert plan_of(file_parts(folder)) == text.format("on the disk")
    with dask.config.set(scheduler="synchronous"):
        assert plan_of(cluster_parts(table())) == text.format("on the workers")


def test_the_command_line_trains_on_a_long_table(folder, tmp_path):
    model = tmp_path / "model.json"
    words = ["fit", str(folder), "--target", "ill", "--strategy", "proximal", "--verbose", "--output", str(model)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith(
        "plan: 1,200 rows × 6 columns, encoded once as 11 truth values: about 0.0 MiB of memory."
    )
    found = load(model)
    assert equivalent(found.formulas[0], RULE)
    assert found.record.strategy == "Proximal"
    assert found.record.n_rows == 1200
