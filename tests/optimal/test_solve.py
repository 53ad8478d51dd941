"""The exact solver against trying all rules in plain Python."""

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from brute_rules import all_rules, draw
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.features import Features
from crystalogic.optimal import ERRORS, Needs, Objective, compile_kernels, count_rows, solve
from crystalogic.progress import Stop
from depth import deep


def find_all(table, size, shape, within, *, most=10_000, **how):
    return solve(table, size, shape, within=within, most=most, **how)


def counted(rows, labels, weights=None):
    return count_rows(Features.of_rows(np.array(rows), None), labels, weights)


def merged(table):
    """The rows over the facts that stand for their twins, as the brute force wants them."""
    sides = ((table.yes, True), (table.no, False))
    return [
        (row, side, int(w)) for weight, side in sides for row, w in zip(table.truth.tolist(), weight, strict=True) if w
    ]


def written(table, rule):
    """A rule as the brute force writes it: places among those that stand for twins, swap, truth table."""
    place_of = {own[0]: place for place, own in enumerate(table.twins)}
    facts = tuple(place_of[max(f, ~f)] for f in rule.facts)
    swap = sum(1 << (len(facts) - 1 - i) for i, f in enumerate(rule.facts) if f < 0)
    cells = np.arange(1 << len(facts))[:, None] >> np.arange(len(facts))[::-1] & 1
    score = cells @ np.array(rule.points, np.int64).reshape(len(facts))
    return facts, swap, tuple((score >= rule.threshold).astype(int).tolist())


@cache
def question(seed):
    """A table with its weights, and what is asked of it."""
    generator = random.Random(~seed)
    within = generator.choice([0, 0, 1, 3])
    return *draw(seed), seed % 4 + 1, within, generator.choice([ERRORS, Objective(3, 1), Objective(1, 2)])


@cache
def by_brute_force(seed, shape):
    """The least cost and the rules that come near it: tried out once for all ways of the search."""
    rows, labels, weights, size, within, objective = question(seed)
    table = counted(rows, labels, weights)
    everything = list(all_rules(merged(table), len(table.twins), size, shape, objective.missed, objective.false_alarm))
    least = min(rule[0] for rule in everything)
    return least, [rule for rule in everything if rule[0] <= least + within]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("block", range(10))
def test_the_optimum_the_counts_and_the_list_are_those_of_brute_force(block):
    for seed in range(20 * block, 20 * block + deep(20)):
        rows, labels, weights, size, within, objective = question(seed)
        table = counted(rows, labels, weights)
        for shape in ("checklist", "points"):
            least, near = by_brute_force(seed, shape)
            found = find_all(table, size, shape, within, objective=objective, n_threads=1 + seed % 2)
            assert (found.cost, found.bound, found.is_proved, found.is_complete) == (least, least, True, True)
            counts = Counter(rule[0] for rule in near)
            assert found.counts == tuple(counts[least + i] for i in range(within + 1))
            listed = {(cost, *written(table, rule)) for cost, rule in found.rules}
            assert listed == set(near)
            assert found.rules[0] == (found.cost, found.rule)
            for cost, rule in found.rules:
                for twin in rule.expand(table):
                    said = twin.decide(np.array(rows))
                    errors = [objective.missed if y else objective.false_alarm for y in labels]
                    wrong = (said != np.array(labels)) * np.array(errors) * np.array(weights)
                    assert wrong.sum() == cost


@pytest.mark.usefixtures("way")
def test_needs_are_kept_and_the_best_that_keeps_them_is_found():
    for seed in range(deep(40)):
        rows, labels, _ = draw(seed)
        table = counted(rows, labels)
        names = [table.names[own[0]] for own in table.twins]
        if len(names) < 3:
            continue
        flags = [5, 2, 0, *[3] * len(names)][: len(names)]
        needs = Needs(used=(names[0],), unused=(names[2],), signs={names[0]: 1, names[1]: -1})
        for shape in ("checklist", "points"):
            everything = list(all_rules(merged(table), len(names), 3, shape, flags=flags))
            found = solve(table, 3, shape, needs=needs)
            costs = [rule[0] for rule in everything]
            assert (found.cost, found.counts[0]) == (min(costs), costs.count(min(costs)))


def noisy(n_rows, n_facts, seed=0):
    generator = np.random.default_rng(seed)
    rows = generator.random((n_rows, n_facts)) < 0.5
    return counted(rows, (rows[:, :3].sum(axis=1) >= 2) ^ (generator.random(n_rows) < 0.3))


