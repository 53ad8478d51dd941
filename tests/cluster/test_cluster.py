"""A small cluster: the same rule as on one machine, also when a worker dies, and one sentence for what goes wrong."""

import os
import signal
import threading
import time
from functools import cache

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.cluster import cluster_files, cluster_parts, connect, is_cluster_frame
from crystalogic.errors import ClusterError, CrystalogicError
from crystalogic.files import open_table
from crystalogic.fitting import Request, fit
from crystalogic.fitting.targets import Target
from crystalogic.learner.settings import Likelihood
from crystalogic.model import JudgedBy
from crystalogic.parts import FileParts, MemoryParts
from crystalogic.search import Annealing

dd = pytest.importorskip("dask.dataframe")
N = 9000
LIGHT = Likelihood(max_literals=6)
RULE = "{a=1} ⊗ ¬{b=1} ⊕ {c=1} ⊗ {color=red}"


@pytest.fixture(autouse=True)
def _small_stages(monkeypatch):
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 5000)
    monkeypatch.setattr("crystalogic.stages.FEWEST", 1024)
    monkeypatch.setattr("crystalogic.stages.MOST", 4096)


def table(seed=0):
    generator = np.random.default_rng(seed)
    rows = pd.DataFrame(generator.integers(0, 2, (N, 8)), columns=list("abcdefgh"))
    rows["weight"] = generator.normal(70, 10, N).round(1)
    rows["color"] = generator.choice(["red", "green", "blue"], N)
    truth = ((rows.a == 1) & (rows.b == 0)) | ((rows.c == 1) & (rows.color == "red"))
    rows["sick"] = np.where(truth ^ (generator.random(N) < 0.05), "yes", "no")
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The table in seven files, one of them empty."""
    path = tmp_path_factory.mktemp("rows")
    rows = table()
    for number, first in enumerate(range(0, N, 1500)):
        rows.iloc[first : first + 1500].to_parquet(path / f"part-{number}.parquet", index=False)
    rows.iloc[:0].to_parquet(path / "part-6.parquet", index=False)
    return path


@cache
def alone(folder):
    source = open_table(str(folder))
    return fit(FileParts(source, "sick", Target("sick").read), "sick", Request(LIGHT)).model


def test_a_cluster_learns_the_rule_of_one_machine(folder, cluster):
    one = alone(folder)
    scope = cl.Domain(boolean=one.formulas[0].variables)
    assert cl.equivalent(one.formulas[0], cl.parse(RULE), scope)
    frame = dd.read_parquet(folder)
    learner = cl.LukasiewiczClassifier(LIGHT).fit(frame.drop(columns="sick"), frame["sick"])
    assert learner.crystal_ == one.crystal
    assert learner.model_.fronts == one.fronts
    assert learner.classes_.tolist() == ["no", "yes"]
    assert learner.feature_names_in_.tolist() == [name for name in table().columns if name != "sick"]
    predicted = learner.predict(frame.drop(columns="sick"))
    assert is_cluster_frame(predicted)
    assert (predicted.compute().to_numpy() == one.predict(table())).all()
    parts = cluster_files(FileParts(open_table(str(folder)), "sick", Target("sick").read))
    assert fit(parts, "sick", Request(LIGHT)).model.crystal == one.crystal
    assert (
        fit(MemoryParts(table().drop(columns="sick"), table()["sick"]), "sick", Request(LIGHT)).model.crystal
        == one.crystal
    )


def test_a_worker_that_dies_is_survived(folder, cluster):
    frame = dd.read_parquet(folder)
    killed = []

    def slow_then_die(part):  # the first partition that a worker sees takes long enough to be killed there
        time.sleep(0.3)
        return part

    def strike():
        time.sleep(1.0)
        killed.append(next(iter(cluster.run(os.getpid).values())))
        os.kill(killed[0], signal.SIGKILL)

    slow = frame.map_partitions(slow_then_die, meta=frame._meta)
    thread = threading.Thread(target=strike)
    thread.start()
    learner = cl.LukasiewiczClassifier(LIGHT).fit(slow.drop(columns="sick"), slow["sick"])
    thread.join()
    assert killed
    assert learner.crystal_ == alone(folder).crystal
    cluster.wait_for_workers(2, timeout=120)


def test_weights_and_degrees_go_along(cluster):
    rows = table()
    rows["w"] = np.arange(N) % 3
    rows["degree"] = (rows.a & (1 - rows.b)).astype(float)
    frame = dd.from_pandas(rows, npartitions=4)
    features = frame[list("abcdefgh")]
    learner = cl.LukasiewiczClassifier(LIGHT).fit(features, frame["sick"], sample_weight=frame["w"])
    used = rows[list("abcdefgh")]
    here = fit(MemoryParts(used, rows["sick"].to_numpy(), rows["w"].to_numpy(float)), "sick", Request(LIGHT)).model
    assert learner.crystal_ == here.crystal
    regressor = cl.LukasiewiczRegressor(Annealing(effort=0.2, max_literals=6, folds=2)).fit(features, frame["degree"])
    assert str(regressor.formula_) == "{a=1} ⊗ ¬{b=1}"
    assert regressor.predict(features).compute().sum() == rows["degree"].sum()


def test_a_cluster_learns_of_the_class_that_is_meant(cluster):
    rows = table()
    rows["state"] = np.where(rows.sick == "yes", "ill", "well")
    frame = dd.from_pandas(rows, npartitions=4)
    features = frame[list("abcdefgh")]
    learner = cl.LukasiewiczClassifier(LIGHT, positive="ill", class_weight={"ill": 2.0}).fit(features, frame["state"])
    used = rows[list("abcdefgh")]
    here = cl.LukasiewiczClassifier(LIGHT, positive="ill", class_weight={"ill": 2.0}).fit(used, rows["state"])
    assert learner.model_.classes == here.model_.classes == ("well", "ill")
    assert learner.classes_.tolist() == ["ill", "well"]
    assert learner.crystal_ == here.crystal_
    assert learner.predict(features).compute().tolist() == here.predict(used).tolist()


def test_a_short_dataframe_is_searched_whole(cluster):
    rows = table().iloc[:600]
    frame = dd.from_pandas(rows, npartitions=3)
    learner = cl.LukasiewiczClassifier(LIGHT).fit(frame[list("abc")], frame["sick"])
    assert learner.model_.record.judged_by is JudgedBy.FOLDS


def partitions(change):
    """Partitions of which the third is changed, behind Dask's back."""
    from dask import delayed

    def changed(part, number):
        return change(part) if number == 2 else part

    rows = table()
    parts = [rows.iloc[first : first + 1500] for first in range(0, N, 1500)]
    lazy = [delayed(changed)(part, number) for number, part in enumerate(parts)]
    return dd.from_delayed(lazy, meta=rows, verify_meta=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda part: part.drop(columns="a"),
            "could not finish: ValueError: The columns in the computed data",
        ),
        (lambda part: part.rename(columns={"a": "z"}), "Extra: ['z'] Missing: ['a']"),
        (lambda part: part.assign(extra=1), "Extra: ['extra'] Missing: []"),
        (lambda part: part.assign(weight="heavy"), "row 3000: 'weight' is 'heavy', expected a number"),
        (lambda part: 1 / 0, "the cluster could not finish: ZeroDivisionError: division by zero"),
    ],
)
def test_a_partition_of_another_kind_is_one_sentence(cluster, change, message):
    frame = partitions(change)
    columns = [name for name in frame.columns if name != "sick"]
    learner = cl.LukasiewiczClassifier(LIGHT, kinds={"weight": "number"})
    with pytest.raises(CrystalogicError) as caught:
        learner.fit(Frame(frame, columns), Series(frame))
    assert message in str(caught.value)
    assert not hasattr(learner, "model_")


