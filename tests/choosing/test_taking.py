"""A choice is a file of others: what is taken of it is certified anew, and all else is refused in a sentence."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.choosing import take_choice
from crystalogic.choosing.rules import Rule, rule_of
from crystalogic.cli.app import run
from crystalogic.errors import ChoiceError, CrystalogicError, DocumentError
from crystalogic.logic.formula import Variable
from crystalogic.logic.parse import parse
from crystalogic.model import HeldOut, Risk
from crystalogic.report import report_page
from crystalogic.words.models import received_text
from depth import deep
from fuzz.targets import Draw, mutated


def choice(model, /, **changes):
    facts = [{"fact": "{cp=4}", "holds": True, "points": 2}, {"fact": "{thal=3}", "holds": False, "points": 1}]
    body = {"format": "crystalogic choice", "version": 1, "model": model.fingerprint, "facts": facts, "threshold": 2}
    return json.dumps({**body, "who": "Dr. Ada", "why": "cheap to obtain", **changes})


def test_a_rule_of_ones_own_is_certified_and_says_who_chose_it(heart):
    learned = heart[0].with_facts(
        promises=("'age' is not used",), held_out=HeldOut(0.8, 0.1, 5), strategy="likelihood", units={"chol": "mg/dl"}
    )
    taken = take_choice(learned, choice(learned))
    taken.check()
    assert str(taken.formulas[0]) == "at least 2 of (2·{cp=4}, ¬{thal=3})"
    assert vars(taken.record.chosen_by) == {"who": "Dr. Ada", "why": "cheap to obtain", "model": learned.fingerprint}
    assert (taken.record.promises, taken.record.held_out, taken.record.strategy) == ((), None, None)
    assert (taken.fronts, taken.risk, taken.record.units) == ((), None, {"chol": "mg/dl"})
    assert cl.Model.from_json(taken.to_json()) == taken
    told = f"Chosen by Dr. Ada: cheap to obtain\nChosen from the model {learned.fingerprint}"
    assert told in received_text(taken)
    page = report_page(taken, seconds=0)
    assert '<th scope="row">chosen by</th><td>Dr. Ada</td>' in page
    assert '<th scope="row">reason given</th><td>cheap to obtain</td>' in page


def test_a_rule_of_the_front_keeps_its_risk_and_the_promises(heart):
    model, risk = heart[0].with_facts(promises=("'age' is not used",)), Risk((1000, 6000))
    first, *others = model.fronts[0]
    model = replace(model, fronts=((replace(first, risk=risk), *others),))
    taken = take_choice(model, choice(model, facts=[{"fact": "{thal=3}", "holds": False, "points": 1}], threshold=1))
    assert (taken.chosen, taken.risk, taken.record.promises) == ((0,), risk, ("'age' is not used",))
    assert taken.fronts == model.fronts


def test_the_own_rule_of_a_model_keeps_all_that_is_known_of_it(heart):
    model = heart[0].with_facts(held_out=HeldOut(0.8, 0.1, 5))
    parts = rule_of(model.formulas[0])
    facts = [{"fact": fact.to_ascii(), "holds": holds, "points": 1} for fact, holds in reversed(parts.facts)]
    taken = take_choice(model, choice(model, facts=facts, threshold=3))
    assert taken.record.held_out == model.record.held_out
    assert replace(taken, record=model.record) == model


def test_another_size_or_threshold_is_no_longer_the_rule_that_was_chosen(heart):
    taken = take_choice(
        heart[0], choice(heart[0], facts=[{"fact": "{thal=3}", "holds": False, "points": 1}], threshold=1)
    )
    assert taken.adopt(3).record.chosen_by is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "not a choice that the page saves"),
        ({"format": "crystalogic model"}, "not a choice that the page saves"),
        ({"more": 1}, "not a choice that the page saves"),
        ({"model": "ab12"}, "made from the model 'ab12'; the one given is"),
        ({"model": 5}, "the model is 5, expected a text"),
        ({"facts": []}, "a rule has one fact or more"),
        ({"facts": {}}, "the facts is {}, expected a list"),
        ({"facts": ["{cp=4}"]}, "expected an object"),
        ({"facts": [{"fact": "{cp=4}"}]}, r"fact 1 is .*, expected fact, holds and points"),
        (
            {"facts": [{"fact": "{cp=9}", "holds": True, "points": 1}]},
            "fact 1 is '{cp=9}', which is no fact of this model",
        ),
        ({"facts": [{"fact": "age", "holds": True, "points": 1}]}, "'age', which is no fact of this model"),
        ({"facts": [{"fact": "{cp=4} ⊗ {sex=1}", "holds": True, "points": 1}]}, "which is no fact of this model"),
        ({"facts": [{"fact": "1", "holds": True, "points": 1}]}, "which is no fact of this model"),
        ({"facts": [{"fact": "{cp=4", "holds": True, "points": 1}]}, "which is no fact of this model"),
        ({"facts": [{"fact": "{cp=4}", "holds": 1, "points": 1}]}, "whether it holds is 1, expected true or false"),
        ({"facts": [{"fact": "{cp=4}", "holds": True, "points": 1.5}]}, "its points is 1.5, expected a whole number"),
        ({"facts": [{"fact": "{cp=4}", "holds": True, "points": 0}]}, "each with a point or more"),
        ({"facts": [{"fact": "{cp=4}", "holds": True, "points": 10**6}]}, "at most 1,000 facts, and 10,000 points"),
        ({"facts": [{"fact": "{cp=4}", "holds": h, "points": 1} for h in (True, False)]}, "each of them once"),
        ({"facts": [{"fact": "{cp=4}", "holds": True, "points": 1}] * 2000}, "at most 1,000 facts"),
        ({"threshold": 9}, "with 3 in all, its threshold 9 is at most 3"),
        ({"threshold": "2"}, "the threshold is '2', expected a whole number"),
        ({"who": "  "}, "the choice must say who made it and why"),
        ({"why": "x" * 5000}, "must say who made it and why, in at most 5,000 characters"),
        ({"why": None}, "why is None, expected a text"),
    ],
)
def test_a_choice_of_another_shape_is_refused_in_a_sentence(heart, changes, message):
    with pytest.raises((ChoiceError, DocumentError), match=message):
        take_choice(heart[0], choice(heart[0], **changes))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"format": 1, "format": 2}', "[" * 10_000, '{"a": NaN}'])
def test_what_is_no_choice_is_refused(heart, text):
    with pytest.raises(CrystalogicError):
        take_choice(heart[0], text)


@given(st.binary(min_size=24, max_size=160))
@settings(max_examples=deep(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_choice_that_was_changed_is_refused_or_becomes_a_model_that_is_proved(heart, data):
    body = mutated(json.loads(choice(heart[0])), Draw(data))
    try:
        taken = take_choice(heart[0], json.dumps(body))
    except CrystalogicError:
        return
    taken.check()
    assert cl.Model.from_json(taken.to_json()) == taken


def test_the_order_of_facts_does_not_matter_and_one_fact_is_worth_one_point():
    a, b = Variable("a"), Variable("b")
    assert Rule(((a, True), (b, False)), (2, 1), 2).key == Rule(((b, False), (a, True)), (1, 2), 2).key
    assert Rule(((a, False),), (7,), 3).formula == parse("¬a")
    assert rule_of(parse("0")) is None
    assert rule_of(parse("at least 2 of (a, ¬a, b)")) is None


def test_commands_that_do_not_fit_together_are_refused(heart, tmp_path, capsys):
    model = tmp_path / "model.json"
    heart[0].save(model)
    (tmp_path / "choice.json").write_text(choice(heart[0], who=""), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("cp,ca,thal,exang\n4,0,3,1\n", encoding="utf-8")
    take = ["--take", str(tmp_path / "choice.json")]
    wrong = {
        "name the table after the model": (2, ["--rows"]),
        "a table and --rows are for the page": (2, [*take, "--rows"]),
        "give it a file with --output": (2, [*take, "--output", "-"]),
        "ChoiceError: the choice must say who": (1, [*take, "--output", str(tmp_path / "chosen.json")]),
        "there is no column 'disease', which tells the class": (
            1,
            [str(tmp_path / "rows.csv"), "-o", str(tmp_path / "x")],
        ),
        "nothing.json: cannot be read as a choice": (1, ["--take", str(tmp_path / "nothing.json")]),
    }
    for message, (code, arguments) in wrong.items():
        assert run(["choose", str(model), *arguments]) == code
        assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "chosen.json").exists()
