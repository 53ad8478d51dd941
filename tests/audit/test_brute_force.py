"""Every question against a walk through all rows of a small finite table."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import CELLS, SMALL, explain_small, small_model, small_rows, small_scope
from crystalogic import AtLeast, Verdict
from crystalogic.audit.counterfactual import counterfactual, sufficient_reason
from crystalogic.audit.diff import diff
from crystalogic.audit.missing import robust, with_missing
from crystalogic.audit.monotone import ignores, monotone
from crystalogic.audit.policy import never, obeys, risk_range
from crystalogic.errors import DomainError
from crystalogic.logic.formula import Constant, Not, Variable
from crystalogic.logic.score import score_of
from crystalogic.model import Risk
from depth import deep
from strategies import formulas

LISTS = [(0, 1, 2), (1, 0, 2)]
CLASSES = {1: ("no", "yes"), 3: ("red", "green", "blue")}
drawn_formulas = formulas(SMALL.names, max_leaves=7)


@st.composite
def models(draw):
    n_formulas = draw(st.sampled_from([1, 1, 3]))
    return small_model([draw(drawn_formulas) for _ in range(n_formulas)], CLASSES[n_formulas])


@st.composite
def risky_models(draw):
    """A rule of facts with points and a risk, several scores of which may have the same share."""
    facts = tuple(name for name in SMALL.names if SMALL.literals[name].is_boolean)
    parts = draw(st.lists(formulas(facts, max_leaves=3), min_size=1, max_size=4))
    counted = [part for part in parts for _ in range(draw(st.integers(1, 3)))]
    model = small_model([AtLeast(draw(st.integers(1, len(counted))), *counted)], CLASSES[1])
    n_scores = score_of(model.formulas[0]).most + 1
    shares = draw(st.lists(st.integers(1, 9), min_size=n_scores, max_size=n_scores))
    return replace(model, risk=Risk(tuple(sorted(1000 * share for share in shares))))


@st.composite
def adding_models(draw):
    """A rule, or a list of two and a class for the rest, that adds up points of facts, each of one column."""

    def rule():
        facts = [name for name in SMALL.names if SMALL.literals[name].is_boolean]
        parts = [Variable(name) for name in draw(st.lists(st.sampled_from(facts), min_size=1, max_size=5, unique=True))]
        parts = [Not(part) if draw(st.booleans()) else part for part in parts]
        counted = [part for part in parts for _ in range(draw(st.integers(1, 3)))]
        return AtLeast(draw(st.integers(1, len(counted))), *counted)

    if draw(st.booleans()):
        return small_model([rule()], CLASSES[1])
    return replace(small_model([rule(), rule(), Constant(1)], CLASSES[3]), order=draw(st.sampled_from(LISTS)))


def told(model):
    """What the model says of every row in the columns that it reads: {row as a tuple: explanation}."""
    return {tuple(row.values()): explain_small(model, row) for row in small_rows(model.columns)}


def place(column, value):
    return None if value is None else CELLS[column].index(value) if column in ("c", "o") else value


def cells(model, key):
    return dict(zip(model.columns, key, strict=True))


def test_rows_of_the_small_table_are_explained_as_by_the_model():
    model = small_model(["n ⊗ ¬{c=3} ⊕ {o ≥ mid}"], CLASSES[1])
    for row in small_rows(model.columns):
        assert explain_small(model, row) == model.explain(row)


def agrees(answer, expected):
    assert answer.verdict is (Verdict.PROVED if expected else Verdict.REFUTED), str(answer)


@given(models(), st.sampled_from(["n", "c", "o"]), st.booleans())
@settings(max_examples=deep(40))
def test_monotone_and_ignores(model, column, decreasing):
    scope = small_scope(model)
    rows = told(model)
    index = model.columns.index(column) if column in model.columns else None
    label = model.classes[1]
    for of in ("decision", "degree"):
        formula = 0 if len(model.formulas) == 1 else 1
        value = {k: e.decision == label if of == "decision" else e.degrees[formula] for k, e in rows.items()}
        is_monotone = True
        is_ignored = True
        for one, other in combinations(rows, 2) if index is not None else ():
            if one[:index] + one[index + 1 :] != other[:index] + other[index + 1 :]:
                continue
            is_ignored &= value[one] == value[other]
            x, y = place(column, one[index]), place(column, other[index])
            if x is not None and y is not None:
                low, high = (value[one], value[other]) if x < y else (value[other], value[one])
                is_monotone &= low >= high if decreasing else low <= high
        asked = {"of": of, "label": label}
        agrees(monotone(model, column, scope, decreasing=decreasing, **asked), is_monotone)
        found = ignores(model, column, scope, **asked)
        agrees(found, is_ignored)
        for case in found.cases:
            assert case.degrees == rows[tuple(case.row.values())].degrees


CONDITIONS = {
    "{n ≥ 2}": lambda r: r["n"] >= 2,
    "{c = 2}": lambda r: r["c"] == 2,
    "{c ≠ 2}": lambda r: r["c"] != 2,
    "{o < high}": lambda r: r["o"] != "high",
    "{k = a} & ~{c is missing}": lambda r: r["k"] == "a" and r["c"] is not None,
}


@given(models(), st.sampled_from(list(CONDITIONS)))
@settings(max_examples=deep(30))
def test_policies(model, condition):
    scope = small_scope(model)
    label = model.classes[1]
    rows = [row for row in small_rows(tuple(CELLS)) if CONDITIONS[condition](row)]
    expected = all(explain_small(model, row).decision != label for row in rows)
    agrees(obeys(model, f"({condition}) -> ~{{y={label}}}", scope), expected)
    agrees(never(model, label, when=condition, scope=scope), expected)


def cost(model, start, key, frozen=(), rising=()):
    """How many columns are changed and how far; None for a change that is not allowed."""
    changed = moved = 0
    for column, old, new in zip(model.columns, start, key, strict=True):
        x, y = place(column, old), place(column, new)
        changed += old != new
        if (old is not None and new is None) or (column in frozen and old != new):
            return None
        if column in rising and x is not None and x > y:
            return None
        if x is not None and column != "k":
            moved += abs(x - y) / {"n": 4, "c": 2, "o": 2}[column]
    return changed, moved


@given(models(), st.data())
@settings(max_examples=deep(30))
def test_counterfactuals_are_the_nearest(model, data):
    scope = small_scope(model)
    rows = told(model)
    if not model.columns:
        return
    start = data.draw(st.sampled_from(sorted(rows, key=str)))
    frozen = data.draw(st.lists(st.sampled_from(model.columns), max_size=1))
    rising = [column for column in data.draw(st.lists(st.sampled_from(model.columns), max_size=1)) if column != "k"]

    costs = {
        key: cost(model, start, key, frozen, rising)
        for key, each in rows.items()
        if each.decision != rows[start].decision
    }
    reachable = {key: each for key, each in costs.items() if each is not None}
    found = counterfactual(model, cells(model, start), frozen=frozen, increasing=rising, scope=scope)
    agrees(found, bool(reachable))
    if reachable:
        assert cost(model, start, tuple(found.witness.values()), frozen, rising) == min(reachable.values())
        assert found.cases[1].decision != rows[start].decision


def reason_is_fewest(model, start, rows):
    columns, decision = range(len(model.columns)), rows[start].decision

    def decides(kept):
        return all(e.decision == decision for k, e in rows.items() if all(k[i] == start[i] for i in kept))

    fewest = next(size for size in range(len(start) + 1) for kept in combinations(columns, size) if decides(kept))
    found = sufficient_reason(model, cells(model, start), scope=small_scope(model))
    kept = [model.columns.index(column) for column in found.facts["reason_columns"]]
    assert found
    assert len(kept) == fewest
    assert decides(kept)


@given(adding_models(), st.data())
@settings(max_examples=deep(60))
def test_reasons_of_rules_that_add_up_need_no_search_for_rows(model, data):
    rows = told(model)
    start = data.draw(st.sampled_from(sorted(rows, key=str)))
    with patch("crystalogic.audit.counterfactual.find_fewest_facts", side_effect=AssertionError):
        reason_is_fewest(model, start, rows)


@given(models(), st.data())
@settings(max_examples=deep(30))
def test_reasons_and_fields_to_ask_for_are_the_fewest(model, data):
    scope = small_scope(model)
    rows = told(model)
    start = data.draw(st.sampled_from(sorted(rows, key=str)))
    columns = range(len(model.columns))
    reason_is_fewest(model, start, rows)

    drawn = data.draw(st.sets(st.sampled_from([0, 1, 2, 3]), max_size=3))
    hidden = {i for i in columns if start[i] is None or i in drawn}
    possible = [k for k in rows if all((k[i] is not None) if i in hidden else (k[i] == start[i]) for i in columns)]

    def settles(asked):
        seen = {}
        return all(seen.setdefault(tuple(k[i] for i in asked), rows[k].decision) == rows[k].decision for k in possible)

    found = with_missing(model, cells(model, start), [model.columns[i] for i in hidden], scope=scope)
    agrees(found, settles(()))
    fewest = next(size for size in range(len(hidden) + 1) for asked in combinations(hidden, size) if settles(asked))
    assert len(found.facts["ask_for"]) == fewest
    assert settles([model.columns.index(column) for column in found.facts["ask_for"]])


@given(models(), st.data())
@settings(max_examples=deep(40))
def test_robustness(model, data):
    """A measurement may leave the range of training."""
    start = data.draw(st.sampled_from(sorted(told(model), key=str)))
    row = cells(model, start)
    errors = {column: 1 for column in ("n", "c") if column in model.columns}
    nearby = [
        [value + step for step in (-1, 0, 1)] if column in errors and value is not None else [value]
        for column, value in row.items()
    ]
    decisions = {model.explain(cells(model, key)).decision for key in product(*nearby)}
    agrees(robust(model, row, 0, errors=errors, scope=small_scope(model)), len(decisions) == 1)


@given(drawn_formulas, drawn_formulas)
@settings(max_examples=deep(30))
def test_models_that_differ(one, other):
    old, new = small_model([one], ("no", "yes")), small_model([other], ("no", "yes"))
    columns = tuple(dict.fromkeys([*old.columns, *new.columns]))
    rows = list(small_rows(columns))
    apart = [explain_small(old, row).decision != explain_small(new, row).decision for row in rows]
    found = diff(old, new, scope=small_scope(old))
    agrees(found, not any(apart))
    if not found:
        facts = found.facts["facts"]
        assert all(differs for row, differs in zip(rows, apart, strict=True) if all(row[c] == facts[c] for c in facts))
    degrees = diff(small_model([one], None), small_model([other], None), scope=small_scope(old))
    agrees(degrees, all(explain_small(old, row).degrees == explain_small(new, row).degrees for row in rows))


@given(drawn_formulas, st.lists(st.tuples(st.floats(0, 4), st.sampled_from([1, 2, 3, None])), min_size=2, max_size=20))
@settings(max_examples=deep(40))
def test_no_row_of_real_numbers_contradicts_a_proof(formula, drawn):
    """Numbers that are not whole cannot be gone through; those drawn at least do not contradict what was proved."""
    model = small_model([formula], ("no", "yes"))
    explained = [model.explain({"n": n, "c": c, "k": "b", "o": "mid"}) for n, c in drawn]
    by_number = sorted(explained, key=lambda each: each.row["n"])
    for label in model.classes:
        if never(model, label):
            assert all(each.decision != label for each in explained)
    if monotone(model, "n", of="degree"):
        pairs = [(a, b) for a, b in combinations(by_number, 2) if a.row["c"] == b.row["c"]]
        assert all(a.degrees <= b.degrees for a, b in pairs)
    start = explained[0]
    other = counterfactual(model, start.row)
    if other:
        assert model.explain(other.witness).decision != start.decision
    else:
        present = [each for each in explained if start.row["c"] is None or each.row["c"] is not None]
        assert all(each.decision == start.decision for each in present)
    steady = robust(model, start.row, 10)
    if steady and "n" in model.columns:
        near = [model.explain({**start.row, "n": start.row["n"] * (0.9 + i / 50)}) for i in range(1, 10)]
        assert all(each.decision == start.decision for each in near)


@given(risky_models(), st.sampled_from(["n", "c", "o"]), st.booleans())
@settings(max_examples=deep(40))
def test_a_risk_that_never_falls_or_does_not_change(model, column, decreasing):
    """Two scores may have the same risk: a score that falls is no risk that falls."""
    rows = {key: each.probability for key, each in told(model).items()}
    index = model.columns.index(column) if column in model.columns else None
    is_monotone = is_ignored = True
    for one, other in combinations(rows, 2) if index is not None else ():
        if one[:index] + one[index + 1 :] == other[:index] + other[index + 1 :]:
            is_ignored &= rows[one] == rows[other]
            x, y = place(column, one[index]), place(column, other[index])
            if x is not None and y is not None:
                low, high = (rows[one], rows[other]) if x < y else (rows[other], rows[one])
                is_monotone &= low >= high if decreasing else low <= high
    agrees(monotone(model, column, small_scope(model), decreasing=decreasing, of="risk"), is_monotone)
    agrees(ignores(model, column, small_scope(model), of="risk"), is_ignored)


@given(risky_models(), st.sampled_from([None, *CONDITIONS]))
@settings(max_examples=deep(25))
def test_the_lowest_and_the_highest_risk(model, condition):
    rows = [row for row in small_rows(tuple(CELLS)) if condition is None or CONDITIONS[condition](row)]
    risks = [explain_small(model, row).probability for row in rows]
    found = risk_range(model, when=condition, scope=small_scope(model))
    agrees(found, expected=True)
    assert [case.probability for case in found.cases] == [min(risks), max(risks)]
    assert [found.facts[name] for name in ("lowest", "at_least")] == [float(min(risks))] * 2
    assert [found.facts[name] for name in ("highest", "at_most")] == [float(max(risks))] * 2
    for case in found.cases:
        row = {**dict.fromkeys(CELLS), **case.row}
        assert condition is None or CONDITIONS[condition](row)
        assert model.explain(case.row).probability == case.probability
    bound = Fraction(1, 2)
    agrees(never(model, "risk > 50 %", when=condition, scope=small_scope(model)), max(risks) <= bound)
    if condition is not None:
        agrees(obeys(model, f"({condition}) -> {{risk >= 0.5}}", small_scope(model)), min(risks) >= bound)


def test_a_risk_range_of_rows_that_cannot_occur_is_refused():
    model = replace(small_model(["{c=1}"], CLASSES[1]), risk=Risk((1000, 2000)))
    with pytest.raises(DomainError, match=r"no row that can occur meets \{c = 9\} \(c in \{1, 2, 3\} or missing\)"):
        risk_range(model, when="c = 9")


@given(risky_models(), st.data())
@settings(max_examples=deep(40))
def test_the_least_change_that_brings_the_risk_below_or_above(model, data):
    rows = told(model)
    start = data.draw(st.sampled_from(sorted(rows, key=str)))
    here = rows[start].probability
    below, share = data.draw(st.booleans()), Fraction(data.draw(st.integers(1, 9)), 10)
    goal = f"risk {'<' if below else '>'} {float(share)}"

    def reaches(risk):
        return risk < share if below else risk > share

    if reaches(here):
        with pytest.raises(DomainError, match="is what the model says of this row already"):
            counterfactual(model, cells(model, start), to=goal, scope=small_scope(model))
        return
    costs = [cost(model, start, key) for key, each in rows.items() if reaches(each.probability)]
    reachable = [each for each in costs if each is not None]
    found = counterfactual(model, cells(model, start), to=goal, scope=small_scope(model))
    agrees(found, bool(reachable))
    if reachable:
        assert cost(model, start, tuple(found.witness.values())) == min(reachable)
        assert [case.probability for case in found.cases] == [here, rows[tuple(found.witness.values())].probability]
        assert reaches(found.cases[1].probability)
