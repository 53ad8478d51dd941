"""Section 4: Υ, Δ, Levenberg's step, T, the potential P, and what Table 2 says of the strategies."""

from fractions import Fraction
from statistics import fmean, median

import numpy as np
import z3

from crystalogic.network import Engine, Engines, Shape, with_ones
from crystalogic.train.block import Block
from crystalogic.train.levenberg_marquardt import Point, damped_step
from crystalogic.train.strategy import ternary
from research.paper.claims import Claim
from research.paper.results import Results
from research.paper.settings import STRATEGIES
from research.paper.smoothing import PAPER_EXPONENTS, smooth
from research.paper.strategies import marquardt_move
from research.paper.tables import paper_table
from research.paper.verdict import Evidence, check, is_theorem, judged, proved

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@check
def upsilon_differentiable(claim: Claim, results: Results) -> Evidence:
    """Inside the unit intervals sinⁿ is; at the integers both one-sided slopes must agree."""
    step, gaps = 1e-6, []
    for exponent in PAPER_EXPONENTS:
        for whole in (-1.0, 0.0, 1.0, 2.0):
            left, middle, right = smooth(np.array([whole - step, whole, whole + step]), exponent)
            gaps.append(abs((right - middle) - (middle - left)) / step)
    shown = f"slopes differ by at most {max(gaps):.0e}"
    return judged(max(gaps) < 1e-4, shown, "one-sided slopes at -1, 0, 1 and 2 for n = 2, 4, 8, 16; both are 0")


@check
def upsilon_limit(claim: Claim, results: Results) -> Evidence:
    value = 0.9
    far = float(smooth(np.array([value]), 10**6)[0])
    reason = (
        f"Υₙ({value}) = {far:.3f} at n = 10⁶, where rounding gives {round(value)}: the limit is truncation toward 0"
    )
    return proved(abs(far - round(value)) < 0.01, f"{far:.3f}", reason)


