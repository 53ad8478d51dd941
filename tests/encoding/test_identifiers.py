"""Numbers that tell rows apart are not learned from; numbers that measure something are, also where none repeats."""

import numpy as np
import pytest
from sklearn import datasets as sklearn_tables

import crystalogic as cl
from crystalogic.cli.app import run
from crystalogic.encoding import fit_encoding
from crystalogic.encoding.unusable import is_called_identifier, looks_like_identifier

SEEDS = range(20)


def unique(rng, draw, n):
    """So many different whole numbers of this kind, in the order in which they are drawn."""
    found: dict[int, None] = {}
    while len(found) < n:
        found.update(dict.fromkeys(np.rint(draw(rng, n)).astype(np.int64).tolist()))
    return np.array(list(found)[:n], float)


IDENTIFIERS = {
    "six digits by lot": lambda rng: unique(rng, lambda r, n: r.integers(10**5, 10**6, n), 300),
    "five digits by lot": lambda rng: unique(rng, lambda r, n: r.integers(10**4, 10**5, n), 1000),
    "ten digits, one prefix": lambda rng: 4711000000 + unique(rng, lambda r, n: r.integers(0, 10**6, n), 500),
    "sixteen digits": lambda rng: unique(rng, lambda r, n: r.integers(10**15, 10**16, n), 200),
    "numbers with gaps": lambda rng: rng.permutation(np.sort(rng.permutation(2000)[:1000]) + 5001.0),
    "a third of those given out": lambda rng: rng.permutation(900)[:300] + 100_000.0,
    "given out in turn, some twice": lambda rng: np.append(rng.permutation(1500)[:995], range(5)) + 70_000.0,
}
MEASUREMENTS = {
    "income": lambda rng: unique(rng, lambda r, n: r.lognormal(10.8, 0.5, n), 300),
    "income of five digits": lambda rng: unique(rng, lambda r, n: r.normal(5e4, 1.5e4, n).clip(1e4, 99999), 300),
    "balance in cents": lambda rng: unique(rng, lambda r, n: r.normal(2e5, 9e4, n), 1000),
    "price of a house": lambda rng: unique(rng, lambda r, n: r.lognormal(12.5, 0.3, n), 500),
    "platelets": lambda rng: unique(rng, lambda r, n: r.normal(263358, 97804, n).clip(25100, 850000), 299),
    "population": lambda rng: unique(rng, lambda r, n: r.pareto(1.1, n) * 5000 + 1000, 800),
    "seconds since 1970": lambda rng: unique(rng, lambda r, n: r.integers(16 * 10**8, 164 * 10**7, n), 2000),
    "seconds since 1970, each minute": lambda rng: 1_700_000_000 + 60.0 * np.arange(3000),
    "milliseconds, each second": lambda rng: 1_700_000_000_000 + 1000.0 * np.arange(3000),
    "dates as numbers": lambda rng: np.array([20240000.0 + 100 * m + d for m in range(1, 13) for d in range(1, 29)]),
    "a scale with a step": lambda rng: 5.0 * np.arange(200),
    "genomic position": lambda rng: unique(rng, lambda r, n: r.integers(1, 248_956_422, n), 5000),
    "by lot from 0": lambda rng: unique(rng, lambda r, n: r.integers(0, 10**6, n), 300),
    "by lot from below 0": lambda rng: unique(rng, lambda r, n: r.integers(-(10**6), 10**6, n), 300),
    "heart rates, repeated": lambda rng: np.rint(rng.normal(80, 12, 300)),
    "all of 100,000, repeated": lambda rng: rng.integers(10**5, 2 * 10**5, 50_000).astype(float),
}  # fmt: skip


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_numbers_that_tell_rows_apart_are_identifiers(kind):
    found = [IDENTIFIERS[kind](np.random.default_rng(seed)) for seed in SEEDS]
    assert sum(looks_like_identifier("x", numbers, len(numbers)) for numbers in found) >= 19


