"""Section 5.2: the truth tables of f₁ and f₂. The paper does not say over which Sₙ; S₁ and S₂ are both run."""

from statistics import fmean
from typing import Any

from research.paper.claims import Claim
from research.paper.plan import TABLES
from research.paper.results import Results
from research.paper.verdict import Evidence, agrees, check, fisher, judged, p_text, spread

SETS = ("S1", "S2")


def _values(results: Results, claim: Claim, field: str, variant: str = "paper") -> dict[str, list[Any]]:
    return {name: results.values("table", f"{claim.row} on {name}", claim.column, field, variant) for name in SETS}


def _text(values: dict[str, list[Any]], digits: int = 3) -> str:
    return ", ".join(f"{_subscript(name)}: {fmean(found):.{digits}f}" for name, found in values.items())


def _counts(values: dict[str, list[Any]]) -> str:
    return ", ".join(f"{_subscript(name)}: {sum(found)}/{len(found)}" for name, found in values.items())


def _subscript(name: str) -> str:
    return name.replace("1", "₁").replace("2", "₂")


def _ours(results: Results, claim: Claim, field: str) -> str:
    data = f"{claim.row} on S2"
    ours = results.cell("table", data, claim.column, "ours")
    found = results.cell("table", data, "recover")
    parts = [f"{fmean(float(record[field]) for record in ours):.2f}"] if ours else []
    return "; ".join([*parts, f"recover {fmean(float(record[field]) for record in found):.2f}"])


@check
def table_exact(claim: Claim, results: Results) -> Evidence:
    values = _values(results, claim, "exact")
    p = max(fisher(int(claim.number), 10, sum(found), len(found)) for found in values.values())
    reason = f"every entry of the table equal; Fisher {p_text(p)} on the nearer of the two"
    return judged(p >= 0.05, _counts(values), reason, _ours(results, claim, "exact"))


@check
def table_crystallized(claim: Claim, results: Results) -> Evidence:
    found = {
        name: [
            value
            for lattice in SETS
            for value in results.values("table", f"{claim.row} on {lattice}", name, "crystallized", "paper")
        ]
        for name in ("straight_through", "proximal")
    }
    holds = all(all(values) for values in found.values())
    return judged(holds, _counts(found).replace("_", "-"), "Δ < 0.001 before rounding; after it Δ is always 0")


@check
def table_f1(claim: Claim, results: Results) -> Evidence:
    return _nearer(claim, results, "f1")


@check
def table_similarity(claim: Claim, results: Results) -> Evidence:
    return _nearer(claim, results, "similarity")


def _nearer(claim: Claim, results: Results, field: str) -> Evidence:
    values = _values(results, claim, field)
    found = [agrees(claim.number, spread(each), each) for each in values.values()]  # the paper gives no spread
    holds, reason = next((pair for pair in found if pair[0]), found[-1])
    return judged(holds, _text(values), reason, _ours(results, claim, field))


@check
def table_iterations(claim: Claim, results: Results) -> Evidence:
    values = _values(results, claim, "steps")
    ratios = [fmean(found) / claim.number for found in values.values()]
    return judged(any(0.5 <= ratio <= 2 for ratio in ratios), _text(values, 0), "a factor of 2 is allowed")


@check
def table_always_zero(claim: Claim, results: Results) -> Evidence:
    values = _values(results, claim, "always_zero")
    p = max(fisher(int(claim.number), 10, sum(found), len(found)) for found in values.values())
    return judged(p >= 0.05, _counts(values), f"the crystal is 0 on every row; Fisher {p_text(p)} on the nearer")


@check
def lm_exact_when_crystallized(claim: Claim, results: Results) -> Evidence:
    found = [
        record
        for data in TABLES
        for record in results.cell("table", data, "levenberg_marquardt", "paper")
        if record["crystallized"]
    ]
    exact = sum(record["exact"] for record in found)
    reason = "exact among the trials with Δ < 0.001 before rounding, over all four tables"
    return judged(bool(found) and exact == len(found), f"{exact} of {len(found)}", reason)
