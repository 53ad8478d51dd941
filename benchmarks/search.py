"""The lattice search on the six data sets, planted rules, truth tables; its speed, its threads, and polishing.

Run `python -m benchmarks.search [section ...]`; without a section all of them. Sections: data, planted, truth, speed,
polish, threads, baseline; `fresh` is `data` with seeds 10 to 19, on which nothing was tuned. MONK problems have their
fixed UCI test rows and ten seeds; elsewhere ten stratified 80/20 splits. All settings are the defaults; encodings and
choices are made on training rows only. `baseline=FILE` names a Python file with
`fit(X, y, lam=..., seed=...) -> (loss, literals, k, V, c)`, an annealer to compare with.
"""

import importlib.util
import itertools
import sys
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score

from benchmarks.pruning import prune
from crystalogic.crystal import Crystal, Neuron
from crystalogic.datasets import NAMES, load
from crystalogic.encoding import fit_encoding
from crystalogic.logic.parse import parse
from crystalogic.search import Annealing, polish, recover, search
from crystalogic.search.engine import size_of
from crystalogic.verify.questions import equivalent
from research.splits import split, stratify


def rows_of(name, seed, numbers="both"):
    """Encoded training rows, labels and names, encoded test rows and labels."""
    if name == "heart":
        table = load("heart")
        parts = stratify(table.take([i for i, row in enumerate(table.rows) if "?" not in row]), seed)
    else:
        parts = split(name, seed)
    encoding = fit_encoding(parts.train.frame(), numbers=numbers)
    train, test = encoding.transform(parts.train.frame()), encoding.transform(parts.test.frame())
    return train, np.array(parts.train.labels), encoding.names, test, np.array(parts.test.labels)


def data(first=0, seeds=10):
    print("data           accuracy  (least)  balanced     F1  literals  neurons  seconds  forest  ratio")
    for name in NAMES:
        found = []
        for seed in range(first, first + seeds):
            train, labels, names, test, truth = rows_of(name, seed)
            begin = time.perf_counter()
            result = search(train, labels, names, seed=seed)
            seconds = time.perf_counter() - begin
            begin = time.perf_counter()
            RandomForestClassifier(n_estimators=300, random_state=seed).fit(train, labels)
            forest = time.perf_counter() - begin
            guess, chosen = result.predict(test), result.front.chosen
            scores = (guess == truth).mean(), balanced_accuracy_score(truth, guess), f1_score(truth, guess)
            found.append((*scores, chosen.n_literals, chosen.n_neurons, seconds, forest))
        accuracy, balanced, f1, literals, neurons, seconds, forest = np.mean(found, axis=0)
        print(
            f"{name:<14} {accuracy:8.4f}  {min(row[0] for row in found):7.4f}  {balanced:8.4f}  {f1:.3f}  "
            f"{literals:8.1f}  {neurons:7.1f}  {seconds:7.2f}  {forest:6.2f}  {seconds / forest:5.1f}",
            flush=True,
        )
        print(f"               last: {result.formula}")


def one_hot(values, n):
    return np.stack([values[:, a] == v for a in range(values.shape[1]) for v in range(n)], axis=1).astype(np.float32)


def disjunction(seed):
    """Eight conjunctions of three literals over ten attributes of three values."""
    generator = np.random.default_rng(seed)
    clauses = [[(a, generator.integers(3)) for a in generator.choice(10, 3, replace=False)] for _ in range(8)]
    rule = lambda rows: np.any([np.all([rows[:, a] == v for a, v in clause], axis=0) for clause in clauses], axis=0)  # noqa: E731
    return generator.integers(0, 3, (800, 10)), 3, rule, "8 conjunctions of 3"


def exactly(seed):
    """Exactly k of m literals over ten Boolean attributes, 2 ≤ k ≤ m - 2, so that 800 rows show both thresholds."""
    generator = np.random.default_rng(seed)
    m = int(generator.integers(4, 9))
    k = int(generator.integers(2, m - 1))
    at, value = generator.choice(10, m, replace=False), generator.integers(0, 2, m)
    return (
        generator.integers(0, 2, (800, 10)),
        2,
        lambda rows: (rows[:, at] == value).sum(axis=1) == k,
        f"exactly {k} of {m}",
    )


def planted(seeds=10):
    print("planted rule           seed  exact on the whole domain  literals  neurons  redundant  seconds")
    for make in (disjunction, exactly):
        exact = 0
        for seed in range(seeds):
            values, n, rule, title = make(seed)
            names = [f"a{a}={v}" for a in range(10) for v in range(n)]
            X, y = one_hot(values, n), rule(values)
            begin = time.perf_counter()
            result = search(X, y, names, seed=seed)
            seconds = time.perf_counter() - begin
            domain = np.array(list(itertools.product(range(n), repeat=10)))
            share = (result.predict(one_hot(domain, n)) == rule(domain)).mean()
            chosen = result.front.chosen
            everywhere, truth = one_hot(domain, n), rule(domain)
            shorter = prune(chosen.crystal, lambda c: ((c.run_rows(everywhere)[:, 0] >= 0.5) != truth).sum())  # noqa: B023
            redundant = chosen.n_literals - size_of(shorter)
            exact += share == 1 and not redundant
            print(
                f"{title:<22} {seed:>4}  {share:>25.5f}  {chosen.n_literals:>8}  {chosen.n_neurons:>7}  "
                f"{redundant:>9}  {seconds:7.2f}",
                flush=True,
            )
        print(f"exact and without a redundant literal: {exact} of {seeds}")


