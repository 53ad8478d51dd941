"""A model of a very wide table can be read again, and answers as one with all its columns does."""

import crystalogic as cl
from crystalogic.candidates import NOTHING, Candidate, Front, SearchResult
from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import Request, learning
from crystalogic.progress import Stop
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
