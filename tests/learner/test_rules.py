"""Rules of points and neurons: their maps, their whole points, and the crystals that they become."""

from fractions import Fraction
from functools import reduce
from itertools import product
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.learner.crystals import to_crystal
from crystalogic.learner.finish import NOISY_CARE, exchange, shift_cuts
from crystalogic.learner.grow import Grown, allowed_gains, grow_facts, moments_of, round_points, weigh
from crystalogic.learner.rule import Item, Rule, fit_level, fit_maps
from crystalogic.learner.settings import Kind, Likelihood, Shape
from crystalogic.learner.study import Study
from crystalogic.learner.task import Task, log_loss, round_sums
from crystalogic.progress import Clock

N_FACTS = 5
POINTS = Kind(Shape.POINTS, 3)
NAMES = tuple(f"x{place}" for place in range(N_FACTS))
ALL_ROWS = np.array(list(product([0, 1], repeat=N_FACTS)), np.float32)


@st.composite
def items(draw: st.DrawFn) -> Item:
    places = draw(st.lists(st.integers(0, N_FACTS - 1), min_size=1, max_size=4, unique=True))
    if len(places) > 1 and draw(st.booleans()):
        is_plain = draw(st.booleans())
        facts = tuple(sorted(place if is_plain else ~place for place in places))
        return Item(facts, 1 if is_plain else len(facts), is_group=True)
    facts = tuple(sorted(place if draw(st.booleans()) else ~place for place in places))
    return Item(facts, draw(st.integers(1, len(facts))))


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    chosen = draw(st.lists(items(), max_size=4, unique_by=lambda item: item.places))
    points = [draw(st.integers(1, 5)) * draw(st.sampled_from([-1, 1])) for _ in chosen]
    return Rule(tuple(chosen), tuple(points), draw(st.floats(0.1, 3)), draw(st.floats(-6, 6)))


def _look_up(name: str, row: dict[str, int]) -> int:
    return max(row[fact] for fact in name.split(" or "))


@given(rules(), st.booleans())
def test_a_crystal_says_what_its_rule_says_of_every_row(rule: Rule, is_other: bool) -> None:
    crystal = to_crystal(rule, NAMES, is_other=is_other)
    rows = [dict(zip(NAMES, map(int, row), strict=True)) for row in ALL_ROWS.tolist()]
    said = [crystal.run([Fraction(_look_up(name, row)) for name in crystal.inputs])[0] for row in rows]
    assert said == [Fraction(int(yes != is_other)) for yes in rule.decide(ALL_ROWS).tolist()]


@given(rules())
def test_a_rule_that_can_decide_goes_from_no_to_yes_where_yes_becomes_likelier(rule: Rule) -> None:
    if not rule.is_idle:
        clear = np.abs(rule.log_odds(ALL_ROWS)) > 1e-9
        assert (rule.decide(ALL_ROWS) == (rule.log_odds(ALL_ROWS) >= 0))[clear].all()


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=99), st.randoms(use_true_random=False))
def test_sums_for_facts_are_the_same_in_any_order(values: list[float], random: Random) -> None:
    rounded = round_sums(np.array(values)[:, None])[:, 0].tolist()
    exact = sum(map(Fraction, rounded), Fraction(0))
    random.shuffle(rounded)
    assert Fraction(float(reduce(np.add, map(np.float32, rounded)))) == exact
    assert abs(float(exact) - sum(values)) <= 1e-6 * len(values) * (1 + sum(map(abs, values)))


def made_up_task(n_rows: int, seed: int = 0, signs: list[int] | None = None) -> Task:
    random = np.random.default_rng(seed)
    truths = (random.random((n_rows, 12)) < 0.5).astype(np.float32)
    odds = 2 * truths[:, 0] + truths[:, 1] - 2 * truths[:, 2] - 0.5
    goal = np.clip(random.random(n_rows) < 1 / (1 + np.exp(-odds)), 0.05, 0.95).astype(float)
    return Task(truths, goal, np.ones(n_rows), np.full(12, 0.25), np.array(signs or [0] * 12))


def test_no_other_map_costs_less() -> None:
    task = made_up_task(200)
    scores = np.rint(task.truths[:, :3] @ [2, 1, -2]).astype(np.int64)
    maps = fit_maps(np.array([scores, -scores]), task.goal, task.weight)
    assert maps.slope[0] > 0 > maps.slope[1]
    for slope, intercept in product(np.linspace(0, 2, 21), np.linspace(-2, 2, 21)):
        assert log_loss(slope * scores + intercept, task.goal).sum() >= maps.loss[0] - 1e-4


def test_what_a_fact_gains_is_what_adding_it_lowers_the_loss_by() -> None:
    task = made_up_task(2000)
    empty = Grown.begin(task)
    before = log_loss(empty.holds @ empty.weights, task.goal).sum()
    for fact, gain in enumerate(allowed_gains(moments_of(empty, task), task.signs)):
        grown = empty.add(Item((fact,)), task)
        lower = before - log_loss(grown.holds @ grown.weights, task.goal).sum()
        assert abs(gain / 2 - lower) <= 0.15 * max(gain / 2, 5)


def test_facts_that_matter_come_first_and_weights_are_at_their_best() -> None:
    task = made_up_task(600)
    path = grow_facts(task, 3)
    assert {item.facts[0] for item in path[3].items} == {0, 1, 2}
    assert np.abs(weigh(path[3].holds, task, path[3].weights) - path[3].weights).max() < 1e-3


