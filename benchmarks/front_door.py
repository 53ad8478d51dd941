"""What a user of tables waits for: prediction, streaming, start-up, the second fit; each beside its limit.

python benchmarks/front_door.py [--rows 1000000] [--size 2.0] [--only prediction,streaming,start,fit]

The search is no part of any figure but the last: rules are written down, or learned from few rows before the clock
starts. The tree of scikit-learn has its default settings and is fitted on the first 100,000 rows of the same frame; on
texts, which it cannot read, it gets their codes, and the coding is not counted.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

N_COLUMNS, N_TEXTS = 20, 10
WORDS = ("red", "green", "blue", "black")
NUMBERS = (
    "at least 3 of ({{{c0}}}, c1, ¬c2, {{{c3}}}, ¬{{{c4}}}) ⊕ (c5 ⊗ {{{c6}}} ⊗ ¬c7) "
    "⊕ at least 2 of (c8, ¬{{{c9}}}) ⊗ c10 ⊗ ¬{{{c11}}}"
)
TEXTS = "at least 3 of ({c0=red}, ¬{c1=blue}, {c2=green}, c10, ¬c11) ⊕ ({c3=red} ⊗ {c4=black} ⊗ c12) ⊕ ¬{c5=red} ⊗ c13"
CLI = [sys.executable, "-m", "crystalogic"]
# A child inherits the largest memory of the process that starts it, so a small one has to.
MEASURED = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
Line = tuple[str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the frames")
    parser.add_argument("--size", type=float, default=2.0, help="size of the streamed CSV in GB")
    parser.add_argument("--only", default="prediction,streaming,start,fit", help="sections, separated by commas")
    given = parser.parse_args()
    sections: dict[str, Callable[[], Iterator[Line]]] = {
        "prediction": lambda: prediction(given.rows),
        "streaming": lambda: streaming(given.size),
        "start": start,
        "fit": second_fit,
    }
    print(f"{'what':58} {'measured':>24}  limit")
    for name in given.only.split(","):
        print(f"-- {name}")
        for what, measured, limit in sections[name]():
            print(f"{what:58} {measured:>24}  {limit}", flush=True)


def frames(n_rows: int) -> tuple[Any, Any, Any]:
    """A frame of numbers, the same with half of the columns as texts, and their codes."""
    import numpy as np
    import pandas as pd

    names = [f"c{i}" for i in range(N_COLUMNS)]
    numbers = pd.DataFrame(np.random.default_rng(0).random((n_rows, N_COLUMNS)), columns=names)
    texts, codes = numbers.copy(), numbers.copy()
    for name in names[:N_TEXTS]:
        codes[name] = (numbers[name] * len(WORDS)).astype(int)
        texts[name] = np.array(WORDS, object)[codes[name]]
    return numbers, texts, codes


def rule(frame: Any, text: str) -> Any:
    from crystalogic.encoding import fit_encoding
    from crystalogic.fitting import model_of
    from crystalogic.logic.parse import parse

    encoding = fit_encoding(frame.head(10_000))
    cuts = {column.name: column.literals[1].name for column in encoding.columns if column.kind == "number"}
    return model_of([parse(text.format_map(cuts) if "{{" in text else text)], encoding, "y", ["no", "yes"])


def prediction(n_rows: int) -> Iterator[Line]:
    """A written rule and a learned one against the tree, on numbers and on texts."""
    from sklearn.tree import DecisionTreeClassifier

    from crystalogic import LukasiewiczClassifier

    numbers, texts, codes = frames(n_rows)
    for kind, frame, coded, text in (("numbers", numbers, numbers, NUMBERS), ("texts", texts, codes, TEXTS)):
        model = rule(frame, text)
        y = model.predict(frame.head(100_000))
        tree = DecisionTreeClassifier(random_state=0).fit(coded.head(len(y)), y)
        estimator = LukasiewiczClassifier(time_budget=5).fit(frame.head(2_000), y[:2_000])
        base = least_seconds(lambda: tree.predict(coded))  # noqa: B023 (called at once)
        yield f"{kind}: tree of {tree.tree_.node_count:,} nodes", f"{base:.3f} s", ""
        for name, predict, used in (
            ("written rule", model.predict, model),
            ("estimator, learned rule", estimator.predict, estimator.model_),
        ):
            seconds = least_seconds(lambda: predict(frame))  # noqa: B023
            shape = f"{sum(f.size for f in used.formulas)} literals, {len(used.columns)} columns"
            yield f"{kind}: {name}, {shape}", f"{seconds:.3f} s = {seconds / base:.2f} × tree", "≤ 3 × tree"
        extra = peak_bytes(lambda: estimator.predict(frame))  # noqa: B023
        size = int(frame.memory_usage(deep=True).sum())
        extra = max(extra, peak_bytes(lambda: model.predict(frame)))  # noqa: B023
        yield f"{kind}: extra memory, input {size / 1e6:.0f} MB", f"{extra / size:.2f} × input", "≤ 2 × input"


def least_seconds(work: Callable[[], Any], times: int = 3) -> float:
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def peak_bytes(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def streaming(gigabytes: float) -> Iterator[Line]:
    """`crystalogic predict` on a large file, from the folder to the folder."""
    block, _, _ = frames(20_000)
    model = rule(block, NUMBERS)
    lines = block.round(6).to_csv(index=False).split("\n", 1)
    with tempfile.TemporaryDirectory() as folder:
        path, rows = Path(folder, "large.csv"), 0
        with path.open("w", encoding="utf-8") as file:
            file.write(lines[0] + "\n")
            while file.tell() < gigabytes * 1e9:
                file.write(lines[1])
                rows += len(block)
        model.save(Path(folder, "model.json"))
        begin = time.perf_counter()
        arguments = ["predict", f"{folder}/model.json", str(path), "--output", f"{folder}/out.csv"]
        done = subprocess.run([sys.executable, "-c", MEASURED, *CLI, *arguments], check=True, capture_output=True)
        seconds = time.perf_counter() - begin
        with Path(folder, "out.csv").open("rb") as written:
            assert sum(1 for _ in written) == rows + 1
        size = path.stat().st_size
    yield f"{size / 1e9:.2f} GB, {rows:,} rows, {len(model.columns)} of {N_COLUMNS} columns", f"{seconds:.1f} s", ""
    yield "rows in a second", f"{rows / seconds:,.0f}", ""
    yield "largest resident memory", f"{int(done.stdout) / 1024:.0f} MB", "< 500 MB"


def start() -> Iterator[Line]:
    """Fresh processes, the median of five."""
    for what, command in (
        ("import crystalogic", [sys.executable, "-c", "import crystalogic"]),
        ("--help", [*CLI, "--help"]),
    ):
        seconds = statistics.median(
            least_seconds(lambda: subprocess.run(command, check=True, capture_output=True), 1)  # noqa: B023
            for _ in range(5)
        )
        yield what, f"{seconds:.2f} s", "< 0.5 s"


def second_fit() -> Iterator[Line]:
    """The first fit on a machine compiles the search, the second does not."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/cache"}
        table = ["x,z,y", *(f"{i},{'ab'[i % 2]},{int(i > 20 and i % 2)}" for i in range(60))]
        Path(folder, "t.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
        for which in ("first", "second"):
            begin = time.perf_counter()
            done = subprocess.run(
                [*CLI, "fit", f"{folder}/t.csv", "-t", "y", "-o", f"{folder}/m.json"],
                env=environment, check=True, capture_output=True, text=True,
            )  # fmt: skip
            said = "says that it compiles" if "being compiled" in done.stderr else "compiles nothing"
            yield f"{which} fit: {said}", f"{time.perf_counter() - begin:.1f} s", ""


if __name__ == "__main__":
    main()
