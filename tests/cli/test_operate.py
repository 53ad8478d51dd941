"""The command that sets a threshold: from a model and perhaps a table to another model, or to one sentence."""

import json
from dataclasses import replace

import pytest

import crystalogic as cl
from cli_table import ROWS
from crystalogic.intervals import Share
from crystalogic.logic.score import score_of
from crystalogic.model.risk import Risk

SEEN = (Share(5, 60), Share(10, 40), Share(18, 20))


@pytest.fixture
def files(folder, model):
    """The rule on age and color with a risk, and a table in which every row is what the rule says."""
    replace(model, risk=Risk((500, 2000, 9000), SEEN)).save(folder / "model.json")
    names = {"0": "no", "1": "yes"}
    rows = (f"{cells},{names[label]}" for cells, label in (line.rsplit(",", 1) for line in ROWS[1:]))
    (folder / "new.csv").write_text("\n".join([ROWS[0], *rows]) + "\n", encoding="utf-8")
    return folder


def test_rows_held_out_tell_what_a_threshold_means(files, crystalogic):
    code, out, err = crystalogic("operate", "model.json", "--sensitivity", "0.8", "-o", "other.json")
    assert (code, err) == (0, "")
    assert out.endswith(
        """
                       before         after
  yes from             2 of 2        1 of 2
  sensitivity    55 % (39–70)  85 % (71–94)
  specificity   98 % (93–100)  63 % (54–72)
  missed             15 of 33       5 of 33
  false alarms        2 of 87      32 of 87
Counted on 120 rows held out; brackets hold 90 % intervals.

Written to other.json.
"""
    )
    other = cl.load("other.json")
    other.check()
    assert score_of(other.formulas[0]).threshold == 1
    assert other.record.operated == {"sensitivity": "0.8", "rows": "120", "source": "held out"}


def test_a_table_tells_what_errors_cost(files, crystalogic):
    code, out, _ = crystalogic("operate", "model.json", "new.csv", "--cost", "missed=9,false-alarm=1", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["model"], told["source"], told["aim"]) == (None, "of new.csv", {"cost": "missed=9, false-alarm=1"})
    assert told["after"]["sensitivity"]["yes"] == told["after"]["sensitivity"]["n"]
    code, out, _ = crystalogic("operate", "model.json", "new.csv", "--cost", "missed=9,false-alarm=1")
    assert code == 0
    assert "\n  cost (missed=9, false-alarm=1)" in out
    assert out.endswith("\nNothing is written; --output other.json writes the model.\n")


def test_a_band_is_told_with_how_many_are_asked(files, crystalogic):
    code, out, _ = crystalogic("operate", "model.json", "--abstain", "0.2", "-o", "asking.json")
    assert code == 0
    assert "A person is asked for 33 % (26–41) of them. The figures after are of the others.\n" in out
    code, out, _ = crystalogic("explain", "asking.json")
    assert "  1 of 2: 20 % (14–39): ask a person\n" in out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "say what to set the threshold for"),
        (("--sensitivity", "0.9", "--from-risk", "0.2"), 1, "one thing: sensitivity or risk"),
        (("--cost", "missed=5"), 1, 'positive numbers for "missed" and "false-alarm"'),
        (
            ("--cost", "missed=five,false-alarm=1"),
            2,
            "expected costs such as missed=5,false-alarm=1, got 'missed=five'",
        ),
        (("--from-risk", "0.95"), 1, "no threshold of this score reaches a risk of 0.95; the best is 0.9"),
        (("--abstain", "0.01"), 1, "an error rate of 0.01 needs at least 99 rows of each class; there are 87 and 33"),
        (("--sensitivity", "0.9", "-o", "no/such/folder.json"), 1, "folder"),
    ],
)
def test_what_cannot_be_reached_is_said_and_nothing_is_written(files, crystalogic, words, code, message):
    before = sorted(path.name for path in files.iterdir())
    found, out, err = crystalogic("operate", "model.json", *words)
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())
    assert sorted(path.name for path in files.iterdir()) == before
