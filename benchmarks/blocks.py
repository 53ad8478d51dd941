"""Gradient strategies on 10⁴, 10⁵ and 10⁶ rows of 100 Boolean inputs: seconds and memory, in one run on one thread.

    python benchmarks/blocks.py

Labels come from a planted formula of three neurons, 5 % of them flipped. Each line is a process of its own; seconds
are those of the processor. `run` is a whole training with the defaults, whose steps see batches of the rows. `pass` is
one sum over all rows of what a full step needs: loss and gradient of 32 networks of width 8, or the normal equations of
2 networks of width 2; `ratio` is its time a row against that of the fewest rows. `peak` is the largest resident memory
of the process, interpreter and libraries included.
"""

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from crystalogic.network import Engines, Shape
from crystalogic.train import STRATEGIES, train
from crystalogic.train import block as passes
from crystalogic.train.block import Block, make_task
from crystalogic.train.levenberg_marquardt import Point, damped_step
from crystalogic.train.strategy import starting_parameters

ROWS, INPUTS, RESTARTS = (10**4, 10**5, 10**6), 100, 32


def planted(n_rows: int) -> tuple[Any, Any]:
    """Rows and labels: x1 ⊗ x2 ⊗ ¬x3, or at least two of x4, x5 and x6, or x7 ⊗ ¬x8; 5 % flipped."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (n_rows, INPUTS), dtype=np.uint8)
    x = rows[:, :8].astype(bool).T
    label = (x[0] & x[1] & ~x[2]) | (rows[:, 3:6].sum(axis=1) >= 2) | (x[6] & ~x[7])
    return rows, label ^ (rng.random(n_rows) < 0.05)


def one_pass(name: str, block: Block) -> float:
    """Seconds of one sum over all rows."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    is_newton = name == "levenberg_marquardt"
    shape, restarts = (Shape(INPUTS, (2,)), 2) if is_newton else (Shape(INPUTS, (8,)), RESTARTS)
    parameters = starting_parameters(shape, restarts, rng)
    engines = Engines(shape, restarts, np.float64 if is_newton else np.float32, leak=0.1)
    with threadpool_limits(limits=1, user_api="blas"):
        begin = time.process_time()
        if is_newton:
            damped_step(block, engines, Point(parameters), np.full(restarts, 0.1))
        else:
            passes.loss_and_gradient(block, engines, parameters.astype(np.float32))
        return time.process_time() - begin


def megabytes() -> float:
    """The peak of the resident memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def measured(name: str, n_rows: int) -> dict[str, float]:
    """What one process sees."""
    rows, target = planted(n_rows)
    strategy = STRATEGIES[name]()  # type: ignore[call-arg]
    warm = make_task(rows[:2000], target[:2000])
    one_pass(name, warm)
    begin = time.process_time()
    run = train(None, rows, target, strategy, restarts=RESTARTS)
    seconds = time.process_time() - begin
    peak = megabytes()
    return {
        "input": rows.nbytes / 2**20,
        "peak": peak,
        "run": seconds,
        "accuracy": run.best.accuracy_after,
        "pass": min(one_pass(name, make_task(rows, target)) for _ in range(2)),
    }


def main() -> None:
    """A line for each strategy and number of rows."""
    print("strategy              rows      input MB  peak MB   run s  accuracy  pass s   pass ns/row  ratio")
    for name in STRATEGIES:
        first = 0.0
        for n_rows in ROWS:
            command = [sys.executable, __file__, name, str(n_rows)]
            found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            each = found["pass"] / n_rows
            first = first or each
            print(
                f"{name:<20}  {n_rows:<8}  {found['input']:8.0f}  {found['peak']:7.0f}"
                f"  {found['run']:6.1f}  {found['accuracy']:8.4f}  {found['pass']:6.2f}  {1e9 * each:11.0f}"
                f"  {each / first:5.2f}",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
