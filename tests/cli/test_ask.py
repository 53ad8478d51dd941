import json
from dataclasses import replace

import pytest

from audited import NOT_MONOTONE, SOUND, UNFAIR, loan
from crystalogic.model import Risk

COUNTING = "at least 3 of (2·{income ≥ 30}, ¬{debts ≥ 2}, {age ≥ 25} ⊗ ¬{age ≥ 60})"
RISK = Risk((500, 1000, 1000, 4025, 9000))  # one point and two mean the same
SCOPE = "scope: income from 0 to 100; debts in {0, 1, 2} or missing; age from 18 to 80\n"
TABLE = "age,income,sex,debts\n40,50,f,1\n20,50,m,0\n40,20,f,?\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, formula in {"sound": SOUND, "turns": NOT_MONOTONE, "unfair": UNFAIR}.items():
        loan(formula).save(tmp_path / f"{name}.json")
    replace(loan(COUNTING), risk=RISK).save(tmp_path / "counting.json")
    (tmp_path / "rows.csv").write_text(TABLE, encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("ask sound.json monotone age", 0, "proved: as age rises, approved = yes is never lost"),
        ("ask sound.json --help", 0, "monotone        Is a class never lost as a column rises?"),
        ("ask turns.json monotone age", 1, "age = 60: approved is no"),
        ("ask turns.json monotone age --range age=18..59 --integer age", 0, "age is a whole number from 18 to 59"),
        ("ask sound.json monotone debts --decreasing --degree", 0, "the degree of approved = yes never rises"),
        ("ask sound.json monotone age --class no --decreasing", 0, "approved = no is never gained"),
        ("ask sound.json ignores sex", 0, "the rule does not read sex"),
        ("ask unfair.json ignores sex", 1, "sex = f"),
        ("ask sound.json policy {age<21}->~{approved=yes}", 0, "proved: {age<21} → ¬{approved=yes}"),
        ("ask unfair.json never yes --when age<21", 1, "refuted: {age<21} → {approved ≠ yes}"),
        ("ask sound.json always no --when {debts=2}", 0, "proved"),
        ("ask sound.json counterfactual rows.csv --row 2 --frozen age", 0, "change income from 20 to 30"),
        ("ask sound.json counterfactual rows.csv --row 2 --decreasing income", 1, "no allowed change"),
        ("ask sound.json counterfactual rows.csv --row 2 --to yes --increasing income", 0, "proved"),
        ("ask unfair.json reason rows.csv --row 1", 0, "because debts = 0; any income, sex will do"),
        ("ask sound.json robust rows.csv --row 0", 0, "with errors of up to 5 % in every number"),
        ("ask sound.json robust rows.csv --percent 0 --error income=25", 1, "income = 25"),
        ("ask sound.json missing --value age=20 --value income=50", 0, "settled, whatever debts is"),
        ("ask sound.json missing rows.csv --row 0 --unknown income", 1, "ask for income"),
        ("ask sound.json never yes --when {debts=2} --no-missing", 0, "debts in {0, 1, 2}; "),
        ("diff sound.json unfair.json rows.csv", 1, "2 of 3 data rows differ (66.7%): 0, 1\n"),
        ("diff sound.json sound.json", 0, "proved: both models say the same of approved"),
        (
            "ask unfair.json ignores income --missing sex --another sex --time 5",
            1,
            "sex in {f, m, another value} or missing",
        ),
    ],
)
def test_questions_on_the_command_line(crystalogic, arguments, code, says):
    found, out, err = crystalogic(*arguments.split())
    assert (found, err) == (code, ""), out + err
    assert says in out


