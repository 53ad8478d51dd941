"""Attack the package for some time: random models and tables of every kind against the oracle.

    python tests/oracle/attack.py --seconds 1800 --seed 7           all kinds in turn
    python tests/oracle/attack.py --kind predict --seed 123         one case again

Every difference is printed with the command that reproduces it; the exit code is 1 if there is any.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from oracle.case import Case

KINDS = (
    "cells",
    "predict",
    "risk",
    "exports",
    "explain",
    "files",
    "ask",
    "formulas",
    "certificates",
    "names",
    "fit",
    "wide",
    "time",
)
MOST_SHOWN = 3  # differences of one case
CASES_OF_A_SEED = 1_000_000


@dataclass
class Tally:
    """Cases, comparisons, seconds and differences by kind."""

    cases: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{'kind':14}{'cases':>8}{'a minute':>10}{'compared':>12}{'differences':>13}"]
        for kind in self.cases:
            rate = 60 * self.cases[kind] / max(0.001, self.seconds[kind])
            lines.append(
                f"{kind:14}{self.cases[kind]:8,}{rate:10,.0f}{self.compared[kind]:12,}{self.different[kind]:13,}"
            )
        return "\n".join(lines)


def run_case(kind: str, seed: int, *, is_quick: bool = False) -> Case:
    """One case; what the package does not catch itself is a difference too."""
    attack = import_module(f"oracle.attacks.{kind}").attack
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = Case(Random(f"{kind} {seed}"), Path(folder), is_quick=is_quick)
        os.chdir(folder)
        try:
            attack(case)
        except Exception:
            case.differences.append("it ended with " + traceback.format_exc(limit=-6))
        finally:
            os.chdir(before)
    return case


def campaign(
    kinds: Sequence[str], seconds: float, seed: int, tally: Tally, *, stops_early: bool = False
) -> Iterator[tuple[str, int, Case]]:
    """Case after case until the time is over, counted; the kind that has had the least time is next."""
    seeds = {kind: count(seed * CASES_OF_A_SEED) for kind in kinds}
    tally.seconds.update(dict.fromkeys(kinds, 0.0))
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        kind = min(kinds, key=lambda each: tally.seconds[each])
        here, before = next(seeds[kind]), time.monotonic()
        case = run_case(kind, here)
        tally.cases[kind] += 1
        tally.compared[kind] += case.n_compared
        tally.seconds[kind] += time.monotonic() - before
        tally.different[kind] += bool(case.differences)
        yield kind, here, case
        if stops_early and case.differences:
            return


def report(kind: str, seed: int, case: Case) -> None:
    """The differences of a case, and how to see them again."""
    if case.differences:
        sys.stdout.write(f"\n{kind}: python tests/oracle/attack.py --kind {kind} --seed {seed}\n")
        for each in case.differences[:MOST_SHOWN]:
            sys.stdout.write(f"  {each[:1500]}\n")
        if len(case.differences) > MOST_SHOWN:
            sys.stdout.write(f"  … and {len(case.differences) - MOST_SHOWN} more\n")
        sys.stdout.flush()


def main() -> int:
    """The exit code of an attack: 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=KINDS, help="one kind of attack; all, unless given")
    parser.add_argument("--seed", type=int, default=0, help="of a case, or of a campaign")
    parser.add_argument("--seconds", type=float, help="how long; without it, one case of one kind")
    parser.add_argument("--stop", action="store_true", help="stop at the first difference")
    given = parser.parse_args()
    kinds = given.kind or list(KINDS)
    if given.seconds is None:
        cases = [(kind, run_case(kind, given.seed)) for kind in kinds]
        for kind, case in cases:
            report(kind, given.seed, case)
            sys.stdout.write(f"{kind}: {case.n_compared:,} compared, {len(case.differences)} differences\n")
        return int(any(case.differences for _, case in cases))
    if {"fit", "wide"} & set(kinds):
        from crystalogic.search.learn import compile_kernels

        compile_kernels()  # no part of anyone's time
    start, tally = time.monotonic(), Tally()
    for kind, seed, case in campaign(kinds, given.seconds, given.seed, tally, stops_early=given.stop):
        report(kind, seed, case)
    sys.stdout.write(f"\n{tally}\n")
    n_different = sum(tally.different.values())
    sys.stdout.write(f"{n_different} cases with differences after {time.monotonic() - start:.0f} s\n")
    return int(n_different > 0)


if __name__ == "__main__":
    sys.exit(main())
