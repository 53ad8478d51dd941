"""The rules of eight small tables, to compare before and after a change that should not touch them.

`python benchmarks/same_rules.py > before.json`, then after the change `… --against before.json`.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crystalogic as cl

SEEDS = (0, 1)


def tables() -> Iterator[tuple[str, Any, Any]]:
    """The six data sets of the package, iris and wine: name, rows and classes."""
    from sklearn.datasets import load_iris, load_wine

    for name in cl.datasets.NAMES:
        table = cl.datasets.load(name)
        yield name, table.frame(), table.labels
    for load in (load_iris, load_wine):
        found = load(as_frame=True)
        yield load.__name__.removeprefix("load_"), found.data, found.target


def rules() -> dict[str, Any]:
    """The formulas, the sizes of the fronts and the cross-validated scores, with the default settings."""
    found = {}
    for name, rows, classes in tables():
        for seed in SEEDS:
            model = cl.LukasiewiczClassifier(random_state=seed, n_jobs=1).fit(rows, classes).model_
            found[f"{name}, seed {seed}"] = {
                "formulas": [str(formula) for formula in model.formulas],
                "sizes": [[row.size for row in front] for front in model.fronts],
                "validated": [[row.validated for row in front] for front in model.fronts],
                "chosen": list(model.chosen),
            }
            print(f"{name}, seed {seed}: {model.formulas[0]}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Prints the rules as JSON, or what differs from those of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="what an earlier run printed")
    before = parser.parse_args().against
    found = rules()
    if before is None:
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return 0
    earlier = json.loads(before.read_text(encoding="utf-8"))
    other = [name for name in {**earlier, **found} if earlier.get(name) != json.loads(json.dumps(found.get(name)))]
    for name in other:
        print(f"{name}:\n  before {earlier.get(name)}\n  now    {found.get(name)}")
    print(f"{len(found) - len(other)} of {len(found)} fits are the same")
    return int(bool(other))


if __name__ == "__main__":
    raise SystemExit(main())
