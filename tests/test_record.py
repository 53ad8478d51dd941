"""What is recorded about a fit is a value, and files of earlier versions keep theirs."""

import json
from dataclasses import fields, replace

import pytest

import crystalogic as cl
from crystalogic.document import fingerprint
from crystalogic.encoding import fit_encoding
from crystalogic.errors import DocumentError
from crystalogic.fitting import model_of
from crystalogic.intervals import Rates
from crystalogic.model import ChosenBy, Group, HeldOut, JudgedBy, Limited, Model, Proved, Record
from crystalogic.progress import Stop
from crystalogic.words.models import ending_text

FULL = Record(
    strategy="annealing",
    seed=3,
    stop=Stop.TIME,
    promises=("'a' is used",),
    protected=("sex",),
    class_weight={"yes": 2.0, "no": 1.0},
    teacher={"width": 0.5, "ridge": 1.0, "share": 0.7},
    operated={"sensitivity": "0.95", "rows": "303", "source": "held out"},
    grades=("low", "high"),
    limits=Limited("sex", "misses", 0.05, 0.9, (Group("sex", "f", Rates.of(5, 1, 2, 2)),), (), {"0": 0.7, "3": 0.8}),
    choice=("the shortest",),
    chosen_by=ChosenBy("A. Nurse", "cheap to obtain", "cd34"),
    proved=Proved(27, (8, 5), (8, 2)),
    judged_by=JudgedBy.UNSEEN,
    n_rows=120,
    data="ab12",
    library="1.0",
    source="rows.csv",
    decimal=",",
    units={"age": "years"},
    range=(1.0, 5.5),
    held_out=HeldOut(0.8, 0.1, 5, (Group("sex", "f", Rates.of(5, 1, 2, 2)), Group("sex", None, Rates.of(0, 0, 0, 1)))),
    more={"ward": 7},
)
OLD = {
    "strategy": "annealing",
    "stop": "It was interrupted; the best so far was kept.",
    "knowledge": "'a' is used; 'b' is not used",
    "judged": "unseen rows",
    "held_out": {"mean": 0.8, "spread": 0.1, "splits": 5},
    "ward": 7,
}


def test_every_fact_is_written_and_read():
    empty = [each.name for each in fields(Record) if not getattr(FULL, each.name)]
    assert empty == ["written"]
    again = Record.from_content(json.loads(json.dumps(FULL.content())), "the notes")
    assert again == FULL
    assert again.content() == FULL.content()
    assert Record.from_content(Record().content(), "the notes") == Record()


def test_facts_that_are_no_longer_written_are_kept_as_they_are():
    """What `ask trim` left out of a rule was noted before the command was removed."""
    model = model_of([cl.parse("{x=1}")], fit_encoding({"x": [0, 1, 1, 0]}), "y", (0, 1))
    body = json.loads(model.to_json())
    trimmed = {"trimmed": [{"before": "{x=1} ⊗ {x=1}", "after": "{x=1}"}], "trimmed_over": "x in {0, 1}"}
    body["notes"] |= trimmed
    del body["fingerprint"]
    old = Model.from_json(json.dumps({**body, "fingerprint": fingerprint(body)}))
    assert (dict(old.record.more), old.fingerprint) == (trimmed, fingerprint(body))
    old.check()
    assert Model.from_json(old.to_json()) == old


def test_notes_of_the_first_version_become_facts_and_stay_as_they_were_written():
    record = Record.from_content(OLD, "the notes")
    assert (record.stop, record.judged_by, record.held_out) == (Stop.INTERRUPTED, JudgedBy.UNSEEN, HeldOut(0.8, 0.1, 5))
    assert (record.promises, dict(record.more)) == (("'a' is used; 'b' is not used",), {"ward": 7})
    assert record.content() == OLD
    unknown = Record.from_content({"stop": "It rained.", "knowledge": "no constraint"}, "the notes")
    assert (unknown.stop, unknown.promises) == (None, ())


def test_a_file_of_the_first_version_keeps_its_fingerprint(tmp_path):
    model = model_of([cl.parse("{x=1}")], fit_encoding({"x": [0, 1, 1, 0]}), "y", (0, 1))
    body = json.loads(model.to_json())
    body["notes"] = OLD
    del body["fingerprint"]
    old = Model.from_json(json.dumps({**body, "fingerprint": fingerprint(body)}))
    assert old.fingerprint == fingerprint(body)
    assert old.was_interrupted
    assert ending_text(old) == "It was interrupted; the best so far was kept."
    newer = old.with_facts(units={"x": "mm"})
    assert newer.record.content()["version"] == 2
    assert newer.record == replace(old.record, units={"x": "mm"})
    newer.save(tmp_path / "model.json")
    assert cl.load(tmp_path / "model.json").record == newer.record


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ({"version": 3}, "have the version 3; this is an older Crystalogic, which knows 2"),
        ({"version": 2, "stop": "somehow"}, "the notes, stop is 'somehow', expected one of done, steps"),
        ({"version": 2, "n_rows": "many"}, "the notes, n_rows is 'many', expected a whole number"),
        (
            {"version": 2, "chosen_by": {"who": "A. Nurse"}},
            "the notes, chosen_by, why is None, expected a text",
        ),
        ({"version": 2, "chosen_by": {"who": 1, "why": "", "model": ""}}, "chosen_by, who is 1, expected a text"),
        ({"stop": 5}, "the stop is 5, expected a text"),
    ],
)
def test_a_fact_of_another_shape_is_refused(notes, message):
    with pytest.raises(DocumentError, match=message):
        Record.from_content(notes, "the notes")


def test_a_limit_on_an_unknown_rate_is_refused():
    forged = FULL.content() | {"limits": {"gap": "mood"}}
    with pytest.raises(DocumentError, match="limits, gap is 'mood', expected one of selection"):
        Record.from_content(forged, "the notes")
