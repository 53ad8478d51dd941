"""Table 4: accuracy and crystallization, and the statements drawn from it."""

from statistics import fmean

from research.paper.claims import Claim, label, printed
from research.paper.results import Results
from research.paper.settings import DATA, STRATEGIES
from research.paper.tables import paper_table
from research.paper.verdict import (
    Evidence,
    agrees,
    check,
    fisher,
    is_mean_of_counts,
    judged,
    mean_text,
    p_text,
    proved,
    spread,
    wilcoxon,
)


def ours_text(results: Results, data: str, learner: str) -> str:
    """Our default of the same strategy, and the lattice search, on the same data set."""
    name = data.removesuffix("-enriched")
    ours = [record["accuracy"] for record in results.cell("ours", name, learner)]
    found = [record["accuracy"] for record in results.cell("search", name, "annealing")]
    parts = [mean_text(ours)] if ours else []
    return "; ".join([*parts, *([f"search {mean_text(found)}"] if found else [])])


@check
def mean_accuracy(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, claim.column, "accuracy")
    printed_spread = printed("spread", claim.row, claim.column)
    shown, ours = mean_text(values), ours_text(results, claim.row, claim.column)
    n_rows = int(printed("rows-test", claim.row, "rows"))
    trials = 10 if printed_spread else 1  # with spread 0 all ten trials have the same accuracy
    if not is_mean_of_counts(claim.number, n_rows, trials):
        near = f"{int(claim.number * n_rows)}/{n_rows} and {int(claim.number * n_rows) + 1}/{n_rows}"
        reason = f"no number of {n_rows} rows is {claim.number:.3f} of them in every trial: it lies between {near}"
        return proved(False, shown, reason, ours)
    holds, reason = agrees(claim.number, printed_spread, values)
    tight = fmean(results.paper(claim.row, claim.column, "tight"))
    return judged(holds, shown, f"{reason}; within 0.1 of the target: {tight:.3f}", ours)


@check
def spread_of_accuracy(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, claim.column, "accuracy")
    found = spread(values)
    if claim.number == 0 or found == 0:
        test = paper_table(claim.row, 0)[1].target
        constant = sum(results.paper(claim.row, claim.column, "constant"))
        reason = f"{constant} of {len(values)} networks are constant; {len(test)} test rows"
        return judged(abs(found - claim.number) < 5e-4, f"{found:.3f}", reason)
    ratio = found / claim.number
    return judged(0.5 <= ratio <= 2, f"{found:.3f}", f"{ratio:.1f} times the printed one; a factor of 2 is allowed")


@check
def crystallization(claim: Claim, results: Results) -> Evidence:
    found = results.paper(claim.row, claim.column, "crystallized")
    reached = sum(results.paper(claim.row, claim.column, "reached_tolerance"))
    p = fisher(int(claim.number), 10, sum(found), len(found))
    reason = f"Δ before rounding; {reached} of {len(found)} reached the loss tolerance; Fisher {p_text(p)}"
    ours = results.cell("ours", claim.row.removesuffix("-enriched"), claim.column)
    shown = f"{sum(record['crystallized'] for record in ours)}/{len(ours)}" if ours else ""
    return judged(p >= 0.05, f"{sum(found)}/{len(found)}", reason, shown)


@check
def better_than_proximal(claim: Claim, results: Results) -> Evidence:
    left, right = (results.paper(claim.row, name, "accuracy") for name in (claim.column, "proximal"))
    p = wilcoxon(left, right, "greater")
    return judged((p < 0.05) == (claim.number < 0.05), p_text(p), "the same side of 0.05 is asked for")


def _lead(claim: Claim, results: Results) -> tuple[list[float], list[float], float]:
    left, right = (results.paper(claim.row, name, "accuracy") for name in claim.pair)
    return left, right, fmean(left) - fmean(right)


