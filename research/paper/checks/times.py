"""Table 7: training times and iterations. A machine is faster or slower than another, so ratios count."""

from statistics import fmean

from research.paper.claims import Claim, label, printed
from research.paper.results import Results
from research.paper.settings import DATA, STRATEGIES
from research.paper.verdict import Evidence, check, judged, mean_text, p_text, proved, wilcoxon


@check
def training_seconds(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, claim.column, "seconds")
    ratio = fmean(values) / claim.number
    ours = results.cell("ours", claim.row.removesuffix("-enriched"), claim.column)
    shown = f"{fmean(record['seconds'] for record in ours):.2f} s, all restarts" if ours else ""
    reason = f"{ratio:.2f} times the printed time, on another machine; a factor of 3 either way counts as the same"
    return judged(1 / 3 <= ratio <= 3, f"{mean_text(values)} s", reason, shown)


@check
def time_p_value(claim: Claim, results: Results) -> Evidence:
    left, right = (results.paper(claim.row, name, "seconds") for name in claim.pair)
    p = wilcoxon(left, right)
    reason = "the same side of 0.05 is asked for"
    return judged((p < 0.05) == (claim.number < 0.05), p_text(p), reason)


@check
def lm_fastest(claim: Claim, results: Results) -> Evidence:
    own = [min(STRATEGIES, key=lambda name: printed("seconds", data, name)) for data in DATA]
    found = [min(STRATEGIES, key=lambda name: fmean(results.paper(data, name, "seconds"))) for data in DATA]
    in_table, in_run = own.count("levenberg_marquardt"), found.count("levenberg_marquardt")
    if in_table != claim.number:
        reason = f"by the paper's own Table 7 it is fastest on {in_table}; on Heart, Proximal is"
        return proved(False, f"{in_run} of {len(DATA)}", reason)
    return judged(in_run == claim.number, f"{in_run} of {len(DATA)}", "counted")


@check
def fastest_on_data(claim: Claim, results: Results) -> Evidence:
    own = {name: printed("seconds", claim.row, name) for name in STRATEGIES}
    found = {name: fmean(results.paper(claim.row, name, "seconds")) for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} {mean:.3f}" for name, mean in found.items())
    least = min(own, key=own.__getitem__)
    if least != claim.value:
        reason = f"the paper's own row has {own[least]:.3f} s for {label(least)}, {own[str(claim.value)]:.3f} s here"
        return proved(False, shown, reason)
    return judged(found[str(claim.value)] == min(found.values()), shown, "the least of the three means")


@check
def speed_ratio(claim: Claim, results: Results) -> Evidence:
    fast, slow = claim.pair
    own = printed("seconds", claim.row, slow) / printed("seconds", claim.row, fast)
    found = fmean(results.paper(claim.row, slow, "seconds")) / fmean(results.paper(claim.row, fast, "seconds"))
    if abs(own - claim.number) > 0.05:
        others = {
            name: printed("seconds", claim.row, name) / printed("seconds", claim.row, fast)
            for name in STRATEGIES
            if name not in (fast, slow)
        }
        meant = ", ".join(f"{ratio:.1f} over {label(name)}" for name, ratio in others.items())
        return proved(False, f"{found:.1f}", f"the paper's own Table 7 gives {own:.1f} over {label(slow)}; {meant}")
    reason = f"its Table 7 gives {own:.1f}; within a factor of 2 counts as the same"
    return judged(claim.number / 2 <= found <= claim.number * 2, f"{found:.1f}", reason)


@check
def iterations(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, claim.column, "steps")
    ratio = fmean(values) / claim.number
    reason = f"{ratio:.2f} times the printed number; a factor of 2 is allowed"
    return judged(0.5 <= ratio <= 2, mean_text(values, 1), reason)


@check
def under_ten_iterations(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, "levenberg_marquardt", "steps")
    return judged(fmean(values) < claim.number, mean_text(values, 1), "mean iterations of LM-Res")


@check
def iterations_in_range(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, claim.column, "steps")
    shown = f"{min(values)} to {max(values)}"
    reason = "the range of the trials; one printed trial should lie in it, or within a factor of 2 of it"
    return judged(min(values) / 2 <= claim.number <= max(values) * 2, shown, reason)


@check
def solver_exponent(claim: Claim, results: Results) -> Evidence:
    """The slope of log time against log p for solving (JᵀJ + μI) x = b, measured here."""
    import time
    from math import log

    import numpy as np
    from threadpoolctl import threadpool_limits

    sizes, seconds = (400, 800, 1600), []
    with threadpool_limits(limits=1, user_api="blas"):
        for size in sizes:
            matrix = np.random.default_rng(0).normal(size=(size, size))
            system = matrix @ matrix.T + np.eye(size)
            laps = []
            for _ in range(3):
                begin = time.perf_counter()
                np.linalg.solve(system, matrix[0])
                laps.append(time.perf_counter() - begin)
            seconds.append(min(laps))
    slope = log(seconds[-1] / seconds[0]) / log(sizes[-1] / sizes[0])
    reason = f"measured exponent for p = {sizes[0]} to {sizes[-1]}; a dense system takes p³/3 multiplications"
    return judged(slope < claim.number + 0.3, f"p^{slope:.1f}", reason)
