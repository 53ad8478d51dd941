"""The list of good rules is that of brute force, and the command puts it on the page."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

from crystalogic.choosing import find_good
from crystalogic.cli.app import run
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.report import Table

NAMES = "abcd"


def make_rows(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({name: rng.choice(["0", "1"], n) for name in NAMES})
    score = (rows == "1").sum(axis=1) + rng.normal(0, 0.8, n)
    return rows.assign(ill=np.where(score > 2.4, "yes", "no"))


MODEL = model_of(
    [parse("{a=1}")],
    Encoding([Column(each, "code", (Is(each, "1"),), ("0", "1")) for each in NAMES]),
    "ill",
    ("no", "yes"),
)


def test_all_good_rules_are_found_and_no_others() -> None:
    rows = make_rows()
    truth = (rows["ill"] == "yes").to_numpy()
    held = {name: (rows[name] == "1").to_numpy() for name in NAMES}
    costs = {}
    for size in (1, 2, 3):
        for names in combinations(NAMES, size):
            for signs in product((False, True), repeat=size):
                count = sum((held[name] == sign).astype(int) for name, sign in zip(names, signs, strict=True))
                for least in range(1, size + 1):
                    wrong = int(((count >= least) != truth).sum())
                    costs[frozenset(zip([f"{name}=1" for name in names], signs, strict=True)), least] = wrong
    best = min(costs.values())
    good = find_good(MODEL, Table(rows, rows["ill"]), 3, 0.05)
    assert good.is_complete
    assert good.margin == 3
    expected = {rule for rule, cost in costs.items() if cost <= best + 3}
    assert {
        (frozenset((fact.name, holds) for fact, holds in rule.facts), rule.threshold) for rule in good.rules
    } == expected


def test_the_command_shows_them_and_says_that_the_list_is_complete(tmp_path: Path) -> None:
    table, model, page = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "c.html"
    make_rows().to_csv(table, index=False)
    MODEL.save(model)
    assert run(["choose", str(model), str(table), "--size", "2", "--output", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "checklists of at most 2 facts of 4" in text
    assert '"is_complete":true' in text.replace(" ", "")


def test_scorecards_are_on_the_list_where_they_are_asked_for(tmp_path: Path) -> None:
    rows = make_rows()
    points = find_good(MODEL, Table(rows, rows["ill"]), 3, 0.05, shape="points")
    assert points.is_complete
    assert any(max(rule.points) > 1 for rule in points.rules)
    table, model, page = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "c.html"
    rows.to_csv(table, index=False)
    MODEL.save(model)
    assert run(["choose", str(model), str(table), "--shape", "points", "--output", str(page)]) == 0
    assert "scorecards of at most 3 facts of 4" in page.read_text(encoding="utf-8")