@check
def lead_over(claim: Claim, results: Results) -> Evidence:
    left, right, gap = _lead(claim, results)
    own = printed("accuracy", claim.row, claim.pair[0]) - printed("accuracy", claim.row, claim.pair[1])
    p = wilcoxon(left, right)
    if abs(own - claim.number) > 1e-9:
        return proved(False, f"{gap:+.3f}", f"the paper's own table gives {own:+.3f}")
    return judged(gap > 0, f"{gap:+.3f}", f"its table gives {own:+.3f}; ours by pairs: {p_text(p)}")


@check
def significant_lead(claim: Claim, results: Results) -> Evidence:
    left, right, gap = _lead(claim, results)
    p = wilcoxon(left, right)
    return judged(gap > 0 and p < 0.05, f"{gap:+.3f}, {p_text(p)}", "asked for: a lead, and p < 0.05 by pairs")


@check
def cluster(claim: Claim, results: Results) -> Evidence:
    values = {name: results.paper(claim.row, name, "accuracy") for name in STRATEGIES}
    means = [fmean(found) for found in values.values()]
    pairs = [(a, b) for a in STRATEGIES for b in STRATEGIES if a < b]
    least = min(wilcoxon(values[a], values[b]) for a, b in pairs)
    width = max(means) - min(means)
    reason = f"width of the three means, and the least p of the three pairs: {p_text(least)}"
    return judged(width <= claim.number + 0.01 and least >= 0.05, f"{width:.3f}", reason)


@check
def no_single_winner(claim: Claim, results: Results) -> Evidence:
    best = {data: max(STRATEGIES, key=lambda name: fmean(results.paper(data, name, "accuracy"))) for data in DATA}
    wins = {name: sum(winner == name for winner in best.values()) for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} {count}" for name, count in wins.items())
    return judged(max(wins.values()) < len(DATA), shown, "data sets on which each has the best mean")


@check
def best_on_data(claim: Claim, results: Results) -> Evidence:
    own = {name: printed("accuracy", claim.row, name) for name in STRATEGIES}
    found = {name: fmean(results.paper(claim.row, name, "accuracy")) for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} {mean:.3f}" for name, mean in found.items())
    if own[str(claim.value)] < max(own.values()):
        return proved(False, shown, "another cell of the paper's own row is larger")
    return judged(found[str(claim.value)] == max(found.values()), shown, "the greatest of the three means")


@check
def best_aggregate(claim: Claim, results: Results) -> Evidence:
    own = {name: fmean(printed("accuracy", data, name) for data in DATA) for name in STRATEGIES}
    found = {name: fmean(fmean(results.paper(data, name, "accuracy")) for data in DATA) for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} {mean:.3f}" for name, mean in found.items())
    table = ", ".join(f"{label(name)} {mean:.4f}" for name, mean in own.items())
    if all(own["straight_through"] <= own[name] + 1e-9 for name in STRATEGIES[:1]):
        return proved(False, shown, f"the means of its own Table 4 are {table}: STE is not ahead of LM-Res")
    return judged(max(found, key=found.__getitem__) == "straight_through", shown, f"its Table 4: {table}")


@check
def most_reliable(claim: Claim, results: Results) -> Evidence:
    found = results.everywhere("paper", "straight_through", "crystallized")
    reason = "the numbers its networks compute with are integers before rounding"
    return judged(all(found), f"{sum(found)}/{len(found)}", reason)


@check
def proximal_is_majority(claim: Claim, results: Results) -> Evidence:
    constant = [data for data in DATA if all(results.paper(data, "proximal", "constant"))]
    shown = f"constant in all trials on {len(constant)} of {len(DATA)}"
    flat = [data for data in DATA if printed("spread", data, "proximal") == 0]
    below = [data for data in flat if printed("accuracy", data, "proximal") < 0.5]
    if below:
        named = ", ".join(f"{label(data)} {printed('accuracy', data, 'proximal'):.3f}" for data in below)
        reason = f"of two classes the majority has at least half, and the paper's Table 4 has {named}: the minority"
        return proved(False, shown, reason)
    return judged(len(constant) == claim.number, shown, "networks that predict one class")


