"""Rules to choose from, found by trying all of them."""

from dataclasses import replace
from itertools import combinations

import pytest

from crystalogic import datasets
from crystalogic.choosing import GoodRules, Rule
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable
from crystalogic.logic.parse import parse
from crystalogic.model import FrontRow, Model
from crystalogic.report import Table


def with_front(model: Model, *texts: str) -> Model:
    """The model with a front of these formulas, the last of which is its own; the figures are made up."""
    rows = [
        FrontRow(parse(text).size, 1, 0.7 + place / 100, 0.6, 0.02, parse(text)) for place, text in enumerate(texts)
    ]
    return replace(model, fronts=(tuple(rows),), chosen=(len(rows) - 1,))


FRONT = (
    "¬{thal=3}",
    "at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})",
    "at least 3 of ({cp=4}, {exang=1}, ¬{ca=0}, ¬{thal=3})",
)


@pytest.fixture(scope="session")
def heart():
    """A model of the Heart Disease table with a front of three rules, and the table."""
    table = datasets.load("heart")
    frame = table.frame()
    encoding = fit_encoding(frame)
    model = with_front(model_of([parse(FRONT[-1])], encoding, "disease", ("0", "1")), *FRONT)
    return model, Table(frame, [str(label) for label in table.labels], "heart.csv", True)


def checklists(model: Model, table: Table, facts: list[tuple[str, bool]], size: int, margin: int) -> GoodRules:
    """Every checklist of at most so many of these facts within a margin of the best, by trying all of them."""
    truths = dict(model.encoding.truths(table.rows))
    labels = [str(label) == str(model.classes[1]) for label in table.labels]
    scored = []
    for m in range(1, size + 1):
        for chosen in combinations(facts, m):
            total = sum((truths[name] == holds).astype(int) for name, holds in chosen)
            for k in range(1, m + 1):
                scored.append(
                    (
                        int(((total >= k) == labels).sum()),
                        Rule(tuple((Variable(name), holds) for name, holds in chosen), (1,) * m, k),
                    )
                )
    best = max(right for right, _ in scored)
    rules = tuple(rule for right, rule in scored if right >= best - margin)
    return GoodRules(rules, f"checklists of at most {size} of {len(facts)} facts", margin, size, True)


FACTS = [
    ("cp=4", True), ("exang=1", True), ("sex=1", True), ("slope=1", False), ("ca=0", False), ("thal=3", False),
    ("thal=7", True), ("oldpeak ≥ 0.8", True), ("oldpeak ≥ 1.4", True), ("thalach ≥ 143", False), ("age ≥ 56", True),
]  # fmt: skip


@pytest.fixture(scope="session")
def good(heart):
    """Some dozens of checklists that are about as good as the best of them."""
    known = heart[0].encoding.literals
    return checklists(*heart, [fact for fact in FACTS if fact[0] in known], 4, 9)
