"""The best rules by trying all of them, written from the definitions in plain Python: slow, and shares no code."""

import random
from itertools import combinations, product

FUNCTIONS: dict[tuple[str, int], list[tuple[int, ...]]] = {}


def rising(shape: str, size: int) -> list[tuple[int, ...]]:
    """Truth tables that rise with each fact and depend on each, the first fact as the highest bit."""
    if (shape, size) not in FUNCTIONS:
        cells = list(product((0, 1), repeat=size))
        most = 1 if shape == "checklist" else {1: 1, 2: 1, 3: 2, 4: 3}[size]
        tables = {
            tuple(int(sum(p * b for p, b in zip(points, cell, strict=True)) >= least) for cell in cells)
            for points in product(range(1 if shape == "checklist" else 0, most + 1), repeat=size)
            for least in range(most * size + 2)
        }
        bits = [1 << place for place in range(size)]
        FUNCTIONS[shape, size] = [
            table for table in tables if all(any(table[c] != table[c ^ bit] for c in range(1 << size)) for bit in bits)
        ]
    return FUNCTIONS[shape, size]


def sums(rows, facts):
    """The weight of yes and of no in each cell."""
    cells = [[0, 0] for _ in range(1 << len(facts))]
    for truths, is_yes, weight in rows:
        cell = 0
        for fact in facts:
            cell = 2 * cell + truths[fact]
        cells[cell][0 if is_yes else 1] += weight
    return cells


def all_rules(rows, n_facts, size, shape, missed=1, alarm=1, flags=None):
    """The cost of every rule: (cost, facts, signs, truth table)."""
    flags = flags or [3] * n_facts
    needed = {fact for fact in range(n_facts) if flags[fact] & 4}
    for n in range(size + 1):
        for facts in combinations([fact for fact in range(n_facts) if flags[fact] & 3], n):
            if not needed <= set(facts):
                continue
            cells = [(missed * yes, alarm * no) for yes, no in sums(rows, facts)]
            for swap in range(1 << n):
                if not all(flags[f] & (2 if swap >> (n - 1 - i) & 1 else 1) for i, f in enumerate(facts)):
                    continue
                for table in rising(shape, n) if n else [(0,), (1,)]:
                    yield sum(c[1] if table[i ^ swap] else c[0] for i, c in enumerate(cells)), facts, swap, table


def draw(seed):
    """A small table: truth values, labels, weights; some columns constant, some twins, some rows repeated."""
    generator = random.Random(seed)
    n_rows, n_facts = generator.randint(1, 40), generator.randint(3, 7)
    rows = [[int(generator.random() < 0.5) for _ in range(n_facts)] for _ in range(n_rows)]
    for _ in range(generator.choice([0, 0, 1, 2])):
        a, b = generator.sample(range(n_facts), 2)
        kind = generator.choice(["twin", "opposite", "constant", "near"])
        for row in rows:
            row[b] = {"twin": row[a], "opposite": 1 - row[a], "constant": 1}.get(kind, row[a])
        if kind == "near":
            rows[0][b] = 1 - rows[0][b]
    rows += [list(generator.choice(rows)) for _ in range(generator.choice([0, 5]))]
    labels = [int(sum(row[:3]) >= 2) ^ (generator.random() < 0.25) for row in rows]
    weights = [generator.choice([1, 1, 2, 3, 7]) if seed % 2 else 1 for _ in rows]
    return rows, labels, weights
