"""The model card as Markdown: its sections, what is known, what is left to fill in, and names of any kind."""

import re

from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.export import to, to_card
from crystalogic.fitting import model_of
from crystalogic.intervals import Rates
from crystalogic.logic.parse import parse
from crystalogic.model import Group, HeldOut


def rule(name="a"):
    read, left_out = Column(name, "code", (Is(name, "1"),), ("0", "1")), Column("sex", "left out", note="left out")
    model = model_of([parse(f"{{{name}=1}}")], Encoding([read, left_out]), "ill", ("no", "yes"))
    groups = (Group("sex", "f", Rates.of(60, 20, 10, 30)), Group("sex", None, Rates.of(5, 1, 2, 2)))
    measured = HeldOut(0.75, 0.02, 5, groups)
    return model.with_facts(
        protected=("sex",), held_out=measured, n_rows=130, source="clinic.csv", strategy="likelihood"
    )


CARD = """\
# Model card: ill

Decide ill = **yes** if:

- [ ] a is 1

Otherwise decide ill = **no**.

## Model details

- A rule for ill with 1 literal over 1 column.
- Learned, strategy likelihood.
- Fingerprint (SHA-256): model FINGERPRINT
- To be filled in: who answers for it, a date, a version, where to write to.

## Intended use

- To be filled in: which decision it supports, who uses it, and on whom.
- To be filled in: what it is not for.

## Factors

- Protected, and not read by the rule: sex.
- The rule reads the columns below and no others.

Columns that the rule reads:

| column | read as |
| --- | --- |
| a | code: 0, 1 |

## Metrics

- Accuracy is the share of rows that are judged rightly.
- Selected: of all rows, those judged that ill is yes.
- False alarms: of the rows where it is not so, those judged so.
- Missed: of the rows where it is so, those not judged so.
- Precision: of the rows judged so, those where it is so.
- Intervals are exact 90 % intervals of Clopper and Pearson. Too few: fewer than 30 rows to judge a rate by.

## Evaluation data

- Rows of the training table, held out: 5 splits, the whole fit repeated without them.
- By group, each row counts once: when it is first held out, as the rule learned without it judges it.
- To be filled in: rows of another time or place it was tried on.

## Training data

- Source: clinic.csv, 130 rows.
- To be filled in: how rows were collected, and who is not in them.

## Quantitative analyses

- On rows it has not seen: 75.0% ± 2.0% (5 splits, a fifth held out, the whole fit repeated)

Judged that ill is yes, by sex, on rows held out:

| sex | rows | selected | false alarms | missed | precision |
| --- | --- | --- | --- | --- | --- |
| f | 120 | 42 % (34–50) | 25 % (17–34) | 25 % (14–39) | 60 % (47–72) |
| missing | 10 | too few: 3 of 10 | too few: 1 of 6 | too few: 2 of 4 | too few: 2 of 3 |

## Ethical considerations

- Leaving a column out does not make a rule blind to it: other columns can stand in for it.
- To be filled in: whom a wrong decision harms, how, and how they can object.

## Caveats and recommendations

- Accuracy, risks and rates are measured on rows, not proved; rows of another place or time can differ.
- Intervals take rows to be independent: with several rows of one person they are too narrow.
- To be filled in: when it is to be judged again, and what would make you withdraw it.

## What is proved

- The formulas and the crystal compute the same function throughout the scope.
- Scope: all of &#91;0,1&#93;ⁿ. How: 0 neurons shown equal to a part of the formula.
- No value of sex changes a decision: no formula has a fact about it.
"""


def test_the_card_tells_what_is_known_and_leaves_the_rest_to_its_owner():
    assert re.sub("[0-9a-f]{64}", "FINGERPRINT", to_card(rule())) == CARD
    assert to(rule(), "card") == to_card(rule())


def test_a_card_without_groups_says_how_to_measure_them():
    card = to_card(rule().with_facts(protected=(), held_out=None))
    assert "- No column was declared to be protected.\n" in card
    assert "- Nothing was measured by group: crystalogic fit --protect and crystalogic evaluate --by do that.\n" in card
    assert "other columns can stand in" not in card


def test_names_in_a_card_are_shown_and_do_nothing():
    card = to_card(rule("x|y <b> *z*").with_facts(source="[a](b)"))
    assert "| x&#124;y &#60;b&#62; &#42;z&#42; | code: 0, 1 |" in card
    assert "- Source: &#91;a&#93;(b), 130 rows." in card
