"""Tables whose data speak against what is declared, and whether a rule keeps it: gone through row by row.

The check shares nothing with the proofs of the package: it predicts every row of a grid, and reads formulas as text.
"""

import re
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from crystalogic import Model, parse
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import Request
from crystalogic.learner.settings import Likelihood
from crystalogic.search import Annealing

SIZES = ("low", "mid", "high")
ORDERS: dict[str, tuple[Any, ...]] = {  # the values of each column in order, and what lies beyond those of training
    "n": (-7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40),
    "x": (-1.0, 0.0, 0.15, 0.3, 0.5, 0.75, 1.0, 2.0),
    "c": (1, 2, 3, 4),
    "o": SIZES,
    "b": (0, 1),
    "k": ("red", "green", "blue"),
}
MOST_ROWS = 60_000


@dataclass(frozen=True)
class Case:
    """A table, and what is declared of its rules."""

    frame: pd.DataFrame
    target: Any
    numbers: str
    degrees: bool
    settings: Annealing | Likelihood
    monotone: dict[str, int] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    def request(self, **changes: Any) -> Request:
        """What is asked of a fit."""
        declared = {"monotone": self.monotone, "forbidden": self.forbidden, "required": self.required}
        how = {"kinds": kinds_of(self.frame), "numbers": self.numbers, "degrees": self.degrees}
        return Request(**{"strategy": self.settings, **declared, **how, **changes})


def kinds_of(frame: pd.DataFrame) -> dict[str, Any]:
    """The order of a column that has one."""
    return {"o": SIZES} if "o" in frame else {}


def adverse(seed: int, n_rows: int = 120, kind: str = "") -> Case:
    """A random table in which most columns go against the direction that is declared of them.

    A kind of "bits" has cuts alone, "degrees" truth degrees alone, "regression" a target of degrees, and "classes" has
    three classes for the default learner, which go without directions and required facts.
    """
    rng = np.random.default_rng(seed)
    cells = {name: [order[i] for i in rng.integers(0, len(order), n_rows)] for name, order in ORDERS.items()}
    cells["n"], cells["x"] = rng.integers(0, 10, n_rows), rng.choice(ORDERS["x"][1:-1], n_rows)
    place = {name: np.array([ORDERS[name].index(cell) for cell in cells[name]]) for name in ORDERS}
    cells["c"] = np.where(rng.random(n_rows) < 0.1, np.nan, cells["c"])
    columns = [str(name) for name in rng.permutation(list(ORDERS))[: rng.integers(3, 7)]]
    frame = pd.DataFrame({name: cells[name] for name in columns})
    is_plain = rng.random() < 0.5  # all columns have directions, and the data contradict them without noise
    signs = {name: int(rng.choice([-1, 1])) for name in columns if name != "k" and (is_plain or rng.random() < 0.75)}
    speaks = rng.permutation(columns)[:3]
    goes = {name: place[name] / place[name].max() * -signs.get(name, rng.choice([-1, 1])) for name in speaks}
    score = np.asarray(sum(goes.values())) + rng.normal(0, 0 if is_plain else rng.choice([0.05, 0.5, 3]), n_rows)
    if is_plain:  # the greatest of the one, or the lesser of the other two, as rules are
        score = np.maximum(goes[speaks[0]], np.minimum(goes[speaks[1]], goes[speaks[2]]))
    target = score >= np.quantile(score, 0.6)
    if kind == "classes":
        target = np.digitize(score, np.quantile(score, [0.4, 0.7]))
    if kind == "regression":
        target = (score - score.min()) / np.ptp(score)
    forbidden = tuple(name for name in columns if rng.random() < 0.15)[: len(columns) - 1]
    literals = fit_encoding(frame, kinds_of(frame), numbers="cuts" if kind == "bits" else "degrees").literals.values()
    free = [each.name for each in literals if each.column not in forbidden]
    drawn = [str(name) for name in rng.permutation([name for name in free if name[:2] not in ("c=", "b=")])]
    n_required = int(rng.choice([0, 0, 1, 2])) * (not is_plain)
    required, forbidden = tuple(drawn[:n_required]), (*forbidden, *drawn[2 : 2 + rng.integers(0, 2)])
    signs |= {name: int(rng.choice([-1, 1])) for name in drawn if name.startswith("k=")}
    most = int(rng.integers(max(1, len(required)), 13))
    if kind == "classes":
        return Case(frame, target, "auto", False, Likelihood(max_literals=most), forbidden=forbidden)
    return Case(
        frame,
        target,
        {"bits": "cuts", "degrees": "degrees"}.get(kind, "auto"),
        kind == "regression",
        Annealing(folds=3, repeats=1, effort=0.2, max_literals=most, max_neurons=int(rng.integers(1, 13))),
        {name: sign for name, sign in signs.items() if name not in forbidden},
        forbidden,
        required,
    )


