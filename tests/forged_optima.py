"""Certificates of optimality with one value changed and the seal made anew, and whether they are true all the same.

`python tests/forged_optima.py 10000` tries so many: none that is false may be accepted.
"""

import json
import random
import sys
from collections import Counter

import numpy as np

from brute_rules import all_rules, draw
from crystalogic.document import seal
from crystalogic.errors import CrystalogicError
from crystalogic.features import Features
from crystalogic.optimal import Needs, Objective, certify, count_rows, solve
from crystalogic.recount import check


def make(seed):
    """The body of a true certificate."""
    generator = random.Random(seed)
    rows, labels, weights = draw(seed)
    table = count_rows(Features.of_rows(np.array(rows), None), labels, weights)
    shape = generator.choice(["checklist", "points"])
    objective = generator.choice([Objective(), Objective(2, 1)])
    names = [table.names[own[0]] for own in table.twins]
    needs = Needs(unused=tuple(names[3:4])) if seed % 3 else Needs(used=tuple(names[:1]))
    within = generator.choice([0, 2])
    found = solve(table, generator.randint(1, 3), shape, objective, within=within, needs=needs if names else None)
    body = json.loads(certify(table, found))
    return {key: value for key, value in body.items() if key not in ("format", "version", "fingerprint")}


def change(value, generator):
    """Another value of the same kind, or of another."""
    if generator.random() < 0.05:
        return generator.choice([None, -1, "x", [], {}, True, 10**9, 0.5])
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + generator.choice([-3, -1, 1, 1, 2, 64])
    if isinstance(value, str):
        return generator.choice(
            [f"{value}0", value[:-1], f"{generator.getrandbits(12):x}", "points", "checklist", "formula"]
        )
    return None


def mutate(body, generator):
    """The body with one value changed, removed or repeated."""
    body = json.loads(json.dumps(body))
    inside = body
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            return body
        key = generator.choice(keys)
        value = inside[key]
        if isinstance(value, (dict, list)) and value and generator.random() < 0.9:
            inside = value
            continue
        if isinstance(inside, list) and generator.random() < 0.2:
            inside[key : key + 1] = generator.choice([[], [value, value]])
        else:
            inside[key] = change(value, generator)
        return body


def is_true(body):
    """Whether all that a body in the right form says is so, by brute force."""
    n_facts, n_rows = len(body["facts"]), len(body["yes"])
    columns = [int(column, 16) for column in body["columns"]]
    rows = []
    for row in range(n_rows):
        truths = [column >> row & 1 for column in columns]
        rows += [(truths, True, body["yes"][row]), (truths, False, body["no"][row])]
    rules = list(
        all_rules(
            rows,
            n_facts,
            body["size"],
            body["shape"],
            body["missed"],
            body["false_alarm"],
            flags=body["flags"],
        )
    )
    costs = Counter(rule[0] for rule in rules)
    if body["cost"] not in costs or min(costs) < body["bound"]:  # the rule itself is evaluated in `attack`
        return False
    return body["counts"] is None or body["counts"] == [costs[body["cost"] + i] for i in range(len(body["counts"]))]


def cost_of(body):
    """What the rule of the certificate costs, row by row."""
    rule, total = body["rule"], 0
    for row, (yes, no) in enumerate(zip(body["yes"], body["no"], strict=True)):
        held = [int(body["columns"][max(f, ~f)], 16) >> row & 1 for f in rule["facts"]]
        held = [h if f >= 0 else 1 - h for h, f in zip(held, rule["facts"], strict=True)]
        says = sum(p * h for p, h in zip(rule["points"], held, strict=True)) >= rule["threshold"]
        total += no * body["false_alarm"] if says else yes * body["missed"]
    return total


def attack(n, seed=0):
    """How many of n changed certificates were refused, accepted and true, and accepted though they are false."""
    outcomes = Counter()
    generator = random.Random(seed)
    for turn in range(n):
        if turn % 20 == 0:
            body = make(generator.getrandbits(30))
        forged = mutate(body, generator)
        try:
            confirmed = check(seal("optimum", 1, forged))
        except CrystalogicError:
            outcomes["refused"] += 1
            continue
        is_so = confirmed.bound is not None and is_true(forged) and cost_of(forged) == forged["cost"]
        outcomes["true" if is_so else "false"] += 1
    return outcomes


if __name__ == "__main__":
    sys.stdout.write(f"{dict(attack(int(sys.argv[1])))}\n")
