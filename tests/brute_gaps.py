"""The front of errors against gaps by trying all rules with Fractions, written from the definitions; shares no code."""

import random
import sys
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from brute_rules import draw, rising
from crystalogic.features import Features
from crystalogic.optimal import count_rows
from crystalogic.optimal.gaps import find_front

KINDS = ("selection", "misses", "false-alarms")


def decide(rows, facts, swap, table):
    """What a rule says of each row."""
    cells = [sum(row[fact] << (len(facts) - 1 - i) for i, fact in enumerate(facts)) for row in rows]
    return [table[cell ^ swap] for cell in cells]


def gap_of(said, labels, groups, kind):
    """The largest difference of the rate between any two groups; groups that it says nothing about are left out."""
    rates = []
    for group in set(groups):
        own = [(s, y) for s, y, g in zip(said, labels, groups, strict=True) if g == group]
        about = [(s, y) for s, y in own if kind == "selection" or y == (kind == "misses")]
        counted = sum(s != (kind == "misses") for s, _ in about)
        rates += [Fraction(counted, len(about))] if about else []
    return max((abs(a - b) for a, b in product(rates, repeat=2)), default=Fraction(0))


def all_gaps(rows, labels, groups, size, shape, kind):
    """(errors, gap) of every rule."""
    for n in range(size + 1):
        for facts in combinations(range(len(rows[0])), n):
            for swap, table in product(range(1 << n), rising(shape, n) if n else [(0,), (1,)]):
                said = decide(rows, facts, swap, table)
                yield sum(s != y for s, y in zip(said, labels, strict=True)), gap_of(said, labels, groups, kind)


def front_of(found):
    """The pairs that no other pair beats."""
    front = []
    for errors, gap in sorted(set(found)):
        if not front or gap < front[-1][1]:
            front.append((errors, gap))
    return front


def draw_gaps(seed):
    """A small table with labels, groups of uneven sizes, and a question."""
    rows, labels, _ = draw(seed)
    generator = random.Random(f"gaps {seed}")
    groups = [min(generator.randrange(4), generator.randrange(1, 5)) for _ in rows]
    limit = Fraction(generator.randrange(0, 30), 100)
    return rows, [int(y) for y in labels], groups, KINDS[seed % 3], limit, generator.randrange(len(rows) // 2 + 1)


def front(rows, labels, groups, size, shape="checklist", **how):
    """What the package says."""
    features = Features.of_rows(np.array(rows), None)
    return find_front(count_rows(features, labels), features, labels, groups, size, shape, **how)


def compare(seed):
    """What the package says that trying all rules does not, for a drawn table: the whole front, then with limits."""
    rows, labels, groups, kind, limit, most = draw_gaps(seed)
    size, shape = seed % 3 + 1, ("checklist", "points")[seed // 3 % 2]
    everything = front_of(all_gaps(rows, labels, groups, size, shape, kind))
    whole = front(rows, labels, groups, size, shape, kind=kind, n_threads=1 + seed % 2)
    asked = front(rows, labels, groups, size, shape, kind=kind, at_most=limit, most_errors=most)
    kept = [(errors, gap) for errors, gap in everything if errors <= most]
    first = next((place for place, (_, gap) in enumerate(kept) if gap <= limit), len(kept))
    refuted = (asked.within.errors, asked.within.gap) if asked.within else None
    said = {
        "front": ([(point.errors, point.gap) for point in whole.points], everything),
        "proved": (all(map(whole.is_proved, whole.points)) and whole.is_whole and asked.is_whole, True),
        "front within limits": ([(point.errors, point.gap) for point in asked.points], kept[: first + 1]),
        "theorem": (asked.within is None, all(gap > limit for _, gap in kept)),
        "refutation": (refuted, kept[first] if first < len(kept) else None),
    }
    for point in whole.points:
        own = point.rule.decide(np.array(rows)).astype(int).tolist()
        wrong = sum(s != y for s, y in zip(own, labels, strict=True))
        said[f"rule {point.rule}"] = (wrong, gap_of(own, labels, groups, kind)), (point.errors, point.gap)
    return [(seed, what, *both) for what, both in said.items() if both[0] != both[1]]


if __name__ == "__main__":
    differ = [line for seed in range(int(sys.argv[1])) for line in compare(seed)]
    n_agree = int(sys.argv[1]) - len({seed for seed, *_ in differ})
    sys.stdout.write(
        "\n".join([*map(str, differ), f"front, theorem and refutation agree in {n_agree} of {sys.argv[1]}\n"])
    )
