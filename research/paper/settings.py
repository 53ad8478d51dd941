"""The paper's grids, and the ablations it leaves open, as fields of its own strategies."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from crystalogic.train import Strategy
from research.paper.presets import paper_strategy
from research.paper.tables import ENRICHED

# In the order of the paper's tables.
DATA = (ENRICHED, "heart", "monks-1", "monks-2", "monks-3", "breast-cancer")
STRATEGIES = ("levenberg_marquardt", "straight_through", "proximal")
_PLAIN = [(width, 4) for width in (4, 6, 8)]
_RESIDUAL = [(width, *["residual"] * blocks) for width in (4, 6, 8) for blocks in (1, 2)]
_GRID: Mapping[str, Mapping[str, list[Any]]] = {
    "levenberg_marquardt": {"hidden": _RESIDUAL, "first_damping": [0.001, 0.01, 0.1]},
    "straight_through": {"hidden": _PLAIN, "rate": [0.001, 0.005, 0.01]},
    "proximal": {"hidden": _PLAIN, "rate": [0.005, 0.01, 0.02], "literal_cost": [1e-4, 1e-3]},
}


def grid(strategy: str, data: str) -> list[Strategy]:
    """Every setting that the paper's grid search tries on a data set.

    >>> [len(grid(name, "heart")) for name in STRATEGIES]
    [18, 9, 18]
    """
    base = paper_strategy(strategy, data)
    fields = _GRID[strategy]
    return [replace(base, **dict(zip(fields, values, strict=True))) for values in product(*fields.values())]


def setting_text(strategy: str, chosen: Strategy) -> str:
    """The fields of the grid that a choice has, in words."""
    return ", ".join(f"{name}={getattr(chosen, name)}" for name in _GRID[strategy])


@dataclass(frozen=True)
class Variant:
    """The paper's settings with some fields changed, on some data sets, as one point of an ablation."""

    study: str
    name: str
    strategy: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ("monks-1", "monks-2", "monks-3", "heart")

    def fields(self, data: str) -> Strategy:
        """The strategy of this variant on a data set."""
        return replace(paper_strategy(self.strategy, data), **self.changes)


def _variants() -> list[Variant]:
    lm, ste, proximal = STRATEGIES
    with_breast = ("monks-1", "monks-2", "monks-3", "heart", "breast-cancer")
    found = [
        Variant("blocks", f"{n} residual blocks", lm, {"hidden": (4, *["residual"] * n)}, with_breast) for n in range(5)
    ]
    for tolerance, (name, hidden) in product(
        (0.05, 0.10, 0.15), {"residual link": (4, "residual"), "plain layer": (4, 4)}.items()
    ):
        changes = {"hidden": hidden, "tolerance": tolerance}
        found.append(Variant("links", f"{name}, tolerance {tolerance:.2f}", lm, changes, ("heart", "monks-3")))
    for strategy, (name, finish) in product(
        STRATEGIES, {"Υ₂ → Υ₁₆": "paper", "Υ₂ iterated": "iterated", "rounding": "round"}.items()
    ):
        changes = {"finish": finish} | ({"smooth_share": 0.0} if strategy == ste and finish != "paper" else {})
        found.append(Variant("schedule", name, strategy, changes, with_breast))
    for strategy, (name, finish) in product(STRATEGIES, {"Υ₂ → Υ₁₆": "paper", "rounding": "round"}.items()):
        changes = {"tolerance": 0.0, "finish": finish}
        found.append(Variant("tolerance", f"tolerance 0, {name}", strategy, changes, with_breast))
    found += [
        Variant("phases", f"{share:.0%} / {1 - share:.0%}", proximal, {"first_phase": share}, with_breast)
        for share in (0.35, 0.5, 0.65, 0.8)
    ]
    none: dict[str, Any] = {"literal_cost": 0.0, "attraction_cost": 0.0, "soft_threshold": 0.0}
    penalties: dict[str, dict[str, Any]] = {
        "as printed": {},
        "no penalty": none,
        "no ℓ₁ penalty": {"literal_cost": 0.0, "soft_threshold": 0.0},
        "no penalty, rounding": {**none, "finish": "round"},
        "plain rounding": {"finish": "round"},
    }
    found += [Variant("penalties", name, proximal, changes, with_breast) for name, changes in penalties.items()]
    found += [
        Variant("threshold", name, ste, {"threshold": value}, with_breast)
        for name, value in {"1/3": 1 / 3, "1/2": 1 / 2}.items()
    ]
    return found


VARIANTS = {f"{each.study}: {each.name}: {each.strategy}": each for each in _variants()}
