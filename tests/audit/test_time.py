"""The time allowed bounds every question whole, and work grows with the size of a model: counted, not clocked."""

import time
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import pytest

from crystalogic import (
    AtLeast,
    Variable,
    counterfactual,
    diff,
    entails,
    equivalent,
    ignores,
    monotone,
    never,
    obeys,
    parse,
    risk_range,
    robust,
    satisfiable,
    sufficient_reason,
    valid,
    with_missing,
)
from crystalogic.audit.search import find_fewest
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.encoding import Cut, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.walk import subformulas
from crystalogic.model import Risk
from crystalogic.verify.questions import Verdict
from crystalogic.words.checklists import outline
from crystalogic.words.explanations import explanation_content, explanation_text
from crystalogic.words.models import rule_text

ROW = {"x": 3, "z": 4}
Z = Column("z", "number", (Cut("z", 5.0),))


def shared(n):
    """Each level uses the one below twice; written out as a tree it would have 2ⁿ literals."""
    x, z = Variable("x ≥ 5"), Variable("z ≥ 5")
    formula = x
    for level in range(n):
        formula = (x >> (formula & formula)) if level % 2 else ((formula & ~x) | (formula & z))
    return formula


def model(n):
    encoding = Encoding(tuple(Column(name, "number", (Cut(name, 5.0),)) for name in "xz"))
    return model_of([shared(n)], encoding, "y", ("no", "yes"))


def flat(n):
    """One long threshold; explanations padded every line to the length of its text."""
    cuts = [Cut("x", float(at)) for at in range(n)]
    encoding = Encoding((Column("x", "number", tuple(cuts)), Column("z", "number", (Cut("z", 5.0),))))
    formula = AtLeast(n // 2, *(Variable(cut.name) for cut in cuts), Variable("z ≥ 5"))
    return model_of([formula], encoding, "y", ("no", "yes"))


class Ticking:
    """A clock that goes on by a millisecond whenever somebody looks at it."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 0.001
        return self.now


QUESTIONS = {
    "monotone": lambda m, t: monotone(m, "x", seconds=t),
    "ignores": lambda m, t: ignores(m, "x", seconds=t),
    "policy": lambda m, t: obeys(m, "{x < 3} → {y = yes}", seconds=t),
    "never": lambda m, t: never(m, "no", seconds=t),
    "counterfactual": lambda m, t: counterfactual(m, ROW, seconds=t),
    "reason": lambda m, t: sufficient_reason(m, ROW, seconds=t),
    "robust": lambda m, t: robust(m, ROW, seconds=t),
    "missing": lambda m, t: with_missing(m, ROW, ["x"], seconds=t),
    "diff": lambda m, t: diff(m, model(60), seconds=t),
    "equivalent": lambda m, t: equivalent(m.formulas[0], parse("a"), seconds=t),
    "entails": lambda m, t: entails(m.formulas[0], parse("a"), seconds=t),
    "valid": lambda m, t: valid(m.formulas[0], seconds=t),
    "satisfiable": lambda m, t: satisfiable(m.formulas[0] & parse("a ⊗ ¬a"), seconds=t),
    "monotone formula": lambda m, t: monotone(m.formulas[0], "x ≥ 5", seconds=t),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_that_runs_out_of_time_is_undecided_at_once(name, monkeypatch):
    """A question with `--time 2` went on for minutes: only z3 was told the time."""
    clock = Ticking()
    monkeypatch.setattr("crystalogic.deadline.time", clock)
    found = QUESTIONS[name](model(61), 0.05)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason == "undecided after 0.05 s; allow more time, or declare a smaller scope"
    assert clock.now < 0.06


@pytest.mark.parametrize("seconds", [0.01, 0.07, 0.08, 0.3])
def test_a_risk_range_without_time_tells_what_is_known(seconds, monkeypatch):
    """Of x ≥ 10 and x < 10 one is true, so that the lowest and the highest score are never reached."""
    cuts = tuple(Cut("x", float(at)) for at in range(20))
    both = [part for cut in cuts for part in (Variable(cut.name), ~Variable(cut.name))]
    made = model_of(
        [AtLeast(30, *both, Variable("z ≥ 5"))], Encoding((Column("x", "number", cuts), Z)), "y", ("n", "p")
    )
    made = replace(made, risk=Risk(tuple(range(100, 4300, 100))))
    monkeypatch.setattr("crystalogic.deadline.time", Ticking())
    found = risk_range(made, seconds=seconds)
    assert found.facts["at_least"] <= 0.21
    assert found.facts["at_most"] >= 0.22
    if found.verdict is Verdict.UNDECIDED:
        bounds = "no row is below {:g} % or above {:g} %".format(
            *(100 * found.facts[name] for name in ("at_least", "at_most"))
        )
        assert found.reason == f"undecided after {seconds:g} s; allow more time, or declare a smaller scope; {bounds}"
        told = "is from" if found.cases else "has a lowest and a highest value"
        assert found.claim.startswith(f"the risk of y = p {told}")
    else:
        assert (found.facts["lowest"], found.facts["highest"]) == (0.21, 0.22)


def test_the_time_allowed_is_kept_by_the_clock_too():
    start = time.process_time()
    assert monotone(model(8000), "x", seconds=0.2).verdict is Verdict.UNDECIDED
    assert time.process_time() - start < 4


def test_choosing_columns_ends_in_time(monkeypatch):
    """Of forty columns, the smallest sets that meet all pairs are too many to go through."""
    monkeypatch.setattr("crystalogic.deadline.time", Ticking())
    columns = [f"c{index}" for index in range(40)]
    pairs = list(map(frozenset, combinations(columns, 2)))
    with pytest.raises(TimeUp):
        find_fewest(columns, lambda kept: next((p for p in pairs if p.isdisjoint(kept)), None), Deadline.after(1))


def test_a_trace_computes_every_part_once(monkeypatch):
    """Every part was evaluated from scratch: hours at the largest formula that is read."""
    from crystalogic.logic import evaluate

    calls = []
    step = evaluate._step
    monkeypatch.setattr(evaluate, "_step", lambda *given: calls.append(given) or step(*given))
    made = model(200)
    calls.clear()
    made.explain(ROW)
    assert len(calls) == len(subformulas(*made.formulas))


@pytest.mark.parametrize("form", [explanation_text, lambda e: str(explanation_content(e)), str])
def test_explanations_grow_with_the_formula(form):
    for made in (model, flat):
        short, long = (len(form(made(n).explain(ROW))) for n in (200, 400))
        assert long < 2.5 * short


def test_a_rule_whose_tree_fills_no_memory_is_told_in_words():
    assert len(rule_text(model(60))) < 20_000
    wide = parse("{x ≥ 5}")
    for level in range(30):  # different parts, so that nothing is counted twice
        wide = (wide | Variable(f"a{level}")) & (wide | Variable(f"b{level}"))
    assert rule_text(SimpleNamespace(**{**vars(model(1)), "formulas": (wide,)})).count("\n") < 1_000


def test_the_outline_of_a_page_grows_with_the_formula():
    """Blocks were looked up by counting from the first: 70 s for a formula of 1,500 levels."""

    def n_items(item):
        return 1 + sum(map(n_items, item.parts))

    for n in (100, 400):
        formula = shared(n)
        n_nodes = len(subformulas(formula))
        assert sum(n_items(block.item) for block in outline(formula, {})) <= 4 * n_nodes