TRUTH = {
    "f1": "x1 ⊗ (x3 → x6)",
    "f2": "(x4 → x6) ⊗ (x6 → x2)",
    "f6": "((x4 ⊗ x5 → x6) ⊗ (x1 ⊗ x5 → x2) ⊗ (x1 ⊗ x2 → x3)) ⊗ (x6 → x4)",
}


def random_formula(generator, size, n):
    if size == 1:
        variable = parse(f"x{generator.integers(n) + 1}")
        return variable if generator.random() < 0.6 else ~variable
    left = int(generator.integers(1, size))
    parts = random_formula(generator, left, n), random_formula(generator, size - left, n)
    which = generator.integers(3)
    formula = parts[0] & parts[1] if which == 0 else parts[0] | parts[1] if which == 1 else parts[0] >> parts[1]
    return ~formula if generator.random() < 0.2 else formula


def degrees(formula, rows, names):
    values = dict(zip(names, rows.T, strict=True))
    return np.broadcast_to(np.asarray(formula.evaluate(values), dtype=np.float64), len(rows))


def truth(trials=10, n_random=200):
    names = [f"x{i + 1}" for i in range(6)]
    rows = np.array(list(itertools.product(range(5), repeat=6))) / 4
    for name, text in TRUTH.items():
        formula, exact, begin = parse(text), 0, time.perf_counter()
        for seed in range(trials):
            found = recover(rows, degrees(formula, rows, names), names, seed=seed)
            exact += found.is_exact and bool(equivalent(found.formula, formula))
        each = (time.perf_counter() - begin) / trials
        print(
            f"{name}: recovered and proved equivalent in {exact} of {trials} trials, {each:.2f} s each; "
            f"last {found.formula}"
        )
    proved, exact, begin, failures = 0, 0, time.perf_counter(), []
    for seed in range(n_random):
        generator = np.random.default_rng(seed)
        n, size = int(generator.integers(3, 9)), int(generator.integers(2, 7))
        formula = random_formula(generator, size, n)
        rows = generator.integers(0, 5, (500, n)) / 4
        own = [f"x{i + 1}" for i in range(n)]
        found = recover(rows, degrees(formula, rows, own), own, seed=seed)
        exact += found.is_exact
        if equivalent(found.formula, formula):
            proved += 1
        else:
            failures.append(f"{formula}  recovered as  {found.formula}")
    each = (time.perf_counter() - begin) / n_random
    print(f"random formulas: {proved} of {n_random} proved equivalent, {exact} exact on their rows, {each:.3f} s each")
    print("\n".join(failures))