def test_points_are_whole_and_keep_the_signs_of_the_weights() -> None:
    task = made_up_task(600)
    grown = grow_facts(task, 5)[5]
    for most in (1, 3, 5):
        rule = round_points(grown.items, grown.holds[:, 1:], grown.weights[1:], task, most)
        assert all(1 <= abs(each) <= most for each in rule.points)
        assert np.sign(rule.points).tolist() == np.sign(grown.weights[1:]).tolist()


def test_a_direction_is_kept_against_the_data() -> None:
    task = made_up_task(600, signs=[-1, 0, 1, *[0] * 9])  # the data say the opposite of both
    rule = round_points(*_parts(grow_facts(task, 6)[-1]), task, 3)
    exchanged = exchange(rule, task, POINTS)
    for each in (rule, exchanged):
        points = {item.facts[0]: worth for item, worth in zip(each.items, each.points, strict=True)}
        assert points.get(0, -1) < 0 < points.get(2, 1)


def test_exchanging_never_makes_a_rule_worse() -> None:
    task = made_up_task(300, seed=5)
    bad = Rule((Item((7,)), Item((8,)), Item((9,))), (1, -1, 1), 1.0, 0.0)
    better = exchange(bad, task, POINTS)
    assert {item.facts[0] for item in better.items} == {0, 1, 2}


def _parts(grown: Grown) -> tuple[tuple[Item, ...], np.ndarray, np.ndarray]:
    return grown.items, grown.holds[:, 1:], grown.weights[1:]


def test_a_map_levels_off_where_more_points_make_no_surer() -> None:
    random = np.random.default_rng(0)
    scores = random.integers(0, 5, 4000)
    goal = (random.random(4000) < np.array([0.05, 0.05, 0.95, 0.95, 0.95])[scores]).astype(float)
    level, plain = fit_level(scores, goal, np.ones(4000)), fit_maps(scores[None], goal, np.ones(4000))
    assert (level.least, level.most) == (1, 2)
    assert level.loss < plain.loss[0] - 50
    odds = level.slope * np.clip(scores, 1, 2) + level.intercept
    assert abs(level.loss - log_loss(odds, goal).sum()) < 0.1
    even = (random.random(4000) < 1 / (1 + np.exp(2.0 - scores))).astype(float)
    level = fit_level(scores, even, np.ones(4000))
    assert (level.least, level.most) == (0, 4)


def test_weights_are_found_from_far_away() -> None:
    """Steps went too far, further with each one, where an item told nearly all of what was left over."""
    random = np.random.default_rng(0)
    holds = np.column_stack([np.ones(2000), random.random((2000, 2)) < 0.04]).astype(float)
    goal = np.where(holds[:, 1:].any(axis=1), 0.98, 0.02)
    task = Task(holds[:, 1:].astype(np.float32), goal, np.ones(2000), np.ones(2), np.zeros(2))
    near = weigh(holds, task, np.array([-4.0, 7.0, 7.0]))
    for far in ([9.0, 0.0, 0.0], [-4.0, -30.0, 9.0]):
        found = weigh(holds, task, weigh(holds, task, np.array(far)))
        assert np.abs(found - near).max() < 0.05


def test_an_exchange_brings_in_no_ladder_whose_negation_stands_there() -> None:
    """Both have one name, and a checklist of both ended in "the input … is named twice"."""
    for seed in (12, 50, 179):
        random = np.random.default_rng(seed)
        x, other = random.random(60), random.random((60, 2)) < 0.5
        truths = np.column_stack([*(x > cut for cut in (0.2, 0.4, 0.6, 0.8)), other]).astype(np.float32)
        goal = np.clip(0.5 + 0.8 * (other[:, 0] - 0.5) + random.normal(0, 0.2, 60) + 0.3 * (x - 0.5), 0.02, 0.98)
        task = Task(truths, goal, np.ones(60), np.ones(6), np.zeros(6, int), ladders=((0, 1, 2, 3),))
        rule = Rule((Item((~3, ~2, ~1, ~0), is_ladder=True), Item((4,)), Item((~5,))), (1, 1, 1), 1.0, 0.0)
        found = exchange(rule, task, Kind(Shape.CHECKLIST, 3)).items
        assert len({(item.places, item.is_ladder) for item in found}) == len(found)


def test_what_brings_less_than_a_literal_is_worth_is_dropped() -> None:
    """Of 10,000 rows four units of log likelihood are worth reading; an idle rule keeps all, for it needs every yes."""
    random = np.random.default_rng(0)
    truths = (random.random((10_000, 2)) < [0.5, 0.01]).astype(np.float32)
    rule = Rule((Item((0,)), Item((1,))), (5, 1), 0.6, -1.5)
    for intercept, kept in ((-1.5, {0}), (0.1, {0, 1})):
        goal = 1 / (1 + np.exp(-intercept - 3.0 * truths[:, 0] - 0.6 * truths[:, 1]))
        task = Task(truths, goal, np.ones(10_000), np.full(2, 0.25), np.zeros(2, int))
        rows, settings = np.arange(10_000), (Likelihood(), Clock(), None)
        study = Study(task, ("a", "b"), (0, 1), rows, 0 * rows, False, " or ".join, *settings)
        assert {item.facts[0] for item in shift_cuts(rule, study, goal, 5, NOISY_CARE)[0].items} == kept
