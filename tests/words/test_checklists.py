"""Rules with points as lines that a person adds up."""

import pytest

from crystalogic.encoding import Cut, Is, Reaches
from crystalogic.logic.parse import parse
from crystalogic.words.checklists import checklist

LADDER = {
    "age ≥ 40": Cut("age", 40),
    "age ≥ 55": Cut("age", 55),
    "age ≥ 70": Cut("age", 70),
    "size ≥ very large": Reaches("size", "very large", ("small", "large", "very large")),
    "size ≥ large": Reaches("size", "large", ("small", "large", "very large")),
    "cp=4": Is("cp", "4"),
}


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