def survival_threshold() -> float:
    """The least fraction that Υ₂, Υ₄, Υ₈, Υ₁₆ and rounding take to 1, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        value = np.array([middle])
        for exponent in PAPER_EXPONENTS:
            value = smooth(value, exponent)
        low, high = (low, middle) if value[0] >= 0.5 else (middle, high)
    return high


@check
def upsilon_schedule(claim: Claim, results: Results) -> Evidence:
    found = survival_threshold()
    reason = f"a fraction becomes 1 only above {found:.4f}, by bisection; nearest would be 0.5"
    return proved(abs(found - 0.5) < 1e-3, f"{found:.4f}", reason)


@check
def delta_after_rounding(claim: Claim, results: Results) -> Evidence:
    after = [value for name in STRATEGIES for value in results.everywhere("paper", name, "delta_after")]
    before = [value for name in STRATEGIES for value in results.everywhere("paper", name, "crystallized")]
    reason = f"integers have Δ = 0, so every network passes; before rounding {sum(before)} of {len(before)} do"
    return proved(max(after) > 0, f"Δ = 0 for {sum(value == 0 for value in after)} of {len(after)}", reason)


@check
def marquardt_size(claim: Claim, results: Results) -> Evidence:
    found = 1 / (Fraction(1, 100) * Fraction(1, 10) ** 2)
    return proved(found == claim.number, f"{int(found):,}", "1/(0.01 · 0.1²), computed exactly")


@check
def jacobian_order(claim: Claim, results: Results) -> Evidence:
    """The largest Jacobian entry of a 17-4-1 network at biases 1/2, weights drawn at two scales."""
    shape = Shape(17, (4,))
    rows = with_ones(paper_table("monks-1", 0)[0].rows, np.float64)
    largest = []
    for scale in (1e-1, 1e-3):
        draw = np.random.default_rng(0).uniform(-scale, scale, shape.n_parameters)
        parameters = np.where(shape.is_bias, 0.5, draw)[None]
        engine = Engine(shape, 1, rows.shape[1], np.float64)
        engine.forward(parameters, rows)
        largest.append(float(np.abs(engine.jacobian(0)).max()))
    shown = f"{largest[0]:.2f} at ε = 0.1, {largest[1]:.2f} at ε = 0.001"
    reason = "the largest entry does not shrink with ε: that of the output bias is 1 while ψ is not saturated"
    return proved(largest[1] < 0.1, shown, reason)


@check
def levenberg_bound(claim: Claim, results: Results) -> Evidence:
    """One row and one weight: J = √μ gives ‖Δw‖ = ‖e‖/(2√μ), the sharp bound."""
    mu = Fraction(16)
    jacobian = Fraction(4)
    step = jacobian / (jacobian**2 + mu)
    j, m = z3.Reals("j m")
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.add(m > 0, 4 * m * j * j > (j * j + m) * (j * j + m))  # |j|/(j² + m) > 1/(2√m), squared
    sharp = "proved" if solver.check() == z3.unsat else "not proved"
    reason = (
        f"μ = 16, J = 4, e = 1: the step is {step}, the bound 1/16; for one singular value ‖e‖/(2√μ) is {sharp} (z3)"
    )
    return proved(step <= 1 / mu, f"{step} > {1 / mu}", reason)


def _first_steps(data: str, norm: float, seed: int) -> tuple[float, float]:
    """Lengths of the first step with μI and with μ·diag(JᵀJ), μ = 0.01, from weights of this norm and biases 1/2."""
    table = paper_table(data, 0)[0]
    shape = Shape(table.rows.shape[1], (4,))
    rows = Block(table.rows, table.target[:, None], np.ones(len(table.rows)))
    draw = np.random.default_rng(seed).normal(size=shape.n_parameters)
    draw[shape.is_bias] = 0
    parameters = np.where(shape.is_bias, 0.5, draw * norm / np.linalg.norm(draw))[None]
    engines, damping = Engines(shape, 1, np.float64), np.array([0.01])
    steps = (
        damped_step(rows, engines, Point(parameters), damping)[1],
        marquardt_move(rows, engines, Point(parameters), damping),
    )
    levenberg, marquardt = (float(np.linalg.norm(each)) for each in steps)
    return levenberg, marquardt


@check
def marquardt_step(claim: Claim, results: Results) -> Evidence:
    lengths = [_first_steps(data, 0.1, seed)[1] for data in ("heart", "monks-1", "monks-3") for seed in range(5)]
    typical = median(lengths)
    reason = f"median of 15 first steps on Heart, MONK-1 and MONK-3, {min(lengths):.0f} to {max(lengths):.0f}; "
    return judged(
        claim.number / 10 <= typical <= claim.number * 10, f"{typical:.0f}", reason + "a factor of 10 is allowed"
    )


@check
def marquardt_diverges(claim: Claim, results: Results) -> Evidence:
    steps = [_first_steps(data, 0.01, seed) for data in ("heart", "monks-1", "monks-3") for seed in range(5)]
    levenberg, marquardt = (median(each) for each in zip(*steps, strict=True))
    reason = "median lengths of 15 first steps with μI and with μ·diag(JᵀJ), μ = 0.01, from weights of the norm 0.01"
    holds = marquardt > 10 * levenberg
    return judged(holds, f"{levenberg:.0f} against {marquardt:.0f}", f"{reason}; asked for: ten times as long")


def distortion(threshold: Fraction) -> Fraction:
    """∫ (w - T(w))² over a uniform w on [-1,1], which is (θ³ + (1 - θ)³)/3.

    >>> distortion(Fraction(1, 2))
    Fraction(1, 12)
    """
    return (threshold**3 + (1 - threshold) ** 3) / 3


@check
def threshold_distortion(claim: Claim, results: Results) -> Evidence:
    third, half = distortion(THIRD), distortion(HALF)
    return proved(third <= half, f"{third} at 1/3", f"{half} at 1/2 is less, computed exactly")


@check
def threshold_thirds(claim: Claim, results: Results) -> Evidence:
    widths = [-THIRD - -1, THIRD - -THIRD, 1 - THIRD]
    maps = ternary(np.array([-0.34, -0.33, 0.33, 0.34])).tolist() == [-1, 0, 0, 1]
    return proved(len(set(widths)) == 1 and maps, ", ".join(map(str, widths)), "widths, exactly")


@check
def ste_guarantee(claim: Claim, results: Results) -> Evidence:
    found = results.everywhere("paper", "straight_through", "crystallized")
    return judged(
        all(found), f"{sum(found)}/{len(found)}", "Δ of the numbers its networks compute with, before rounding"
    )


@check
def ste_dense(claim: Claim, results: Results) -> Evidence:
    zeros = fmean(results.everywhere("paper", "straight_through", "zeros"))
    return judged(zeros < 0.05, f"{zeros:.0%} zero weights", "weights that are 0 in the crystals; asked for: under 5 %")


@check
def potential_zeros(claim: Claim, results: Results) -> Evidence:
    w = z3.Real("w")
    holds = is_theorem((w * w * (1 - w * w) == 0) == z3.Or(w == -1, w == 0, w == 1))
    return proved(holds, "proved" if holds else "refuted", "z3, for all real w")


@check
def potential_maximum(claim: Claim, results: Results) -> Evidence:
    w = z3.Real("w")
    value = w * w * (1 - w * w)
    holds = is_theorem(z3.And(value <= z3.Q(1, 4), (value == z3.Q(1, 4)) == (2 * w * w == 1)))
    return proved(holds, "proved" if holds else "refuted", "z3: P ≤ 1/4, and P = 1/4 exactly where w² = 1/2")


@check
def potential_wells(claim: Claim, results: Results) -> Evidence:
    beyond = Fraction(11, 10)
    value = beyond**2 * (1 - beyond**2)
    reason = "P(1) = 0 is not a minimum: P falls on beyond ±1 without bound, so ±1 hold only where weights are clamped"
    return proved(value >= 0, f"P(1.1) = {float(value):.3f}", reason)


@check
def phases_matter(claim: Claim, results: Results) -> Evidence:
    names = ("35% / 65%", "50% / 50%", "65% / 35%", "80% / 20%")
    accuracy = {name: results.ablation("phases", name, "accuracy") for name in names}
    constant = {name: results.ablation("phases", name, "constant") for name in names}
    shown = ", ".join(f"{name}: {accuracy[name]:.3f}" for name in names)
    gain = accuracy["65% / 35%"] - max(accuracy["50% / 50%"], accuracy["80% / 20%"])
    shares = ", ".join(f"{constant[name]:.0%}" for name in names)
    reason = f"accuracy after rounding; constant networks {shares}; asked for: 65/35 ahead of both by a point"
    return judged(gain >= 0.01, shown, reason)


@check
def proximal_guarantee(claim: Claim, results: Results) -> Evidence:
    found = results.everywhere("paper", "proximal", "crystallized")
    return judged(all(found), f"{sum(found)}/{len(found)}", "Δ < 0.001 before the final rounding, which does the rest")


@check
def theory_guaranteed(claim: Claim, results: Results) -> Evidence:
    found = results.everywhere("paper", claim.column, "crystallized")
    said = "yes" if all(found) else "no"
    return judged(said == claim.value, f"{said}, {sum(found)}/{len(found)}", "Δ < 0.001 before rounding in all trials")


@check
def theory_sparse(claim: Claim, results: Results) -> Evidence:
    zeros = fmean(results.everywhere("paper", claim.column, "zeros"))
    said = "yes" if zeros > 0.5 else "no"
    return judged(
        said == claim.value, f"{said}, {zeros:.0%} zero weights", "sparse: more than half of the weights are 0"
    )


@check
def theory_exact(claim: Claim, results: Results) -> Evidence:
    readable = results.everywhere("paper", claim.column, "is_readable")
    constant = results.everywhere("paper", claim.column, "constant")
    alive = [good for good, dead in zip(readable, constant, strict=True) if not dead]
    said = "yes" if alive and all(alive) else "no"
    similarities = [value for value in results.everywhere("paper", claim.column, "similarity") if value is not None]
    lowest = f"; mean λ of Rule R {fmean(similarities):.3f}" if similarities else ""
    reason = f"networks that are not constant and have no neuron outside Proposition 1{lowest}"
    return judged(said == claim.value, f"{said}, {sum(alive)} of {len(alive)}", reason)
