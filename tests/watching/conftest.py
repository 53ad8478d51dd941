"""Customers with a rule about who leaves, and the counts of its rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model.profile import profile_of

RULE = "at least 2 of ({tenure ≥ 20}, {plan=basic}, {zip=007})"


def draw_customers(n, seed):
    """Fresh rows of one source."""
    rng = np.random.default_rng(seed)
    tenure, bill = rng.gamma(2, 12, n).round() + 1, rng.normal(60, 9, n).round(1)
    plan = rng.choice(["basic", "plus", "pro max"], n, p=[0.5, 0.3, 0.2])
    zipped = rng.choice(["007", "010", "200"], n, p=[0.6, 0.3, 0.1])
    sure = (tenure >= 20).astype(int) + (plan == "basic") + (zipped == "007") >= 2
    left = np.where(sure ^ (rng.random(n) < 0.1), "yes", "no")
    return pd.DataFrame({"tenure": tenure, "bill": bill, "plan": plan, "zip": zipped, "left": left})


def model_about(rows, text=RULE):
    """A model that a person wrote, with the counts of these rows."""
    facts = rows.drop(columns="left")
    model = model_of([parse(text)], fit_encoding(facts), "left", ["no", "yes"])
    return replace(model, profile=profile_of(model, facts, rows["left"]))


@pytest.fixture(scope="session")
def customers():
    return draw_customers


@pytest.fixture(scope="session")
def about():
    return model_about


@pytest.fixture(scope="session")
def model():
    return model_about(draw_customers(1000, 0))


@pytest.fixture
def rows():
    return draw_customers(400, 1)
