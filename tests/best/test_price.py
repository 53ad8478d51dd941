"""The price of a smaller gap, as a person asks for it: theorems, refutations, words, models."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.cli.app import run
from crystalogic.errors import CrystalogicError
from crystalogic.fitting import Request
from crystalogic.progress import Progress, Stop


def make_table(seed: int = 0, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(["no", "yes"], n) for name in "abc"})
    frame["sex"] = np.where(rng.random(n) < 0.25 + 0.5 * (frame["a"] == "yes"), "m", "f")
    score = 2 * (frame["a"] == "yes") + (frame["b"] == "yes") + (frame["c"] == "yes") + rng.normal(0, 0.7, n)
    return frame.assign(hired=np.where(score > 2, "yes", "no"))


OPEN = """\
Of the checklists of at most 3 facts of 3, this makes the fewest errors: 8.
hired is yes if a is yes
otherwise hired is no

The gap between the groups of sex in the share that is told yes, on 80 rows:
  errors  accuracy          gap        f        m   proved
       8    90.0 %  30.0 points   42.5 %   72.5 %  not yet
      34    57.5 %   5.0 points   55.0 %   50.0 %  not yet
      36    55.0 %   0.0 points  100.0 %  100.0 %  not yet
The callback asked to stop; the best so far was kept. Other rules can make 8 errors or more.
Proved, where it says yes, for these facts, this shape and these rows: no rule with as few errors has a smaller gap.
Nothing is said about other rows. sex is not among the facts."""

UNDECIDED = """\
Not decided: no checklists of at most 3 facts of 3 with an accuracy of at least 70 %\
 and a gap of at most 0 points were found yet, and others can make 8 errors or more.
The smallest gap so far is 30.0 points, of this rule:
hired is yes if a is yes
otherwise hired is no

The gap between the groups of sex in the share that is told yes, on 80 rows:
  errors  accuracy          gap       f       m   proved
       8    90.0 %  30.0 points  42.5 %  72.5 %  not yet
The callback asked to stop; the best so far was kept. Other rules can make 8 errors or more.
Proved, where it says yes, for these facts, this shape and these rows: no rule with as few errors has a smaller gap.
Nothing is said about other rows. sex is not among the facts."""

THEOREM = """\
Proved: there are no checklists of at most 2 facts of 3 with an accuracy of at least 80 %\
 and a gap of at most 10 points.
The smallest gap is 30.0 points, of this rule:
hired is yes if a is yes
otherwise hired is no

The gap between the groups of sex in the share that is told yes, on 80 rows:
  errors  accuracy          gap       f       m
       8    90.0 %  30.0 points  42.5 %  72.5 %
Proved for these facts, this shape and these rows: no rule with as few errors has a smaller gap.
Nothing is said about other rows. sex is not among the facts.
"""

REFUTATION = """\
Of the checklists of at most 2 facts of 3 with an accuracy of at least 60 %\
 and a gap of at most 10 points, this makes the fewest errors: 8.
hired is yes if a is yes
otherwise hired is no

The gap between the groups of sex in the share of yes that is missed, on 80 rows:
  errors  accuracy         gap       f      m
       8    90.0 %  6.5 points  10.5 %  4.0 %
Proved for these facts, this shape and these rows: no rule with as few errors has a smaller gap.
Nothing is said about other rows. sex is not among the facts.

