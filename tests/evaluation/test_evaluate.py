"""Models judged on small tables: how labels and gaps are read, what is told of which model, and the page of text."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.encoding import Encoding, Is, fit_encoding
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DomainError, EncodingError, RiskError, TableError
from crystalogic.evaluation import Evaluation
from crystalogic.fitting import model_of
from crystalogic.intervals import Share
from crystalogic.logic.parse import parse
from crystalogic.model.risk import Risk

RISK = Risk((1000, 4000, 9000))


def checklist(classes=("no", "yes"), risk=RISK):
    """Ill, if a and b are both 1."""
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "ab"]
    model = model_of([parse("at least 2 of ({a=1}, {b=1})")], Encoding(columns), "ill", classes)
    return replace(model, risk=risk)


ROWS = {
    "a": [0, 0, 0, 0, 1, 1, 0, 1, 1, 1],
    "b": [0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
    "ill": ["no", "no", "no", "yes", "no", "yes", "no", "yes", "yes", "no"],
    "sex": ["f", "m"] * 4 + ["f", None],
}

PAGE = """\
ill in 10 rows, judged by the model {0}…
Brackets hold 90 % intervals.

  accuracy           70 % (39–91)         7 of 10 rows
  always no          60 % (30–85)         the commonest class
  balanced accuracy  67 %                 the mean sensitivity of the classes
  AUC                0.69 (0.38–0.99)     by DeLong; ties count half
  Brier score        0.235 (0.067–0.403)  0.240 for telling every row how common classes are
  log loss           0.707 (0.248–1.166)  0.673 for telling every row how common classes are
  calibration error  0.150                expected (ECE), by points

What ill is, and what it is judged to be
          rows  judged no  judged yes   sensitivity     precision
  is no      6          5           1  83 % (42–99)  71 % (34–95)
  is yes     4          2           2  50 % (10–90)  67 % (14–98)
The sensitivity of no is the specificity of yes, the precision of yes its positive predictive value.

How often ill is yes: the told risk beside what was observed
  points  rows  told      observed
  0          4  10 %   25 % (1–75)
  1          3  40 %   33 % (2–86)
  2          3  90 %  67 % (14–98)
  all       10  43 %  40 % (15–70)

If ill is yes from so many points on; ▶ is the model's own threshold
  from  rows     sensitivity     specificity     precision
  0       10  100 % (47–100)      0 % (0–39)  40 % (15–70)
  1        6    75 % (25–99)    50 % (15–85)  50 % (15–85)
  2 ▶      3    50 % (10–90)    83 % (42–99)  67 % (14–98)
  none     0      0 % (0–53)  100 % (61–100)             –

Lift, from the most points down
  points  rows      observed  lift  found so far
  2          3  67 % (14–98)  1.67          50 %
  1          3   33 % (2–86)  0.83          75 %
  0          4   25 % (1–75)  0.62         100 %
Rows with the same points stay together, so the groups are no equal tenths.

Net benefit per 100 rows of acting as if ill is yes: by the model, for all, for none
  told risk from  rows  by the model     all  none
  1 %               10          39.4    39.4   0.0
  2 %               10          38.8    38.8   0.0
  5 %               10          36.8    36.8   0.0
  10 %              10          33.3    33.3   0.0
  20 %               6          22.5    25.0   0.0
  30 %               6          17.1    14.3   0.0
  50 %               3          10.0   -20.0   0.0
  70 %               3          -3.3  -100.0   0.0
  90 %               3         -70.0  -500.0   0.0"""


def test_the_page_of_two_classes_with_a_risk():
    model = checklist()
    assert str(cl.evaluate(model, ROWS)) == PAGE.format(model.fingerprint[:12])


BELOW = """

By sex
  sex      rows        accuracy    sensitivity     specificity   AUC  told      observed
  f           5  100 % (55–100)  100 % (5–100)  100 % (47–100)  1.00  38 %   20 % (1–66)
  m           4    50 % (10–90)    33 % (2–86)   100 % (5–100)  0.83  38 %  75 % (25–99)
  missing     1      0 % (0–95)              –      0 % (0–95)     –  90 %    0 % (0–95)

Judged that ill is yes, by sex
  sex      rows         selected     false alarms           missed        precision
  f           5  too few: 1 of 5  too few: 0 of 4  too few: 0 of 1  too few: 1 of 1
  m           4  too few: 1 of 4  too few: 0 of 1  too few: 2 of 3  too few: 1 of 1
  missing     1  too few: 1 of 1  too few: 1 of 1  too few: 0 of 0  too few: 0 of 1
