"""Model files of others: bombs and lies are refused in a sentence, quickly and in little memory."""

import json
import resource
import subprocess
import sys
import time

import pytest

from crystalogic import Certificate, Crystal
from crystalogic.document import seal
from crystalogic.encoding import fit_encoding
from crystalogic.errors import CrystalogicError, DocumentError, TooLargeError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import Model, load
from crystalogic.untrusted import LIMITS


def model():
    return model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"])


def body(**changes):
    return {**json.loads(json.dumps(model().content())), **changes}


def crystal_body(**changes):
    return {**body()["crystal"], **changes}


NEURON = {"sources": [0], "weights": [1], "bias": 0}
TEXTS = {
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a little too deep": '{"format": ' + "[" * (LIMITS.levels + 1) + "]" * (LIMITS.levels + 1) + "}",
    "a gigantic integer": '{"a": 1' + "0" * 1_000_000 + "}",
    "a long decimal": '{"a": 0.' + "1" * 1_000_000 + "}",
    "a gigantic exponent": '{"a": 1e999999999}',
    "not a number": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "one key twice": '{"format": "crystalogic model", "format": "crystalogic crystal"}',
    "nothing": "",
    "a text": '"crystalogic model"',
    "half of a character": '{"format": "\\ud800"}',
    "an unfinished text": '{"format": "' + "x" * 1_000_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_bomb_is_refused_at_once(text):
    for read in (Model.from_json, Crystal.from_json, Certificate.from_json):
        begin = time.perf_counter()
        with pytest.raises(DocumentError) as refused:
            read(text)
        assert time.perf_counter() - begin < 2
        assert len(str(refused.value)) < 400


def test_the_messages_say_what_is_wrong():
    for name, message in {
        "deep lists": "not a model: nested too deeply to be one, beyond 32 levels.",
        "a little too deep": "not a model: nested too deeply to be one, beyond 32 levels.",
        "a gigantic integer": "a number has 1,000,001 digits, more than 64",
        "not a number": "NaN is no finite number",
        "one key twice": "the key 'format' stands twice in one object",
    }.items():
        with pytest.raises(DocumentError) as refused:
            Model.from_json(TEXTS[name])
        assert message in str(refused.value)


