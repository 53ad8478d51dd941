"""Commands killed at random moments: python tests/fuzz/kills.py 20 [seed].

Each command has written its file once; it is started again and killed with SIGKILL after a random time. The file must
then be the old one or the new one, and no more than one hidden file may be left, which the next run removes.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import load

PROGRAM = [sys.executable, "-m", "crystalogic"]
COMMANDS = (
    ("fit", "rows.csv", "-t", "y", "-o", "out", "--max-literals", "1", "--quiet"),
    ("predict", "m.json", "rows.csv", "-o", "out"),
    ("report", "m.json", "rows.csv", "-o", "out", "--time", "0"),
    ("export", "m.json", "python", "-o", "out"),
)
N_ROWS = 60


def prepare(folder: Path) -> None:
    """A model and a table for the commands."""
    model = model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"])
    model.save(folder / "m.json")
    lines = [f"{i % 6},{'yes' if i % 6 >= 3 else 'no'}" for i in range(N_ROWS)]
    (folder / "rows.csv").write_text("x,y\n" + "\n".join(lines) + "\n")


def killed(folder: Path, arguments: tuple[str, ...], seconds: float) -> str:
    """What a command killed after so many seconds leaves: "old", "new", or "MIX" for anything else."""
    (folder / "out").write_text("old")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*PROGRAM, *arguments], cwd=folder, **quiet) as child:  # type: ignore[call-overload]
        time.sleep(seconds)
        child.kill()
    hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    found = (folder / "out").read_text(encoding="utf-8")
    return "MIX" if len(hidden) > 1 else "old" if found == "old" else "new" if is_whole(folder, arguments[0]) else "MIX"


def is_whole(folder: Path, command: str) -> bool:
    """Whether the file is what the command writes, from beginning to end."""
    found = (folder / "out").read_text(encoding="utf-8")
    if command == "fit":
        load(folder / "out").check()
        return True
    ends = {"predict": f"\n{N_ROWS - 1},yes,1.0\n", "report": "</html>\n", "export": '"degrees": degrees}\n'}
    return found.endswith(ends[command])


def campaign(n_kills: int, seed: int) -> Counter[tuple[str, str]]:
    """The outcomes of so many kills of each command, at moments from its start to a little after its end."""
    draw = Random(seed)
    found: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder)
        for arguments in COMMANDS:
            begin = time.perf_counter()
            subprocess.run([*PROGRAM, *arguments], cwd=folder, check=True, capture_output=True)
            whole = time.perf_counter() - begin
            for _ in range(n_kills):
                found[arguments[0], killed(folder, arguments, whole * (0.4 + 0.8 * draw.random()))] += 1
    return found


if __name__ == "__main__":
    counts = campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for (command, left), count in sorted(counts.items()):
        sys.stdout.write(f"{command}: {count} kills left the {left} file\n")
    sys.exit(any(left == "MIX" for _, left in counts))
