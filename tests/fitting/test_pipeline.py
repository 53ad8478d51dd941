"""The one way from a table to a model, whatever holds its rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from crystalogic.encoding.values import Values
from crystalogic.errors import TableError, TrainingDataError
from crystalogic.files import open_table
from crystalogic.files.delimited import delimited_parts, read_short
from crystalogic.fitting import Request, fit, pipeline
from crystalogic.fitting.remarks import Remark
from crystalogic.model import HeldOut
from crystalogic.parts import MemoryParts
from crystalogic.progress import Stop
from crystalogic.search import Annealing
from crystalogic.verify.certificate import certify

QUICK = Annealing(effort=0.1, folds=3, max_literals=4)


def table(n=240):
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=list("abcd")).assign(age=rng.integers(20, 80, n))
    truth = ((rows.a & rows.b) | (rows.age >= 60)) ^ (rng.random(n) < 0.1)
    return rows.assign(y=np.where(truth, "yes", "no"))


def test_a_table_gives_one_model_whether_it_is_a_frame_a_file_or_parts(tmp_path):
    frame = table()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    sources = [frame, open_table(str(tmp_path / "rows.csv")), MemoryParts(frame.drop(columns="y"), frame.y)]
    models = [fit(source, "y", Request(QUICK)).model for source in sources]
    assert len({str(model) for model in models}) == 1
    assert len({model.record.data for model in models}) == 1
    assert [model.record.source for model in models] == [None, "rows.csv", None]


def test_a_file_that_is_not_long_is_read_once(tmp_path, monkeypatch):
    table().to_csv(tmp_path / "rows.csv", index=False)
    read = []

    def counting(reader):
        return lambda *arguments: read.append(reader) or reader(*arguments)

    source = open_table(str(tmp_path / "rows.csv"))
    for reader in (delimited_parts, read_short):
        monkeypatch.setattr(f"crystalogic.files.table.{reader.__name__}", counting(reader))
    fit(source, "y", Request(QUICK))
    assert read == [read_short]


def test_the_cells_of_a_table_are_converted_once(monkeypatch):
    """They were converted for the encoding, for the truth values, and for what is worth a look."""
    converted, original = [], Values.__init__

    def counting(self, name, *arguments, **options):
        converted.append(name)
        original(self, name, *arguments, **options)

    monkeypatch.setattr(Values, "__init__", counting)
    fitted = fit(table().astype(str), "y", Request(QUICK))
    assert fitted.remarks == (Remark("LooksProtected", {"column": "age", "what": "age"}),)
    assert sorted(converted) == ["a", "age", "b", "c", "d", "y"]


def test_a_table_that_is_not_long_needs_nothing_of_what_long_tables_need():
    program = """
import sys
import pandas as pd
from crystalogic.fitting import Request, fit
from crystalogic.search import Annealing
from crystalogic.verify.certificate import certify
rows = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "y": ["no", "no", "no", "yes"] * 10})
print(fit(rows, "y", Request(Annealing(effort=0.1, folds=3, max_literals=2))).model)
print([name for name in sys.modules if name.startswith(("crystalogic.stages", "dask"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "y = yes: {a=1} ⊗ {b=1}\n[]\n"


def test_a_default_fit_waits_for_no_library_that_it_does_not_need(tmp_path):
    """Splits that nobody asked for loaded scikit-learn with all of scipy.stats, which took longer than the fit."""
    table().to_csv(tmp_path / "rows.csv", index=False)
    program = """
import sys
from crystalogic.cli.app import run
run(["fit", "rows.csv", "--target", "y", "--quiet"])
print([name for name in ("pandas", "sklearn", "scipy.stats", "numba", "z3", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.endswith("[]\n")


def test_only_the_formula_that_is_chosen_is_certified(monkeypatch):
    calls = []

    def counting(*arguments):
        calls.append(arguments)
        return certify(*arguments)

    monkeypatch.setattr("crystalogic.fitting.reading.certify", counting)
    model = fit(table(), "y", Request(QUICK)).model
    assert len(model.fronts[0]) > 1
    assert len(calls) == 1
    assert model.fronts[0][model.chosen[0]].formula == model.formulas[0]


def test_what_is_worth_a_look_is_a_value():
    frame = table(45)
    frame["after"] = np.where(frame.y == "yes", "treated", "sent home")
    told, few = fit(frame, "y", Request(QUICK)).remarks
    assert told.kind == "GivesAway"
    assert [told.facts[name] for name in ("column", "target", "label", "share")] == ["after", "y", "yes", 1.0]
    assert few == Remark("FewRows", {"n_rows": 45})
    assert str(few) == "45 rows are few: try the rule on other rows before you trust it."


def test_held_out_rows_are_measured_after_the_model_is_kept():
    kept, seen = [], []
    request = Request(QUICK, n_splits=2, keep=kept.append, callback=lambda progress: seen.append(progress.part))
    model = fit(table(), "y", request).model
    assert isinstance(model.record.held_out, HeldOut)
    assert (model.record.held_out.splits, model.record.stop) == (2, Stop.DONE)
    assert [each.record.held_out for each in kept] == [None]
    assert seen[-2:] == ["held-out rows"] * 2


def test_a_long_table_is_learned_in_parts_and_not_measured(monkeypatch):
    monkeypatch.setattr(pipeline, "WHOLE", 100)
    fitted = fit(table(), "y", Request(QUICK))
    assert (fitted.table, fitted.remarks) == (None, ())
    with pytest.raises(TrainingDataError, match="--splits goes with tables of at most 100 rows"):
        fit(table(), "y", Request(QUICK, n_splits=3))


def test_rows_without_a_target_are_refused_or_left_out():
    frame = table()
    frame.loc[[3, 5], "y"] = None
    with pytest.raises(TableError, match=r"row 3: the target 'y' is missing, and in 1 more row\."):
        fit(frame, "y", Request(QUICK))
    assert fit(frame, "y", Request(QUICK, skip_unknown=True)).model.record.n_rows == 238