@check
def proximal_f1(claim: Claim, results: Results) -> Evidence:
    values = results.paper(claim.row, "proximal", "f1")
    constant = sum(results.paper(claim.row, "proximal", "constant"))
    holds, reason = agrees(claim.number, spread(values), values)
    return judged(holds and constant < len(values), mean_text(values), f"{constant} constant; {reason}")


@check
def collapse_has_no_f1(claim: Claim, results: Results) -> Evidence:
    collapsed = [data for data in DATA if all(results.paper(data, "proximal", "constant"))]
    values = {data: results.paper(data, "proximal", "f1") for data in collapsed}
    shown = ", ".join(f"{label(data)} {mean_text(found)}" for data, found in values.items())
    holds = bool(values) and all(max(found) < 0.05 for found in values.values())
    return judged(holds, shown or "no data set", "F₁ where all trials are constant; a constant 1 would have more")


@check
def collapse_is_structural(claim: Claim, results: Results) -> Evidence:
    constant = {
        name: results.ablation("penalties", name, "constant") for name in ("as printed", "no ℓ₁ penalty", "no penalty")
    }
    longer = "tolerance 0, rounding"
    constant[longer] = results.ablation("tolerance", longer, "constant", strategy="proximal")
    shown = ", ".join(f"{name} {share:.0%}" for name, share in constant.items())
    due_to_penalty = constant["no ℓ₁ penalty"] < constant["as printed"] / 2
    persists = constant[longer] > constant["as printed"] / 2
    reason = "constant networks; asked for: fewer than half without ℓ₁, more than half without tolerance and schedule"
    return judged(due_to_penalty and persists, shown, reason)


@check
def collapse_follows_density(claim: Claim, results: Results) -> Evidence:
    from scipy.stats import spearmanr

    density = {data: float((paper_table(data, 0)[0].rows != 0).mean()) for data in DATA}
    constant = {data: fmean(results.paper(data, "proximal", "constant")) for data in DATA}
    if len(set(constant.values())) == 1:
        share = next(iter(constant.values()))
        return judged(False, f"{share:.0%} constant everywhere", "the collapse is the same at every density")
    rank = float(spearmanr([density[data] for data in DATA], [constant[data] for data in DATA])[0])
    shown = ", ".join(f"{label(data)} {density[data]:.2f}: {constant[data]:.0%}" for data in DATA)
    reason = f"share of non-zero inputs: constant networks; rank correlation {rank:+.2f}, asked for: at least 0.5"
    return judged(rank >= 0.5, shown, reason)


@check
def residual_links_help(claim: Claim, results: Results) -> Evidence:
    rates = {
        (name, tolerance): results.ablation("links", f"{name}, tolerance {tolerance}", "crystallized", "heart")
        for name in ("residual link", "plain layer")
        for tolerance in ("0.05", "0.10", "0.15")
    }
    gains = [rates["residual link", t] - rates["plain layer", t] for t in ("0.05", "0.10", "0.15")]
    shown = ", ".join(f"{name} {tolerance}: {rate:.0%}" for (name, tolerance), rate in rates.items())
    reason = "Δ < 0.001 before rounding, at equal tolerance; asked for: a gain of half of the printed 90 points"
    return judged(min(gains) >= 0.45, shown, reason)


@check
def blocks_help(claim: Claim, results: Results) -> Evidence:
    rates = [results.ablation("blocks", f"{n} residual blocks", "crystallized") for n in range(5)]
    shown = ", ".join(f"{n}: {rate:.0%}" for n, rate in enumerate(rates))
    reason = "crystallized by number of blocks at the same tolerance; asked for: 10 points more with one block"
    return judged(rates[1] - rates[0] >= 0.10, shown, reason)
