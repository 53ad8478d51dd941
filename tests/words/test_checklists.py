"""Rules with points as lines that a person adds up."""

import pytest

import crystalogic as cl
from crystalogic.encoding import Cut, Encoding, Is, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.fitting.reading import model_of
from crystalogic.logic.parse import parse
from crystalogic.words.checklists import checklist
from crystalogic.words.explanations import explanation_text

LADDER = {
    "age ≥ 40": Cut("age", 40),
    "age ≥ 55": Cut("age", 55),
    "age ≥ 70": Cut("age", 70),
    "size ≥ very large": Reaches("size", "very large", ("small", "large", "very large")),
    "size ≥ large": Reaches("size", "large", ("small", "large", "very large")),
    "cp=4": Is("cp", "4"),
}
JOBS = ("none", "other", "steady", "own")
JOB = {f"job={each}": Is("job", each) for each in JOBS} | {"job=none|other": OneOf("job", ("none", "other"))}


@pytest.mark.parametrize(
    ("formula", "gaps", "lines"),
    [
        (
            "at least 3 of ({age ≥ 55}, 2·{age ≥ 40}, {cp=4}, 3·{age ≥ 70})",
            (),
            ["2 points if age is at least 40, 3 from 55 on, 6 from 70 on", "1 point if cp is 4"],
        ),
        (
            "at least 3 of (2·¬{age ≥ 55}, ¬{age ≥ 40}, ¬{age ≥ 70})",
            (),
            ["1 point if age is below 70, 3 below 55, 4 below 40"],
        ),
        (
            "at least 3 of (2·¬{age ≥ 55}, ¬{age ≥ 40}, {cp=4}, 3·¬{age ≥ 70})",
            ("age",),
            ["3 points if age is below 70, 5 below 55, 6 below 40 or missing", "1 point if cp is 4"],
        ),
        (
            "at least 2 of (2·¬{age ≥ 55}, {cp=4})",
            ("age",),
            ["2 points if age is below 55 (or missing)", "1 point if cp is 4"],
        ),
        (
            "at least 2 of (2·¬{age ≥ 40}, {age ≥ 55}, {age ≥ 70})",
            (),
            ["2 points if age is below 40", "1 point if age is at least 55, 2 from 70 on"],
        ),
        (
            "at least 2 of ({size ≥ very large}, 2·{size ≥ large})",
            (),
            ["2 points if size is at least large, 3 from very large on"],
        ),
    ],
)
def test_points_of_cuts_of_one_column_are_added_up(formula, gaps, lines):
    heading, *found = checklist(parse(formula), LADDER, gaps).splitlines()
    assert heading.endswith("points:")
    assert found == [f"  - {line}" for line in lines]


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        (
            "at least 3 of ({job=own}, 3·{job=none|other}, 2·{job=steady}, x)",
            ["3 points if job is one of none, other, 2 if steady, 1 if own", "1 point if x"],
        ),
        (
            "at least 3 of (2·{job=none}, {job=none|other})",
            ["2 points if job is none", "1 point if job is one of none, other"],
        ),
        ("at least 2 of (2·¬{job=own}, {job=none})", ["2 points if job is not own", "1 point if job is none"]),
    ],
)
def test_values_of_one_column_are_told_in_one_line_where_no_row_has_two_of_them(formula, lines):
    assert checklist(parse(formula), JOB).splitlines()[1:] == [f"  - {line}" for line in lines]


def test_of_values_that_exclude_each_other_a_row_has_the_points_of_one():
    facts = tuple(fact for fact in JOB.values() if isinstance(fact, Is))
    columns = Column("job", "category", facts, JOBS), Column("age", "number", (Cut("age", 40),))
    rule = parse("at least 3 of (3·{job=none}, {job=own}, 2·{age ≥ 40})")
    model = model_of([rule], Encoding(columns), "risk", ("no", "yes"))
    assert "  1 of 3 points: job is none, 1 if own\n" in explanation_text(model.explain({"job": "own", "age": 20}))
    assert [list(map(str, each)) for each in cl.reasons(model, {"job": ["own", "none"], "age": [50, 20]})] == [
        ["age is at least 40 (+2)", "job is own (+1)"],
        ["job is none (+3)"],
    ]
