"""Tables whose data speak against what is declared, learned in every way, and what their rules break of it: nothing.

Run `make attack-promises`, or `PYTHONPATH=tests python benchmarks/promises.py [tables]`. Directions, forbidden and
required columns and sizes are drawn at random for each table. A rule is judged by predicting every row of a grid and by
reading its formulas as text (tests/promised.py), which shares nothing with the search or with the proofs.
"""

import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from crystalogic.candidates import keeps_to
from crystalogic.encoding import fit_encoding
from crystalogic.errors import TrainingDataError
from crystalogic.fitting import fit
from crystalogic.fitting.promises import Used
from crystalogic.fitting.reading import certify_model
from crystalogic.model import FrontRow
from crystalogic.parts import MemoryParts
from crystalogic.search import Knowledge, polish
from crystalogic.train import STRATEGIES, train
from promised import ORDERS, adverse, kinds_of, violations

KINDS = ("bits", "degrees", "both", "regression", "classes")
LONG = 3000  # rows that are many, with the stages below
SMALL_STAGES = {
    "fitting.pipeline.WHOLE": 1000,
    "stages.FEWEST": 256,
    "stages.MOST": 1024,
    "stages.LEAST": 100,
    "parts.AT_ONCE": 700,
}


@contextmanager
def small_stages():
    """Long tables are those of more than a thousand rows."""
    patches = [mock.patch(f"crystalogic.{place}", value) for place, value in SMALL_STAGES.items()]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches:
            patch.stop()


def whole(seed, kind):
    case = adverse(seed, kind=kind)
    return case, fit(MemoryParts(case.frame, case.target), "y", case.request(seed=seed)).model


def in_parts(seed, kind):
    case = adverse(seed, LONG, kind)
    with small_stages():
        return case, fit(MemoryParts(case.frame, case.target), "y", case.request(seed=seed)).model


def on_dask(seed, kind):
    import dask.dataframe as dd

    from crystalogic.cluster import cluster_parts

    case = adverse(seed, LONG, kind)
    rows = dd.from_pandas(case.frame.assign(target=case.target), npartitions=3)
    with small_stages():
        parts = cluster_parts(rows.drop(columns="target"), rows["target"])
        return case, fit(parts, "y", case.request(seed=seed)).model


def out_of_time(seed, kind):
    case = adverse(seed, 120 if seed % 2 else LONG, kind)
    with small_stages():
        return case, fit(MemoryParts(case.frame, case.target), "y", case.request(time_budget=10.0 ** -(seed % 7))).model


def interrupted(seed, kind):
    case, left = adverse(seed, 120 if seed % 2 else LONG, kind), [seed % 5]

    def callback(_):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    with small_stages():
        return case, fit(MemoryParts(case.frame, case.target), "y", case.request(callback=callback)).model


def polished(seed, kind):
    """A network of a gradient strategy, polished on the opposite labels, with the network's own signs as directions."""
    case = adverse(seed, kind="bits")
    encoding = fit_encoding(case.frame, kinds_of(case.frame), numbers="cuts" if kind == "bits" else "both")
    X, strategy = encoding.transform(case.frame), sorted(STRATEGIES)[seed % len(STRATEGIES)]
    run = train(None, X, case.target, strategy, names=encoding.names, restarts=4, seed=seed, time_budget=1.0)
    signs = [(name, sign) for name in run.crystal.narrow().inputs if name not in ORDERS for sign in (1, -1)]
    heard = {name: sign for name, sign in signs if keeps_to(run.crystal, Knowledge(monotone={name: sign}))}
    known = Knowledge(monotone=heard, required=list(heard)[: seed % 2])
    found = polish(run.crystal, X, ~case.target, encoding.names, case.settings, knowledge=known, seed=seed)
    front = tuple(FrontRow(each.n_literals, 1, 1.0, None, None, each.formula) for each in found.front.candidates)
    promises = [Used(name) for name in known.required]  # what simplifies it leaves these in
    model = certify_model("y", found.classes, found.order, encoding, found.crystal, promises)
    model = replace(model, fronts=(front,), chosen=(0,))
    return replace(case, monotone=heard, forbidden=(), required=tuple(known.required)), model


def refused(seed, kind):
    """The gradient strategies keep no constraints, and say so."""
    case = adverse(seed, kind=kind)
    if not (case.monotone or case.forbidden or case.required):
        message = "nothing is declared."
        raise TrainingDataError(message)
    return case, fit(
        MemoryParts(case.frame, case.target), "y", case.request(strategy=sorted(STRATEGIES)[seed % 3])
    ).model


WAYS = {  # how rules are learned, and every how many of the tables are learned so
    "annealing, whole table": (whole, 1),
    "annealing, in parts": (in_parts, 1),
    "annealing, on Dask": (on_dask, 10),
    "out of time": (out_of_time, 1),
    "interrupted": (interrupted, 1),
    "gradient, then polished": (polished, 3),
    "gradient with constraints": (refused, 1),
}


def main(n_tables):
    """A line for each way of learning: rules, those refused, what was promised, and what was broken."""
    n_broken = 0
    for name, (learn, every) in WAYS.items():
        counts, broken = Counter(), []
        for seed in range(0, n_tables, every):
            try:
                case, model = learn(seed, KINDS[seed // every % len(KINDS)])
            except TrainingDataError:
                counts["refused"] += 1
                continue
            found = violations(model, case)
            counts["rules"] += 1
            counts["formulas"] += sum(map(len, model.fronts))
            counts["promises"] += len(case.monotone) + len(case.forbidden) + len(case.required) + 2
            broken += [f"table {seed}: {each}" for each in found]
        print(
            f"{name}: {counts['rules']} rules, {counts['formulas']} formulas of their fronts, "
            f"{counts['promises']} promises, {counts['refused']} refused; {len(broken)} broken",
            flush=True,
        )
        for each in broken[:20]:
            print(f"  {each}", flush=True)
        n_broken += len(broken)
    return n_broken


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)))