BODIES = {
    "neurons": lambda: {"crystal": crystal_body(neurons=[NEURON] * (LIMITS.neurons + 1))},
    "links": lambda: {
        "crystal": crystal_body(neurons=[{"sources": [0] * 1001, "weights": [1] * 1001, "bias": 0}] * 1000)
    },
    "characters": lambda: {"formulas": ["¬" * (LIMITS.characters // 2) + "x"] * 2},
    "formulas": lambda: {"formulas": ["{x ≥ 3}"] * (LIMITS.formulas + 1)},
    "literals": lambda: {
        "encoding": {
            "columns": [
                {
                    "name": "x",
                    "kind": "number",
                    "literals": [{"kind": "cut", "column": "x", "at": i} for i in range(LIMITS.literals + 1)],
                    "known": [],
                    "has_missing": False,
                    "note": "",
                }
            ]
        }
    },
}


@pytest.mark.parametrize("name", BODIES)
def test_more_than_a_person_could_ever_read_is_refused(name):
    with pytest.raises(TooLargeError, match=f" {name}, more than the "):
        Model.from_json(seal("model", 1, body(**BODIES[name]())))


LIES = {
    "a billion neurons": {"crystal": crystal_body(outputs=[10**9])},
    "a weight beyond all sense": {"crystal": crystal_body(neurons=[{**NEURON, "weights": [10**16]}])},
    "a cycle": {"crystal": crystal_body(neurons=[{**NEURON, "sources": [1]}], outputs=[1])},
    "a truth value for a class": {"classes": [[], "yes"]},
    "one class": {"classes": ["yes"], "order": [0]},
    "classes that are a text": {"classes": "no"},
    "an order of texts": {"order": ["0", "1"]},
    "an order of decimals": {"order": [0.2, 1.7]},
    "a target that is a list": {"target": ["y"]},
    "notes that are a list": {"notes": []},
    "units that are a list": {"notes": {"units": ["mg"]}},
    "a score that is a text": {"notes": {"held_out": {"mean": "all", "spread": 0, "splits": 1}}},
    "a front of texts": {"fronts": [["all"]], "chosen": [0]},
    "a front with a score that is a text": {
        "fronts": [
            [{"size": 1, "n_neurons": 1, "training": "x", "validated": None, "standard_error": None, "formula": ""}]
        ],
        "chosen": [0],
    },
    "no formulas": {"formulas": [None]},
    "a formula that is none": {"formulas": ["{x ≥ 3} ⊗"]},
    "an encoding that is a text": {"encoding": "x"},
    "a certificate that is a list": {"certificate": []},
    "a certificate of steps that are texts": {"certificate": {**body()["certificate"], "steps": ["abc"]}},
}


def column(**changes):
    return {**body()["encoding"]["columns"][0], **changes}


LIES |= {
    "a literal of another column": {"encoding": {"columns": [column(name="z")]}},
    "a kind that there is not": {"encoding": {"columns": [column(kind="matrix")]}},
    "a column twice": {"encoding": {"columns": [column(), column(literals=[])]}},
    "values that are numbers": {"encoding": {"columns": [column(known=[1, 2])]}},
    "a range without end": {
        "encoding": {"columns": [column(literals=[{"kind": "degree", "column": "x", "low": -1e308, "high": 1e308}])]}
    },
    "a cut that is true": {"encoding": {"columns": [column(literals=[{"kind": "cut", "column": "x", "at": True}])]}},
    "an order that is a text": {
        "encoding": {
            "columns": [column(literals=[{"kind": "reaches", "column": "x", "level": "1", "order": [1, "1"]}])]
        }
    },
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_is_refused(lie):
    """Some of these were loaded and broke what used them later, with an error of Python."""
    with pytest.raises(DocumentError):
        Model.from_json(seal("model", 1, body(**lie)))


def test_infinite_numbers_are_not_written():
    """They are no JSON, and other programs could not read the file."""
    with pytest.raises(DocumentError, match="holds NaN or an infinite number"):
        model().with_facts(more={"score": float("nan")}).to_json()


def test_a_file_that_does_not_end_is_read_to_the_limit_only(monkeypatch):
    from dataclasses import replace

    monkeypatch.setattr("crystalogic.untrusted.LIMITS", replace(LIMITS, bytes=1 << 20))
    with pytest.raises(TooLargeError, match=r"/dev/zero: this file has 1,048,577 bytes, more than the 1,048,576"):
        load("/dev/zero")


def test_a_large_model_file_takes_little_memory(tmp_path):
    """8 MB of empty lists within 1.5 GB of address space: refused, not killed."""
    (tmp_path / "m.json").write_text("[" + "[]," * (8 * 1024 * 1024 // 3) + "[]]")
    limit = 3 << 29
    done = subprocess.run(
        [sys.executable, "-m", "crystalogic", "verify", str(tmp_path / "m.json")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=60,
        env={"OPENBLAS_NUM_THREADS": "1", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_certificate_for_which_all_cases_would_take_hours_is_refused_soon():
    n_inputs = 24
    names = [f"x{i}" for i in range(n_inputs)]
    wide = {"sources": list(range(n_inputs)), "weights": [1] * n_inputs, "bias": -n_inputs // 2}
    neurons = [{**wide, "bias": -(i % n_inputs)} for i in range(1500)]
    last = {"sources": list(range(n_inputs, n_inputs + 1500)), "weights": [(-1) ** i for i in range(1500)], "bias": 0}
    crystal = Crystal.from_content({"inputs": names, "neurons": [*neurons, last], "outputs": [n_inputs + 1500]})
    from crystalogic import Domain, certify

    begin = time.perf_counter()
    with pytest.raises(CrystalogicError):
        certify(crystal, parse("x0 ⊗ x1"), Domain(names))
    assert time.perf_counter() - begin < 30


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" + "{}," * 3_000_000 + "0]", "has 3,000,001 objects, more than the 1,000,000"),
        ("[" + "[]," * 3_000_000 + "0]", "has 3,000,001 objects, more than the 1,000,000"),
        ("[" + "0," * 5_000_000 + "0]", "has 5,000,001 values, more than the 4,000,000"),
        ("[" + "1" * 5_000_000 + "]", "a number has 5,000,000 digits, more than 64"),
        ('{"a":' * 500_000, "nested too deeply"),
    ],
    ids=["objects", "lists", "values", "digits", "levels"],
)
def test_a_bomb_is_refused_before_it_is_made(text, problem):
    """64 MB of {}, took 2 GB and 15 s until they were no model."""
    import tracemalloc

    tracemalloc.start()
    try:
        with pytest.raises((DocumentError, TooLargeError), match=problem):
            Model.from_json(text)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(text) + 1_000_000
    finally:
        tracemalloc.stop()
