"""Mutated exports: does reading them back refuse every one that real engines run differently, with a row that shows it?

Six models × SQLite, DuckDB (query and expression), Python and JavaScript, 36 exports in all. In
each mutant one token of the rule is changed: a cut, a weight, a risk, a comparison, a level, a word for missing, a NULL
rule, an operator, a column, a class. An engine runs original and mutant on 750 rows at cuts, beside them, and with
everything that may be missing. Rows that are shown are run by the engine, too: both must differ there.

    python benchmarks/readback.py --rounds 6 --seed 100
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from export_cases import MODELS
from readback_mutants import ENGINES, judge

NAMES = ("checklist", "facts_only", "listed", "points", "graded", "one_comparison")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=7, help="mutants of each export and round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=100)
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    started = time.perf_counter()
    for seed in range(asked.seed, asked.seed + asked.rounds):
        for name in NAMES:
            for language in ENGINES:
                for as_query in (True, False) if language in ("sqlite", "duckdb") else (True,):
                    counts, wrong = judge(MODELS[name](), language, as_query=as_query, n=asked.each, seed=seed)
                    total += counts
                    print(*wrong, sep="\n", end="\n" if wrong else "", flush=True)
        print(f"{sum(total.values())} mutants in {time.perf_counter() - started:.0f} s")
        for what, n in sorted(total.items()):
            print(f"  {what}: {n}", flush=True)


if __name__ == "__main__":
    main()
