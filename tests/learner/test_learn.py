"""What is learned: planted logic is found, names and orders do not matter, and noise is called noise."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.candidates import Knowledge
from crystalogic.encoding import fit_encoding
from crystalogic.errors import TrainingDataError
from crystalogic.fitting import Request, fit
from crystalogic.learner.learn import learn
from crystalogic.learner.settings import Likelihood
from crystalogic.parts import MemoryParts
from crystalogic.progress import Stop
from crystalogic.words.models import rule_text
from learner.planted import plant


def equal_or_red(grid: Any) -> Any:
    return (grid[:, 0] == grid[:, 1]) | (grid[:, 4] == 1)


def exactly_two(grid: Any) -> Any:
    return (grid == 1).sum(axis=1) == 2


def three_of_six(grid: Any) -> Any:
    return (grid == 1).sum(axis=1) >= 3


@pytest.mark.parametrize(
    ("rule", "n_rows", "most_literals"), [(equal_or_red, 124, 14), (exactly_two, 169, 12), (three_of_six, 150, 8)]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_logic_is_found(rule: Any, n_rows: int, most_literals: int, seed: int) -> None:
    planted = plant(rule, n_rows, seed)
    found = learn(planted.features, planted.classes, Likelihood(), reach=planted.reach)
    assert (found.predict(planted.all_rows) == planted.all_classes).all()
    assert found.front.chosen.n_literals <= most_literals


def test_labels_show_alternatives_that_soft_targets_blur() -> None:
    """Once, where a teacher showed that there are neurons, labels were not looked at: conditions were lost."""
    random = np.random.default_rng(3)
    table = random.integers(0, 3, (400, 7))
    conditions = [[(c, int(random.integers(3))) for c in random.permutation(7)[:3].tolist()] for _ in range(6)]

    def rule(rows: Any) -> Any:
        return np.any([np.all([rows[:, c] == value for c, value in each], axis=0) for each in conditions], axis=0)

    def frame(rows: Any) -> pd.DataFrame:
        return pd.DataFrame(rows, columns=list("abcdefg")).astype(str)

    learned = cl.LukasiewiczClassifier().fit(frame(table), rule(table))
    grid = np.array(list(product(range(3), repeat=7)))
    assert (learned.predict(frame(grid)) == rule(grid)).all()


def test_a_shape_that_is_asked_for_is_what_comes() -> None:
    planted = plant(three_of_six, 150, 0)
    found = learn(planted.features, planted.classes, Likelihood(shape="checklist", max_literals=6), reach=planted.reach)
    crystal = found.crystal.narrow()
    assert found.front.chosen.n_literals <= 6
    assert len(crystal.neurons) == 1
    assert set(map(abs, crystal.neurons[0].weights)) == {1}
    with pytest.raises(TrainingDataError, match="the 'shape' parameter must be None, 'checklist', 'points', 'formula'"):
        Likelihood(shape="tree")


def made_up_table(seed: int = 0, n_rows: int = 300) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(20, 80, n_rows),
            "dose": random.exponential(100, n_rows).round(1),
            "kind": random.choice(["a", "b", "c", "d"], n_rows),
            "noise": random.normal(size=n_rows),
        }
    )
    odds = (table["age"] >= 50) * 2.0 + (table["kind"] == "b") * 1.5 - (table["dose"] > 120) * 1.5 - 1
    return table, (random.random(n_rows) < 1 / (1 + np.exp(-odds))).astype(int)


def fitted(table: pd.DataFrame, y: Any, **more: Any) -> Any:
    return cl.LukasiewiczClassifier("likelihood", **more).fit(table, y)


def test_the_order_of_rows_and_columns_and_the_names_of_classes_change_nothing() -> None:
    table, y = made_up_table()
    first = fitted(table, y)
    mixed = np.random.default_rng(1).permutation(len(table))
    shuffled = fitted(table.iloc[mixed, [2, 0, 3, 1]], y[mixed])
    renamed = fitted(table, np.where(y == 1, "absent", "present"))  # the second class is now the other one
    assert sorted(shuffled.formula_.variables) == sorted(first.formula_.variables)
    assert (renamed.predict(table) == np.where(first.predict(table) == 1, "absent", "present")).all()
    assert (shuffled.predict(table.iloc[:, [2, 0, 3, 1]]) == first.predict(table)).all()


def test_declared_knowledge_is_kept() -> None:
    table, y = made_up_table()
    fit = fitted(table, y, monotone={"age": -1}, forbidden=["kind"], required=["noise ≥ 0.5"], max_literals=6)
    names = fit.formula_.variables
    assert "noise ≥ 0.5" in names
    assert cl.monotone(fit.model_, "age", decreasing=True)
    assert "kind" not in fit.model_.columns


def test_the_same_rule_comes_whatever_the_number_of_threads() -> None:
    table, y = made_up_table(2)
    assert fitted(table, y, n_jobs=2).formula_ == fitted(table, y).formula_


def test_the_score_is_honest_where_there_is_nothing_to_learn() -> None:
    gaps = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        table = pd.DataFrame(random.normal(size=(200, 6)), columns=list("abcdef"))
        y, fresh = random.integers(0, 2, 200), random.integers(0, 2, 200)
        fit = fitted(table, y)
        promised = fit.front_[fit.model_.chosen[0]].validated
        gaps.append(promised - (fit.predict(table) == fresh).mean())
    assert np.mean(gaps) < 0.05


def test_a_spike_does_not_swallow_the_cuts() -> None:
    random = np.random.default_rng(0)
    gain = np.where(random.random(1000) < 0.92, 0, random.integers(100, 20_000, 1000))
    y = gain > 5000
    fit = fitted(pd.DataFrame({"gain": gain, "other": random.normal(size=1000)}), y)
    assert (fit.predict(pd.DataFrame({"gain": gain, "other": 0.0})) == y).mean() > 0.99
    assert fit.model_.columns == ("gain",)


def test_time_that_is_over_still_gives_a_rule() -> None:
    planted = plant(three_of_six, 150, 0)
    found = learn(planted.features, planted.classes, Likelihood(), reach=planted.reach, time_budget=1e-6)
    assert found.stop is Stop.TIME
    assert found.front.chosen.cross_validated is None
    assert (found.predict(planted.rows) == planted.classes).mean() > 0.8


def test_a_callback_can_end_it() -> None:
    planted = plant(three_of_six, 150, 0)
    seen: list[Any] = []

    def stop(progress: Any) -> bool:
        seen.append(progress)
        return True

    found = learn(planted.features, planted.classes, Likelihood(), reach=planted.reach, callback=stop)
    assert found.stop is Stop.CALLBACK
    assert seen


def test_what_it_cannot_learn_is_refused() -> None:
    table, y = made_up_table()
    with pytest.raises(TrainingDataError, match="learns classes, got truth degrees; use 'annealing'"):
        fit(MemoryParts(table, y / 2), "y", Request("likelihood", degrees=True))
    with pytest.raises(TrainingDataError, match="a first formula goes with strategy='annealing'"):
        fitted(table, y, start="{age ≥ 50}")
    planted = plant(three_of_six, 50, 0)
    knowledge = Knowledge(forbidden=planted.names)
    with pytest.raises(TrainingDataError, match="every fact is forbidden"):
        learn(planted.features, planted.classes, Likelihood(), reach=planted.reach, knowledge=knowledge)


def test_weights_that_count_rows_are_rows_repeated() -> None:
    table, y = made_up_table(4, 100)
    counts = np.random.default_rng(0).integers(1, 4, 100)
    weighed = cl.LukasiewiczClassifier("likelihood", max_literals=5).fit(table, y, sample_weight=counts)
    repeated = np.repeat(np.arange(100), counts)
    again = cl.LukasiewiczClassifier("likelihood", max_literals=5).fit(table.iloc[repeated], y[repeated])
    assert weighed.model_.fronts == again.model_.fronts


def test_rows_that_only_judge_are_not_learned_from() -> None:
    table, labels = made_up_table(n_rows=900)
    features = fit_encoding(table, numbers="cuts").features(table)
    held_out = np.arange(900) % 3 == 0
    reach = np.full(len(features), 0.5)
    found = learn(features, labels, Likelihood(shape="points"), reach=reach, held_out=held_out)
    learned = np.flatnonzero(~held_out)
    again = learn(
        features.take(np.concatenate([learned, learned])),
        np.concatenate([labels[learned], labels[learned]]),
        Likelihood(shape="points"),
        reach=reach,
        held_out=np.arange(1200) >= 600,
    )
    by_size = {each.n_literals: each.crystal for each in again.front.candidates}
    same = [each for each in found.front.candidates if by_size.get(each.n_literals) == each.crystal]
    assert len(same) >= len(found.front.candidates) - 2  # the chosen ones are polished
    hits = found.predict(features.dense(np.arange(len(features))).T) == labels
    luck = hits[held_out].mean() - found.front.chosen.cross_validated  # of the choice among sizes on these rows
    assert 0 <= luck < 0.03
    for other in found.front.candidates:
        if other is not found.front.chosen:
            rows = features.only(other.crystal.inputs).dense(np.arange(len(other.crystal.inputs))).T
            told = other.crystal.run_rows(rows)[:, 0] >= 0.5
            assert other.cross_validated == pytest.approx((told == labels)[held_out].mean())


def test_of_many_rows_some_are_held_out_and_the_rule_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = plant(three_of_six, 400, 0)
    monkeypatch.setattr("crystalogic.learner.study.TAUGHT", 100)
    monkeypatch.setattr("crystalogic.learner.study.ENOUGH", 120)
    ticks: list[str] = []
    found = learn(
        planted.features,
        planted.classes,
        Likelihood(),
        reach=planted.reach,
        callback=lambda progress: ticks.append(progress.part),
    )
    assert (found.predict(planted.all_rows) == planted.all_classes).all()
    assert max(ticks) == "fold 2"  # of five, with 80 rows each


def test_values_of_a_category_that_matter_alike_become_one_literal() -> None:
    random = np.random.default_rng(0)
    values = [f"v{place:02}" for place in range(30)]
    table = pd.DataFrame({"kind": random.choice(values, 2000), "size": random.normal(size=2000)})
    good = values[3:27:4]
    y = np.where(table.kind.isin(good), random.random(2000) < 0.9, random.random(2000) < 0.1)
    rule = cl.LukasiewiczClassifier("likelihood").fit(table, y)
    assert (rule.predict(table) == table.kind.isin(good)).all()
    assert f"kind={'|'.join(good)}" in rule.formula_.variables
    assert rule.formula_.size <= 2
    assert f"kind is one of {', '.join(good)}" in rule_text(rule.model_)


def test_alternatives_that_overlap_stay_short_however_many_rows_there_are() -> None:
    """Rows for which both held were told to be surer than they were; four facts became twelve to mend that."""
    random = np.random.default_rng(0)
    rows = random.integers(0, 2, (8000, 12))
    y = (rows[:, 3] & (1 - rows[:, 7]) | rows[:, 10] & rows[:, 11]) ^ (random.random(8000) < 0.05)
    rule = cl.LukasiewiczClassifier("likelihood").fit(rows, y)
    assert str(rule.formula_) in ("{x10=1} ⊗ {x11=1} ⊕ {x3=1} ⊗ ¬{x7=1}", "{x3=1} ⊗ ¬{x7=1} ⊕ {x10=1} ⊗ {x11=1}")


@pytest.mark.parametrize("seed", [0, 1])
def test_a_rule_without_exceptions_is_found_as_it_is(seed: int) -> None:
    """Soft targets made one cut into several around it."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"age": random.integers(20, 80, 200), "color": random.choice(["red", "blue", None], 200)})
    y = (table.age >= 50) & (table.color == "red")
    rule = cl.LukasiewiczClassifier().fit(table, y)
    assert (rule.predict(table) == y).all()
    assert rule.formula_.size == 2


@pytest.mark.parametrize(
    "draw",
    [
        lambda random, n: np.where(random.random(n) < 0.92, 0, random.integers(1, 10_000, n)),
        lambda random, n: np.where(random.random(n) < 0.5, 0, random.geometric(0.0003, n)),
        lambda random, n: np.exp(random.normal(7, 3, n)).round(2),
    ],
    ids=["a spike at 0", "a count", "a heavy tail"],
)
def test_a_cut_lies_in_the_gap_where_the_class_changes(draw: Any) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"gain": draw(random, 3000), "noise": random.normal(size=3000)})
    y = table.gain >= 5000
    rule = cl.LukasiewiczClassifier().fit(table, y)
    (cut,) = [
        literal.at for literal in rule.encoding_.by_name["gain"].literals if literal.name in rule.formula_.variables
    ]
    assert table.gain[~y].max() < cut <= table.gain[y].min()
    assert rule.formula_.size == 1
