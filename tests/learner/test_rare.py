"""A class that no score makes likelier than not: the score ranks rows all the same, and no decision is lost."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import crystalogic as cl
from crystalogic.words.risks import risk_text


def rare_table(seed: int, signal: float, n: int = 3000) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(rng.normal(50, 15, size=(n, 4)).round(1), columns=["age", "income", "debt", "years"])
    odds = -3.4 + signal * (0.05 * (rows["age"] - 50) - 0.04 * (rows["income"] - 50))
    return rows, pd.Series(np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no"), name="bought")


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_a_rare_class_has_a_score_that_ranks_and_hardly_a_row_is_told_it(positive: str) -> None:
    rows, labels = rare_table(1, 1.0)
    fresh, truth = rare_table(2, 1.0)
    fitted = cl.LukasiewiczClassifier(positive=positive).fit(rows, labels)
    likely = fitted.predict_proba(fresh)[:, list(fitted.classes_).index("yes")]
    assert roc_auc_score(truth == "yes", likely) > 0.7
    assert likely.max() < 0.5
    assert (fitted.predict(fresh) == "yes").mean() < 0.01
    note = "No score makes it likelier than not that bought is yes, so hardly a row is told so."
    assert note in risk_text(fitted.model_)


def test_a_rare_class_that_nothing_tells_has_no_facts() -> None:
    fitted = cl.LukasiewiczClassifier().fit(*rare_table(3, 0.0))
    assert fitted.formulas_[0].size == 0


def test_a_rare_class_with_a_threshold_set_afterwards_says_nothing_of_hardly_a_row() -> None:
    model = cl.LukasiewiczClassifier().fit(*rare_table(1, 1.0)).model_
    operated = cl.operate(model, sensitivity=0.8).model
    assert operated.risk == model.risk
    assert "hardly a row" not in risk_text(operated)
