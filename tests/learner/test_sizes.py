"""The size of a rule, of its formula and of its row of the front are one number."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.learner.learn import learn
from crystalogic.learner.settings import Likelihood
from learner.planted import plant


def scored(grid: Any) -> Any:
    return 3 * (grid[:, 0] == 1) + 2 * (grid[:, 1] != 1) + (grid[:, 2] == 1) + 2 * (grid[:, 3] == grid[:, 5]) >= 5


def equal_or_red(grid: Any) -> Any:
    return (grid[:, 0] == grid[:, 1]) | (grid[:, 4] == 1)


@pytest.mark.parametrize("shape", ["points", "formula", None])
@pytest.mark.parametrize("rule", [scored, equal_or_red])
def test_sizes_of_rules_and_formulas_agree(rule: Any, shape: str | None) -> None:
    planted = plant(rule, 160, 100)
    found = learn(planted.features, planted.classes, Likelihood(shape, max_literals=7), reach=planted.reach)
    sizes = [each.n_literals for each in found.front.candidates]
    assert [each.formula.size for each in found.front.candidates] == sizes


def test_the_front_of_a_model_counts_a_fact_with_points_once() -> None:
    rng = np.random.default_rng(3)
    columns = {name: rng.integers(0, 3, 240) for name in "abcdef"}
    score = 3 * (columns["a"] == 1) + 2 * (columns["b"] != 0) + (columns["c"] > 1) + rng.normal(0, 0.7, 240)
    y = np.where(score > 3, "yes", "no")
    settings = Likelihood("points", max_literals=4)
    front = cl.LukasiewiczClassifier(settings).fit(pd.DataFrame(columns), y).model_.fronts[0]
    assert [row.size for row in front] == [row.formula.size for row in front]
    assert front[-1].size <= 4 < len(front[-1].formula.parts)
