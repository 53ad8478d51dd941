"""Protected columns: kept out of rules, measured by, remarked on where a rule reads them or stands in for them."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DocumentError, EncodingError, TableError, TrainingDataError
from crystalogic.evaluation.judging import Grouping
from crystalogic.fitting import Request, fit
from crystalogic.fitting.remarks import Remark, count_groups, what_protected
from crystalogic.intervals import Rates
from crystalogic.model import Group, Model
from crystalogic.words.models import groups_text


def arrests(n=400):
    """Sex decides half of it, hours stand in for sex, and noise tells nothing."""
    draw = np.random.default_rng(0)
    sex = draw.choice(["male", "female"], n)
    hours = np.where(sex == "male", 40, 20) + draw.integers(0, 25, n)
    priors = draw.integers(0, 6, n)
    is_again = priors + 2 * (sex == "male") + draw.normal(0, 1, n) > 3.5
    return pd.DataFrame({"sex": sex, "hours": hours, "priors": priors, "again": np.where(is_again, "yes", "no")})


SMALL = {"options": {"max_literals": 3}}


@pytest.fixture(scope="module")
def fitted():
    return fit(arrests(), "again", Request(**SMALL, protect=("sex",)))


def test_protected_columns_are_in_no_formula_and_not_needed_later(fitted):
    model = fitted.model
    names = {name for front in model.fronts for row in front for name in row.formula.variables}
    read = {model.encoding.literals[name].column for name in names}
    assert read == {"hours", "priors"}
    assert model.record.protected == ("sex",)
    assert len(model.predict(arrests().drop(columns="sex"))) == 400


def test_rates_of_groups_are_recorded_and_count_each_row_once(fitted):
    groups = fitted.model.record.held_out.groups
    assert [(each.column, each.value) for each in groups] == [("sex", "female"), ("sex", "male")]
    sizes = arrests()["sex"].value_counts()
    assert [each.rates.selected.n for each in groups] == [sizes["female"], sizes["male"]]
    again = (arrests()["again"] == "yes").groupby(arrests()["sex"]).sum()
    assert [each.rates.missed.n for each in groups] == [again["female"], again["male"]]
    assert fitted.model.record.held_out.splits == 5


def test_rates_are_counted_as_by_hand():
    grouping = Grouping("g", np.array([0, 0, 0, 0, 1, 1, 2]), ["a", "b"])
    labels = np.array(["n", "n", "y", "y", "y", "n", "n"])
    decided = np.array(["n", "y", "n", "y", "y", None, "y"], object)
    assert count_groups([grouping], ("n", "y"), labels, decided) == (
        Group("g", "a", Rates.of(1, 1, 1, 1)),
        Group("g", "b", Rates.of(0, 0, 0, 1)),
        Group("g", None, Rates.of(0, 1, 0, 0)),
    )
    assert count_groups([grouping], ("n", "o", "y"), labels, decided) == ()


def test_models_keep_their_groups_in_files_without_rows(fitted):
    text = fitted.model.to_json()
    assert Model.from_json(text).record == fitted.model.record
    assert Model.from_json(text).fingerprint == fitted.model.fingerprint
    held_out = json.loads(text)["notes"]["held_out"]
    assert set(held_out) == {"mean", "spread", "splits", "groups"}
    assert set(held_out["groups"][0]) == {"column", "value", "counts"}
    assert fitted.model.adopt(1).record.held_out is None  # what was measured, was measured of another rule


@pytest.mark.parametrize("counts", [[1, 2, 3], [1, 2, 3, -4], "many"])
def test_counts_of_groups_in_files_are_looked_at(fitted, counts):
    notes = fitted.model.record.content()
    notes["held_out"]["groups"] = [{"column": "sex", "value": None, "counts": counts}]
    with pytest.raises(DocumentError, match="counts"):
        type(fitted.model.record).from_content(notes, "the notes")


def test_the_groups_are_told_after_the_rule(fitted):
    of = {"female": Rates.of(90, 30, 20, 60), "male": Rates.of(40, 60, 10, 19)}
    groups = tuple(Group("sex", value, rates) for value, rates in of.items())
    model = fitted.model.with_facts(held_out=replace(fitted.model.record.held_out, groups=groups))
    assert (
        groups_text(model)
        == """\
