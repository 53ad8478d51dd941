"""The learners: what they give, and that their texts are read as they are meant."""

from dataclasses import replace

import numpy as np
import pytest

from research.bench import peers
from research.bench.jobs import plan_jobs
from research.bench.measure import judge, measure
from research.bench.peers import N_SETTINGS, OURS, PEERS, SIZES, Fitted
from research.bench.peers.local_search import decide_by_rule
from research.bench.peers.texts import decide_by_points, decide_by_tree_text
from research.bench.tables import halves
from research.bench.tuning import inner_folds, tune
from research.bench.work import perform, refuse
from research.errors import StudyError
from research.study import Job


def test_every_learner_has_the_same_number_of_settings_and_the_defaults_first():
    for peer in PEERS.values():
        assert len(peer.settings) == N_SETTINGS, peer.name
        assert peer.settings[0] == {}
        assert len({str(settings) for settings in peer.settings}) == N_SETTINGS


@pytest.mark.parametrize("name", ["CART", "C4.5-like", "Logistic, ℓ₂", "Logistic, ℓ₁", "Random forest", "Boosting"])
def test_the_peers_of_scikit_learn_run(name):
    record = perform(Job("bench", "monks-3", name))
    assert record["accuracy"] > 0.7
    assert record["size"] > 1
    assert {"auc", "log_loss", "brier", "ece", "balanced", "columns", "seconds", "cpu", "memory"} <= set(record)


@pytest.mark.filterwarnings("ignore")  # the newest scikit-learn warns of what older ones need
@pytest.mark.parametrize("size", SIZES)
def test_a_size_is_a_bound(size):
    data = halves("heart", 0)
    for name in ("CART", "Logistic, ℓ₁", OURS):
        fitted = PEERS[name].fit(data, 0, **PEERS[name].sized(size))
        assert fitted.literals <= size


@pytest.mark.parametrize("table", ["heart", "wine"])
def test_our_printed_model_is_the_model_that_predicts(table):
    data = halves(table, 0)
    fitted = PEERS[OURS].fit(data, 0, max_literals=3)
    assert (fitted.decide(data.test) == fitted.predict(data.test)).all()
    assert fitted.columns <= set(data.train.frame.columns)


def test_a_text_that_decides_otherwise_is_noticed():
    test = halves("monks-1", 0).test
    fitted = Fitted(lambda half: half.labels, 1, decide=lambda half: 1 - half.labels)
    assert judge(fitted, test, 2)["printed"] == 0


def test_a_tree_is_read_from_its_text():
    from sklearn.tree import DecisionTreeClassifier, export_text

    data = halves("wine", 0)
    tree = DecisionTreeClassifier(random_state=0).fit(data.train.numbers, data.train.labels)
    exact = export_text(tree, decimals=12)
    assert (decide_by_tree_text(exact, data.test.numbers) == tree.predict(data.test.numbers)).all()
    with pytest.raises(ValueError, match="not a line of a tree"):
        decide_by_tree_text("|--- truncated branch of depth 2", data.test.numbers)


def test_rules_with_counts_are_read_from_their_text():
    rows = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert decide_by_rule("Or(0, And(1, ~2))", rows).tolist() == [0, 1, 1, 1]
    assert decide_by_rule("AtMost1(0, 1, 2)", rows).tolist() == [1, 1, 0, 0]
    assert decide_by_rule("~Choose2(0, 1, 2)", rows).tolist() == [1, 1, 0, 1]


def test_points_are_added_up():
    assert decide_by_points({0: 2, 2: -1}, 1, np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])).tolist() == [1, 0, 0]


def test_a_peer_that_is_not_installed_is_reported(monkeypatch):
    monkeypatch.setattr("research.bench.work.installed_version", lambda package: None)
    assert perform(Job("bench", "monks-3", "FIGS")) == {"problem": "imodels is not installed"}


def test_a_peer_for_two_classes_is_reported_on_three(monkeypatch):
    monkeypatch.setattr("research.bench.work.installed_version", lambda package: "1")
    assert refuse(Job("bench", "wine", "RIPPER")) == {"problem": "two classes only"}


def test_a_peer_that_fails_is_reported_with_its_reason(monkeypatch):
    def broken(data, seed):
        message = "no such kernel\nand more"
        raise RuntimeError(message)

    monkeypatch.setitem(peers.PEERS, "CART", replace(PEERS["CART"], fit=broken))
    assert perform(Job("bench", "monks-3", "CART")) == {"problem": "RuntimeError: no such kernel"}


def test_tuning_takes_the_best_setting_of_the_inner_folds_and_stops_in_time():
    data = halves("monks-1", 0)
    settings, n_tried = tune(PEERS["CART"], data, 0)
    assert settings in PEERS["CART"].settings
    assert n_tried == N_SETTINGS
    assert tune(PEERS["CART"], data, 0, seconds=0) == ({}, 1)


def test_inner_folds_see_training_rows_only():
    data = halves("heart", 0)
    assert sum(len(fold.test.labels) for fold in inner_folds(data, 0)) == len(data.train.labels)


def test_the_second_fit_is_timed_too():
    record = measure(PEERS["CART"], halves("monks-1", 0), 0, {}, second=True)
    assert {"second_seconds", "second_cpu"} <= set(record)


def test_any_beginning_of_the_jobs_tells_much():
    jobs = plan_jobs()
    quick = plan_jobs(quick=True)
    assert jobs[: len(quick)] == quick
    assert {job.variant for job in quick} == {"default"}
    assert len({job.data for job in jobs if job.seed == 0 and job.variant == "default"}) == 48
    assert len(jobs) == len({job.key for job in jobs})


def test_names_that_do_not_exist_are_refused():
    with pytest.raises(StudyError, match="no table 'tennis'; there are head-injury, "):
        plan_jobs(["tennis"])
    with pytest.raises(StudyError, match="no learner 'oracle'; there are Crystalogic, "):
        plan_jobs(None, ["oracle"])
