"""Our engine against a plain PyTorch loop of the same network, in one run on one thread.

    python -m benchmarks.engines

PyTorch is used when it is installed and skipped otherwise. Three measurements: straight-through on MONK-1 (ten trials
of 1,000 steps, the paper's 17→8→4→1), Levenberg–Marquardt on MONK-1 (ten trials of 50 steps with one residual block)
against a Jacobian by automatic differentiation, row by row and vectorised, and a step on the whole Mushroom table.
"""

import os

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from crystalogic.network import Engine, Shape, with_ones
from crystalogic.train import train
from crystalogic.train.block import Adam
from research.paper.presets import paper_strategy
from research.paper.tables import encode_split, paper_table
from research.splits import split

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

TRIALS, STE_STEPS, LM_STEPS = 10, 1000, 50


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """The shortest of a few timings, after one run that compiles and warms the caches."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def straight_through() -> None:
    """Seconds a trial of straight-through on MONK-1."""
    data, _ = paper_table("monks-1")
    fields = replace(
        paper_strategy("straight_through"), steps=STE_STEPS, tolerance=0.0, patience=None, smooth_share=0.0
    )
    ours = seconds(lambda: train(None, data.rows, data.target, fields, restarts=TRIALS)) / TRIALS
    print(f"STE, MONK-1, {STE_STEPS} steps: ours {1e3 * ours:.1f} ms a trial ({TRIALS} trials at once)")
    if torch is None:
        print("  PyTorch is not installed: its side is skipped.")
        return
    theirs = seconds(lambda: torch_straight_through(data.rows, data.target), repeats=2)
    print(f"  PyTorch, one trial at a time: {1e3 * theirs:.1f} ms a trial, {theirs / ours:.1f} times as long")


def torch_straight_through(rows: Any, target: Any) -> None:
    """One trial: T and rounded biases forward, identity backward, Adam, gradient norm at most 1, cosine rate."""
    x, y = torch.tensor(rows, dtype=torch.float32), torch.tensor(target, dtype=torch.float32)
    widths = (17, 8, 4, 1)
    weights = [torch.empty(o, i).uniform_(-0.7, 0.7).requires_grad_() for i, o in pairwise(widths)]
    biases = [torch.empty(o).uniform_(0.2, 0.8).requires_grad_() for o in widths[1:]]
    optimizer = torch.optim.Adam([*weights, *biases], lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STE_STEPS, 1e-5)
    lowest = float("inf")
    for _ in range(STE_STEPS):
        h = x
        for w, b in zip(weights, biases, strict=True):
            ternary = w + (torch.sign(w) * (w.abs() > 1 / 3) - w).detach()
            rounded = b + (torch.round(b) - b).detach()
            h = torch.clamp(h @ ternary.T + rounded, 0, 1)
        loss = ((h[:, 0] - y) ** 2).mean()
        if (value := loss.item()) < lowest:
            lowest = value
            _ = [part.detach().clone() for part in (*weights, *biases)]
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*weights, *biases], 1.0)
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            for w in weights:
                w.clamp_(-1.5, 1.5)


def levenberg_marquardt() -> None:
    """Milliseconds a step and trial of Levenberg–Marquardt on MONK-1, with μI and one residual block of width 8."""
    data, _ = paper_table("monks-1")
    fields = replace(
        paper_strategy("levenberg_marquardt"), hidden=(8, "residual"), steps=LM_STEPS, tolerance=0.0, patience=None
    )
    ours = seconds(lambda: train(None, data.rows, data.target, fields, restarts=TRIALS)) / TRIALS / LM_STEPS
    print(f"LM, MONK-1, width 8 with a block: ours {1e3 * ours:.2f} ms a step and trial ({TRIALS} trials at once)")
    if torch is None:
        print("  PyTorch is not installed: its side is skipped.")
        return
    for name, vectorize in (("row by row", False), ("vectorised", True)):
        theirs = seconds(lambda v=vectorize: torch_steps(data.rows, data.target, v), repeats=2) / 5  # type: ignore[misc]
        print(f"  PyTorch, Jacobian {name}: {1e3 * theirs:.2f} ms a step and trial, {theirs / ours:.1f} times as long")


def torch_steps(rows: Any, target: Any, vectorize: bool, steps: int = 5) -> None:
    """Five steps of one trial, the Jacobian by reverse-mode automatic differentiation."""
    x, y = torch.tensor(rows, dtype=torch.float64), torch.tensor(target, dtype=torch.float64)
    d, h = 17, 8
    sizes = [(h, d), (h,), (h, h), (h,), (h,), (1, h), (1,)]
    counts = [int(np.prod(size)) for size in sizes]

    def errors(flat: Any) -> Any:
        w, c, f, g, b, v, u = (p.reshape(s) for p, s in zip(torch.split(flat, counts), sizes, strict=True))
        hidden = torch.clamp(x @ w.T + c, 0, 1)
        merged = torch.clamp(torch.clamp(hidden @ f.T + g, 0, 1) + hidden + b, 0, 1)
        return torch.clamp(merged @ v.T + u, 0, 1)[:, 0] - y

    flat = torch.empty(sum(counts), dtype=torch.float64).uniform_(-0.3, 0.3)
    mu = 0.1
    for _ in range(steps):
        e = errors(flat)
        jacobian = torch.autograd.functional.jacobian(errors, flat, vectorize=vectorize)
        system = jacobian.T @ jacobian + mu * torch.eye(len(flat), dtype=torch.float64)
        moved = flat - torch.linalg.solve(system, jacobian.T @ e)
        accepted = bool((errors(moved) ** 2).sum() < (e**2).sum())
        flat, mu = (moved, mu / 10) if accepted else (flat, mu * 10)


def mushroom() -> None:
    """Milliseconds a step on all of Mushroom, and the share of the first layer's two products."""
    half, other = encode_split(split("mushroom"))
    rows, target = np.concatenate([half.rows, other.rows]), np.concatenate([half.target, other.target])
    shape, restarts = Shape(rows.shape[1], (8,)), 8
    inputs, wanted = with_ones(rows), target.astype(np.float32)
    parameters = np.random.default_rng(0).normal(0, 0.5, (restarts, shape.n_parameters)).astype(np.float32)
    engine, adam = Engine(shape, restarts, len(rows)), Adam(parameters)

    def steps() -> None:
        for _ in range(100):
            error = engine.forward(parameters, inputs) - wanted
            adam.step(parameters, engine.gradient(error * np.float32(2 / len(rows))), 0.001)

    weights = np.ones((8 * restarts, len(inputs)), np.float32)
    sums, sizes = np.empty((8 * restarts, len(rows)), np.float32), np.empty_like(weights)

    def products() -> None:
        for _ in range(100):
            np.matmul(weights, inputs, out=sums)
            np.matmul(sums, inputs.T, out=sizes)

    whole, part = seconds(steps, 2) / 100, seconds(products, 2) / 100
    print(f"Mushroom {rows.shape[0]} × {rows.shape[1]}, width 8, {restarts} restarts: {1e3 * whole:.2f} ms a step,")
    print(f"  of which the two products of the first layer take {1e3 * part:.2f} ms ({part / whole:.0%})")


if __name__ == "__main__":
    if torch is not None:
        torch.set_num_threads(1)
    straight_through()
    levenberg_marquardt()
    mushroom()
