"""Mutation testing of the exact rooms: a random sample of mutmut's mutants, and what became of them.

Run with `make mutants`; `[tool.mutmut]` in pyproject.toml says what is changed and which tests must notice. What ran
into a limit of time was noticed, too. Survivors that compute the same as the original are listed, each with its reason,
in `equivalent_mutants.toml`; they are shown in a column of their own and are no part of the rate.
"""

import argparse
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOMS = ("logic", "symbolic", "verify")
INTERRUPTED = "check was interrupted by user"  # so mutmut calls a KeyboardInterrupt, here one of the changed program
NOTICED = ("killed", "timeout", INTERRUPTED)


def mutmut(*words: str, is_read: bool = True) -> str:
    """What the command prints; a run prints its progress instead."""
    command = [str(Path(sys.executable).with_name("mutmut")), *words]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE if is_read else None).stdout or ""


def fates() -> dict[str, str]:
    """Every mutant by name, and what became of it."""
    lines = mutmut("results", "--all", "true").splitlines()
    return dict(line.strip().split(": ") for line in lines if line.startswith("    crystalogic."))


def room_of(mutant: str) -> str:
    return mutant.split(".")[1]


def change(mutant: str) -> str:
    """The change in words that stay when others come and go: the function, its lines before and after."""
    place = re.sub(r"\.x[_ǁ]", ".", mutant.rpartition("__mutmut_")[0]).removeprefix("crystalogic.").replace("ǁ", ".")
    lines = [line for line in mutmut("show", mutant).splitlines() if re.match(r"[-+](?![-+])", line)]
    before, after = (" ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return f"{place}: {before} => {after}"


def equivalent() -> set[str]:
    """The changes after which the program computes the same."""
    listed = tomllib.loads((Path(__file__).parent / "equivalent_mutants.toml").read_text(encoding="utf-8"))
    return {mutant for entry in listed["same"] for mutant in entry["mutants"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=ROOMS, help=f"of {', '.join(ROOMS)}")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each room, drawn at random; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    mutmut("run", "crystalogic.symbolic.extract.*_1", is_read=False)  # writes all mutants down and tries one
    possible = [mutant for mutant in sorted(fates()) if room_of(mutant) in options.rooms]
    drawn: list[str] = []
    for room in options.rooms:
        here = [mutant for mutant in possible if room_of(mutant) == room]
        drawn += random.Random(options.seed).sample(here, min(options.sample or len(here), len(here)))
    mutmut("run", "--max-children", "1", *drawn, is_read=False)
    became = fates()
    changes = {mutant: change(mutant) for mutant in drawn if became[mutant] not in NOTICED}
    known = equivalent()
    for mutant, text in changes.items():
        if text not in known:
            print(f"{mutant} {became[mutant]}\n    {text}")
    columns = ("possible", "drawn", "killed", "timeout", "survived", "equivalent")
    print(f"\n{'room':<10}" + "".join(f"{column:>11}" for column in columns) + f"{'rate':>7}")
    for room in options.rooms:
        counts = Counter(became[mutant] for mutant in drawn if room_of(mutant) == room)
        survived = [text for mutant, text in changes.items() if room_of(mutant) == room]
        n_same = sum(text in known for text in survived)
        n_killed = counts.total() - counts["timeout"] - len(survived)
        n_possible = sum(room_of(mutant) == room for mutant in possible)
        figures = (n_possible, counts.total(), n_killed, counts["timeout"], len(survived), n_same)
        rate = (len(survived) - n_same) / max(1, counts.total() - n_same)
        print(f"{room:<10}" + "".join(f"{figure:>11}" for figure in figures) + f"{rate:>7.1%}")


if __name__ == "__main__":
    main()