Protected, and not read by the rule: sex

Judged that again is yes, by sex, on rows held out (90 % intervals)
  sex     rows      selected  false alarms             missed     precision
  female   200  45 % (39–51)  25 % (19–32)       25 % (17–34)  67 % (58–75)
  male     129  61 % (54–68)  60 % (51–68)  too few: 10 of 29  24 % (16–33)
Too few: fewer than 30 rows to judge a rate by."""
    )
    assert groups_text(model.with_facts(protected=())) == ""
    assert groups_text(model.with_facts(held_out=None)) == (
        "Protected, and not read by the rule: sex\n\n"
        "Rates by group are not measured here: crystalogic evaluate --by tells them of rows with a known class."
    )


def test_facts_that_stand_in_for_a_protected_column_are_told(fitted):
    found = [each for each in fitted.remarks if each.kind == "StandsFor"]
    assert [(each.facts["column"], each.facts["value"]) for each in found] == [("sex", "female")]
    assert found[0].facts["auc"] > 0.9
    assert "hours" in found[0].facts["fact"]
    facts = {"column": "sex", "value": "male", "auc": 0.834, "fact": "hours is at least 41", "alone": 0.79}
    assert str(Remark("StandsFor", facts)) == (
        "The rule does not read sex, but its facts stand in for it: together they tell male from all others with an "
        "AUC of 0.83 (0.50 is chance, 1.00 is certain), 'hours is at least 41' alone with 0.79."
    )


def test_facts_that_tell_nothing_of_a_protected_column_are_not_remarked_on():
    table = arrests().assign(sex=np.random.default_rng(1).choice(["male", "female"], 400))
    remarks = fit(table, "again", Request(**SMALL, protect=["sex"])).remarks
    assert not [each for each in remarks if each.kind in ("StandsFor", "LooksProtected")]


def test_a_rule_that_reads_a_protected_column_says_so():
    remarks = fit(arrests().drop(columns="hours"), "again", Request(**SMALL)).remarks
    assert Remark("LooksProtected", {"column": "sex", "what": "sex or gender"}) in remarks
    assert str(Remark("LooksProtected", {"column": "sex", "what": "sex or gender"})) == (
        "The rule reads sex, which looks protected (sex or gender). Where it must not decide, --protect sex keeps it "
        "out of the rule and measures the rule by it."
    )
    told = str(Remark("LooksProtected", {"column": "Age", "what": "age"}))
    assert told.startswith("The rule reads Age, which looks protected. Where")


LOOK = {
    "sex or gender": ["sex", "Gender", "personal_status_sex", "Geschlecht", "sexo", "género", "applicantSex", "sex_2"],
    "race or ethnicity": ["race", "applicant_race", "Race/Ethnicity", "RaceDesc", "ethnicity", "raça", "patient race"],
    "religion": ["religion", "Religión", "religious_group"],
    "nationality": ["nationality", "native-country", "national_origin", "Staatsangehörigkeit"],
    "age": ["age", "AGE", "Age (years)", "age_at_arrest", "Alter", "edad", "âge", "ageGroup"],
    "marital status": ["marital-status", "maritalStatus", "estado civil", "Familienstand"],
    "disability": ["disability", "is_disabled", "Behinderung"],
}


@pytest.mark.parametrize(("name", "what"), [(name, what) for what, names in LOOK.items() for name in names])
def test_names_that_look_protected(name, what):
    assert what_protected(Column(name, "number")) == what


OTHERS = (
    "page stage average usage message race_time racetime trace embrace account_age wage vehicleAge package essex "
    "sextant image chest_pain cp region marinade gendarme"
)


@pytest.mark.parametrize("name", ["", *OTHERS.split()])
def test_names_that_do_not(name):
    assert what_protected(Column(name, "number")) is None


@pytest.mark.parametrize(
    ("levels", "what"),
    [
        (("female", "male"), "sex or gender"),
        (("F", "M"), "sex or gender"),
        (("Frau", "Mann"), None),
        (("weiblich", "männlich"), "sex or gender"),
        (("African-American", "Caucasian", "Other"), "race or ethnicity"),
        (("black", "white"), None),
        (("divorced", "married", "single"), "marital status"),
        (("a", "f", "k", "m", "z"), None),
        (("high", "low"), None),
    ],
)
def test_levels_are_a_second_sign(levels, what):
    assert what_protected(Column("x7", "category", (), levels)) == what


def test_what_cannot_be_protected_is_refused():
    with pytest.raises(EncodingError, match="the rows have no column 'gender'"):
        cl.LukasiewiczClassifier(protect=["gender"]).fit(arrests()[["sex", "priors"]], arrests()["again"])
    with pytest.raises(TrainingDataError, match="the 'protect' parameter must be a list of columns"):
        Request(protect="sex")
    table = arrests().assign(name=[f"p{i}" for i in range(400)])
    with pytest.raises(TableError, match=re.escape("'name' is to tell groups and has 400 values")):
        fit(table, "again", Request(**SMALL, protect=["name"]))


def test_numbers_are_measured_in_quarters_and_more_classes_not_at_all():
    table = arrests().assign(age=np.arange(400) % 50 + 20)
    groups = fit(table, "again", Request(**SMALL, n_splits=2, protect=["age"])).model.record.held_out.groups
    assert [each.value for each in groups] == ["20 to 32", "33 to 44", "45 to 57", "58 to 69"]
    table["again"] = np.array(["no", "maybe", "yes"])[np.clip(table["priors"] // 2, 0, 2)]
    model = fit(table, "again", Request(**SMALL, n_splits=2, protect=["sex"])).model
    assert model.record.held_out.groups == ()
    assert "Rates by group are not measured here" in groups_text(model)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_an_estimator_needs_no_protected_columns_later(kind):
    table = arrests(200)
    X, y = table.drop(columns="again"), table["again"]
    if kind == "polars":
        X = pytest.importorskip("polars").from_pandas(X)
    rule = cl.LukasiewiczClassifier(protect=["sex"], max_literals=3).fit(X, y)
    assert list(rule.feature_names_in_) == ["hours", "priors"]
    expected = rule.predict(X).tolist()
    assert rule.predict(X[["hours", "priors"]]).tolist() == expected
    assert len(rule.model_.record.held_out.groups) == 2


COMPAS = "sex age race juv_fel_count juv_misd_count juv_other_count priors_count c_charge_degree"
ADULT = "age workclass education_num marital_status occupation relationship race sex capital_gain hours_per_week"
NEITHER = {
    "wine": "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols hue proline od280",
    "loans": "loan_age company_age amount purpose duration_in_month property telephone",
    "races": "race_time lap distance horse race_number",
}


def test_columns_of_tables_about_people_are_named_and_others_are_not():
    said = [[name for name in names.split() if what_protected(Column(name, "number"))] for names in (COMPAS, ADULT)]
    assert said == [["sex", "age", "race"], ["age", "marital_status", "race", "sex"]]
    for names in NEITHER.values():
        assert not [name for name in names.split() if what_protected(Column(name, "number"))]
    for table in ("monks-1", "mushroom"):
        data = cl.datasets.load(table)
        rows = data.frame().assign(y=data.labels)
        model = fit(rows[:: 1 + len(rows) // 1000], "y", Request(**SMALL))
        assert not [each for each in model.remarks if each.kind in ("StandsFor", "LooksProtected")]