@pytest.mark.parametrize(
    ("arguments", "code", "answer"),
    [
        (
            "ask counting.json monotone income --risk",
            0,
            "proved: as income rises, the risk of approved = yes never falls\n"
            f"{SCOPE}no row of the scope contradicts it (z3)\n",
        ),
        (
            "ask counting.json monotone age --risk",
            1,
            f"refuted: as age rises, the risk of approved = yes never falls\n{SCOPE}it fails here:\n"
            "at income = 0, debts = 2:\n"
            "  age = 25: approved is no (1 point, risk 10 %)\n"
            "  age = 60: approved is no (0 points, risk 5 %)\n",
        ),
        (
            "ask counting.json ignores sex --risk",
            0,
            f"proved: sex makes no difference to the risk of approved = yes\n{SCOPE}the rule does not read sex\n",
        ),
        (
            "ask counting.json counterfactual rows.csv --row 0 --risk-below 0.1",
            0,
            f"proved: the row can be changed so that the risk of approved = yes is below 10 %\n{SCOPE}"
            "change income from 50 to 29.9, debts from 1 to 2, age from 40 to 24.9; no change of fewer columns is "
            "enough, no row is nearer by more than 1% of a range (z3)\n"
            "income = 50, debts = 1, age = 40: approved is yes (4 points, risk 90 %)\n"
            "income = 29.9, debts = 2, age = 24.9: approved is no (0 points, risk 5 %)\n",
        ),
        (
            "ask counting.json counterfactual rows.csv --row 2 --risk-above 40% --frozen income",
            1,
            "refuted: the row can be changed so that the risk of approved = yes is above 40 %, with income as it is\n"
            f"{SCOPE}no allowed change has this effect (z3)\n",
        ),
        (
            "ask counting.json risk-range",
            0,
            f"proved: the risk of approved = yes is from 5 % to 90 %\n{SCOPE}no row has less or more (z3)\n"
            "lowest at income = 0, debts = 2, age = 18: approved is no (0 points, risk 5 %)\n"
            "highest at income = 30, debts = 0, age = 25: approved is yes (4 points, risk 90 %)\n",
        ),
        (
            "ask counting.json risk-range --when age<25",
            0,
            f"proved: the risk of approved = yes where {{age<25}} is from 5 % to 40.25 %\n{SCOPE}"
            "no row has less or more (z3)\n"
            "at age = 18:\n"
            "  lowest at income = 0, debts = 2: approved is no (0 points, risk 5 %)\n"
            "  highest at income = 30, debts = 0: approved is yes (3 points, risk 40.25 %)\n",
        ),
        (
            "ask counting.json policy {income<30}->{risk<=0.1}",
            0,
            f"proved: {{income<30}} → {{risk<=0.1}}\n{SCOPE}no row of the scope contradicts it (z3)\n",
        ),
    ],
)
def test_questions_about_the_risk(crystalogic, arguments, code, answer):
    assert crystalogic(*arguments.split()) == (code, answer, "")


def test_answers_about_the_risk_for_machines(crystalogic):
    told = json.loads(crystalogic("ask", "counting.json", "risk-range", "--when", "{age < 25}", "--json")[1])
    assert told["cases"] == [
        {
            "row": {"income": 0, "debts": 2, "age": 18},
            "decision": "no",
            "degrees": ["0"],
            "score": 0,
            "probability": 0.05,
        },
        {
            "row": {"income": 30, "debts": 0, "age": 18},
            "decision": "yes",
            "degrees": ["1"],
            "score": 3,
            "probability": 0.4025,
        },
    ]
    assert [told[key] for key in ("lowest", "at_least", "highest", "at_most")] == [0.05, 0.05, 0.4025, 0.4025]


def test_answers_for_machines_are_complete(crystalogic):
    code, out, _ = crystalogic("ask", "turns.json", "monotone", "age", "--json")
    assert code == 1
    assert json.loads(out) == {
        "verdict": "refuted",
        "claim": "as age rises, approved = yes is never lost",
        "scope": [
            {"column": "income", "kind": "number", "low": 0, "high": 100, "may_miss": False},
            {"column": "age", "kind": "number", "low": 18, "high": 80, "may_miss": False},
        ],
        "reason": "it fails here:",
        "row": {"income": 30, "age": 25},
        "cases": [
            {"row": {"income": 30, "age": 25}, "decision": "yes", "degrees": ["1"]},
            {"row": {"income": 30, "age": 60}, "decision": "no", "degrees": ["0"]},
        ],
    }
    _, out, _ = crystalogic("ask", "sound.json", "counterfactual", "rows.csv", "--row", "2", "--json")
    assert json.loads(out)["changes"] == {"income": [20, 30]}


@pytest.mark.parametrize("asked", ["reason", "counterfactual", "robust", "missing"])
def test_every_row_that_is_given_is_answered(crystalogic, asked):
    """`ask reason --row 0 --row 1` answered row 1 alone, and said nothing of it."""
    rows = ["--row", "2", "--row", "0"]
    alone = {row: crystalogic("ask", "sound.json", asked, "rows.csv", "--row", row) for row in ("0", "2")}
    code, out, err = crystalogic("ask", "sound.json", asked, "rows.csv", *rows)
    assert (code, err) == (max(each[0] for each in alone.values()), "")
    assert out == f"row 2:\n{alone['2'][1]}\nrow 0:\n{alone['0'][1]}"
    _, out, _ = crystalogic("ask", "sound.json", asked, "rows.csv", *rows, "--json")
    single = [json.loads(crystalogic("ask", "sound.json", asked, "rows.csv", "--row", n, "--json")[1]) for n in "20"]
    assert json.loads(out) == [{"number": 2, **single[0]}, {"number": 0, **single[1]}]


