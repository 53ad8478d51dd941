"""A model of any table that is learned can be read again, and what could not be is refused before the search."""

import json
from dataclasses import replace

import numpy as np
import pytest

import crystalogic as cl
from crystalogic.candidates.front import Candidate, Front
from crystalogic.candidates.knowledge import NOTHING
from crystalogic.candidates.result import SearchResult
from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import TrainingDataError
from crystalogic.fitting import Request, fit, learning
from crystalogic.fitting.limits import _n_bytes, refuse_unreadable
from crystalogic.parts import MemoryParts
from crystalogic.progress import Stop
from crystalogic.search import Annealing
from crystalogic.words.models import columns_text

PROBLEM = learning.Problem("y", (0, 1), False, Request())


def wide(n_columns, n_cuts=5):
    """As many columns of numbers, some of them codes."""
    columns = []
    for index in range(n_columns):
        name = f"gene {index}"
        cuts = tuple(Cut(name, float(at)) for at in range(1, n_cuts + 1))
        if index % 10 == 9:
            columns.append(Column(name, "code", tuple(Is(name, str(code)) for code in range(3)), ("0", "1", "2")))
        else:
            columns.append(Column(name, "number", (Degree(name, 0.0, 9.0), *cuts, Missing(name)), (), True))
    return Encoding(tuple(columns))


def found(encoding, *literals):
    """What a search would give: one formula, the ⊕ of these."""
    place = {name: index for index, name in enumerate(encoding.names)}
    neuron = Neuron([place[name] for name in literals], [1] * len(literals), 0)
    crystal = Crystal(encoding.names, [neuron], [len(encoding.names)])
    front = Front((Candidate(crystal, len(literals), 1, 0.9, None, None),), 0, "best")
    return SearchResult(crystal, (front,), (0, 1), NOTHING, Stop.DONE, 0.1, (0, 1))


def test_a_rule_of_seventeen_thousand_columns_is_written_and_read(tmp_path):
    """After 86 seconds there was a model of 120,000 literals that nothing could read, in the place of the old one."""
    encoding = wide(17_000)
    assert len(encoding.names) > 100_000
    refuse_unreadable(encoding, 2, Request())
    result = found(encoding, "gene 3 ≥ 2", "gene 19=1")
    model = learning.model_of_search(PROBLEM, encoding, result, 300)
    model.save(tmp_path / "model.json")
    again = cl.load(tmp_path / "model.json")
    assert again == model
    again.check()
    assert len(again.encoding.names) == 10
    assert [column.name for column in again.encoding.columns] == [column.name for column in encoding.columns]
    assert columns_text(again).splitlines()[1:] == [
        f"  {column.name.ljust(10)}  {'code: 0, 1, 2' if column.kind == 'code' else 'number from 0 to 9, some missing'}"
        for column in encoding.columns
    ]
    assert again.predict({"gene 3": [1, 2, None], "gene 19": [0, 0, 1]}).tolist() == [0, 1, 1]


def test_questions_about_columns_that_no_formula_reads_are_answered_as_before():
    encoding = wide(40)
    whole = cl.fitting.model_of([cl.parse("{gene 3 ≥ 2}")], encoding, "y", (0, 1))
    thin = learning.model_of_search(PROBLEM, encoding, found(encoding, "gene 3 ≥ 2"), 300)
    other = learning.model_of_search(PROBLEM, encoding, found(encoding, "gene 5 ≥ 4"), 300)
    assert len(thin.encoding.names) < len(encoding.names)
    for column in ("gene 5", "gene 19"):
        assert str(cl.monotone(thin, column)) == str(cl.monotone(whole, column))
        assert str(cl.ignores(thin, column)) == str(cl.ignores(whole, column))
    assert str(cl.scope_of(thin, ranges={"gene 5": (0, 4)})) == str(cl.scope_of(whole, ranges={"gene 5": (0, 4)}))
    for policy in ("{gene 5 ≥ 4} ⊗ {gene 3 ≥ 2} → {y = 1}", "{gene 19=1} → {y = 1}", "{gene 5 is missing} → {y = 0}"):
        assert str(cl.obeys(thin, policy)) == str(cl.obeys(whole, policy))
    assert str(cl.diff(thin, other)) == str(cl.diff(whole, other))


@pytest.mark.parametrize(
    ("encoding", "n_classes", "settings", "what"),
    [
        (wide(12_000, 0), 2, Annealing(), "bytes, more than the 1,000,000 that are read"),
        (wide(20, 600), 2, Annealing(), "10,842 literals, more than the 10,000 that are read"),
        (wide(20), 1001, Annealing(max_literals=1), "1,001 formulas, more than the 1,000"),
        (wide(20), 900, Annealing(max_literals=1), "10,800 neurons, more than the 10,000"),
        (Encoding((Column("n" * 40_000, "number", (Cut("n" * 40_000, 1.0),)),)), 2, Annealing(), "characters"),
    ],
)
def test_what_could_not_be_read_again_is_refused_before_the_search(encoding, n_classes, settings, what, monkeypatch):
    small = cl.untrusted.Limits(literals=10_000, bytes=1_000_000)
    monkeypatch.setattr("crystalogic.fitting.limits.LIMITS", small)
    with pytest.raises(TrainingDataError, match=what):
        refuse_unreadable(encoding, n_classes, Request(settings))


def test_the_bytes_of_a_file_are_foreseen():
    order = tuple(f"Stufe {level} Ü" for level in range(30))
    levels = tuple(Reaches("größe 🙂", each, order) for each in order)
    columns = [*wide(30).columns, Column("größe 🙂", "ordinal", levels, order)]
    columns.append(Column("\x1b", "category", (Is("\x1b", "\x07" * 9),), ("\x07" * 9, "a"), False, "é" * 9))
    columns += [replace(columns[0], name="z", literals=(), low=-1.2345678901234567e-300, high=1.2345678901234567e300)]
    columns += [replace(columns[-1], missing_words=frozenset({"é\x1b", "nothing"}))]
    for column, content in zip(columns, Encoding(tuple(columns)).content()["columns"], strict=True):
        written = len(json.dumps({"a": {"b": [content]}}, indent=1))
        assert written < _n_bytes(column) < 6 * written


def test_a_fit_that_could_not_be_kept_never_begins(monkeypatch):
    monkeypatch.setattr("crystalogic.fitting.limits.LIMITS", cl.untrusted.Limits(literals=3))
    rows, calls = {name: np.arange(40) % 7 for name in "ab"}, []
    for strategy in ("annealing", "proximal"):
        with pytest.raises(TrainingDataError, match="more than the 3 that are read from a file"):
            fit(MemoryParts(rows, np.arange(40) % 2), "y", Request(strategy, prepare=lambda: calls.append(1)))
    assert calls == []
