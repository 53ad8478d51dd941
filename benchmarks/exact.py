"""The exact half in figures: extraction and certificates, deep formulas, vectorised evaluation against bare numpy.

Run with `make bench-exact`. Speeds are ratios or seconds measured in this one run.
"""

import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from crystalogic import AtLeast, Crystal, Neuron, certify, check, extract, parse, simplify, variables
from crystalogic.symbolic.extract import Threshold, expand, n_thresholds


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def dense_crystal(shape: tuple[int, ...], values: tuple[int, ...]) -> Crystal:
    """Random weights from `values`, thresholds in the middle, where expansions are largest."""
    draw = Random(0)
    neurons: list[Neuron] = []
    layer = list(range(shape[0]))
    for width in shape[1:]:
        first = shape[0] + len(neurons)
        for _ in range(width):
            weights = [draw.choice(values) for _ in layer]
            k = max(1, sum(map(abs, weights)) // 2)
            neurons.append(Neuron(layer, weights, weights.count(-1) - k + 1))
        layer = list(range(first, first + width))
    return Crystal([f"f{i}" for i in range(shape[0])], neurons, layer[:1])


def extraction() -> None:
    print("extraction and certificate (seconds)")
    for shape in ((22, 8, 8, 1), (117, 16, 16, 1)):
        for values, word in (((-1, 0, 1), "weights -1, 0, 1"), ((-1, 1), "no weight 0")):
            crystal = dense_crystal(shape, values)
            for mode in ("at_least", "connectives"):
                t_extract, found = seconds(lambda c=crystal, m=mode: extract(c, m))
                t_certify, proof = seconds(lambda c=crystal, f=found: certify(c, f.formula))
                t_check, _ = seconds(lambda c=crystal, f=found, p=proof: check(p, c, f.formula))
                name = "-".join(map(str, shape))
                print(
                    f"  {name:12} {word:17} {mode:12} extract {t_extract:.3f}  certify {t_certify:.3f}  "
                    f"together {t_extract + t_certify:.3f}  check {t_check:.3f}  nodes {found.formula.n_nodes:,}"
                )


def expansion() -> None:
    print("expansion by the lemma: thresholds shared, ⊗ and ⊕ nodes, literals of the tree")
    for m, k in ((4, 2), (12, 6), (22, 11), (78, 39)):
        threshold = Threshold(k, variables(f"x{i}" for i in range(m)))
        formula = expand(threshold)
        bound = (m + 1) ** 2 / 4
        counts = f"{n_thresholds(threshold)} (bound {bound:g}), {formula.n_nodes} nodes, {formula.size:,} literals"
        print(f"  {k} of {m}: {counts}")


def deep_formula() -> None:
    a, b, c = variables("a b c")
    formula = a
    for i in range(10_000):
        formula = [formula & b, ~formula, formula | c, formula >> a, AtLeast(2, formula, a, b)][i % 5]
    t_print, text = seconds(lambda: str(formula))
    t_parse, again = seconds(lambda: parse(text))
    t_evaluate, _ = seconds(lambda: formula.evaluate({"a": 1, "b": 0, "c": 1}))
    t_simplify, _ = seconds(lambda: simplify(formula))
    print(
        f"10,000 levels deep (seconds): print {t_print:.2f}, parse {t_parse:.2f} (same formula: {again is formula}), "
        f"evaluate {t_evaluate:.2f}, simplify {t_simplify:.2f}"
    )


def vectorised(n_rows: int = 1_000_000) -> None:
    names = [f"x{i}" for i in range(10)]
    triples = [[((i + j) % 3 == 0, names[(3 * i + j) % 10]) for j in range(3)] for i in range(10)]
    formula = parse(" | ".join("(" + " & ".join("~" * neg + name for neg, name in t) + ")" for t in triples))
    for precision in (np.float32, np.float64):
        random = np.random.default_rng(0)
        columns = {name: random.random(n_rows).astype(precision) for name in names}

        def bare(columns: dict[str, np.ndarray] = columns) -> np.ndarray:
            total = 0
            for triple in triples:
                inner = sum(1 - columns[name] if negated else columns[name] for negated, name in triple)
                total = total + np.maximum(inner - 2, 0)
            return np.minimum(total, 1)

        ours = min(seconds(lambda c=columns: formula.evaluate(c))[0] for _ in range(7))
        theirs = min(seconds(bare)[0] for _ in range(7))
        print(
            f"{formula.size} literals on {n_rows:,} rows of {precision.__name__}: {ours * 1e3:.0f} ms, "
            f"bare numpy {theirs * 1e3:.0f} ms, ratio {ours / theirs:.2f}"
        )


if __name__ == "__main__":
    extraction()
    expansion()
    deep_formula()
    vectorised()
