"""Questions that mean nothing for a model are refused with what can be asked instead."""

from fractions import Fraction

import pytest

import crystalogic as cl
from audited import SOUND, loan, small_model
from crystalogic import DomainError
from crystalogic.audit.scope import scope_of
from crystalogic.audit.statements import Outcome


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: cl.always(small_model(["{n ≥ 3}"], None), "much"),
            "the model gives degrees of 'y'; say which you mean with a comparison, such as '≥ 0.5'.",
        ),
        (
            lambda: cl.always(small_model(["{n ≥ 3}"], None), "≥ much"),
            "'y' is a degree between 0 and 1; compare it with a number, such as ≥ 0.5.",
        ),
        (
            lambda: cl.never(loan(SOUND), "≥ 0.5"),
            "'approved' is a class, one of no, yes; compare it with = or ≠.",
        ),
        (
            lambda: scope_of(loan(SOUND)).field("zip"),
            "there is no column 'zip' that can be asked about; there are age, income, sex, debts.",
        ),
        (
            lambda: scope_of(loan(SOUND), ranges={"age": "x"}),
            "the range of 'age' needs a lowest and a highest number, got 'x'.",
        ),
        (
            lambda: cl.monotone("model.json", "age"),
            "expected a model or a formula, got the text 'model.json'. load(path) gives one, parse(text) the other.",
        ),
        (
            lambda: cl.never("model.json", "yes"),
            "expected a model, got 'model.json'. load(path) reads a file; a fitted estimator has its own in `model_`.",
        ),
        (
            lambda: cl.ignores(3, "age"),
            "expected a model, got a int. load(path) reads a file; a fitted estimator has its own in `model_`.",
        ),
        (
            lambda: cl.diff(loan(SOUND), small_model(["{n ≥ 3}"], ("low", "high"))),
            "the models have no class in common: 'approved' is no, yes, 'y' is low, high. "
            "Compare models of one target.",
        ),
        (
            lambda: cl.obeys(loan(SOUND), "{age > 18 and sex = f} → {approved = yes}"),
            "'age' > '18 and sex = f' says nothing: expected a number (age from 18 to 80); "
            "one statement in each pair of braces, joined by & or |.",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_way_out(ask, message):
    with pytest.raises(DomainError) as caught:
        ask()
    assert str(caught.value) == message


def test_the_opposite_of_an_outcome_is_said_in_words():
    outcome = Outcome("y", "=", "yes")
    assert (str(outcome), str(outcome.negated), outcome.negated.negated) == ("y is yes", "y is not yes", outcome)
    degree = Outcome("y", "≥", Fraction(1, 2))
    assert (str(degree), str(degree.negated)) == ("y ≥ 0.5", "y < 0.5")