def test_every_row_that_is_given_is_explained(crystalogic):
    alone = [crystalogic("explain", "sound.json", "rows.csv", "--row", row)[1] for row in "01"]
    code, out, err = crystalogic("explain", "sound.json", "rows.csv", "--row", "0", "--row", "1", "--row", "0")
    assert (code, out, err) == (0, f"row 0:\n{alone[0]}\nrow 1:\n{alone[1]}", "")
    out = crystalogic("explain", "sound.json", "rows.csv", "--row", "0", "--row", "1", "--json")[1]
    assert [each["number"] for each in json.loads(out)] == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("ask nowhere.json monotone age", 1, "DocumentError: nowhere.json: cannot be read as a model"),
        ("ask sound.json monotone zip", 1, "the model has no column 'zip'"),
        ("ask sound.json monotone age --range age", 2, "expected COLUMN=LOW..HIGH"),
        ("ask sound.json monotone age --range age=5..x", 1, "the range of 'age' needs a lowest and a highest number"),
        ("ask sound.json policy {age<", 1, "FormulaSyntaxError"),
        ("ask sound.json reason", 2, "give a table with --row, or --value"),
        ("ask sound.json reason rows.csv --row 9", 1, "there is no row 9; it has 3 rows"),
        ("ask sound.json think", 2, "there is no question 'think'; there are monotone, ignores, policy"),
        ("ask ignores sound.json sex", 2, "The model comes first: crystalogic ask model.json ignores sex"),
        ("ask sound.json", 2, "ask sound.json what? `crystalogic ask --help` lists the questions"),
        ("ask sound.json monotone approved", 1, "'approved' is what the model predicts; it knows age, income, sex"),
        ("ask sound.json ignores sex --missing debts --no-missing", 2, "--no-missing says that there are none"),
        ("ask sound.json policy {income>5k}->{approved=yes}", 1, "expected a number (income from"),
        ("ask sound.json policy {sex=x}->{approved=yes}", 1, "(sex in {f, m}). Name values that can occur."),
        ("ask sound.json monotone age --time 0", 2, "--time"),
        ("ask sound.json reason rows.csv --row 0 --row 9", 1, "there is no row 9; it has 3 rows"),
        ("ask sound.json reason -v age=20 -v age=40 -v income=9", 2, "--value says two things of 'age': '20' and '40'"),
        ("ask sound.json reason -v age=20 -v income=9 -v debts=1 --row 2", 2, "--row goes with a table"),
        ("ask sound.json never yes --when {age<21} --when {age>70}", 2, "--when is given 2 times, and takes one value"),
        ("ask sound.json ignores sex --range age=1..2 --range age=1..9", 2, "--range says two things of 'age'"),
        ("ask sound.json robust rows.csv --error age=1 --error age=2", 2, "--error says two things of 'age'"),
        (
            "ask sound.json monotone age --risk",
            1,
            "RiskError: a question about the risk needs a model of two classes with",
        ),
        ("ask sound.json risk-range", 1, "RiskError: a question about the risk needs"),
        ("ask sound.json never risk>0.5", 1, "RiskError: a question about the risk needs"),
        ("ask counting.json monotone age --risk --degree", 2, "ask about one of them: --degree or --risk."),
        ("ask counting.json ignores age --risk --class no", 1, "ask about the risk of that class."),
        (
            "ask counting.json never risk>10",
            1,
            "with a share from 0 to 1 or with percent, such as < 0.1 or < 10 %, got",
        ),
        (
            "ask counting.json counterfactual rows.csv --risk-below 1e-99999",
            1,
            "such as < 0.1 or < 10 %, got '1e-99999'",
        ),
        ("ask counting.json counterfactual rows.csv --risk-below 0.1 --to no", 2, "a change has one goal"),
        ("ask counting.json risk-range --when age<5", 1, "no row that can occur meets {age<5} (age from 18 to 80)"),
        ("diff sound.json nowhere.json", 1, "cannot be read as a model"),
        ("diff sound.json unfair.json nowhere.csv", 1, "there is no such file"),
    ],
)
def test_questions_asked_wrongly_get_one_message(crystalogic, arguments, code, message):
    found, out, err = crystalogic(*arguments.split())
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
