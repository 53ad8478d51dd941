"""Operating points: thresholds that reach what was asked, bands that keep their error rate, models that are proved."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DocumentError, RiskError, TrainingDataError
from crystalogic.fitting.reading import model_of
from crystalogic.intervals import Share
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model import FrontRow, Model, Risk
from crystalogic.model.risk import Band, find_band, find_least
from crystalogic.operating import Aim, Cost, count_rows, promises_share, set_point, threshold_at
from crystalogic.report import report_page
from crystalogic.words.explanations import explanation_text
from crystalogic.words.models import card_sections, model_text

SEEN = (Share(6, 88), Share(19, 80), Share(47, 62), Share(39, 40))


def model_with(formula: str, shares: tuple[int, ...], seen: tuple[Share, ...] = ()) -> Model:
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "abc"]
    return replace(model_of([parse(formula)], Encoding(columns), "ill", ("no", "yes")), risk=Risk(shares, seen))


CHECKLIST = model_with("at least 2 of ({a=1}, {b=1}, {c=1})", (700, 2400, 7700, 9700), SEEN)
counts = st.integers(0, 30).flatmap(lambda n: st.builds(Share, st.integers(0, n), st.just(n)))
both_classes = st.lists(counts, min_size=4, max_size=4).filter(
    lambda rows: 0 < sum(each.yes for each in rows) < sum(each.n for each in rows)
)
wishes = st.sampled_from([0.0, 0.25, 0.5, 0.8, 0.9, 0.95])


def test_a_threshold_for_a_sensitivity_is_proved_and_keeps_the_risk() -> None:
    found = set_point(CHECKLIST, Aim.of(sensitivity=0.9))
    assert str(found.model.formulas[0]) == "at least 1 of ({a=1}, {b=1}, {c=1})"
    found.model.check()
    assert found.model.risk == CHECKLIST.risk
    assert (found.before.score, found.before.sensitivity, found.before.specificity) == (
        2,
        Share(86, 111),
        Share(143, 159),
    )
    assert (found.after.sensitivity, found.after.specificity) == (Share(105, 111), Share(82, 159))
    assert (found.after.missed, found.after.false_alarms) == (6, 77)
    assert found.model.record.operated == {"sensitivity": "0.9", "rows": "270", "source": "held out"}
    assert "The threshold was set for a sensitivity of 0.9 (270 rows held out)." in model_text(found.model)


def test_scores_of_another_threshold_are_not_told_as_those_of_the_rule() -> None:
    """The card and the page had the accuracy of the threshold that was learned."""
    front = (FrontRow(3, 1, 0.9, 0.88, 0.02, CHECKLIST.written[0]),)
    model = replace(CHECKLIST, fronts=(front,), chosen=(0,))
    other = set_point(model, Aim.of(sensitivity=0.9)).model
    for each, is_own in ((model, True), (other, False)):
        told = "\n".join(line for section in card_sections(each) for line in section.lines)
        assert ("88.0% ± 2.0%" in told) == is_own
        assert ("each learned without the rows it is judged on" in report_page(each, seconds=0)) == is_own
        for text in (told, model_text(each)):
            assert ("The rule has another threshold than its row of the front" in text) != is_own


def test_a_band_that_is_set_later_keeps_what_the_threshold_was_set_for() -> None:
    model = model_with("at least 3 of ({a=1}, {b=1}, {c=1})", (100, 200, 300, 400), SEEN)
    assert "No score makes it likelier than not that ill is yes" in model_text(model)
    found = set_point(set_point(model, Aim.of(sensitivity=0.9)).model, Aim.of(abstain=0.2)).model
    assert found.record.operated == {"sensitivity": "0.9", "abstain": "0.2", "rows": "270", "source": "held out"}
    assert "The threshold was set for a sensitivity of 0.9.\n" in model_text(found)
    assert "No score makes it likelier" not in model_text(found)


def test_where_a_person_is_asked_the_figures_are_of_the_others() -> None:
    found = set_point(CHECKLIST, Aim.of(abstain=0.1))
    band, rows = found.model.band, [each for place, each in enumerate(SEEN)]
    assert band is not None
    left = [each for place, each in enumerate(rows) if not band.low <= place < band.high]
    assert found.after.sensitivity.n == sum(each.yes for each in left) < found.before.sensitivity.n
    assert "The figures after are of the others." in str(found)


def test_evaluating_tells_of_whom_a_person_is_asked_and_who_is_told_wrongly_without() -> None:
    model = set_point(CHECKLIST, Aim.of(abstain=0.1)).model
    random = np.random.default_rng(0)
    rows = {name: random.integers(0, 2, 500) for name in "abc"}
    truth = np.array(["no", "yes"])[(sum(rows.values()) + random.normal(0, 1, 500) > 1.5).astype(int)]
    found = cl.evaluate(model, rows, truth)
    asks = model.band.asks(model.scores(rows)[:, 0])
    assert found.asked == Share(int(asks.sum()), 500)
    wrong = (model.predict(rows) != truth) & ~asks
    assert found.wrong_unasked == tuple(
        Share(int(wrong[truth == each].sum()), int((truth == each).sum())) for each in model.classes
    )
    assert "a person is asked   79 % (76–82)" in str(found)
    assert cl.evaluate(CHECKLIST, rows, truth).asked is None


def test_it_is_said_where_one_decision_for_all_rows_costs_less() -> None:
    text = str(set_point(CHECKLIST, Aim.of(cost={"missed": 1, "false-alarm": 100})))
    assert text.endswith("Never telling yes would cost 111, which is less.")
    assert "would cost" not in str(set_point(CHECKLIST, Aim.of(cost={"missed": 1, "false-alarm": 1})))


def test_probabilities_of_weighed_rows_are_called_so() -> None:
    weighed = CHECKLIST.with_facts(class_weight="balanced")
    assert "Classes were weighed, and so are these probabilities" in model_text(weighed)
    assert "Classes were weighed" not in model_text(CHECKLIST)
    assert cl.risk_range(weighed).claim == "the risk of ill = yes, weighed by classes, is from 7 % to 97 %"


def test_points_stay_what_they_are_at_every_threshold() -> None:
    shares = tuple(range(100, 1100, 100))
    model = model_with("at least 5 of (4·{a=1}, 3·{b=1}, 2·({b=1} ⊕ {c=1}))", shares)
    points = score_of(model.formulas[0]).points
    for risk in (0.03, 0.05, 0.1):
        found = set_point(model, Aim.of(risk=risk)).model
        found.check()
        assert score_of(found.formulas[0]).points == points
        assert model.risk is not None
        assert model.risk.of(score_of(found.formulas[0]).threshold) >= Fraction(str(risk))
        assert Model.from_json(found.to_json()).fingerprint == found.fingerprint


@given(both_classes, wishes)
def test_a_threshold_for_a_sensitivity_is_the_greatest_that_reaches_it(rows: list[Share], wished: float) -> None:
    least = Fraction(str(wished))
    able = [each for each in (1, 2, 3) if promises_share(threshold_at(rows, each).sensitivity, least)]
    if not able:
        with pytest.raises(
            RiskError, match=f"no threshold of this score reaches a sensitivity of {wished:g}; the best"
        ):
            set_point(CHECKLIST, Aim.of(sensitivity=wished), rows)
    else:
        assert set_point(CHECKLIST, Aim.of(sensitivity=wished), rows).after.score == max(able)


@given(both_classes, wishes)
def test_a_threshold_for_a_specificity_is_the_least_that_reaches_it(rows: list[Share], wished: float) -> None:
    able = [each for each in (1, 2, 3) if promises_share(threshold_at(rows, each).specificity, Fraction(str(wished)))]
    if not able:
        with pytest.raises(RiskError, match="reaches a specificity"):
            set_point(CHECKLIST, Aim.of(specificity=wished), rows)
    else:
        assert set_point(CHECKLIST, Aim.of(specificity=wished), rows).after.score == min(able)


def test_one_more_row_that_is_wrong_must_not_break_the_promise() -> None:
    assert promises_share(Share(95, 99), Fraction(95, 100))
    assert not promises_share(Share(95, 100), Fraction(95, 100))
    assert promises_share(Share(3, 3), Fraction(1))


@given(both_classes, st.integers(1, 9), st.integers(1, 9))
def test_a_threshold_for_costs_costs_least_of_all(rows: list[Share], missed: int, alarm: int) -> None:
    found = set_point(CHECKLIST, Aim.of(cost={"missed": missed, "false-alarm": alarm}), rows)
    cost = Cost(Fraction(missed), Fraction(alarm))
    assert cost.of(found.after) == min(cost.of(threshold_at(rows, each)) for each in (1, 2, 3))


@pytest.mark.parametrize(("missed", "alarm", "threshold"), [(1, 1, 2), (9, 1, 1), (1, 9, 3), (1, 100, 3), (100, 1, 1)])
def test_without_a_table_costs_are_weighed_by_the_risk(missed: int, alarm: int, threshold: int) -> None:
    found = set_point(CHECKLIST, Aim.of(cost={"missed": missed, "false-alarm": alarm}))
    assert found.after.score == threshold


@given(both_classes, st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(1, 3)]), st.integers(1, 3))
def test_outside_a_band_few_counted_rows_of_a_class_are_told_the_other(
    rows: list[Share], error: Fraction, threshold: int
) -> None:
    n_yes = sum(each.yes for each in rows)
    n_no = sum(each.n for each in rows) - n_yes
    if error * (min(n_yes, n_no) + 1) < 1:
        with pytest.raises(RiskError, match="needs at least"):
            find_band(rows, threshold, error)
        return
    band = find_band(rows, threshold, error)
    assert 0 <= band.low <= threshold <= band.high <= len(rows)
    yes_below = sum(each.yes for each in rows[: band.low])
    no_above = sum(each.n - each.yes for each in rows[band.high :])
    assert yes_below + 1 <= error * (n_yes + 1) or band.low == 0
    assert no_above + 1 <= error * (n_no + 1) or band.high == len(rows)
    if band.low < threshold:  # one score fewer to ask about would be too few
        assert yes_below + rows[band.low].yes + 1 > error * (n_yes + 1)
    if band.high > threshold:
        above = rows[band.high - 1]
        assert no_above + above.n - above.yes + 1 > error * (n_no + 1)


def test_a_band_keeps_its_error_rate_on_average_for_rows_that_are_exchangeable() -> None:
    random = np.random.default_rng(0)
    wrong = []
    for _ in range(300):
        is_yes = random.random(200) < 0.4
        scores = random.binomial(6, np.where(is_yes, 0.65, 0.35))
        some, others = np.arange(200) < 100, np.arange(200) >= 100
        rows = [Share(int((is_yes & some & (scores == s)).sum()), int((some & (scores == s)).sum())) for s in range(7)]
        band = find_band(rows, 3, Fraction(1, 10))
        told = np.where(scores >= 3, 1, 0)[others & ~band.asks(scores)]
        of = is_yes[others & ~band.asks(scores)]
        wrong.append([(told[of == c] != c).sum() / max(1, (is_yes[others] == c).sum()) for c in (0, 1)])
    assert (np.mean(wrong, axis=0) <= 0.1).all()


def test_a_person_is_asked_in_words_and_in_the_file() -> None:
    model = set_point(CHECKLIST, Aim.of(abstain=0.1)).model
    assert model.band == Band(1, 3, 1000, (159, 111))
    assert Model.from_json(model.to_json()).band == model.band
    assert model.band.asks(np.array([0, 1, 2, 3])).tolist() == [False, True, True, False]
    text = model_text(model)
    assert "\n  1 of 3: 24 % (16–33): ask a person\n  2 of 3: 77 % (65–85): ask a person\n" in text
    assert (
        "With asking, at most 10 % of the rows of each class are told the other one. This holds on average, for rows "
        "that are exchangeable with the 270 rows held out." in text
    )


def list_of_rules() -> Model:
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "abc"]
    formulas = [parse("{a=1}"), parse("at least 2 of ({b=1}, {c=1})"), parse("1")]
    model = replace(model_of(formulas, Encoding(columns), "kind", ("x", "y", "z")), order=(0, 1, 2))
    return replace(model, chain=(Risk((500, 9500)), Risk((1000, 4000, 8000))))


likely_rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0.4, 0.57, 0.6123, 0.75, 0.9999])), min_size=9
).filter(lambda rows: {label for label, _, _ in rows} == {0, 1, 2})


@given(likely_rows, st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1, 5), Fraction(1, 20)]))
def test_a_band_of_several_classes_asks_least_of_all_that_keep_the_error_rate(rows: list, error: Fraction) -> None:
    labels, decided, told = (np.array(column) for column in zip(*rows, strict=True))
    likely = np.full((len(rows), 3), 0.0)
    likely[np.arange(len(rows)), decided] = told
    n = np.bincount(labels)
    if error * (n.min() + 1) < 1:
        with pytest.raises(RiskError, match="rows of each class; there are"):
            find_least(likely, decided, labels, error)
        return

    def keeps(least: int) -> bool:
        wrong = [((labels == c) & (decided != c) & (told >= least / 10_000)).sum() for c in range(3)]
        return all(int(each) + 1 <= error * (int(of) + 1) for each, of in zip(wrong, n, strict=True))

    band = find_least(likely, decided, labels, error)
    assert band.rows == tuple(n)
    assert keeps(band.high)
    assert band.high == 0 or not keeps(band.high - 1)


def test_a_band_of_several_classes_keeps_its_error_rate_for_each_of_them() -> None:
    random, model, wrong = np.random.default_rng(0), list_of_rules(), []
    for _ in range(100):
        truth = random.integers(3, size=400)
        facts = {"a": truth == 0, "b": truth == 1, "c": truth != 2}
        rows = {name: (is_so ^ (random.random(400) < 0.15)).astype(int) for name, is_so in facts.items()}
        labels = np.array(["x", "y", "z"])[truth]
        some, fresh = ({name: each[part] for name, each in rows.items()} for part in (slice(200), slice(200, None)))
        found = cl.operate(model, some, labels[:200], abstain=0.1).model
        asks = found.band.asks(found.probabilities(fresh).max(axis=1))
        off = (found.predict(fresh) != labels[200:]) & ~asks
        wrong.append([off[labels[200:] == each].mean() for each in "xyz"])
    assert (np.mean(wrong, axis=0) <= 0.1).all()


def test_of_several_classes_a_person_is_asked_in_words_and_in_the_file() -> None:
    model = list_of_rules()
    rows = {"a": [1, 0, 0, 0, 0, 0], "b": [0, 1, 1, 0, 0, 1], "c": [0, 1, 1, 0, 1, 0], "kind": list("xyyzzx")}
    rows = {name: each * 5 for name, each in rows.items()}
    found = cl.operate(model, rows, abstain=0.2)
    assert found.model.band == Band(0, 5701, 2000, (10, 10, 10))  # .95 · .6 are z where b alone holds
    assert (found.before, found.after) == ((Share(5, 10), Share(0, 10), Share(0, 10)), (Share(0, 10),) * 3)
    assert (found.asked, found.content()["after"][0]["n"]) == (Share(10, 30), 10)
    assert "x, told another" in str(found)
    assert (
        "A person is asked for 33 % (19–50) of them, where the class that is told is less likely than 57.01 %."
        in str(found)
    )
    again = Model.from_json(found.model.to_json())
    assert (again.band, again.formulas) == (found.model.band, model.formulas)
    assert "are told another one" in model_text(again)
    row = {"a": 0, "b": 1, "c": 0}
    assert explanation_text(again.explain(row)).endswith("; ask a person")
    assert not explanation_text(again.explain(row | {"c": 1})).endswith("; ask a person")
    with pytest.raises(DocumentError, match="a band that does not fit its risk"):
        Model.from_json(replace(model, band=Band(0, 5701, 2000, (10, 10))).to_json())
    with pytest.raises(RiskError, match="give a labelled table"):
        cl.operate(model, abstain=0.2)
    with pytest.raises(RiskError, match="of more, a person can be asked"):
        cl.operate(model, rows, sensitivity=0.9)


def test_files_with_a_band_that_does_not_fit_are_refused() -> None:
    model = replace(CHECKLIST, band=Band(1, 9, 1000, (5, 5)))
    with pytest.raises(DocumentError, match="a band that does not fit its risk"):
        Model.from_json(model.to_json())
    with pytest.raises(DocumentError, match="the band asks from 3 to 2"):
        Band(3, 2, 1000, (5, 5))


def test_rows_are_counted_by_their_scores() -> None:
    rows = {"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [0, 0, 0, 1], "ill": ["no", "yes", "no", "yes"]}
    counted = count_rows(CHECKLIST, rows)
    assert counted == (Share(0, 1), Share(1, 2), Share(0, 0), Share(1, 1))


@pytest.mark.parametrize(
    ("aim", "message"),
    [
        ({}, "say what the threshold is set for"),
        ({"sensitivity": 0.9, "risk": 0.1}, "one thing: sensitivity or risk"),
        ({"sensitivity": 1.5}, "sensitivity is a share from 0 to 1, got 1.5"),
        ({"sensitivity": True}, "sensitivity is a share from 0 to 1, got True"),
        ({"abstain": 0.6}, "abstain is a share from 0.0001 to 0.5, got 0.6"),
        ({"cost": {"missed": 1}}, 'positive numbers for "missed" and "false-alarm"'),
        ({"cost": {"missed": 1, "false-alarm": 0}}, 'positive numbers for "missed" and "false-alarm"'),
    ],
)
def test_an_aim_that_means_nothing_is_refused(aim: dict, message: str) -> None:
    with pytest.raises(RiskError, match=message):
        Aim.of(**aim)


def test_what_has_no_score_rows_or_risk_says_so() -> None:
    with pytest.raises(RiskError, match="needs classes with a risk"):
        set_point(replace(CHECKLIST, risk=None), Aim.of(risk=0.5))
    with pytest.raises(RiskError, match="give a labelled table"):
        set_point(model_with("at least 2 of ({a=1}, {b=1}, {c=1})", (1, 2, 3, 4)), Aim.of(sensitivity=0.5))
    with pytest.raises(RiskError, match="decides all rows alike"):
        set_point(model_with("0", (2400,), (Share(1, 4),)), Aim.of(risk=0.5))
    with pytest.raises(RiskError, match=r"reaches a risk of 0.99; the best is 0.97"):
        set_point(CHECKLIST, Aim.of(risk=0.99))


def test_a_classifier_is_learned_for_a_sensitivity_and_its_score_still_ranks() -> None:
    heart = cl.datasets.load("heart")
    plain, careful = (
        cl.LukasiewiczClassifier(max_literals=4, aim=aim).fit(heart.frame(), heart.labels)
        for aim in (None, {"sensitivity": 0.95, "abstain": 0.1})
    )
    assert (careful.predict(heart.frame()) >= plain.predict(heart.frame())).all()
    assert (careful.decision_function(heart.frame()) > 0).tolist() == (careful.predict(heart.frame()) == 1).tolist()
    assert careful.model_.record.operated["sensitivity"] == "0.95"
    assert careful.model_.band is not None
    careful.model_.check()


def test_a_rule_that_cannot_reach_an_aim_gives_way_to_a_longer_one() -> None:
    heart = cl.datasets.load("heart")
    short = cl.LukasiewiczClassifier(max_literals=6).fit(heart.frame(), heart.labels).model_.adopt(1)
    with pytest.raises(RiskError, match=r"reaches a sensitivity of 0\.95"):
        set_point(short, Aim.of(sensitivity=0.95))
    found = cl.LukasiewiczClassifier(max_literals=6, aim={"sensitivity": 0.95}).fit(heart.frame(), heart.labels)
    assert found.formula_.size > 1


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"aim": "sensitivity"}, TrainingDataError, "the 'aim' parameter must be None or a mapping of abstain, cost"),
        ({"aim": {"recall": 0.9}}, TrainingDataError, "the 'aim' parameter must be None or a mapping"),
        ({"aim": {"risk": 0.2}, "class_weight": "balanced"}, TrainingDataError, "goes without class weights"),
        ({"aim": {"risk": 0.2}, "strategy": "annealing"}, TrainingDataError, "goes with strategy='likelihood'"),
        ({"aim": {"risk": 2}}, RiskError, "risk is a share from 0 to 1"),
    ],
)
def test_an_aim_that_a_fit_cannot_have_is_refused(given: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        cl.LukasiewiczClassifier(**given).fit([[0, 1], [1, 0]] * 20, [0, 1] * 20)


def test_an_operating_point_needs_two_classes() -> None:
    with pytest.raises(TrainingDataError, match="which two classes have; here are more"):
        cl.LukasiewiczClassifier(aim={"risk": 0.2}).fit([[0, 1], [1, 0], [1, 1]] * 20, ["a", "b", "c"] * 20)
