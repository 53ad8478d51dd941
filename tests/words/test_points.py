"""Rules with points in words: as a scorecard, for one row, as data, as HTML and in exports."""

import pytest

from audited import LOAN, loan
from crystalogic.encoding import Cut, Encoding, Is, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.export import to_latex, to_markdown, to_python
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.words.checklists import checklist, outline
from crystalogic.words.explanations import decision_sentence, explanation_content, explanation_text
from crystalogic.words.literals import legend
from crystalogic.words.models import rule_text

LEVELS = ("Basic", "Bachelor", "Masters", "Doctorate")
PEOPLE = Encoding(
    (
        Column("cp", "code", (Is("cp", "4"),), ("1", "2", "3", "4")),
        Column("ca", "code", (Is("ca", "0"),), ("0", "1", "2"), True),
        Column("age", "number", (Cut("age", 40.0), Cut("age", 55.0), Cut("age", 70.0))),
        Column("edu", "category", tuple(Is("edu", level) for level in LEVELS), LEVELS, True),
        Column("job", "ordinal", (Reaches("job", "mid", ("low", "mid", "top")),), ("low", "mid", "top")),
    )
)
ROW = {"cp": "4", "ca": "2", "age": 60, "edu": "Masters", "job": "low"}


def people(text):
    return model_of([parse(text)], PEOPLE, "class", ("no", "yes"))


def words(text):
    return checklist(parse(text), PEOPLE.literals, PEOPLE.gaps)


SCORE = "at least 4 of ({age ≥ 55}, 3·{cp=4}, 2·¬{ca=0})"
NESTED = (
    "at least 5 of ({cp=4}, 2·at least 2 of ({age ≥ 40}, {edu=Basic}, {job ≥ mid}), "
    "3·({edu=Masters} ⊕ {edu=Doctorate}))"
)


def test_a_rule_with_points_is_a_scorecard_with_the_most_points_first():
    assert rule_text(people(SCORE)) == (
        "class is yes if at least 4 points:\n"
        "  - 3 points if cp is 4\n"
        "  - 2 points if ca is not 0 (or missing)\n"
        "  - 1 point if age is at least 55\n"
        "otherwise class is no"
    )


def test_a_rule_whose_points_are_all_one_is_a_checklist():
    assert words("at least 2 of ({age ≥ 55}, {cp=4}, ¬{ca=0})") == (
        "at least 2 of these 3:\n  - age is at least 55\n  - cp is 4\n  - ca is not 0 (or missing)"
    )


def test_a_neuron_with_points_is_listed_below_them():
    assert words(NESTED) == (
        "at least 5 points:\n"
        "  - 3 points if edu is one of Masters, Doctorate\n"
        "  - 2 points if at least 2 of these 3:\n"
        "    - age is at least 40\n"
        "    - edu is Basic\n"
        "    - job is at least mid\n"
        "  - 1 point if cp is 4"
    )


def test_cuts_of_one_column_stand_next_to_each_other_and_rise():
    assert words("at least 4 of ({cp=4}, 3·{age ≥ 70}, 2·¬{ca=0}, {age ≥ 40}, 2·¬{age ≥ 55}, 2·{job ≥ mid})") == (
        "at least 4 points:\n"
        "  - 1 point if age is at least 40\n"
        "  - 2 points if age is below 55\n"
        "  - 3 points if age is at least 70\n"
        "  - 2 points if ca is not 0 (or missing)\n"
        "  - 2 points if job is at least mid\n"
        "  - 1 point if cp is 4"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{edu=Doctorate} ⊕ {edu=Masters}", "edu is one of Doctorate, Masters"),
        ("¬({edu=Doctorate} ⊕ {edu=Masters})", "edu is none of Doctorate, Masters (or missing)"),
        ("¬{edu=Doctorate} ⊗ ¬{edu=Masters}", "edu is none of Doctorate, Masters (or missing)"),
        ("¬(¬{edu=Doctorate} ⊗ ¬{edu=Masters})", "edu is one of Doctorate, Masters"),
    ],
)
def test_values_of_one_column_are_one_line(text, line):
    assert words(text) == line
    assert words(f"{{cp=4}} ⊕ ({text})") == f"at least one of these 2:\n  - cp is 4\n  - {line}"


@pytest.mark.parametrize(
    "text",
    [
        "{edu=Masters} ⊕ {cp=4}",
        "{edu=Masters} ⊕ ¬{edu=Basic}",
        "{edu=Masters} ⊗ {edu=Basic}",
        "{age ≥ 40} ⊕ {age ≥ 55}",
    ],
)
def test_what_is_no_group_of_values_is_listed(text):
    assert len(words(text).split("\n")) == 3


def test_an_explanation_has_the_points_of_every_fact_and_their_sum():
    assert explanation_text(people(SCORE).explain(ROW)) == (
        "The row:\n"
        "  age = 60\n"
        "  cp = 4\n"
        "  ca = 2\n"
        "\n"
        "Step by step:\n"
        "  3 of 3 points: cp is 4\n"
        "  2 of 2 points: ca is not 0 (or missing)\n"
        "  1 of 1 point: age is at least 55\n"
        "\n"
        "class is yes: 6 of 6 points, at least 4 are needed"
    )
    assert decision_sentence(people("at least 1 of (2·{cp=4}, {ca=0})").explain({**ROW, "cp": "1"})) == (
        "class is no: 0 of 3 points, at least 1 is needed"
    )