def Frame(frame, columns):
    return frame.map_partitions(lambda part: part.drop(columns="sick"), meta=frame._meta[columns])


def Series(frame):
    return frame.map_partitions(lambda part: part["sick"], meta=frame._meta["sick"])


def test_rows_and_targets_that_do_not_go_together_are_refused(cluster):
    rows = table()
    frame = dd.from_pandas(rows, npartitions=4)
    with pytest.raises(ClusterError, match="the rows are a Dask dataframe, the target is a Series"):
        cluster_parts(frame[["a"]], rows["sick"])


def test_a_scheduler_that_is_not_there_is_one_sentence(folder, tmp_path, capsys, monkeypatch):
    from crystalogic.cli.app import run

    monkeypatch.setattr("crystalogic.cluster.PATIENCE", 1)
    monkeypatch.chdir(tmp_path)
    assert run(["fit", str(folder), "--target", "sick", "--scheduler", "tcp://127.0.0.1:9"]) == 1
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ClusterError, match="no Dask scheduler answers"), connect("nonsense"):
        pass


def test_the_command_line_learns_on_a_cluster(folder, cluster, tmp_path, capsys, monkeypatch):
    from crystalogic.cli.app import run

    monkeypatch.chdir(tmp_path)
    address = cluster.scheduler.address
    assert run(["fit", str(folder), "-t", "sick", "--max-literals", "4", "--scheduler", address]) == 0
    said = capsys.readouterr()
    assert "unseen rows" in said.out
    assert cl.load("model.json").record.n_rows == N