Written to /m.json. Next: crystalogic predict /m.json NEW_ROWS.csv
"""


def gap_between(said: np.ndarray, frame: pd.DataFrame) -> Fraction:
    rates = [Fraction(int((said[own] == "yes").sum()), int(own.sum())) for own in (frame["sex"] == s for s in "fm")]
    return abs(rates[0] - rates[1])


def test_every_point_is_a_model_that_makes_as_many_errors_and_has_the_gap_that_is_said() -> None:
    frame = make_table()
    price = cl.find_price(frame, "hired", "sex", 3)
    assert price.front.is_whole
    assert price.groups == ("f", "m")
    assert len(price.front.points) == 3
    for point in price.front.points:
        model = price.model(point)
        model.check()
        said = np.asarray(model.predict(frame))
        assert (said != frame["hired"]).sum() == point.errors
        assert gap_between(said, frame) == point.gap


def test_the_first_point_is_the_best_rule() -> None:
    frame = make_table()
    best = cl.find_best(frame.drop(columns="sex"), "hired", 3).best.cost
    assert cl.find_price(frame, "hired", "sex", 3).front.points[0].errors == best


def test_a_rule_may_read_the_column_if_its_kind_is_told() -> None:
    rows = pd.DataFrame({"sex": ["f", "m"] * 8, "x": [0, 1, 1, 0] * 4, "y": ["no", "yes"] * 8})
    assert cl.find_price(rows, "y", "sex", 1).front.points[0].errors > 0
    told = cl.find_price(rows, "y", "sex", 1, request=Request(kinds={"sex": "category"}))
    assert (told.front.points[0].errors, told.front.points[0].gap) == (0, 1)
    assert "sex is not among the facts." not in str(told)


def test_missing_is_a_group_and_groups_without_rows_of_the_rate_are_left_out() -> None:
    frame = make_table().assign(sex=["f", None, "m", "x"] * 20)
    frame.loc[frame["sex"] == "x", "hired"] = "no"
    assert cl.find_price(frame, "hired", "sex", 1).groups == ("f", "m", "x", None)
    assert cl.find_price(frame, "hired", "sex", 1, gap="misses").groups == ("f", "m", None)


def test_an_unfinished_front_says_so() -> None:
    def stop(progress: Progress) -> bool:
        return progress.done >= 1

    def ask(**how: float) -> str:
        price = cl.find_price(make_table(), "hired", "sex", 3, callback=stop, n_threads=1, **how)
        assert price.front.stop is Stop.CALLBACK
        assert not price.content()["is_complete"]
        return str(price)

    assert ask() == OPEN
    assert ask(at_most=0.0, accuracy=0.7) == UNDECIDED


@pytest.mark.parametrize(
    ("frame", "by", "how", "problem"),
    [
        (make_table().assign(sex="f"), "sex", {}, "'sex' has 1 group, and a gap needs 2 to 12. Choose another"),
        (make_table().assign(sex=range(80)), "sex", {}, "'sex' has 80 groups, and"),
        (make_table(), "sex", {"gap": "luck"}, "the gap is one of selection, misses, false-alarms, got 'luck'"),
        (make_table(), "age", {}, "no column 'age'"),
        (make_table(), "sex", {"at_most": 3}, "a gap is a number from 0 to 1 of at most 9 decimals, got 3"),
        (make_table(), "sex", {"shape": "tree"}, "the shape is 'checklist' or 'points'"),
    ],
)
def test_what_cannot_be_asked_is_refused(frame: pd.DataFrame, by: str, how: dict[str, object], problem: str) -> None:
    with pytest.raises(CrystalogicError, match=problem):
        cl.find_price(frame, "hired", by, 2, **how)


def ask(tmp_path: Path, *how: str) -> int:
    table = tmp_path / "t.csv"
    make_table().to_csv(table, index=False)
    return run(["optimal", str(table), "--target", "hired", "--size", "2", "--gap-by", "sex", *how])


def test_the_command_proves_that_there_is_no_such_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(tmp_path, "--accuracy", "0.8", "--at-most", "0.1") == 0
    assert capsys.readouterr().out == THEOREM


def test_the_command_finds_the_rule_that_refutes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        ask(tmp_path, "--accuracy", "0.6", "--at-most", "0.1", "--gap", "misses", "-o", str(tmp_path / "m.json")) == 0
    )
    assert capsys.readouterr().out.replace(str(tmp_path), "") == REFUTATION
    assert run(["verify", str(tmp_path / "m.json")]) == 0


def test_json_tells_the_whole_front_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["is_complete"]
    assert [Fraction(point["gap"]) for point in told["front"]][-1] == 0
    assert told["formula"] == told["front"][0]["formula"]
    for point in told["front"]:
        assert Fraction(point["gap"]) == abs(Fraction(point["rates"][0]) - Fraction(point["rates"][1]))


def test_no_model_is_written_where_no_rule_keeps_the_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(tmp_path, "--accuracy", "0.99", "--at-most", "0", "-o", str(tmp_path / "m.json")) == 1
    assert "Proved: there are no checklists of at most 2 facts of 3" in capsys.readouterr().err
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("how", [["--within", "0.1"], ["--cost", "missed=2"], ["--certificate", "x.json"]])
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, how: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(tmp_path, *how) == 2
    assert "do not go with --gap-by" in capsys.readouterr().err


@pytest.mark.parametrize("how", [["--at-most", "0.1"], ["--accuracy", "0.8"]])
def test_limits_need_groups(tmp_path: Path, how: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    make_table().to_csv(tmp_path / "t.csv", index=False)
    assert run(["optimal", str(tmp_path / "t.csv"), "--target", "hired", *how]) == 2
    assert "--at-most and --accuracy go with --gap-by." in capsys.readouterr().err
