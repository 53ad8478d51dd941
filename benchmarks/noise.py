"""What the printed score promises where there is nothing to learn: targets drawn at random, judged on fresh rows.

Run `python benchmarks/noise.py [seeds]`. Each table is learned with the defaults; the score of the chosen row is beside
the share of the commoner class, which a constant would have, and beside the accuracy on 20,000 rows of the same kind.
"""

import sys

import numpy as np

from crystalogic import LukasiewiczClassifier

FRESH = 20_000
TABLES = {"200 rows × 20 yes/no columns": (200, 20, True), "120 rows × 60 numbers": (120, 60, False)}


def trial(n_rows, n_columns, is_boolean, seed):
    """The score of the chosen row, the share of the commoner class, the accuracy on fresh rows, and the literals."""
    generator = np.random.default_rng(1000 + seed)

    def drawn(n):
        shape = (n, n_columns)
        return generator.integers(0, 2, shape) if is_boolean else generator.random(shape)

    target = generator.integers(0, 2, n_rows)
    rule = LukasiewiczClassifier(random_state=seed).fit(drawn(n_rows), target)
    chosen = rule.front_[rule.model_.chosen[0]]
    promised = chosen.training if chosen.validated is None else chosen.validated
    fresh = (rule.predict(drawn(FRESH)) == generator.integers(0, 2, FRESH)).mean()
    return promised, np.bincount(target).max() / n_rows, fresh, chosen.size


def main(n_seeds):
    for name, shape in TABLES.items():
        found = np.array([trial(*shape, seed) for seed in range(n_seeds)])
        promised, common, fresh, _ = found.mean(axis=0)
        print(
            f"{name}: promised {promised:.3f}, commoner class {common:.3f}, fresh rows {fresh:.3f}; "
            f"a formula in {(found[:, 3] > 0).mean():.0%} of {n_seeds} tables",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