def test_an_explanation_shows_the_parts_of_what_has_points():
    assert explanation_text(people(NESTED).explain(ROW)).split("\n\n")[1:] == [
        "Step by step:\n"
        "  3 of 3 points: edu is one of Masters, Doctorate\n"
        "  0 of 2 points: at least 2 of these 3:\n"
        "    1.00: age is at least 40\n"
        "    0.00: edu is Basic\n"
        "    0.00: job is at least mid\n"
        "  1 of 1 point: cp is 4",
        "class is no: 4 of 6 points, at least 5 are needed",
    ]


def test_degrees_bring_a_share_of_their_points_and_half_a_point_less_is_needed():
    found = loan("at least 3 of (2·age, 2·{income ≥ 30}, {sex=m})").explain({"age": 33, "income": 40, "sex": "f"})
    assert found.decision == "no"
    assert explanation_text(found).split("\n\n")[1:] == [
        "Step by step:\n"
        "  ~0.48 of 2 points: age is high (from 18 to 80)\n"
        "  2 of 2 points: income is at least 30\n"
        "  0 of 1 point: sex is m",
        "approved is no: ~2.48 of 5 points, at least 2.50 are needed",
    ]
    near = loan("at least 3 of (2·age, 2·{income ≥ 30}, {sex=m})").explain({"age": 33.4, "income": 40, "sex": "f"})
    assert decision_sentence(near) == "approved is no: ~2.497 of 5 points, at least 2.50 are needed"


def test_the_points_of_a_row_as_data():
    content = explanation_content(people(SCORE).explain({**ROW, "ca": "0"}))
    assert content["sentence"] == "class is yes: 4 of 6 points, at least 4 are needed"
    assert content["points"] == [
        {
            "sum": "4",
            "of": 6,
            "needed": "4",
            "lines": [
                {"words": "cp is 4", "part": "{cp=4}", "points": 3, "brings": "3"},
                {"words": "ca is not 0 (or missing)", "part": "¬{ca=0}", "points": 2, "brings": "0"},
                {"words": "age is at least 55", "part": "{age ≥ 55}", "points": 1, "brings": "1"},
            ],
        }
    ]
    assert [step["part"] for step in content["traces"][0]] == [
        "{age ≥ 55}",
        "{cp=4}",
        "{ca=0}",
        "¬{ca=0}",
        "at least 4 of ({age ≥ 55}, 3·{cp=4}, 2·¬{ca=0})",
    ]


def test_of_several_classes_the_points_are_told_without_what_is_needed():
    rules = [parse("at least 3 of (2·{sex=m}, 2·{income ≥ 30})"), parse("{debts=0}"), parse("{debts ≥ 2}")]
    model = model_of(rules, LOAN, "tier", ("a", "b", "c"))
    found = model.explain({"age": 40, "income": 50, "sex": "f", "debts": 1})
    assert "\n  2 of 2 points: income is at least 30\n\n" in explanation_text(found)
    first, *others = explanation_content(found)["points"]
    assert (first["sum"], first["of"], first["needed"], others) == ("2", 4, None, [None, None])


def test_exports_for_people_have_points():
    model = people(SCORE)
    assert to_markdown(model) == (
        "# class\n\n"
        "Decide class = **yes** if:\n\n"
        "- [ ] at least 4 points:\n"
        "  - [ ] 3 points if cp is 4\n"
        "  - [ ] 2 points if ca is not 0 (or missing)\n"
        "  - [ ] 1 point if age is at least 55\n\n"
        "Otherwise decide class = **no**.\n"
    )
    assert (
        r"\text{at least }4\text{ of }(\text{age $\geq$ 55}, 3\cdot \text{cp=4}, 2\cdot \neg \text{ca=0})"
        in to_latex(model)
    )
    assert "#   at least 4 of ({age \\u2265 55}, 3*{cp=4}, 2*~{ca=0})\n" in to_python(model)


def test_the_formula_on_a_page_explains_its_points():
    assert legend((parse(SCORE),))[-1] == ("n·", "n points: what follows counts n times in the sum.")


def test_lines_know_their_points():
    (block,) = outline(parse(SCORE), PEOPLE.literals, PEOPLE.gaps)
    assert [(part.words, part.points) for part in block.item.parts] == [
        ("cp is 4", 3),
        ("ca is not 0 (or missing)", 2),
        ("age is at least 55", 1),
    ]
    assert (block.item.most, block.item.points) == (6, None)


def test_an_explanation_tells_a_ladder_in_one_line():
    rule = parse("at least 2 of ({age ≥ 40}, {age ≥ 55}, {age ≥ 70}, {cp=4})")
    told = explanation_text(model_of([rule], PEOPLE, "risk", ("no", "yes")).explain({"age": 62, "cp": 1}))
    assert "  2 of 3 points: age is at least 40, 2 from 55 on, 3 from 70 on\n" in told
    assert "risk is yes: 2 of 4 points, at least 2 are needed" in told
