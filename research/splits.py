"""Training and test rows: the donors' own split where there is one, else a stratified 80/20 split by seed."""

import random
from dataclasses import dataclass

from crystalogic.datasets import Dataset, load, load_test

TEST_SHARE = 0.2


@dataclass(frozen=True)
class Split:
    """Training rows and test rows that share none of their indices."""

    train: Dataset
    test: Dataset


def split(name: str, seed: int = 0) -> Split:
    """One split of a benchmark; MONK problems have a fixed one and ignore the seed.

    >>> heart = split("heart", seed=0)
    >>> len(heart.train.rows), len(heart.test.rows)
    (242, 61)

    Parameters:
        name: "monks-1", "monks-2", "monks-3", "mushroom", "heart" or "breast-cancer" (`NAMES`).
        seed: of the random split.
    """
    table, test = load(name), load_test(name)
    return stratify(table, seed) if test is None else Split(table, test)


def stratify(table: Dataset, seed: int, share: float = TEST_SHARE) -> Split:
    """A random split in which each class keeps its share; both halves stay in the order of the table.

    Parameters:
        table: the rows to split.
        seed: the same number gives the same split.
        share: of the rows that are test rows, a fifth unless given.
    """
    generator = random.Random(seed)
    held_out: set[int] = set()
    for label in sorted(set(table.labels)):
        indices = [index for index, other in enumerate(table.labels) if other == label]
        held_out.update(generator.sample(indices, round(share * len(indices))))
    train = [index for index in range(len(table.rows)) if index not in held_out]
    return Split(table.take(train), table.take(sorted(held_out)))
