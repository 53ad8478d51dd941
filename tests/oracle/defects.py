"""Put known defects back, one at a time, and see how long the attack takes to notice.

    python tests/oracle/defects.py                    every patch of tests/oracle/defects
    python tests/oracle/defects.py nan-in-parquet     some of them

Each patch is applied to a copy of the sources. The exit code is 1 if one is not found in time.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PATCHES = HERE / "defects"


@dataclass(frozen=True)
class Found:
    """How a defect showed itself, or that it did not."""

    name: str
    kind: str | None
    seconds: float
    output: str

    def __str__(self) -> str:
        how = f"found by {self.kind} after {self.seconds:.0f} s" if self.kind else f"NOT FOUND in {self.seconds:.0f} s"
        return f"{self.name:40} {how}"


def put_back(name: str, source: Path, folder: Path) -> Path:
    """The sources with a defect, compiled kernels included where the patch leaves them as they are."""
    patch = PATCHES / f"{name}.patch"
    shutil.copytree(source, folder / "src")
    subprocess.run(["git", "apply", str(patch)], cwd=folder, check=True, env={**os.environ, "GIT_DIR": "nowhere"})
    touched = [
        folder / path for path in re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    if any("njit" in path.read_text(encoding="utf-8") for path in touched if path.exists()):
        for kept in folder.rglob("*.nb[ic]"):  # numba does not see what a kernel calls
            kept.unlink()
    return folder / "src"


def attacked(name: str, source: Path, seconds: float, seed: int) -> Found:
    """The attack on a copy with the defect, until it is noticed or the time is over."""
    with tempfile.TemporaryDirectory(prefix="defect-") as folder:
        environment = {**os.environ, "PYTHONPATH": str(put_back(name, source, Path(folder)))}
        attack = [sys.executable, str(HERE / "attack.py"), "--seconds", str(seconds), "--seed", str(seed), "--stop"]
        start = time.monotonic()
        done = subprocess.run(attack, env=environment, capture_output=True, text=True, check=False, cwd=folder)
        taken = time.monotonic() - start
    kind = re.search(r"^(\w+): python tests/oracle/attack\.py", done.stdout, re.MULTILINE)
    if kind is None and done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return Found(name, kind[1] if kind else None, taken, done.stdout)


def main() -> int:
    """The exit code: 1 if a defect was not noticed."""
    names = sorted(path.stem for path in PATCHES.glob("*.patch"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", choices=[*names, []], help="defects to put back; all, unless given")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the sources that are attacked")
    parser.add_argument("--verbose", action="store_true", help="show the first difference too")
    given = parser.parse_args()
    missed = 0
    for name in given.name or names:
        found = attacked(name, given.source.resolve(), given.seconds, given.seed)
        missed += found.kind is None
        sys.stdout.write(f"{found}\n{found.output if given.verbose else ''}")
        sys.stdout.flush()
    sys.stdout.write(f"{len(given.name or names) - missed} of {len(given.name or names)} found\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