Too few: fewer than 30 rows to judge a rate by.

No two groups have enough rows to compare: selected, false alarms, missed, precision.

Beside the model {0}…
                        this model            the other
  accuracy            70 % (39–91)         60 % (30–85)
  sensitivity         50 % (10–90)         75 % (25–99)
  specificity         83 % (42–99)         50 % (15–85)
  AUC             0.69 (0.38–0.99)     0.69 (0.38–0.99)
  told                        43 %                 47 %
  observed            40 % (15–70)         40 % (15–70)
  Brier score  0.235 (0.067–0.403)  0.223 (0.098–0.348)
  log loss     0.707 (0.248–1.166)  0.641 (0.354–0.929)
They differ in 3 rows, where this model is right in 2 and the other in 1 (exact sign test: p = 1).
AUC of this model less that of the other: 0.000."""


def test_groups_and_another_model_stand_below():
    model = checklist()
    other = model_of([parse("at least 1 of ({a=1}, {b=1})")], model.encoding, "ill", ("no", "yes"))
    other = replace(other, risk=Risk((2000, 5000, 8000)))
    page = str(cl.evaluate(model, ROWS, by="sex", against=other))
    assert page == PAGE.format(model.fingerprint[:12]) + BELOW.format(other.fingerprint[:12])


def test_facts_are_plain_to_reach_for_who_draws_them():
    found = cl.evaluate(checklist(), ROWS)
    assert isinstance(found, Evaluation)
    curve = [(1 - each.specificity.value, each.sensitivity.value) for each in found.thresholds]
    assert curve[0] == (1, 1)
    assert curve[-1] == (0, 0)
    assert [(line.score, line.told, line.observed) for line in found.lines] == [
        (0, 0.1, Share(1, 4)),
        (1, 0.4, Share(1, 3)),
        (2, 0.9, Share(2, 3)),
    ]
    assert [each.percent for each in found.benefits] == list(range(1, 100))
    assert found.benefits[49].of_model == pytest.approx(0.1)


def test_plain_data_hold_every_fact():
    found = cl.evaluate(checklist(), ROWS, by="sex", against=checklist(), level=0.95)
    content = json.loads(json.dumps(found.content()))
    assert set(content) == set(vars(found))
    assert content["figures"]["accuracy"] == {
        "value": 0.7,
        "yes": 7,
        "n": 10,
        "low": pytest.approx(0.3475, abs=1e-4),
        "high": pytest.approx(0.9333, abs=1e-4),
    }
    assert content["by"]["groups"][2][0] is None
    assert content["by"]["groups"][2][1]["accuracy"]["n"] == 1
    assert content["against"]["n_different"] == 0
    assert len(content["thresholds"]) == 4


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], ["0", "1", "1.0", "0.0"], [0.0, 1.0, 1.0, 0.0], [False, 1, 1, 0]])
def test_classes_are_read_as_everywhere(labels):
    rows = {"a": [0, 1, 1, 1], "b": [0, 1, 1, 0]}
    if labels[0] is False:  # a truth value is no number
        with pytest.raises(TableError, match="row 0: 'ill' is False, but the classes of the model are 0, 1"):
            cl.evaluate(checklist((0, 1)), rows, labels)
        return
    assert cl.evaluate(checklist((0, 1)), rows, labels).figures.accuracy == Share(4, 4)


def test_labels_may_be_given_or_stand_in_the_rows_whole_or_in_parts():
    model, frame = checklist(), pd.DataFrame(ROWS)
    expected = cl.evaluate(model, ROWS, by="sex")
    assert cl.evaluate(model, frame, by="sex") == expected
    assert cl.evaluate(model, frame.drop(columns="ill"), frame["ill"].tolist(), by="sex") == expected
    assert cl.evaluate(model, [frame[:3], frame[3:3], frame[3:]], by="sex") == expected


def test_rows_without_a_class_are_left_out_and_counted():
    found = cl.evaluate(checklist(), {**ROWS, "ill": ["no", None, "NA", "", *ROWS["ill"][4:]]})
    assert (found.n_rows, found.n_unlabelled, found.figures.accuracy.n) == (10, 3, 7)
    assert "3 more rows are left out: ill is missing." in str(found).splitlines()


def test_a_label_that_is_no_class_is_named_with_its_row():
    labels = ["no", "maybe", "yes", "perhaps"]
    message = (
        "row 1: 'ill' is 'maybe', but the classes of the model are no, yes, and 1 more row has none of them. "
        "Correct the cell, or empty it to leave the row out."
    )
    with pytest.raises(TableError) as refused:
        cl.evaluate(checklist(), {"a": [0] * 4, "b": [0] * 4}, labels)
    assert str(refused.value) == message
    parts = [{"a": [0] * 2, "b": [0] * 2, "ill": each} for each in (["no", "yes"], ["yes", "perhaps"])]
    with pytest.raises(TableError, match="row 3: 'ill' is 'perhaps'"):
        cl.evaluate(checklist(), parts)


def test_what_cannot_be_judged_is_refused():
    rows = {"a": [0, 1], "b": [0, 1]}
    with pytest.raises(TableError, match="there are 3 labels for 2 rows; give one for each"):
        cl.evaluate(checklist(), rows, ["no"] * 3)
    with pytest.raises(TableError, match="nothing to judge: of 2 rows, 2 have no 'ill', and in 0 more a value"):
        cl.evaluate(checklist(), rows, [None, "NA"])
    with pytest.raises(TableError, match="the table has no rows; there is nothing to judge"):
        cl.evaluate(checklist(), {"a": [], "b": [], "ill": []})
    with pytest.raises(EncodingError, match="the rows have no column 'ill'; they have a, b"):
        cl.evaluate(checklist(), rows)
    with pytest.raises(RiskError, match=r"between 0 and 1, got 90\. Write 0\.9 for 90 %"):
        cl.evaluate(checklist(), ROWS, level=90)
    with pytest.raises(DomainError, match="one model has the classes no, yes and the other 0, 1"):
        cl.evaluate(checklist(), ROWS, against=checklist((0, 1)))
    degrees = model_of([parse("{a=1}")], checklist().encoding, "ill", None)
    with pytest.raises(DomainError, match="this model tells degrees of 'ill'"):
        cl.evaluate(degrees, ROWS)


def test_gaps_that_no_training_row_had_are_refused_skipped_or_false():
    rows = {**ROWS, "a": [None, *ROWS["a"][1:]]}
    numbers = model_of([parse("{n ≥ 2}")], fit_encoding({"n": [1, 2, 3, 4]}, n_cuts=1), "ill", ["no", "yes"])
    rows["n"] = [None, 1, 2, 3, 4, 1, 2, 3, 4, 1]
    with pytest.raises(EncodingError, match="row 0"):
        cl.evaluate(numbers, rows)
    skipped = cl.evaluate(numbers, rows, unknown="skip")
    assert (skipped.n_skipped, skipped.figures.accuracy.n) == (1, 9)
    assert "1 more row is left out: the rule needs a value that is missing." in str(skipped).splitlines()
    assert cl.evaluate(numbers, rows, unknown="false").figures.accuracy.n == 10


def test_a_model_without_a_risk_tells_what_it_can():
    found = cl.evaluate(checklist(risk=None), ROWS)
    assert found.figures.auc == cl.evaluate(checklist(), ROWS).figures.auc
    assert found.figures.losses is None
    assert (found.benefits, found.calibration_error, found.figures.told) == ((), None, None)
    assert {line.told for line in found.lines} == {None}
    page = str(found)
    assert "Lift" in page
    assert not any(word in page for word in ("Brier", "told", "Net benefit"))


def test_a_rule_of_degrees_has_accuracy_and_confusion_alone():
    encoding = fit_encoding({"n": [0.0, 1.5, 2.5, 10.0]}, n_cuts=1)
    model = model_of([parse("n")], encoding, "y", ("no", "yes"))
    found = cl.evaluate(model, {"n": [1.0, 4.0, 6.0, 9.0]}, ["no", "yes", "yes", "yes"], against=model)
    assert found.figures.accuracy == Share(3, 4)
    assert (found.figures.auc, found.lines, found.benefits, found.against.auc_difference) == (None, (), (), None)
    assert [part.splitlines()[0] for part in str(found).split("\n\n")][2:] == [
        "What y is, and what it is judged to be",
        f"Beside the model {model.fingerprint[:12]}…",
    ]


def test_numbers_come_before_texts_and_missing_values_last():
    rows = {**ROWS, "ward": ["b", "10", "9", "a", None, "-1", "b", "9.0", "", "a"]}
    assert [value for value, _ in cl.evaluate(checklist(), rows, by="ward").by.groups] == [
        "-1",
        "9",
        "10",
        "a",
        "b",
        None,
    ]


def test_more_than_two_classes():
    table = pd.DataFrame({"x": np.repeat(["a", "b", "c", "d"], 20), "y": np.repeat(["p", "q", "r", "r"], 20)})
    model = cl.LukasiewiczClassifier().fit(table[["x"]], table["y"]).model_
    found = cl.evaluate(model, table, by="x")
    assert found.figures.accuracy == Share(80, 80)
    assert found.figures.losses is not None
    assert (found.lines, found.thresholds, found.lifts, found.figures.auc) == ((), (), (), None)
    assert str(found).split("\n\n")[2] == (
        "What y is, and what it is judged to be\n"
        "        rows  judged p  judged q  judged r     sensitivity       precision\n"
        "  is p    20        20         0         0  100 % (86–100)  100 % (86–100)\n"
        "  is q    20         0        20         0  100 % (86–100)  100 % (86–100)\n"
        "  is r    40         0         0        40  100 % (93–100)  100 % (93–100)"
    )


def test_a_model_that_speaks_for_the_other_class_is_turned_round():
    """The same rule as a rule about health: not ill if at least one of a and b is not 1."""
    columns = checklist().encoding
    other = model_of([parse("at least 1 of (¬{a=1}, ¬{b=1})")], columns, "health", ("yes", "no"))
    found = cl.evaluate(checklist(), ROWS, against=replace(other, risk=Risk((1000, 6000, 9000))))
    assert found.against.n_different == 0
    assert found.against.figures == found.figures
    assert found.against.auc_difference.value == 0


def test_constant_and_degenerate_tables_have_no_area():
    found = cl.evaluate(checklist(), {"a": [0, 1], "b": [0, 1]}, ["no", "no"])
    assert found.figures.auc is None
    assert found.lifts[0].lift is None
    assert "AUC                –" in str(found)


def test_many_values_are_put_together_and_too_many_refused():
    n = 3000
    rows = {"a": [0] * n, "b": [1] * n, "ill": ["no", "yes"] * (n // 2), "ward": [f"w{i % 30}" for i in range(n)]}
    found = cl.evaluate(checklist(), rows, by="ward")
    assert len(found.by.groups) == 30
    assert found.by.others.accuracy.n == 1900
    assert "\n  19 others  1,900  " in str(found)
    assert len(found.by.gaps) == 3  # nobody is judged ill, so that there is no precision to compare
    rows["ward"] = [f"w{i}" for i in range(n)]
    with pytest.raises(TableError, match="'ward' has 3,000 different values, and there can be 1,000 groups"):
        cl.evaluate(checklist(), rows, by="ward")


def test_long_scores_are_shown_in_parts_with_the_own_threshold():
    names = [f"x{i}" for i in range(50)]
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in names]
    formula = parse(f"at least 26 of ({', '.join(f'{{{name}=1}}' for name in names)})")
    model = replace(model_of([formula], Encoding(columns), "y", ("no", "yes")), risk=Risk(tuple(range(100, 5200, 100))))
    rows = {name: [int(i > place) for i in range(51)] for place, name in enumerate(names)}
    found = cl.evaluate(model, rows, ["no", "yes", "no"] * 17)
    assert (len(found.lines), len(found.thresholds)) == (51, 52)
    page = str(found)
    assert "  26 ▶" in page
    assert "\nThresholds between these are left out; --json has all.\n" in page
    assert "\n  0–2        3   2 %" in page
    assert len(page.splitlines()) < 90


def test_grades_stand_from_the_least_to_the_greatest():
    """They stood in the order of the alphabet, so that nobody saw which errors are one grade off."""
    random = np.random.default_rng(0)
    level = random.normal(size=300)
    grades = np.array(["low", "middle", "extreme"])[np.digitize(level + random.normal(0, 0.5, 300), [-0.5, 0.8])]
    rule = cl.LukasiewiczClassifier(ordered=["low", "middle", "extreme"]).fit(pd.DataFrame({"x": level}), grades)
    told = rule.predict(pd.DataFrame({"x": level}))
    found = cl.evaluate(rule.model_, {"x": level}, grades, against=rule.model_)
    names = ["low", "middle", "extreme"]
    assert [each.name for each in found.figures.classes] == names
    assert found.figures.confusion == tuple(
        tuple(int(((grades == one) & (told == other)).sum()) for other in names) for one in names
    )
    assert found.against.figures == found.figures
    assert found.figures.losses.log_loss.value == pytest.approx(
        -np.mean(
            np.log(rule.predict_proba(pd.DataFrame({"x": level}))[range(300), np.searchsorted(rule.classes_, grades)])
        )
    )