@pytest.mark.parametrize("kind", MEASUREMENTS)
def test_measurements_are_no_identifiers_also_where_none_repeats(kind):
    found = [MEASUREMENTS[kind](np.random.default_rng(seed)) for seed in SEEDS]
    assert not any(looks_like_identifier("x", numbers, len(numbers)) for numbers in found)


@pytest.mark.parametrize(
    "name",
    "id ID account account_no accountNumber PassengerId patient_id customerid Kunden-Nr IBAN Konto case.no key".split(),
)
def test_a_column_that_is_called_an_identifier_is_one_where_no_value_repeats(name):
    numbers = MEASUREMENTS["balance in cents"](np.random.default_rng(0))
    assert looks_like_identifier(name, numbers - numbers.min(), len(numbers))
    assert not looks_like_identifier(name, np.rint(numbers / 1e4), len(numbers))


@pytest.mark.parametrize(
    "name",
    [
        "uric acid",
        "thyroid",
        "paid",
        "grid",
        "number",
        "no",
        "number of children",
        "account balance",
        "monkey",
        "x0",
        "42",
    ],
)
def test_other_names_are_no_identifiers(name):
    assert not is_called_identifier(name)


def _own_tables():
    for name in cl.datasets.NAMES:
        yield name, cl.datasets.load(name).frame()
    for load in ("iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"):
        yield load, getattr(sklearn_tables, f"load_{load}")(as_frame=True).data


@pytest.mark.parametrize(("name", "frame"), list(_own_tables()), ids=lambda each: each if isinstance(each, str) else "")
def test_no_column_of_a_known_table_is_taken_for_an_identifier(name, frame):
    notes = {column.name: column.note for column in fit_encoding(frame).columns}
    assert not [column for column, note in notes.items() if "identifier" in note]


def _table(n=300):
    rng = np.random.default_rng(3)
    age = rng.integers(20, 80, n)
    return {"account": unique(rng, lambda r, n: r.integers(10**5, 10**6, n), n).astype(int), "age": age}, age >= 50


def test_account_numbers_are_left_out_and_the_note_says_how_to_bring_them_back():
    """Unique account numbers were taken as a number to learn from: `account ≥ 512345`."""
    rows, _ = _table()
    column = fit_encoding(rows).columns[0]
    assert (column.kind, column.literals) == ("left out", ())
    assert column.note == "left out, it looks like an identifier; --kind account=number takes it as a number"
    assert fit_encoding(rows, {"account": "number"}).columns[0].kind == "number"
    renamed = {"the account": rows["account"], "age": rows["age"]}
    assert "--kind 'the account=number'" in fit_encoding(renamed).columns[0].note


def test_account_numbers_with_gaps_as_texts_and_with_weights_are_left_out_too():
    rows, _ = _table()
    gaps = [None if place % 7 == 0 else value for place, value in enumerate(rows["account"].tolist())]
    assert fit_encoding({**rows, "account": gaps}).columns[0].kind == "left out"
    assert fit_encoding({**rows, "account": list(map(str, rows["account"]))}).columns[0].kind == "left out"
    copies = np.full(len(gaps), 3)
    assert fit_encoding(rows, weight=copies).columns[0].kind == "number"  # each is there three times


def test_fit_says_that_a_column_looks_like_an_identifier(tmp_path, monkeypatch, capsys):
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    rows, y = _table(120)
    pd.DataFrame(rows).assign(y=y).to_csv("t.csv", index=False)
    assert run(["fit", "t.csv", "-t", "y", "--max-literals", "1"]) == 0
    out = capsys.readouterr().out
    remark = "account was left out, it looks like an identifier; --kind account=number takes it as a number."
    assert remark in out.split("Worth a look:")[1]
    assert run(["fit", "t.csv", "-t", "y", "--max-literals", "1", "--kind", "account=number"]) == 0
    assert "account  number from" in capsys.readouterr().out
