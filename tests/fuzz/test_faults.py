"""Faults: processes that are killed, memory and disks that run out, writers at the same time. A file is old or new."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from crystalogic.document import PARTIAL, write_atomically
from crystalogic.encoding import fit_encoding
from crystalogic.errors import DocumentError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import load
from fuzz.kills import COMMANDS, PROGRAM, killed, prepare


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save(tmp_path / "m.json")
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


FILL = """
import sys
from pathlib import Path
from crystalogic.document import write_atomically
sys.stdout.write("ready\\n"); sys.stdout.flush()
while True:
    for mark in "xyz":
        write_atomically(Path("out"), (mark * 1000 + "\\n" for _ in range(200)))
"""


def test_a_writer_that_is_killed_at_any_moment_leaves_a_whole_file(tmp_path, monkeypatch):
    """What was killed left a hidden file each time, for ever; now the next writer removes it."""
    monkeypatch.chdir(tmp_path)
    draw = Random(0)
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", FILL], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(draw.random() * 0.05)
            child.kill()
        lines = set((tmp_path / "out").read_text().splitlines()) if (tmp_path / "out").exists() else {"x" * 1000}
        assert len(lines) == 1
        assert len(lines.pop()) == 1000
        assert len(names(tmp_path)) <= 2  # the file, and at most what the last one left
    write_atomically(tmp_path / "out", "new")
    assert names(tmp_path) == ["out"]


def test_only_what_was_abandoned_is_removed(tmp_path):
    import fcntl

    strangers = [".out.backup", ".out.partial.txt", "out.partial", ".other.abc.partial"]
    for name in (*strangers, f".out.abandoned{PARTIAL}", f".out.busy{PARTIAL}"):
        (tmp_path / name).write_text("")
    with open(tmp_path / f".out.busy{PARTIAL}") as busy:
        fcntl.flock(busy, fcntl.LOCK_EX)
        write_atomically(tmp_path / "out", "new")
        assert names(tmp_path) == sorted(["out", f".out.busy{PARTIAL}", *strangers])
    (tmp_path / "target").write_text("kept")
    (tmp_path / f".out.link{PARTIAL}").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "out", "newer")
    assert (tmp_path / "target").read_text() == "kept"


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_command_that_is_killed_leaves_the_old_file_or_the_new_one(folder, arguments):
    """Two moments; `make fuzz` tries more."""
    prepare(folder)
    draw = Random(len(arguments[0]))
    assert {killed(folder, arguments, 0.2 + 1.5 * draw.random()) for _ in range(2)} <= {"old", "new"}


@pytest.mark.usefixtures("compiled")
def test_fits_at_the_same_time_leave_one_whole_model(folder):
    prepare(folder)
    fit = [*PROGRAM, "fit", "rows.csv", "-t", "y", "-o", "model.json", "--quiet", "--max-literals", "1", "--seed"]
    commands = [[*fit, str(seed)] for seed in range(2)]
    children = [subprocess.Popen(command, stderr=subprocess.PIPE) for command in commands]
    assert [child.communicate(timeout=120)[1] for child in children] == [b""] * 2
    assert [child.returncode for child in children] == [0] * 2
    model = load(folder / "model.json")
    model.check()
    assert model.record.seed in range(2)
    assert names(folder) == ["m.json", "model.json", "rows.csv"]


def limited(kind, amount):
    return lambda: resource.setrlimit(kind, (amount, amount))


def run_limited(kind, amount, *arguments):
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}  # it writes
    captured = {"capture_output": True, "text": True, "timeout": 120, "env": unmeasured}
    return subprocess.run([*PROGRAM, *arguments], preexec_fn=limited(kind, amount), **captured)


def test_a_disk_that_is_full_leaves_the_old_file(folder):
    (folder / "rows.csv").write_text("x\n" + "1\n2\n3\n4\n" * 5_000)
    for arguments in (
        ("predict", "m.json", "rows.csv", "-o", "out"),
        ("export", "m.json", "c", "-o", "out"),
        ("report", "m.json", "-o", "out", "--time", "0"),
    ):
        (folder / "out").write_text("old")
        done = run_limited(resource.RLIMIT_FSIZE, 1000, *arguments)
        expected = (
            "DocumentError: out: cannot be written (File too large). Choose another folder, or free some space.\n"
        )
        assert (done.returncode, done.stderr) == (1, expected)
        assert (folder / "out").read_text() == "old"
        assert names(folder) == ["m.json", "out", "rows.csv"]


def test_a_device_that_is_full_is_one_sentence(folder):
    (folder / "rows.csv").write_text("x\n1\n")
    done = subprocess.run(
        [*PROGRAM, "predict", "m.json", "rows.csv", "-o", "/dev/full"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("DocumentError: /dev/full: cannot be written (No space left on device).")
    with pytest.raises(DocumentError, match="No space left on device"):
        write_atomically(Path("/dev/full"), "text")


MEMORY = """
import resource, sys
from crystalogic.cli.app import run
import crystalogic.model, crystalogic.files, crystalogic.cli.use, pandas, numpy
numpy.ones((50, 50)) @ numpy.ones((50, 50))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {spare}, used + {spare}))
sys.exit(run({arguments!r}))
"""


@pytest.mark.parametrize("spare", [4 << 20, 16 << 20, 48 << 20])
def test_memory_that_runs_out_is_one_sentence_and_leaves_the_old_file(folder, spare):
    """It was a traceback."""
    (folder / "rows.csv").write_text("x\n" + "1\n2\n3\n4\n" * 500_000)
    (folder / "out").write_text("old")
    program = MEMORY.format(spare=spare, arguments=["predict", "m.json", "rows.csv", "-o", "out"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    if done.returncode:
        assert done.returncode == 1
        assert (
            done.stderr == "there is not enough memory for this. Use fewer rows or columns, or a machine with more.\n"
        )
        assert (folder / "out").read_text() == "old"
    else:
        assert (folder / "out").read_text().count("\n") == 2_000_001
    assert names(folder) == ["m.json", "out", "rows.csv"]
    assert done.returncode or spare > 4 << 20


def test_a_signal_while_a_file_is_written_leaves_nothing(tmp_path, monkeypatch):
    """A signal that came before the name of the new file was known left the file behind."""
    monkeypatch.chdir(tmp_path)
    draw = Random(1)
    for _ in range(6):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        with subprocess.Popen([sys.executable, "-c", FILL], **streams) as child:
            child.stdout.readline()
            time.sleep(draw.random() * 0.05)
            for _ in range(10):  # Python drops a signal that comes while it destroys an object
                child.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    child.wait(1)
                    break
            was_ended = child.poll() is not None
            child.kill()
        assert was_ended
        assert names(tmp_path) in ([], ["out"])


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("moment", ["touch", "open", "flock", "exists", "fsync", "chmod", "replace"])
def test_a_stop_at_each_step_of_writing_leaves_nothing(tmp_path, monkeypatch, moment, stop):
    import fcntl

    def stopped_after(call):
        def work(*arguments, **options):
            call(*arguments, **options)
            raise stop

        return work

    home = {"touch": Path, "exists": Path, "flock": fcntl}.get(moment, os)
    (tmp_path / "out").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(home, moment, stopped_after(getattr(home, moment)))
        with pytest.raises(stop):
            write_atomically(tmp_path / "out", "new")
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == ("new" if moment == "replace" else "old")


def test_the_model_file_of_a_killed_fit_is_no_half_of_one(folder):
    """A file cut anywhere is refused, and named."""
    whole = (folder / "m.json").read_bytes()
    for cut in range(0, len(whole) - 1, max(1, len(whole) // 50)):
        (folder / "cut.json").write_bytes(whole[:cut])
        with pytest.raises(DocumentError, match=r"cut\.json: not a model"):
            load(folder / "cut.json")
    assert json.loads(whole)["format"] == "crystalogic model"
    assert os.path.exists("m.json")