def violations(model: Model, case: Case) -> list[str]:
    """What the rule, or a formula of its front, breaks of what was declared."""
    texts = [str(formula) for formula in model.formulas]
    lines = [*texts, *(str(row.formula) for front in model.fronts for row in front)]
    sizes = {text: len(_names(text)) for text in lines}
    found = [f"{text} has {n} literals" for text, n in sizes.items() if n > case.settings.max_literals]
    found += [f"{text} lacks {name}" for text in lines for name in case.required if name not in _names(text)]
    for name in case.forbidden:
        own = re.compile(rf"{name}(=| ≥ | is missing|$)" if name in ORDERS else f"{re.escape(name)}$")
        found += [f"{text} reads {name}" for text in lines if any(map(own.match, _names(text)))]
        found += [f"the network reads {name}" for each in model.crystal.inputs if own.match(each)]
    n_neurons = len(model.crystal.live)
    if isinstance(case.settings, Annealing) and n_neurons > case.settings.max_neurons * len(texts):
        found.append(f"there are {n_neurons} neurons")
    for text in dict.fromkeys(lines) if case.monotone else ():
        for name, sign in case.monotone.items():
            found += [f"{text} goes against {name}"] if _goes_against(text, model, name, sign) else []
    return found


def _names(text: str) -> list[str]:
    """The literals of a formula as a person reads them: names, in braces or bare."""
    tokens = re.findall(r"\{([^}]*)\}|([A-Za-z_]\w*)", re.sub(r"at least \d+ of", "", text))
    return [braced or bare for braced, bare in tokens]


def _goes_against(text: str, model: Model, name: str, sign: int) -> bool:
    """Whether, in some row of the grid, more of the column gives a degree, or a decision, on the wrong side."""
    formula, rng = parse(text), np.random.default_rng(0)
    if name not in ORDERS:  # a truth value: every other one may be anything
        others = dict(zip(formula.variables, rng.choice([0, 0.25, 0.5, 1], (len(formula.variables), 500)), strict=True))
        low, high = (np.asarray(formula.evaluate({**others, name: np.full(500, value)})) for value in (0.0, 1.0))
        return bool(np.any((high - low) * sign < 0))
    columns = list(model.encoding.columns_of(formula.variables))
    if name not in columns:
        return False
    values = {each: list(ORDERS[each]) + [None] * (each == "c" and each != name) for each in columns}
    while np.prod([len(each) for each in values.values()]) > MOST_ROWS:
        long = max((each for each in columns if each != name), key=lambda each: len(values[each]))
        values[long].pop(int(rng.integers(len(values[long]))))
    cells = list(product(*values.values()))
    rows = {each: [row[place] for row in cells] for place, each in enumerate(columns)}
    truths = model.encoding.transform(rows, formula.variables, dtype="float64", refuse_missing=False)
    degrees = np.asarray(formula.evaluate(dict(zip(formula.variables, truths.T, strict=True))))
    grid = degrees.reshape([len(values[each]) for each in columns])
    if text == str(model.formulas[0]):
        assert (degrees == model.degrees(rows, unknown="false")[:, 0]).all()
    steps = [np.diff(each.astype(float), axis=columns.index(name)) for each in (grid, grid >= 0.5)]
    return any(bool((step * sign < 0).any()) for step in steps)
