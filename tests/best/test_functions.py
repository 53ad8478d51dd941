"""Rules that decide every row of the domain alike are one rule."""

import random
from itertools import product

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.best import find
from crystalogic.best.rules import function_of, truths_of
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import Request
from crystalogic.optimal import Rule, count_rows

FRAME = pd.DataFrame(
    {
        "cp": [1, 2, 3, 4, 1, 2, 3, 4, 1, 2],
        "thal": ["3", "6", "7", None, "3", "6", "7", "3", "3", "6"],
        "age": [30, 40, 50, 60, 35, 45, 55, 65, 38, 42],
    }
)


def draw_rules(n_facts: int, seed: int, n: int = 400) -> list[Rule]:
    generator = random.Random(seed)
    rules = []
    for _ in range(n):
        facts = sorted(generator.sample(range(n_facts), generator.randint(1, 3)))
        points = tuple(generator.choice([1, 1, 2]) for _ in facts)
        signed = tuple(generator.choice([fact, ~fact]) for fact in facts)
        rules.append(Rule(signed, points, generator.randint(1, sum(points))))
    return rules


def test_two_rules_are_one_function_if_and_only_if_they_decide_every_row_of_the_domain_alike() -> None:
    encoding = fit_encoding(FRAME, {"cp": "code", "thal": "category", "age": "number"}, numbers="cuts", n_cuts=3)
    ages = np.linspace(30, 65, 141)
    rows = pd.DataFrame(product([1, 2, 3, 4], ["3", "6", "7", None], ages), columns=list(FRAME))
    truths = encoding.transform(rows).astype(int)
    known, said = truths_of(encoding), {}
    n_same = 0
    for rule in draw_rules(len(encoding.names), 0):
        function = function_of(rule, encoding.names, known)
        decided = rule.decide(truths).tobytes()
        n_same += function in said
        assert said.setdefault(function, decided) == decided
    assert len(set(said.values())) == len(said)
    assert n_same > 20


def make_table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"a": rng.choice(["u", "v", "w"], 80), "b": rng.integers(0, 2, 80), "c": rng.integers(0, 3, 80)}
    )
    return frame.assign(ill=((frame["a"] == "u") + frame["b"] + (frame["c"] == 2) + rng.normal(0, 0.7, 80) > 1.2) * 1)


@pytest.mark.parametrize("shape", ["checklist", "points"])
def test_the_list_has_every_function_once_with_all_ways_to_write_it(shape: str) -> None:
    frame = make_table()
    found = cl.all_rules(frame, "ill", within=0.05, size=3, shape=shape)
    assert found.best.is_complete
    states = pd.DataFrame(product("uvw", range(2), range(3)), columns=list("abc"))
    truths = found.encoding.transform(states).astype(int)
    decided = [rule.decide(truths).tobytes() for _, rule in found.rules]
    assert len(set(decided)) == len(decided) == found.n_good
    n_more = 0
    for (cost, rules), own in zip(found.writings, decided, strict=True):
        n_more += len(rules) - 1
        assert {rule.decide(truths).tobytes() for rule in rules} == {own}
        wrong = found.model(rules[-1]).predict(frame) != frame["ill"].astype(str)
        assert wrong.sum() == cost
        assert len(rules[0].facts) == min(len(rule.facts) for rule in rules)
    assert n_more
    assert f", not counting {n_more} other way{'s' * (n_more > 1)} to write them." in str(found)
    content = found.content()
    assert sum(len(each["other_ways"]) for each in content["good"]) == n_more
    assert content["sizes"][-1]["n_as_good"] == sum(cost == found.best.cost for cost, _ in found.rules)


def test_scorecards_are_counted_as_by_trying_all_points() -> None:
    """Every threshold function of two facts has points of at most 1, of three at most 2."""
    frame = make_table().drop(columns="c")
    found = cl.all_rules(frame, "ill", within=0.04, size=3, shape="points")
    states = pd.DataFrame(product("uvw", range(2)), columns=list("ab"))
    truths, rows = found.encoding.transform(states).astype(int), found.encoding.transform(frame).astype(int)
    functions = set()
    for points in product(range(-2, 3), repeat=len(found.encoding.names)):
        if sum(map(bool, points)) <= 3:
            for threshold in range(-6, 8):
                wrong = ((rows @ points >= threshold) != (frame["ill"] == 1)).sum()
                if wrong <= found.best.cost + found.best.question.within:
                    functions.add((truths @ points >= threshold).tobytes())
    assert found.n_good == len(functions)


def test_a_list_that_is_not_complete_has_a_lower_bound_of_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cl.all_rules(make_table(), "ill", within=0.05, size=3, shape="points")
    monkeypatch.setattr(find, "MOST_LISTED", 5)
    part = cl.all_rules(make_table(), "ill", within=0.05, size=3, shape="points")
    assert not part.best.is_complete
    assert 2 <= part.n_good <= whole.n_good
    assert f"At least {part.n_good} rules are within" in str(part)
    assert part.content()["n_good_at_least"] == part.n_good


def test_what_was_stopped_early_counts_only_what_is_within_the_margin_for_certain() -> None:
    found = cl.all_rules(make_table(), "ill", within=0.05, size=3, request=Request(n_cuts=3))
    early = cl.find_best(make_table(), "ill", 3, within=0.05, callback=lambda progress: True)
    assert early.n_good <= found.n_good
    counted = count_rows(found.encoding.features(make_table()), make_table()["ill"] == 1)
    assert np.minimum(counted.yes, counted.no).sum() <= found.best.cost
