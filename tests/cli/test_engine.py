"""`predict --engine duckdb` gives what the default engine gives: the same rows in the same order, byte by byte."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from export_cases import MODELS, hostile, hostile_rows, loose_rows, typed_rows

FACTS = [name for name, make in MODELS.items() if not make().rounding]
ENGINES = ("python", "duckdb")
OPTIONS = [
    ("--unknown", "skip"),
    ("--unknown", "skip", "--json", "--keep", "sex", "--keep", "batch"),
    ("--unknown", "false", "--keep", "age"),
    (),
]


@pytest.fixture
def both(crystalogic, folder):
    """What both engines give; it must be one."""

    def call(model, table, *options):
        model.save("m.json")
        found = [
            crystalogic("predict", "m.json", str(table), *options, "--engine", each) for each in ("python", "duckdb")
        ]
        assert found[0] == found[1]
        return found[0]

    return call


def more_options(model):
    risk = ["--score"] if model.has_risk else []
    has_reasons = model.classes is not None and len(model.formulas) == 1
    return [*risk, *(["--reasons", "2"] if has_reasons else [])]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("name", FACTS)
def test_both_engines_write_the_same_bytes_of_texts(both, name, options):
    model, table = MODELS[name](), pd.DataFrame(loose_rows(300, seed=len(name) + 100))
    table.to_csv("t.csv", index=False)
    code, out, _ = both(model, "t.csv", *options, *more_options(model))
    assert code == 1 or out.count("\n") >= len(table)


@pytest.mark.parametrize("options", OPTIONS[:3], ids=" ".join)
@pytest.mark.parametrize("name", FACTS)
def test_both_engines_write_the_same_bytes_of_parquet(both, name, options):
    """Types as files have them: whole numbers with and without gaps, floats with NaN, texts, truth values."""
    rows, draw = typed_rows(300, seed=len(name) + 100), np.random.default_rng(100)
    frame = pd.DataFrame({name: pd.Series(values) for name, values in rows.items()})
    for column in frame:
        values = [None if type(each) in (bool, list) else each for each in frame[column]]
        if all(each is None or isinstance(each, (int, float)) for each in values):
            frame[column] = pd.array(values, "Float64")
        else:
            frame[column] = pd.array([None if each is None else str(each) for each in values], "string")
    frame["cp"] = pd.array(draw.integers(1, 6, len(frame)), "Int64" if len(name) % 2 else "int32")
    frame["sex"] = pd.Categorical(draw.choice(["male", "female", "other"], len(frame)))
    frame.to_parquet("t.parquet", row_group_size=70)
    both(MODELS[name](), "t.parquet", *options, *more_options(MODELS[name]()))


def test_several_files_and_names_that_are_code(both, folder):
    (folder / "parts").mkdir()
    model = hostile()
    for part in range(3):
        pd.DataFrame(hostile_rows(40, 100 + part)).to_parquet(folder / "parts" / f"{part}.parquet")
    code, out, _ = both(model, "parts", "--score", "--json", "--unknown", "false")
    assert (code, out.count('"score"')) == (0, 120)
    assert both(model, "parts/*.parquet", "--reasons", "3", "--unknown", "skip", "--keep", model.columns[0])[0] == 0


def test_decimal_commas_stay_what_they_are(both):
    with open("t.csv", "w") as file:
        file.write("age;sex;cp\n" + "60,5;male;4\n20,5;female;3,5\n55;male;x\n" * 30)
    out = both(MODELS["one_comparison"](), "t.csv", "--unknown", "skip", "--keep", "age")[1]
    assert "60,5" in out


def test_more_facts_than_one_number_holds(both):
    from crystalogic.encoding import fit_encoding
    from crystalogic.fitting import model_of
    from crystalogic.logic.formula import AtLeast, Variable

    draw = np.random.default_rng(100)
    table = {f"x{place}": draw.integers(0, 4, 500) for place in range(70)}
    encoding = fit_encoding({name: list("0123") for name in table}, {name: "category" for name in table})
    facts = [Variable(f"{name}={value}") for name in table for value in "12"]
    rule = model_of([AtLeast(35, *facts)], encoding, "y", ["no", "yes"])
    pd.DataFrame(table).to_csv("t.csv", index=False)
    code, out, _ = both(rule, "t.csv", "--reasons", "2")
    assert (code, {line.split(",")[1] for line in out.splitlines()[1:]}) == (0, {"no", "yes"})


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("heart", "t.csv", "does not judge degrees"),
        ("facts_only", "t.jsonl", "does not judge JSON lines"),
        ("one_fact", "t.parquet", "does not judge timestamp"),
    ],
)
def test_what_duckdb_cannot_do_is_refused_with_the_way_out(crystalogic, folder, name, table, said):
    frame = pd.DataFrame(typed_rows(5, seed=100)).astype(str)
    frame.to_csv("t.csv", index=False)
    frame.to_json("t.jsonl", orient="records", lines=True)
    frame.assign(sex=pd.Timestamp("2020-01-01")).to_parquet("t.parquet")
    MODELS[name]().save("m.json")
    code, out, err = crystalogic("predict", "m.json", table, "--engine", "duckdb")
    assert (code, out) == (1, "")
    assert said in err
    assert "leave out --engine" in err


def test_a_database_that_fails_is_one_sentence(crystalogic, model, monkeypatch):
    def broken(**_):
        class Lake:
            def execute(self, text):
                if text.startswith("SET"):
                    return self
                why = "it is broken"
                raise duckdb.Error(why)

            def register(self, *_):
                pass

        return Lake()

    monkeypatch.setattr(duckdb, "connect", broken)
    code, _, err = crystalogic("predict", "model.json", "rows.csv", "--engine", "duckdb")
    assert (code, "rows.csv: DuckDB cannot judge this (it is broken)" in err) == (1, True)
