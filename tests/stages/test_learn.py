"""Long tables: planted rules are found in a sample, the same however the table is cut, and judged on unseen rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic import stages
from crystalogic.errors import TrainingDataError
from crystalogic.fitting import Request, fit
from crystalogic.learner.settings import Likelihood
from crystalogic.model import JudgedBy
from crystalogic.parts import MemoryParts
from crystalogic.progress import Stop
from crystalogic.search import Annealing
from crystalogic.stages import rows_within

N = 12_000
LIGHT = Likelihood(max_literals=8)
ANNEALED = Annealing(effort=0.2, max_literals=8, folds=2)


@pytest.fixture(autouse=True)
def _small_samples(monkeypatch):
    """Small samples, so that 12,000 rows are many."""
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 5000)
    monkeypatch.setattr("crystalogic.stages.FEWEST", 1024)
    monkeypatch.setattr("crystalogic.stages.MOST", 4096)
    monkeypatch.setattr("crystalogic.stages.LEAST", 500)
    monkeypatch.setattr("crystalogic.parts.AT_ONCE", 3000)


def table(noise=0.05, seed=0, n=N):
    generator = np.random.default_rng(seed)
    rows = pd.DataFrame(generator.integers(0, 2, (n, 12)), columns=[f"b{i}" for i in range(12)])
    rows["age"] = generator.integers(20, 80, n)
    rows["color"] = generator.choice(["red", "green", "blue"], n)
    truth = ((rows.b0 == 1) & (rows.b1 == 0)) | ((rows.color == "red") & (rows.b2 == 1))
    return rows, (truth ^ (generator.random(n) < noise)).to_numpy()


RULE = "{b0=1} ⊗ ¬{b1=1} ⊕ {b2=1} ⊗ {color=red}"


def proved_equal(formula, text=RULE):
    return bool(cl.equivalent(formula, cl.parse(text), cl.Domain(boolean=formula.variables)))


def test_a_planted_rule_is_found_and_proved_equal():
    rows, y = table()
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT)).model
    assert proved_equal(model.formulas[0])
    assert "held-out rows" in model.record.choice[0]
    assert "scored on all 12,000 rows" in model.record.choice[0]
    assert model.record.judged_by is JudgedBy.UNSEEN
    assert model.record.n_rows == N
    chosen = model.fronts[0][model.chosen[0]]
    assert chosen.training == pytest.approx((model.predict(rows) == y).mean())
    assert chosen.validated == pytest.approx(0.95, abs=0.01)


def test_what_cannot_be_wished_for_is_told_before_anything_is_compiled():
    """Of a long table it took a minute to hear of a misspelt column."""
    rows, y = table()

    def compile_kernels():
        pytest.fail("compiled for a wish that is refused")

    for wish in ({"monotone": {"aeg": 1}}, {"forbidden": ["sex"]}, {"required": ["color"]}, {"monotone": {"color": 1}}):
        with pytest.raises(TrainingDataError):
            fit(MemoryParts(rows, y), "y", Request(ANNEALED, prepare=compile_kernels, **wish))


def test_what_is_prepared_takes_no_time_of_the_budget():
    rows, y = table()
    seconds = []
    wish = Request(ANNEALED, prepare=lambda: sleep(60), callback=lambda progress: seconds.append(progress.seconds))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crystalogic.progress.time.perf_counter", lambda: now[0])
        fit(MemoryParts(rows, y), "y", wish)
    assert seconds[-1] == 0


now = [0.0]


def sleep(seconds):
    now[0] += seconds


@pytest.mark.parametrize("strategy", [LIGHT, ANNEALED])
def test_parts_and_threads_do_not_change_the_rule(strategy, monkeypatch):
    rows, y = table()
    first = fit(MemoryParts(rows, y), "y", Request(strategy)).model
    monkeypatch.setattr("crystalogic.parts.AT_ONCE", 777 * 3)
    again = fit(MemoryParts(rows, y), "y", Request(replace(strategy, n_threads=2))).model
    assert again.crystal == first.crystal
    assert again.fronts == first.fronts
    arrays = {name: rows[name].to_numpy() for name in rows}
    assert fit(MemoryParts(arrays, y), "y", Request(strategy)).model.crystal == first.crystal


def test_a_table_of_few_different_rows_gives_the_rule_of_its_counts():
    generator = np.random.default_rng(1)
    rows = pd.DataFrame(generator.integers(0, 2, (N, 5)), columns=list("abcde"))
    y = ((rows.a == 1) & (rows.b == 1) | (rows.c == 1)).to_numpy() ^ (generator.random(N) < 0.1)
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT)).model
    counts = rows.assign(y=y).value_counts().reset_index()
    whole = fit(
        MemoryParts(counts[list("abcde")], counts.y.to_numpy(), counts["count"].to_numpy()), "y", Request(LIGHT)
    ).model
    assert proved_equal(model.formulas[0], str(whole.formulas[0]))


def test_labels_without_a_rule_give_the_constant():
    rows, _ = table()
    y = np.random.default_rng(3).random(N) < 0.2
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT)).model
    assert model.formulas[0].size == 0


def test_three_classes_are_learned_as_a_list_from_long_tables():
    generator = np.random.default_rng(2)
    x = generator.uniform(0, 1, (N, 4))
    y = np.where(x[:, 0] > 0.6, "high", np.where(x[:, 1] > 0.5, "middle", "low"))
    model = fit(MemoryParts(dict(zip("abcd", x.T, strict=True)), y), "y", Request(LIGHT)).model
    assert model.classes == ("high", "low", "middle")
    assert model.is_list
    right = (model.predict(dict(zip("abcd", x.T, strict=True))) == y).mean()
    assert right > 0.95
    scores = [front[place].training for front, place in zip(model.fronts, model.chosen, strict=True)]
    assert scores == pytest.approx([right] * 3)


def test_few_different_rows_with_weights_stand_for_as_many_as_they_are():
    """The counts were lost where weights were no whole numbers: each different row was held out whole."""
    generator = np.random.default_rng(1)
    rows = pd.DataFrame(generator.integers(0, 2, (N, 2)), columns=list("ab"))
    weight = generator.uniform(0.5, 1.5, N)
    model = fit(MemoryParts(rows, (rows.a & rows.b).to_numpy(), weight), "y", Request(LIGHT)).model
    assert str(model.formulas[0]) == "{a=1} ⊗ {b=1}"
    assert model.fronts[0][model.chosen[0]].validated == 1
    even = pd.DataFrame({"a": [0, 0, 1, 1] * 3000, "b": [0, 1] * 6000})
    model = fit(MemoryParts(even, (even.a & even.b).to_numpy()), "y", Request(LIGHT)).model
    assert proved_equal(model.formulas[0], "{a=1} ⊗ {b=1}")


@pytest.mark.parametrize("weight", [None, np.random.default_rng(0).uniform(0.5, 1.5, N)])
def test_identifiers_are_left_out_where_a_class_is_rare_or_rows_have_weights(weight):
    """A rare class is drawn more densely; its weights were taken for repetitions, and row numbers for numbers."""
    rows, _ = table()
    rows = rows.assign(number=np.arange(N), code=[f"p{i}" for i in range(N)])
    y = np.random.default_rng(5).random(N) < 0.03
    model = fit(MemoryParts(rows, y, weight), "y", Request(LIGHT)).model
    left_out = {column.name: column.note for column in model.encoding.columns if column.kind == "left out"}
    assert left_out == dict.fromkeys(("number", "code"), "left out, every row has its own value")


@pytest.mark.parametrize(
    ("target", "weight", "message"),
    [
        ([0.0, np.nan], None, "row 1: the target is missing. Drop the row."),
        (["yes", None], None, "row 1: the target is missing. Drop the row."),
        (["yes", 1], None, "the target has texts such as 'yes' and others such as 1. Write all classes as texts."),
        ([0, 1], 0.0, "every row has the weight 0; there is nothing to learn."),
        ([0, 1], [1.0, 0.0], "all rows that weigh something have the same target; there is nothing to learn."),
    ],
)
def test_a_target_in_parts_that_cannot_be_learned_is_refused(target, weight, message):
    """A missing class was a class of its own, texts beside numbers the error of a library."""
    rows = pd.DataFrame({"a": np.arange(N) % 7})
    labels = np.array(target * (N // 2), object if isinstance(target[0], str) else None)
    weights = None if weight is None else np.resize(weight, N)
    with pytest.raises(TrainingDataError) as refused:
        fit(MemoryParts(rows, labels, weights), "y", Request(LIGHT))
    assert str(refused.value) == message


def test_truth_degrees_are_learned_from_long_tables():
    generator = np.random.default_rng(4)
    rows = dict(zip("abc", generator.uniform(0, 1, (3, N)), strict=True))
    low, high = (np.array([rows[name].min() if end else rows[name].max() for name in "abc"]) for end in (1, 0))
    a, b, _ = ((rows[name] - low[i]) / (high[i] - low[i]) for i, name in enumerate("abc"))
    model = fit(MemoryParts(rows, np.clip(a + b - 1, 0, 1)), "y", Request(ANNEALED, degrees=True)).model
    assert str(model.formulas[0]) == "a ⊗ b"


def test_constraints_hold_in_stages():
    rows, y = table()
    request = Request(LIGHT, forbidden=("b0",), required=("b5=1",), monotone={"b1": 1})
    model = fit(MemoryParts(rows, y), "y", request).model
    assert not any(name.startswith("b0") for name in model.formulas[0].variables)
    assert "b5=1" in model.formulas[0].variables
    assert cl.monotone(model.formulas[0], "b1=1") or "b1=1" not in model.formulas[0].variables
    with pytest.raises(TrainingDataError, match="every fact is forbidden"):
        fit(MemoryParts(rows, y), "y", Request(LIGHT, forbidden=tuple(rows.columns)))
    graded = fit(
        MemoryParts(rows, y), "y", Request(ANNEALED, required=("age",))
    ).model  # which is no bit, and was an error
    assert "age" in graded.formulas[0].variables


def test_weights_count_in_stages():
    rows, y = table(noise=0.0)
    generator = np.random.default_rng(0)
    wrong = generator.random(N) < 0.6
    spoiled = np.where(wrong, generator.random(N) < 0.5, y)
    model = fit(MemoryParts(rows, spoiled, np.where(wrong, 1e-3, 1.0)), "y", Request(LIGHT)).model
    assert proved_equal(model.formulas[0])
    heavy = fit(
        MemoryParts(rows, table(noise=0.3)[1]), "y", Request(LIGHT, class_weight={True: 50.0, False: 1.0})
    ).model
    assert heavy.predict(rows).mean() > 0.9


def test_a_start_of_an_expert_is_taken_up():
    rows, y = table()
    start = cl.parse("{b0=1} ⊗ ¬{b1=1}")
    assert proved_equal(fit(MemoryParts(rows, y), "y", Request(ANNEALED, start=start)).model.formulas[0])


def test_ctrl_c_while_all_rows_are_scored_keeps_what_the_sample_says(monkeypatch):
    rows, y = table()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(stages, "score", interrupted)
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT)).model
    assert model.was_interrupted
    assert proved_equal(model.formulas[0])
    assert "of the 4,096 rows of the sample" in model.record.choice[0]


def test_a_time_budget_ends_the_search_and_not_the_scores():
    rows, y = table()
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT, time_budget=0.05)).model
    assert model.was_interrupted or model.record.stop is Stop.TIME
    assert all(each.training <= 1 for each in model.fronts[0])


def test_a_rare_class_weighs_in_every_score_what_it_weighs_in_the_table():
    """It is drawn densely, so few of its rows were unseen, and the score on those was that of another table."""
    rows, truth = table(noise=0.0)
    generator = np.random.default_rng(7)
    y = np.where(truth, generator.random(N) < 0.1, generator.random(N) < 0.004)
    model = fit(MemoryParts(rows, y), "y", Request(LIGHT, class_weight={True: 9.0})).model
    for each in model.fronts[0]:
        assert each.validated == pytest.approx(each.training, abs=0.02)


def test_a_table_without_rows_and_one_class_are_refused():
    empty = MemoryParts(pd.DataFrame({"a": []}), np.array([]))
    with pytest.raises(TrainingDataError, match="the table has no rows"):
        fit(empty, "y", Request(LIGHT))
    rows, _ = table()
    with pytest.raises(TrainingDataError, match="expected between two and 100 classes, got 1"):
        fit(MemoryParts(rows, np.ones(N)), "y", Request(LIGHT))


def test_a_degree_outside_is_named_with_its_row():
    rows, _ = table()
    degrees = np.linspace(0, 1, N)
    degrees[7000] = 1.5
    with pytest.raises(TrainingDataError, match=r"row 7000: the target is 1\.5"):
        fit(MemoryParts(rows, degrees), "y", Request(ANNEALED, degrees=True))


def test_wide_tables_have_smaller_samples(monkeypatch):
    monkeypatch.undo()
    assert rows_within(1_000_000, 100.0, 100) == 40_000
    assert rows_within(60_000, 5000.0, 200_000) == 8192
    assert rows_within(100_000, 50.0, 5000) == 13_421
    assert rows_within(60_000, 10.0, 100) == 30_000


def test_searches_run_under_the_backends_of_joblib():
    from joblib import parallel_config

    rows, y = table()
    here = cl.LukasiewiczClassifier(ANNEALED).fit(rows, y)
    with parallel_config(backend="loky", n_jobs=2):
        elsewhere = cl.LukasiewiczClassifier(ANNEALED).fit(rows, y)
    assert elsewhere.crystal_ == here.crystal_
    assert elsewhere.model_.fronts == here.model_.fronts
