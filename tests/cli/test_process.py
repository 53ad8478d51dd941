"""The command line as a program of its own: signals, full disks, closed pipes, terminals."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse

pytestmark = pytest.mark.usefixtures("compiled")
PROGRAM = [sys.executable, "-m", "crystalogic"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save(tmp_path / "m.json")
    return tmp_path


@pytest.fixture
def hard(folder):
    """A table whose search takes long: many columns, and a target that none of them explains."""
    lines = [",".join([*(f"x{i}" for i in range(30)), "y"])]
    lines += [
        ",".join(str((row * (i + 7) ** 2) % 101) for i in range(30)) + f",{row * row % 7 % 2}" for row in range(800)
    ]
    (folder / "hard.csv").write_text("\n".join(lines) + "\n")
    return folder


def started(*arguments, **streams):
    return subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams
    )


INTERRUPTED = """
import os, signal, sys, threading
from crystalogic import cli
from crystalogic.learner import choose
from crystalogic.fitting import pipeline
original, calls = getattr({module}, "{function}"), []

def watched(*arguments, **options):
    calls.append(1)
    if len(calls) == {call}:
        threading.Timer({seconds}, os.kill, (os.getpid(), signal.SIGINT)).start()
    return original(*arguments, **options)

{module}.{function} = watched
sys.argv = ["crystalogic", *{arguments!r}]
cli.main()
"""


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"module": "choose", "function": "rules_of", "call": 1, "seconds": 0.0},
         "It was interrupted; the best so far"),
        ({"module": "pipeline", "function": "learn_whole", "call": 2, "seconds": 0.0}, "formula: "),
    ],
    ids=["in the search", "while held-out rows are measured"],
)  # fmt: skip
def test_ctrl_c_in_a_fit_keeps_the_best_so_far_and_writes_it(hard, place, said):
    arguments = ["fit", "hard.csv", "-t", "y", "--splits", "5", *(["--time", "1"] if place["call"] == 2 else [])]
    program = INTERRUPTED.format(arguments=arguments, **place)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    assert "On rows it has not seen" not in done.stdout
    assert done.stdout.endswith("\nWritten to model.json. Next: crystalogic predict model.json NEW_ROWS.csv\n")
    assert subprocess.run([*PROGRAM, "verify", "model.json"], capture_output=True).returncode == 0


def test_a_time_budget_ends_a_fit(hard):
    begin = time.perf_counter()
    child = started("fit", "hard.csv", "-t", "y", "--time", "0.1")
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, "")  # no bar where there is no terminal
    assert "\nThe time budget ran out; the best so far was kept.\n" in out
    assert time.perf_counter() - begin < 20


@pytest.mark.parametrize(("number", "code", "said"), [(signal.SIGINT, 130, "stopped.\n"), (signal.SIGTERM, 143, "")])
def test_a_stopped_prediction_leaves_the_old_file_and_no_other(folder, number, code, said):
    (folder / "out.csv").write_text("old")
    (folder / "rows.csv").write_text("x\n" + "1\n2\n3\n4\n" * 2_000_000)
    child = started("predict", "m.json", "rows.csv", "-o", "out.csv")
    while len(list(folder.iterdir())) == 3 and child.poll() is None:  # until the new file is being written
        time.sleep(0.01)
    child.send_signal(number)
    _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (code, said)
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["m.json", "out.csv", "rows.csv"]


@pytest.mark.parametrize("arguments", [("predict", "m.json", "rows.csv"), ("verify", "m.json"), ("datasets", "heart")])
def test_a_full_disk_behind_standard_output_is_one_message(folder, arguments):
    (folder / "rows.csv").write_text("x\n" + "1\n" * 10_000)
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "the output cannot be written (No space left on device).\n")


def test_a_pipe_that_is_closed_early_is_no_trouble(folder):
    (folder / "rows.csv").write_text("x\n" + "1\n" * 200_000)
    with started("predict", "m.json", "rows.csv") as child:
        assert child.stdout.readline() == "row,y,degree of yes\n"
        child.stdout.close()
        assert child.stderr.read() == ""


def test_a_terminal_shows_a_bar_with_the_time_left(hard):
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "fit", "hard.csv", "-t", "y", "--time", "1"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    ):
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the other end was closed
                break
    os.close(ours)
    text = shown.decode()
    assert "searching" in text
    assert "Ctrl-C keeps the best" in text
