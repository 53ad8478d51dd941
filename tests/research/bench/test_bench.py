"""The comparison: same splits for all, problems reported, standings counted."""

import numpy as np
import pytest

from research.bench import run as bench_run
from research.bench.page import page
from research.bench.peers import OURS, PEERS
from research.bench.run import compare, jobs_of, perform
from research.bench.standing import Pairing, Standing, pairings
from research.bench.tables import TABLES, halves
from research.errors import StudyError
from research.study import Job


@pytest.mark.parametrize("name", [name for name in TABLES if name != "mushroom"])
def test_every_table_gives_rows_of_all_shapes(name):
    data = halves(name, 1)
    for half in (data.train, data.test):
        assert len(half.frame) == len(half.numbers) == len(half.booleans) == len(half.labels)
        assert np.isin(half.booleans, (0, 1)).all()
        assert half.numbers.min() >= 0
        assert half.numbers.max() <= 1
    assert set(data.test.labels) == set(data.train.labels)
    again = halves(name, 1)
    assert (again.test.numbers == data.test.numbers).all()


def test_scales_and_cuts_come_from_training_rows():
    data = halves("wine", 0)
    assert (data.train.numbers.min(axis=0) == 0).all()
    assert (data.train.numbers.max(axis=0) == 1).all()
    assert data.test.numbers.min(axis=0).max() > 0


@pytest.mark.parametrize("name", ["CART", "Logistic regression", "Random forest", "Boosting"])
def test_the_peers_of_scikit_learn_run(name):
    record = perform(Job("bench", "monks-3", name))
    assert record["accuracy"] > 0.9
    assert record["literals"] > 1
    assert set(record) == {"accuracy", "balanced", "f1", "literals", "fit_seconds", "predict_seconds"}


def test_a_peer_that_is_not_installed_is_reported(monkeypatch):
    monkeypatch.setattr(bench_run, "installed_version", lambda package: None)
    assert perform(Job("bench", "monks-3", "FIGS")) == {"problem": "imodels is not installed"}


def test_a_peer_for_two_classes_is_reported_on_three(monkeypatch):
    monkeypatch.setattr(bench_run, "installed_version", lambda package: "1")
    assert perform(Job("bench", "iris", "RIPPER")) == {"problem": "two classes only, iris has 3"}


def test_a_peer_that_fails_is_reported_with_its_reason(monkeypatch):
    def broken(data, seed):
        message = "no such kernel\nand more"
        raise RuntimeError(message)

    monkeypatch.setitem(PEERS, "CART", PEERS["CART"].__class__("CART", "sklearn", True, broken, ""))
    assert perform(Job("bench", "monks-3", "CART")) == {"problem": "RuntimeError: no such kernel"}


def test_names_that_do_not_exist_are_refused():
    with pytest.raises(StudyError, match="no table 'tennis'; there are monks-1, "):
        jobs_of(["tennis"], None, 1)
    with pytest.raises(StudyError, match="no learner 'oracle'; there are Crystalogic, "):
        jobs_of(None, ["oracle"], 1)


def test_results_are_kept_and_not_computed_again(tmp_path, monkeypatch):
    chosen = {"tables": ["monks-3"], "learners": ["Random forest", "Logistic regression"], "n_splits": 2}
    first = compare(tmp_path, **chosen)
    monkeypatch.setattr(bench_run, "perform", None)
    assert compare(tmp_path, **chosen) == first
    assert len(first) == 4


@pytest.mark.parametrize(
    ("gap", "error", "literals", "standing"),
    [
        (0.01, 0.1, 9, Standing.AHEAD),
        (0.0, 0.0, 5, Standing.EQUAL),
        (0.0, 0.0, 3, Standing.SHORTER),
        (-0.01, 0.02, 3, Standing.SHORTER),
        (-0.01, 0.02, 9, Standing.LONGER),
        (-0.03, 0.02, 3, Standing.BEHIND),
    ],
)
def test_standings(gap, error, literals, standing):
    assert Pairing("heart", "CART", gap, error, literals, 5).standing is standing


def made_up():
    found = {}
    for learner, shift in ((OURS, 0.0), ("CART", -0.05), ("Scorecard", 0.1), ("Random forest", 0.2)):
        for seed in range(3):
            score = 0.7 + 0.01 * seed + shift
            found[Job("bench", "heart", learner, seed=seed)] = {
                "accuracy": score,
                "balanced": score,
                "f1": score,
                "literals": 3,
                "fit_seconds": 1.0,
                "predict_seconds": 0.001,
            }
    found |= {Job("bench", "heart", "FIGS", seed=seed): {"problem": "imodels is not installed"} for seed in range(3)}
    return found


def test_only_rule_learners_that_ran_are_paired():
    assert [(pair.peer, pair.standing) for pair in pairings(made_up())] == [
        ("CART", Standing.AHEAD),
        ("Scorecard", Standing.BEHIND),
    ]


def test_the_page_says_plainly_where_ours_is_behind():
    text = page(made_up())
    assert "2 pairs. ▲ ahead: 1; ▼ behind: 1. The numbers" in text
    assert "Ahead is a higher mean, however little: 1 of the 1 by more than one standard error." in text
    assert (
        "|  | CART | Scorecard |\n|---|---|---|\n| Heart | ▲ +.050 ± .000 | ▼ -.100 ± .000 |\n"  # and not FIGS
    ) in text
    assert "| **Crystalogic** | .710 (3.0) |\n" in text
    assert "| FIGS | – |\n" in text
    assert text.endswith("## What could not run\n\n* FIGS: imodels is not installed (Heart)\n")