@pytest.mark.usefixtures("way")
def test_a_bound_is_never_above_the_optimum_wherever_the_search_is_stopped():
    table = noisy(120, 24)
    best = {shape: solve(table, 4, shape) for shape in ("checklist", "points")}
    for seed in range(deep(30)):
        generator = random.Random(seed)
        shape, steps = generator.choice(list(best)), generator.randint(1, 30)
        found = solve(table, 4, shape, callback=lambda progress, n=steps: progress.done >= n, n_threads=1 + seed % 2)
        assert found.bound <= best[shape].cost <= found.cost
        assert found.stop is Stop.CALLBACK
        assert found.is_proved == (found.bound == found.cost)


def test_time_ends_the_search_with_the_best_so_far():
    compile_kernels()
    found = solve(noisy(300, 200), 5, seconds=0.3)
    assert found.stop is Stop.TIME
    assert found.seconds < 3
    assert found.bound <= found.cost


def test_the_bound_rises_with_time_where_facts_are_cuts_of_numbers():
    """It was 0 until all sets were counted."""
    compile_kernels()
    generator = np.random.default_rng(3)
    numbers = generator.random((250, 6))
    labels = (numbers[:, :3].sum(axis=1) > 1.5) ^ (generator.random(250) < 0.2)
    cuts = np.arange(0.04, 1, 0.04)
    table = counted(np.hstack([number[:, None] > cuts for number in numbers.T]), labels)
    early = solve(table, 5, callback=lambda progress: not progress.part.endswith("at least 0"))
    assert early.stop is Stop.CALLBACK
    assert 0 < early.bound <= 0.3 * early.cost  # soon, and not only when nearly all is proved
    later = solve(table, 5, callback=lambda progress: int(progress.part.split()[-1]) > early.bound)
    assert early.bound < later.bound <= later.cost


@pytest.mark.usefixtures("way")
def test_any_number_of_threads_gives_the_same_answer():
    for shape in ("checklist", "points"):
        one, two = (find_all(noisy(100, 16, 1), 4, shape, 2, n_threads=n) for n in (1, 2))
        assert one == two


def test_tables_without_facts_or_without_doubt_have_rules_too():
    nothing = counted([[1, 0]] * 3, [1, 0, 0])
    assert (len(nothing.twins), np.minimum(nothing.yes, nothing.no).sum()) == (0, 1)
    for shape in ("checklist", "points"):
        found = find_all(nothing, 2, shape, 0)
        assert (found.cost, found.rule.facts, found.is_proved) == (1, (), True)
        assert solve(counted([[1, 0], [0, 1]], [1, 1]), 2, shape).cost == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"shape": "tree"},
        {"size": 9},
        {"within": -1},
        {"objective": Objective(0, 1)},
        {"shape": "formula"},
        {"needs": Needs(used=("nobody",))},
        {"size": 1, "needs": Needs(used=("x1", "x2"))},
    ],
)
def test_questions_without_an_answer_are_refused(asked):
    with pytest.raises(TrainingDataError):
        solve(noisy(20, 5), **{"size": 2, **asked})


@pytest.mark.parametrize("weight", [[1, -1], [0.5, 1], [0, 0], [1], [1 << 30, 1]])
def test_weights_are_whole_and_not_too_large(weight):
    with pytest.raises(TrainingDataError):
        counted([[1], [0]], [1, 0], weight)


def test_points_of_more_facts_than_were_listed_are_refused():
    with pytest.raises(TooLargeError, match="5 facts"):
        solve(noisy(20, 7), 6, "points")


def test_checklists_of_six_facts_are_those_of_brute_force():
    table = noisy(40, 7, 5)
    costs = [rule[0] for rule in all_rules(merged(table), 7, 6, "checklist")]
    found = solve(table, 6, n_threads=2)
    assert (found.cost, found.counts[0]) == (min(costs), costs.count(min(costs)))


@pytest.mark.usefixtures("way")
def test_lists_end_where_they_are_full_and_counts_do_not():
    table = noisy(100, 12, 3)
    whole, cut = (find_all(table, 3, "points", 6, most=most) for most in (100_000, 5))
    assert whole.is_complete
    assert sum(whole.counts) == len(whole.rules) > 5
    assert not cut.is_complete
    assert (cut.counts, len(cut.rules)) == (whole.counts, 5)
