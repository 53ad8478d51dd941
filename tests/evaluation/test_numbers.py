"""The figures of an evaluation against their definitions, slow and by other code."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score

from crystalogic.evaluation.judging import Judged, compare, figures_of, group_levels, group_rows
from crystalogic.evaluation.scores import (
    count_scores,
    find_benefit,
    find_lifts,
    find_thresholds,
    measure_auc,
    measure_calibration_error,
    measure_losses,
)
from crystalogic.intervals import Estimate, Share, total

SHARES = (100, 900, 2_500, 5_000, 7_000, 9_900)
scored_rows = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=60)


def arrays(rows):
    return np.array([is_yes for is_yes, _ in rows]), np.array([score for _, score in rows])


def classified(n_classes):
    """Rows of so many classes as a model may have judged them."""
    place = st.integers(0, n_classes - 1)
    weights = st.lists(st.integers(1, 50), min_size=n_classes, max_size=n_classes)
    return st.lists(st.tuples(place, place, weights), min_size=1, max_size=60)


@given(scored_rows)
def test_the_area_is_the_share_of_pairs_ranked_rightly(rows):
    is_yes, scores = arrays(rows)
    pairs = [(one > other) + (one == other) / 2 for yes, one in rows if yes for no, other in rows if not no]
    found = measure_auc(is_yes, scores)
    if not pairs:
        assert found is None
        return
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert found.value == pytest.approx(roc_auc_score(is_yes, scores))


def test_its_error_is_that_of_delong_by_the_book():
    """Structural components computed pair by pair, and the spread of the area over many tables."""
    random = np.random.default_rng(0)
    is_yes = random.random(80) < 0.4
    scores = random.integers(0, 6, 80) + 2 * is_yes
    kernel = (scores[is_yes][:, None] > scores[~is_yes]) + (scores[is_yes][:, None] == scores[~is_yes]) / 2
    variance = kernel.mean(axis=1).var(ddof=1) / is_yes.sum() + kernel.mean(axis=0).var(ddof=1) / (~is_yes).sum()
    assert measure_auc(is_yes, scores).error == pytest.approx(variance**0.5)
    areas = []
    for _ in range(400):
        labels = random.random(80) < 0.4
        areas.append(measure_auc(labels, random.integers(0, 6, 80) + 2 * labels))
    assert np.mean([area.error for area in areas]) == pytest.approx(np.std([area.value for area in areas]), rel=0.15)


@given(scored_rows, st.randoms(use_true_random=False))
def test_a_difference_of_areas_is_that_of_both(rows, random):
    is_yes, scores = arrays(rows)
    others = np.array([random.randint(0, 3) for _ in rows])
    found, one, other = (measure_auc(is_yes, *each) for each in ((scores, others), (scores,), (others,)))
    if found is not None:
        assert found.value == pytest.approx(one.value - other.value)
        assert measure_auc(is_yes, scores, scores) == Estimate(0.0, None, -1.0, 1.0)


@given(scored_rows)
def test_losses_are_those_of_scikit_learn(rows):
    is_yes, scores = arrays(rows)
    risk = np.array(SHARES)[scores] / 10_000
    found = measure_losses(is_yes.astype(int), np.column_stack([1 - risk, risk]))
    assert found.brier.value == pytest.approx(brier_score_loss(is_yes, risk, pos_label=True))
    assert found.log_loss.value == pytest.approx(log_loss(is_yes, risk, labels=[False, True]))
    common = np.full(len(rows), is_yes.mean())
    assert found.plain_brier == pytest.approx(brier_score_loss(is_yes, common, pos_label=True))
    assert found.plain_log_loss == pytest.approx(log_loss(is_yes, common, labels=[False, True]), abs=1e-9)


@given(classified(3))
def test_losses_of_three_classes(rows):
    labels = np.array([label for label, _, _ in rows])
    likely = np.array([weights for _, _, weights in rows], float)
    likely /= likely.sum(axis=1, keepdims=True)
    found = measure_losses(labels, likely)
    assert found.brier.value == pytest.approx(np.mean(((likely - np.eye(3)[labels]) ** 2).sum(axis=1)))
    assert found.log_loss.value == pytest.approx(log_loss(labels, likely, labels=[0, 1, 2]))
    assert found.brier.error is None or found.brier.error > 0


@given(st.integers(2, 4).flatmap(lambda k: st.tuples(st.just(k), classified(k))))
def test_the_confusion_table_adds_up(case):
    n_classes, rows = case
    labels, decided = (np.array([row[place] for row in rows]) for place in (0, 1))
    found = figures_of(Judged(tuple("abcd"[:n_classes]), labels, decided))
    expected = confusion_matrix(labels, decided, labels=range(n_classes)).tolist()
    assert [list(row) for row in found.confusion] == expected
    assert found.accuracy == Share(sum(expected[place][place] for place in range(n_classes)), len(rows))
    assert total(each.observed for each in found.classes).yes == len(rows)
    assert found.commonest.yes == max(map(sum, expected))
    present = [np.mean(decided[labels == place] == place) for place in set(labels.tolist())]
    assert found.balanced_accuracy == pytest.approx(np.mean(present))
    for place, each in enumerate(found.classes):
        assert each.sensitivity == Share(expected[place][place], sum(expected[place]))
        assert each.precision == Share(expected[place][place], sum(row[place] for row in expected))


@given(scored_rows, st.integers(0, 7))
def test_a_threshold_does_what_deciding_from_it_on_does(rows, own):
    is_yes, scores = arrays(rows)
    found = find_thresholds(count_scores(is_yes, scores, None), own)
    assert [each.score for each in found[:-1]] == sorted(set(scores.tolist()))
    assert sum(each.is_own for each in found) == 1
    for each in found:
        judged = scores >= each.score
        assert each.judged == Share(int(judged.sum()), len(rows))
        assert each.sensitivity == Share(int((judged & is_yes).sum()), int(is_yes.sum()))
        assert each.specificity == Share(int((~judged & ~is_yes).sum()), int((~is_yes).sum()))
        assert each.precision == Share(int((judged & is_yes).sum()), int(judged.sum()))
        if each.is_own:
            assert judged.tolist() == (scores >= own).tolist()


@given(scored_rows)
def test_groups_of_the_lift_hold_every_row_once_and_never_part_a_score(rows):
    is_yes, scores = arrays(rows)
    found = find_lifts(count_scores(is_yes, scores, None))
    assert total(each.observed for each in found) == Share(int(is_yes.sum()), len(rows))
    assert found[-1].found == Share(int(is_yes.sum()), int(is_yes.sum()))
    assert len(found) <= 10
    for each in found:
        inside = (scores >= each.low) & (scores <= each.high)
        assert each.observed == Share(int(is_yes[inside].sum()), int(inside.sum()))
        if is_yes.any():
            assert each.lift == pytest.approx(is_yes[inside].mean() / is_yes.mean())
        else:
            assert each.lift is None


def test_scores_that_all_differ_give_ten_equal_groups():
    found = find_lifts(count_scores(np.arange(100) >= 60, np.arange(100), None))
    assert [each.observed.n for each in found] == [10] * 10
    assert [each.observed.yes for each in found] == [10] * 4 + [0] * 6
    assert found[0].lift == 2.5


@given(scored_rows, st.integers(1, 99))
def test_the_net_benefit_is_its_definition(rows, percent):
    is_yes, scores = arrays(rows)
    found = find_benefit(count_scores(is_yes, scores, SHARES), percent)
    p, n = Fraction(percent, 100), len(rows)

    def benefit(judged):
        right, wrong = int((judged & is_yes).sum()), int((judged & ~is_yes).sum())
        return float(Fraction(right, n) - Fraction(wrong, n) * p / (1 - p))

    judged = np.array([Fraction(SHARES[score], 10_000) >= p for score in scores])
    assert found.of_model == pytest.approx(benefit(judged))
    assert found.of_all == pytest.approx(benefit(np.ones(n, bool)))
    assert found.judged == Share(int((judged & is_yes).sum()), int(judged.sum()))


@given(scored_rows)
def test_the_calibration_error_is_the_mean_distance_by_score(rows):
    is_yes, scores = arrays(rows)
    off = [abs(SHARES[s] / 10_000 - is_yes[scores == s].mean()) * (scores == s).mean() for s in set(scores.tolist())]
    assert measure_calibration_error(count_scores(is_yes, scores, SHARES)) == pytest.approx(sum(off), abs=1e-12)


@given(classified(2), st.randoms(use_true_random=False))
def test_where_two_models_differ_a_sign_test_counts_who_is_right(rows, random):
    labels, decided = (np.array([row[place] for row in rows]) for place in (0, 1))
    others = np.array([random.randint(0, 1) for _ in rows])
    found = compare(Judged(("a", "b"), labels, decided), Judged(("a", "b"), labels, others), "")
    first = sum(one == label != two for label, one, two in zip(labels, decided, others, strict=True))
    second = sum(two == label != one for label, one, two in zip(labels, decided, others, strict=True))
    assert (found.first_right, found.other_right, found.n_different) == (first, second, first + second)
    n = first + second
    tail = sum(comb(n, k) for k in range(min(first, second) + 1)) / 2**n
    assert found.p_value == pytest.approx(min(1.0, 2 * tail))
    assert found.auc_difference is None


@given(st.lists(st.one_of(st.none(), st.integers(-5, 40)), min_size=1, max_size=80))
def test_groups_part_the_rows(values):
    levels = np.array([None if value is None else str(value) for value in values], object)
    judged = Judged(("a", "b"), np.arange(len(values)) % 2, np.zeros(len(values), int))
    for are_numbers in (True, False):
        found = group_rows(judged, [group_levels("x", levels, are_numbers=are_numbers)], 0.9)[0]
        assert sum(figures.accuracy.n for _, figures in found.groups) == len(values)
        assert [figures.accuracy.n for value, figures in found.groups if value is None] == [
            values.count(None) for _ in range(None in values)
        ]
        different = set(values) - {None}
        assert found.are_quarters == (are_numbers and len(different) > 12)
        assert (found.others is not None) == (len(found.groups) > 12)
        if not found.are_quarters:
            numbers = [int(value) for value, _ in found.groups if value is not None]
            assert numbers == sorted(different)
            continue
        for value, figures in found.groups[: len(found.groups) - (None in values)]:
            low, high = map(int, value.split(" to "))
            assert figures.accuracy.n == sum(each is not None and low <= each <= high for each in values)


def test_quarters_of_different_numbers_are_equal():
    levels = np.array([str(number) for number in range(40)], object)
    judged = Judged(("a", "b"), np.zeros(40, int), np.zeros(40, int))
    found = group_rows(judged, [group_levels("x", levels, are_numbers=True)], 0.9)[0]
    assert [(value, figures.accuracy.n) for value, figures in found.groups] == [
        ("0 to 9", 10),
        ("10 to 19", 10),
        ("20 to 29", 10),
        ("30 to 39", 10),
    ]


def test_intervals_of_estimates_stay_where_figures_can_be():
    assert Estimate(0.98, 0.02, 0.0, 1.0).interval(0.9) == (pytest.approx(0.98 - 1.6449 * 0.02, abs=1e-4), 1.0)
    assert Estimate(0.01, 0.02, 0.0).interval(0.95)[0] == 0.0
    assert Estimate(1.0, None).interval() is None
    assert Share(0, 0).interval() == (0.0, 1.0)
    assert Share(0, 0).value is None
