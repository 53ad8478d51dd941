import json
import math

from audited import LOAN, SOUND, loan
from crystalogic.cli.app import run
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.export import to_markdown
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import FrontRow
from crystalogic.words.checklists import outline
from crystalogic.words.explanations import explanation_content, explanation_text
from crystalogic.words.models import front_text, rule_text

ROW = {"age": 40, "income": 50.5, "sex": "f", "debts": 1}


def test_an_explanation_as_data_is_complete():
    model = loan("age ⊗ ¬{debts ≥ 2}").with_facts(units={"age": "years"})
    content = explanation_content(model.explain(ROW))
    assert content == {
        "target": "approved",
        "decision": "no",
        "margin": "9/62",
        "threshold": "1/2",
        "sentence": "approved is no: the degree ~0.35 is below 0.50 (distance ~0.15)",
        "row": {"age": 40, "debts": 1},
        "literals": [
            {
                "name": "age",
                "words": "age is high (from 18 to 80)",
                "column": "age",
                "value": 40,
                "unit": "years",
                "degree": "11/31",
            },
            {
                "name": "debts ≥ 2",
                "words": "debts is at least 2",
                "column": "debts",
                "value": 1,
                "unit": None,
                "degree": "0",
            },
        ],
        "degrees": ["11/31"],
        "formulas": [{"for": None, "formula": "age ⊗ ¬{debts ≥ 2}"}],
        "traces": [
            [
                {"part": "age", "degree": "11/31"},
                {"part": "{debts ≥ 2}", "degree": "0"},
                {"part": "¬{debts ≥ 2}", "degree": "1"},
                {"part": "age ⊗ ¬{debts ≥ 2}", "degree": "11/31"},
            ]
        ],
        "points": [None],
    }
    json.dumps(content)
    assert "  age = 40 years\n  debts = 1\n" in explanation_text(model.explain(ROW))


def test_each_class_has_its_steps():
    formulas = [parse("{sex=m}"), parse("{income ≥ 30}"), parse("{debts=0}")]
    found = model_of(formulas, LOAN, "tier", ("a", "b", "c")).explain({**ROW, "debts": None})
    text = explanation_text(found)
    assert "\nStep by step for tier = b:\n" in text
    assert text.endswith("\ntier is b: the largest degree (ahead by 1.00)")
    content = explanation_content(found)
    assert [each["for"] for each in content["formulas"]] == ["a", "b", "c"]
    assert content["threshold"] is None
    assert content["row"]["debts"] is None


def test_explanations_on_the_command_line(tmp_path, capsys):
    path = str(tmp_path / "m.json")
    loan(SOUND).save(path)
    values = [word for name, value in ROW.items() for word in ("--value", f"{name}={value}")]
    assert run(["explain", path, *values, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"] == "yes"


def test_a_formula_worse_than_a_shorter_one_is_not_shown_unless_it_was_chosen():
    front = tuple(
        FrontRow(size, 1, training, None, None, parse(f"f{size}")) for size, training in ((1, 0.8), (2, 0.7), (3, 0.9))
    )
    assert front_text(front, 2) == (
        "   literals  training  cross-validated  formula\n"
        "          1     0.800                –  f1\n"
        "▶         3     0.900                –  f3"
    )
    assert front_text(front, 1).splitlines()[2] == "▶         2     0.700                –  f2"


def test_a_formula_that_is_no_more_than_a_constant_is_left_out_of_the_printed_front():
    """Once, the front of a table had a formula of one literal that was 0."""
    front = (FrontRow(1, 1, 0.8, None, None, parse("0")), FrontRow(2, 1, 0.9, None, None, parse("a ⊗ b")))
    assert front_text(front, 1).splitlines()[1:] == ["▶         2     0.900                –  a ⊗ b"]
    assert front_text(front, 0).splitlines()[1] == "▶         1     0.800                –  0"


def test_a_checklist_tells_what_counts_where_a_value_is_missing():
    """A missing number is not at least 2, so the rule counted it; 'debts is below 2' sounded as if it did not."""
    model = loan("{income ≥ 30} ⊗ ¬{debts ≥ 2} ⊗ ¬{debts=0} ⊗ ¬{age ≥ 25}")
    facts = ["income is at least 30", "debts is below 2 (or missing)", "debts is not 0 (or missing)", "age is below 25"]
    listed = "".join(f"\n  - {fact}" for fact in facts)
    assert rule_text(model) == f"approved is yes if all of these 4:{listed}\notherwise approved is no"
    assert "\n  - [ ] ".join(["- [ ] all of these 4:", *facts]) in to_markdown(model)
    (block,) = outline(model.formulas[0], model.encoding.literals, model.encoding.gaps)
    assert [item.words for item in block.item.parts] == facts
    assert model.explain({"income": 40, "debts": None, "age": 20}).decision == "yes"


def test_what_json_has_no_number_for_is_a_text():
    """An infinite value of a category was written as Infinity, which is no JSON."""
    encoding = Encoding((Column("z", "category", (Is("z", "inf"), Is("z", "1")), ("1", "inf")),))
    content = explanation_content(model_of([parse("{z=inf}")], encoding, "y", ("no", "yes")).explain({"z": math.inf}))
    assert (content["row"], content["decision"]) == ({"z": "inf"}, "yes")
    json.dumps(content, allow_nan=False)
