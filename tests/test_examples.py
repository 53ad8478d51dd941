"""Small helpers of the rooms, each by an example or two."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from crystalogic.audit.missing import list_columns
from crystalogic.audit.scope import Choices, Numbers, Scope, plain, value_text
from crystalogic.audit.search import short_decimals
from crystalogic.candidates import settled_weight
from crystalogic.cells import level_number
from crystalogic.crystal import Crystal, Neuron
from crystalogic.document import fingerprint
from crystalogic.encoding import Cut, Is, Ladder
from crystalogic.encoding.fit import round_step
from crystalogic.encoding.own import split_statement
from crystalogic.encoding.unusable import is_called_identifier, many_values, unit_of
from crystalogic.encoding.values import SparseColumns, different_numbers, way_of
from crystalogic.files.source import family_of, rows_within
from crystalogic.intervals import Rates, Share, difference_interval
from crystalogic.logic.domain import Domain
from crystalogic.logic.evaluate import rounding_bound
from crystalogic.logic.formula import Constant, variables
from crystalogic.logic.names import closest, fresh_name, fresh_prefix, latex_name, one_line, visible, write_name
from crystalogic.logic.parse import parse
from crystalogic.logic.render import render
from crystalogic.logic.score import score_of
from crystalogic.logic.walk import is_longer, substitute
from crystalogic.model.ladders import adds_points, count_rungs
from crystalogic.model.profile import ColumnProfile
from crystalogic.model.risk import Risk, exact_percent
from crystalogic.network import Engines, Shape
from crystalogic.search.learn import choose
from crystalogic.search.recover import decompose
from crystalogic.symbolic.extract import Threshold, n_thresholds, read_threshold
from crystalogic.train import strategy_named
from crystalogic.train.block import add_up
from crystalogic.train.strategy import freeze_nearest, n_free_after, representation_error, ternary, to_crystal
from crystalogic.untrusted import find_repeated
from crystalogic.verify.trace import decimal
from crystalogic.words.checklists import counted_lines, fact_words, outline
from crystalogic.words.explanations import number_words
from crystalogic.words.literals import group_words, newly_missing_words, value_words
from crystalogic.words.risks import interval_text, percent_text
from crystalogic.words.tables import rate_text

A, B, C = variables("a b c")
GRID = np.array([[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3])
NAMES = ("PassengerId", "account_no", "uric acid", "number", "account balance")
MANY = "holds numbers with commas or thousands separators, such as '125,170'"
SPARSE = SparseColumns(csr_array([[0, 2], [3, 0]]))
SCORE = score_of(parse("at least 3 of (a, a, ¬b, c ⊗ d)"))
ENGINES = Engines(Shape(2, (3,)), n_restarts=4)

AND, FREE, HELD = np.array([1, 1, -1, 1, 0]), np.ones((1, 4), dtype=bool), np.array([[0.9, 0.4, 0.2, -1.05]])
freeze_nearest(HELD, FREE, n_free=2)
NEITHER = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0)], outputs=[2]).negate()
DEGREES = [Fraction(1, 4), Fraction(1, 3), Fraction(497, 1000), Fraction(499, 1001)]
SCOPE = Scope((Numbers("age", Fraction(29), Fraction(77)), Choices("cp", (1, 2, 3, 4))))

FACTS = {each.name: each for each in (Is("cp", "4"), Is("sex", "1"), Is("ca", "0"), Cut("age", 55))}
CUTS = {f"age ≥ {at}": Cut("age", at) for at in (40, 50, 60)}
RULE = parse("at least 3 of (¬{age ≥ 55}, 2·({cp=4} ⊗ {sex=1}))")
LISTED = outline(parse("at least 2 of ({cp=4}, ¬{ca=0}, x)"), FACTS)[0].item
STEPS = Ladder("age", (40, 50))
RATES = Rates.of(5, 1, 2, 2)
AGES = ColumnProfile("age", 10, 2, (20, 40, 60), (1, 4, 3))
EDUCATED = [Is("edu", "Masters"), Is("edu", "Doctorate")]
NEWLY = "age is missing in 1 row and was in no training row; every fact about it is false there."

EXAMPLES = {
    "level_number": (
        list(map(level_number, ["7", "0.5", "9007199254740993", "007"])),
        [7, 0.5, 9007199254740993, None],
    ),
    "family_of": (
        [family_of("int64") == family_of("double"), family_of("dictionary<values=string, indices=int32, ordered=0>")],
        [True, "text"],
    ),
    "rows_within": ([rows_within(50_000, 10), rows_within(50_000, 20_000)], [50_000, 419]),
    "difference_interval": (
        [round(end, 3) for end in difference_interval(Share(40, 100), Share(20, 100))],
        [0.087, 0.308],
    ),
    "Rates.of": (
        [RATES.selected, RATES.false_alarms, RATES.missed, RATES.counts],
        [Share(3, 10), Share(1, 6), Share(2, 4), (5, 1, 2, 2)],
    ),
    "adds_points": (adds_points(parse("at least 2 of ({age ≥ 40}, {age ≥ 50}, {age ≥ 60}, x)"), CUTS), True),
    "count_rungs": (
        str(count_rungs(parse("{age ≥ 40|50} ⊗ {age ≥ 40|50}"), {STEPS.name: STEPS})),
        "at least 2 of (2·{age ≥ 40|50})",
    ),
    "ColumnProfile.bound_share": (
        [bound.tolist() for bound in AGES.bound_share(np.array([19.0, 40.0, 50.0, 70.0]))],
        [[0.0, 0.625, 0.625, 1.0], [0.0, 0.625, 1.0, 1.0]],
    ),
    "exact_percent": (list(map(exact_percent, [Fraction(4712, 10_000), Fraction(1, 10)])), ["47.12 %", "10 %"]),
    "Risk.interval": ([round(end, 2) for end in Risk((2700,), (Share(7, 50),)).interval(0, 0)], [0.07, 0.27]),
    "counted_lines": (
        [(line.words, line.points) for line in counted_lines(RULE, FACTS)],
        [("both of these: cp is 4; sex is 1", 2), ("age is below 55", 1)],
    ),
    "fact_words": (
        fact_words(parse("{age ≥ 55}"), FACTS),
        ("age is at least 55", ("age is at least 55", "from 55 on", "from 55 on")),
    ),
    "outline": (
        [LISTED.words, *(part.words for part in LISTED.parts)],
        ["at least 2 of these 3", "cp is 4", "ca is not 0", "x"],
    ),
    "group_words": (
        group_words(EDUCATED, negated=True, gaps={"edu"}),
        "edu is none of Masters, Doctorate (or missing)",
    ),
    "newly_missing_words": (newly_missing_words("age", 1), NEWLY),
    "value_words": (list(map(value_words, ["1480.0", "red", "?"])), ["1480", "red", "missing"]),
    "number_words": (
        [number_words(Fraction(7)), number_words(Fraction(687, 125), Fraction(11, 2)), number_words(Fraction(11, 3))],
        ["7", "5.496", "~3.67"],
    ),
    "percent_text": (list(map(percent_text, [7700, 12, 9990])), ["77 %", "under 1 %", "over 99 %"]),
    "interval_text": (interval_text((0.6849, 0.8371)), "68–84"),
    "rate_text": (list(map(rate_text, [Share(12, 40), Share(2, 5)])), ["30 % (18–44)", "too few: 2 of 5"]),
    "list_columns": (list(map(list_columns, ["a", "ab", "abc"])), ["a", "a and b", "a, b and c"]),
    "value_text": (list(map(value_text, [Fraction(1, 2), Fraction(1, 3), None, 4])), ["0.5", "1/3", "missing", "4"]),
    "short_decimals": (
        [str(plain(each)) for each in short_decimals([Fraction(60)], [0, 1])],
        ["60", "59", "61", "60", "59.9", "60.1"],
    ),
    "settled_weight": (
        [settled_weight(given, 2).tolist() for given in ([1, 2], [0.25, 0.75], [7, 7])],
        [[1.0, 2.0], [0.5, 1.5], [1.0, 1.0]],
    ),
    "fingerprint": (fingerprint({"b": 1, "a": 2}), fingerprint({"a": 2, "b": 1})),
    "round_step": ([float(round_step(each)) for each in (0.03, 1, 2.2, 70)], [0.05, 1.0, 5.0, 100.0]),
    "split_statement": (split_statement("age >= 55", ["age", "sex"]), ("age", "≥", "55")),
    "split_statement missing": (split_statement("ca is missing", ["ca"]), ("ca", "missing", "")),
    "many_values": (many_values("charge", 1496, 100, ["125,170", "3,400"]).what, MANY),
    "unit_of": ([unit_of(["5 mg", "10 mg"]), unit_of(["5 mg", "a lot"])], ["mg", None]),
    "is_called_identifier": (list(map(is_called_identifier, NAMES)), [True, True, False, False, False]),
    "way_of": ([way_of(tuple(each), tuple("0123")) for each in ("23", "0", "1")], [1, -1, 0]),
    "different_numbers": (different_numbers(np.array([2.5, np.nan, 1, 2.5]), 100), {1.0: 2, 2.5: 0}),
    "too many different numbers": (different_numbers(np.arange(200), 100), None),
    "SparseColumns": ([list(SPARSE), SPARSE["x1"].tolist()], [["x0", "x1"], [2, 0]]),
    "Domain.includes": (
        [Domain(boolean=["a"]).includes(each) for each in (Domain(exclusive=[["a", "b"]]), Domain())],
        [True, False],
    ),
    "rounding_bound": (rounding_bound(parse("{cp=4} ∧ ¬{ca=0}")) < Fraction(1, 10**15), True),
    "write_name": (list(map(write_name, ["ca", "cp=4"])), ["ca", "{cp=4}"]),
    "write_name in ASCII": (write_name("age ≥ 55", ascii_only=True), r"{age \u2265 55}"),
    "visible": (
        list(map(visible, ["red\x1b[2J", "user\u202etxt.exe", "two\nlines"])),
        [r"red\u001b[2J", r"user\u202etxt.exe", "two\nlines"],
    ),
    "one_line": (list(map(one_line, ["serum\n cholesterol", "red\x1b[2J"])), ["serum cholesterol", r"red\u001b[2J"]),
    "fresh_name": ([fresh_name("a", {"a", "a'"}), fresh_name("b", {"a"})], ["a''", "b"]),
    "fresh_prefix": (fresh_prefix("s", ["s1", "sss"]), "ss"),
    "latex_name": (
        list(map(latex_name, ["x", "body_shape", "age ≥ 55"])),
        ["x", r"\mathit{body\_shape}", r"\text{age $\geq$ 55}"],
    ),
    "closest": ([closest("Agee", ["sex", "age"]), closest("height", ["sex", "age"])], ["age", None]),
    "render": (render(parse("~(a & b) -> {cp=4}"), "latex"), r"\neg (a \otimes b) \rightarrow \text{cp=4}"),
    "score_of": ([SCORE.threshold, SCORE.most], [3, 4]),
    "Score.of": (SCORE.of({"a": 1, "b": 0, "c": 1, "d": Fraction(1, 2)}), Fraction(7, 2)),
    "substitute": (str(substitute(A & ~B, {B: Constant(0)})), "a ⊗ ¬0"),
    "is_longer": ([is_longer(A & B & A, 2), is_longer(A & B, 2)], [True, False]),
    "Shape.n_parameters": (Shape(17, (4, "residual")).n_parameters, 101),
    "Shape": (repr(Shape(17, (4, "residual"))), "Shape(n_inputs=17, hidden=(4, 'residual'), n_outputs=1)"),
    "Engines.of": (ENGINES.of(100), ENGINES.of(100)),
    "choose": (choose(np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]), np.ones(4)), 1),
    "decompose": (str(decompose(GRID, np.minimum(2, 2 - GRID[0] + GRID[1]), 2, ("a", "b"))), "¬a ⊕ b"),
    "n_thresholds": (n_thresholds(Threshold(11, variables(f"x{i}" for i in range(22)))), 132),
    "read_threshold": (str(read_threshold([(A, -1), (B, -1), (C, -1)], 1).formula()), "¬a ⊗ ¬b ⊗ ¬c"),
    "Threshold.formula": (
        [str(each.formula()) for each in (Threshold(2, (A, B)), Threshold(2, (A, B, C)), Threshold(3, (A, A, B)))],
        ["a ⊗ b", "at least 2 of (a, b, c)", "at least 3 of (2·a, b)"],
    ),
    "freeze_nearest": ([HELD.tolist(), FREE.tolist()], [[[1, 0.4, 0.2, -1]], [[False, True, True, False]]]),
    "n_free_after": ([n_free_after(step, 12, 3, 81) for step in (0, 1, 3, 6, 9)], [26, None, 8, 2, 0]),
    "to_crystal": (to_crystal(Shape(2, (1,)), AND, ["a", "b"]).run([1, 1]), (1,)),
    "Crystal.negate": (NEITHER.neurons[0], Neuron([0, 1], [-1, -1], 1)),
    "decimal": (list(map(decimal, DEGREES)), ["0.25", "~0.33", "0.497", "~0.499"]),
    "Scope": (str(SCOPE), "age from 29 to 77; cp in {1, 2, 3, 4}"),
    "strategy_named": (strategy_named("proximal").steps, 2000),
    "add_up": (add_up([(np.array([1, 2]),), (np.array([3, 4]),)])[0].tolist(), [4, 6]),
    "representation_error": (float(representation_error(np.array([0.9, -2.0, 0.5]))), 0.26),
    "ternary": (ternary(np.array([0.3, 0.4, -2.0])).tolist(), [0.0, 1.0, -1.0]),
    "find_repeated": (find_repeated(["a", "b", "a"]), "a"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_helper_gives_what_its_example_shows(name):
    found, expected = EXAMPLES[name]
    assert found == expected