def speed():
    from crystalogic.features import Features
    from crystalogic.search import lanes
    from crystalogic.search.engine import crystal_to_lanes, make_rows

    def measure(n_rows, n_features, n_literals):
        generator = np.random.default_rng(0)
        X = generator.integers(0, 2, (n_rows, n_features)).astype(np.float32)
        y = (X[:, :6].sum(axis=1) == 3) ^ (generator.random(n_rows) < 0.1)
        names = tuple(f"x{i}" for i in range(n_features))
        rows = make_rows(Features.of_rows(X, names), y, is_class=True)
        neurons = [
            Neuron([(j + t) % n_features for t in range(n_literals)], [1] * n_literals, -(n_literals // 2))
            for j in range(4)
        ]
        output = Neuron([n_features + j for j in range(4)], [1] * 4, 0)
        state = crystal_to_lanes(Crystal(names, [*neurons, output], [n_features + 4]), names, 4)
        known = np.full(n_features, 3), np.empty(0, np.int64), 16
        task = lanes.Task(rows.features, rows.target, rows.weight, 1.0, 0.5, *known, 0.8, 0.15, 0.3)
        moves = max(1000, min(100_000, 20_000_000 // n_rows))
        for turn in range(2):
            best, loss = np.zeros((31, *state.shape), np.int16), np.full(31, np.inf)
            begin = time.perf_counter()
            lanes.anneal(task, state.copy(), best, loss, moves if turn else 100, 1)
            seconds = time.perf_counter() - begin
        return moves / seconds

    print("rows     features  literals a neuron  moves/s")
    for n_rows, n_features, n_literals in [
        (100, 20, 3), (1_000, 20, 3), (10_000, 20, 3), (100_000, 20, 3), (1_000, 20, 6), (1_000, 20, 12),
        (1_000, 60, 3), (1_000, 200, 3),
    ]:  # fmt: skip
        found = measure(n_rows, n_features, n_literals)
        print(f"{n_rows:<8} {n_features:>8}  {n_literals:>17}  {found:>7,.0f}", flush=True)


def polished(seeds=3):
    from crystalogic.train import strategy_named, train

    print("data           strategy             trained  polished  search   (test accuracy, mean)")
    for name in NAMES:
        for kind in ("levenberg_marquardt", "straight_through", "proximal"):
            found = []
            for seed in range(seeds):
                X, y, names, test, truth = rows_of(name, seed)
                crystal = train(None, X, y, strategy_named(kind), restarts=8, seed=seed, names=names).crystal
                better, own = polish(crystal, X, y, names, seed=seed), search(X, y, names, seed=seed)
                before = (crystal.run_rows(test)[:, 0] >= 0.5) == truth
                found.append(
                    (before.mean(), (better.predict(test) == truth).mean(), (own.predict(test) == truth).mean())
                )
            before, after, own = np.mean(found, axis=0)
            print(
                f"{name:<14} {kind:<20} {before:.4f}   {after:.4f}    {own:.4f}  {100 * (after - own):+.1f} points",
                flush=True,
            )


def threads(repeats=10):
    for name in ("monks-3", "heart"):
        X, y, names, _, _ = rows_of(name, 0)
        formulas = {}
        for n_threads in (1, 2, 4):
            for _ in range(repeats):
                formula = str(search(X, y, names, Annealing(n_threads=n_threads), seed=7).formula)
                formulas.setdefault(formula, set()).add(n_threads)
        print(
            f"{name}: {repeats} runs with each of 1, 2 and 4 threads gave {len(formulas)} formula: "
            f"{next(iter(formulas))}"
        )


def baseline(file, seeds=5):
    place = importlib.util.spec_from_file_location("baseline", file)
    other = importlib.util.module_from_spec(place)
    place.loader.exec_module(other)
    tables = {name: rows_of for name in ("monks-1", "monks-2", "monks-3")}
    print(
        "data                 baseline: exact  accuracy  literals  seconds   "
        " search: exact  accuracy  literals  seconds"
    )
    for title in [*tables, "8 conjunctions of 3"]:
        lines = {"baseline": [], "search": []}
        for seed in range(seeds):
            if title in tables:
                X, y, names, test, truth = rows_of(title, seed)
            else:
                values, n, rule, _ = disjunction(seed)
                domain = np.array(list(itertools.product(range(n), repeat=10)))
                X, y, test, truth = one_hot(values, n), rule(values).astype(int), one_hot(domain, n), rule(domain)
                names = [f"x{i}" for i in range(X.shape[1])]
            begin = time.perf_counter()
            _, literals, k, weight, bias = other.fit(X.astype(np.float32), y, lam=0.3, seed=seed)
            seconds = time.perf_counter() - begin
            total = np.full(len(test), float(bias))
            for j in range(len(k)):
                sign = literals[j].astype(float)
                count = (test * np.maximum(sign, 0) + (1 - test) * np.maximum(-sign, 0)).sum(axis=1)
                total += weight[j] * np.clip(count - k[j] + 1, 0, 1)
            share = ((np.clip(total, 0, 1) >= 0.5) == truth).mean()
            lines["baseline"].append((share == 1, share, np.abs(literals[weight != 0]).sum(), seconds))
            begin = time.perf_counter()
            result = search(X, y, names, seed=seed)
            share = (result.predict(test) == truth).mean()
            lines["search"].append((share == 1, share, result.front.chosen.n_literals, time.perf_counter() - begin))
        shown = ["{:.0%}  {:8.4f}  {:8.1f}  {:7.2f}".format(*np.mean(found, axis=0)) for found in lines.values()]
        print(f"{title:<20}           {shown[0]}            {shown[1]}", flush=True)


def main(arguments):
    file = next((each.partition("=")[2] for each in arguments if each.startswith("baseline=")), None)
    sections = {
        "data": data,
        "fresh": lambda: data(first=10),
        "planted": planted,
        "truth": truth,
        "speed": speed,
        "polish": polished,
        "threads": threads,
    }
    usual = [] if file else [each for each in sections if each != "fresh"]
    wanted = [each for each in arguments if each in sections] or usual
    X = np.eye(8, dtype=np.float32)[np.arange(80) % 8]  # compiles the kernels, so that the tables time the search
    search(X, X[:, 0], strategy=Annealing(folds=2, repeats=1), seed=0)
    for section in wanted:
        begin = time.perf_counter()
        print(f"== {section}")
        sections[section]()
        print(f"({time.perf_counter() - begin:.0f} s)\n", flush=True)
    if file:
        print("== baseline")
        baseline(file)


if __name__ == "__main__":
    main(sys.argv[1:])
