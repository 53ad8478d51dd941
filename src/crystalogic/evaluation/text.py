"""An evaluation as a page of text, to be read and pasted into a report."""

from collections.abc import Iterator

from crystalogic.counts import count
from crystalogic.evaluation.evaluation import Evaluation
from crystalogic.evaluation.figures import Comparison, Figures
from crystalogic.evaluation.groups import MOST_SHOWN, Groups
from crystalogic.evaluation.scores import GROUPS
from crystalogic.intervals import RATES, Estimate, Share, total
from crystalogic.logic.names import one_line
from crystalogic.words.tables import NONE, few_note, rates_rows, share_text, table_text

__all__ = ["estimate_text", "evaluation_text", "share_text", "table_text"]

MOST_LINES = 20  # of a table by points
MOST_CLASSES = 12  # of a confusion table
BENEFITS = (1, 2, 5, 10, 20, 30, 50, 70, 90)  # percent


def evaluation_text(found: Evaluation) -> str:
    """What was judged and the main figures, then a table for each question that the model can be asked."""
    parts = [_main(found), _confusion(found)]
    parts += [_calibration(found)] if found.benefits else []
    parts += [_thresholds(found), _lift(found)] if found.thresholds else []
    parts += [_benefit(found)] if found.benefits else []
    parts += [text for by in filter(None, (found.by, *found.also_by)) for text in _groups(found, by)]
    parts += [_comparison(found, found.against)] if found.against else []
    return "\n\n".join(parts)


def estimate_text(estimate: Estimate | None, level: float, digits: int = 3) -> str:
    """A figure with its interval.

    >>> estimate_text(Estimate(0.8951, 0.02, 0), 0.9, 2), estimate_text(Estimate(-0.1, 0.2), 0.9)
    ('0.90 (0.86–0.93)', '-0.100 (-0.429 to 0.229)')
    """
    if estimate is None:
        return NONE
    value, *ends = (f"{each:.{digits}f}" for each in (estimate.value, *(estimate.interval(level) or ())))
    return f"{value} ({('–' if estimate.least >= 0 else ' to ').join(ends)})" if ends else value


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.{int(0 < share < 0.01)}f} %"


def _main(found: Evaluation) -> str:
    figures, level = found.figures, found.level
    target, commonest = one_line(found.target), max(figures.classes, key=lambda each: each.observed.yes)
    heading = [f"{target} in {count(figures.accuracy.n, 'row')}, judged by the model {found.fingerprint[:12]}…"]
    left_out = {f"{target} is missing": found.n_unlabelled, "the rule needs a value that is missing": found.n_skipped}
    heading += [f"{count(n, 'more row is', 'more rows are')} left out: {why}." for why, n in left_out.items() if n]
    heading += [f"Brackets hold {100 * level:g} % intervals.\n"]
    rows = [
        ["accuracy", share_text(figures.accuracy, level), f"{figures.accuracy.yes:,} of {figures.accuracy.n:,} rows"],
        [f"always {commonest.name}", share_text(figures.commonest, level), "the commonest class"],
        ["balanced accuracy", _percent(figures.balanced_accuracy), "the mean sensitivity of the classes"],
    ]
    if found.thresholds:
        rows += [["AUC", estimate_text(figures.auc, level, 2), "by DeLong; ties count half"]]
    if figures.losses is not None:
        brier, log_loss = figures.losses.brier, figures.losses.log_loss
        plain = "{:.3f} for telling every row how common classes are"
        rows += [["Brier score", estimate_text(brier, level), plain.format(figures.losses.plain_brier)]]
        rows += [["log loss", estimate_text(log_loss, level), plain.format(figures.losses.plain_log_loss)]]
    if found.calibration_error is not None:
        rows += [["calibration error", f"{found.calibration_error:.3f}", "expected (ECE), by points"]]
    return table_text("\n".join(heading), rows, n_left=3)


def _outcome(found: Evaluation) -> str:
    return f"{one_line(found.target)} is {one_line(found.figures.classes[1].name)}"


def _confusion(found: Evaluation) -> str:
    classes, level = found.figures.classes, found.level
    are_shown = len(classes) <= MOST_CLASSES
    head = [f"judged {each.name}" for each in classes] if are_shown else []
    rows = [["", "rows", *head, "sensitivity", "precision"]]
    for each, counts in zip(classes, found.figures.confusion, strict=True):
        rates = (share_text(share, level) for share in (each.sensitivity, each.precision))
        rows.append([f"is {each.name}", f"{each.observed.yes:,}", *(f"{n:,}" for n in counts if are_shown), *rates])
    no, yes = (one_line(each.name) for each in classes[:2])
    note = f"The sensitivity of {no} is the specificity of {yes}, the precision of {yes} its positive predictive value."
    return table_text(
        f"What {one_line(found.target)} is, and what it is judged to be", rows, note * (len(classes) == 2)
    )


def _calibration(found: Evaluation) -> str:
    step = -(-len(found.lines) // MOST_LINES)
    rows = [["points", "rows", "told", "observed"]]
    for start in range(0, len(found.lines), step):
        lines = found.lines[start : start + step]
        observed = total(line.observed for line in lines)
        told = sum((line.told or 0) * line.observed.n for line in lines) / observed.n
        rows.append(_line(_range(lines[0].score, lines[-1].score), told, observed, found.level))
    rows.append(_line("all", found.figures.told, total(line.observed for line in found.lines), found.level))
    return table_text(f"How often {_outcome(found)}: the told risk beside what was observed", rows)


def _line(points: str, told: float | None, observed: Share, level: float) -> list[str]:
    return [points, f"{observed.n:,}", _percent(told), share_text(observed, level)]


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _thresholds(found: Evaluation) -> str:
    step = -(-len(found.thresholds) // MOST_LINES)
    rows = [["from", "rows", "sensitivity", "specificity", "precision"]]
    for place, each in enumerate(found.thresholds):
        if each.is_own or not place % step:
            rates = (share_text(share, found.level) for share in (each.sensitivity, each.specificity, each.precision))
            points = f"{each.score if each.judged.yes else 'none'}{' ▶' * each.is_own}"
            rows.append([points, f"{each.judged.yes:,}", *rates])
    note = "Thresholds between these are left out; --json has all." if step > 1 else ""
    return table_text(f"If {_outcome(found)} from so many points on; ▶ is the model's own threshold", rows, note)


def _lift(found: Evaluation) -> str:
    rows = [["points", "rows", "observed", "lift", "found so far"]]
    for each in found.lifts:
        lift = NONE if each.lift is None else f"{each.lift:.2f}"
        observed, so_far = share_text(each.observed, found.level), _percent(each.found.value)
        rows.append([_range(each.low, each.high), f"{each.observed.n:,}", observed, lift, so_far])
    sizes = [each.observed.n for each in found.lifts]
    are_tenths = len(sizes) == GROUPS and max(sizes) - min(sizes) < 2
    note = "" if are_tenths else "Rows with the same points stay together, so the groups are no equal tenths."
    return table_text("Lift, from the most points down", rows, note)


def _benefit(found: Evaluation) -> str:
    rows = [["told risk from", "rows", "by the model", "all", "none"]]
    for each in found.benefits:
        if each.percent in BENEFITS:
            worth = (f"{100 * benefit:.1f}" for benefit in (each.of_model, each.of_all, 0.0))
            rows.append([f"{each.percent} %", f"{each.judged.n:,}", *worth])
    return table_text(
        f"Net benefit per 100 rows of acting as if {_outcome(found)}: by the model, for all, for none", rows
    )


def _groups(found: Evaluation, by: Groups) -> Iterator[str]:
    """The figures of the groups and, of two classes, what judging rows so does to them and how far apart they are."""
    groups, column = [("missing" if value is None else value, figures) for value, figures in by.groups], by.column
    if by.others is not None:
        largest = sorted(groups, key=lambda each: -each[1].accuracy.n)[: MOST_SHOWN - 1]
        n_others = count(len(groups) - len(largest), "other")
        groups = [*(each for each in groups if each in largest), (n_others, by.others)]
    rows = [[column, "rows", *(name for name, _ in _summary(found, found.figures))]]
    for value, figures in groups:
        rows.append([value, f"{figures.accuracy.n:,}", *(cell for _, cell in _summary(found, figures))])
    note = f"{one_line(column)} is cut into quarters of the rows." * by.are_quarters
    rated = [(value, figures.rates) for value, figures in groups if figures.rates]
    more = "" if rated else "Rates of groups and their gaps are told of two classes; here are more."
    yield table_text(f"By {one_line(column)}", rows, "\n".join(filter(None, [note, more])))
    if rated:
        title = f"Judged that {_outcome(found)}, by {one_line(column)}"
        yield table_text(title, rates_rows(column, rated, found.level), few_note(rated))
        yield _gaps(by)


def _gaps(by: Groups) -> str:
    rows = [["rate", "most", "least", "gap in points"]]
    for gap in by.gaps:
        ends = f"{100 * gap.difference:.0f} ({100 * gap.low:.0f} to {100 * gap.high:.0f})"
        rows.append([gap.rate.replace("_", " "), gap.most or "missing", gap.least or "missing", ends])
    few = [name.replace("_", " ") for name in RATES if name not in {gap.rate for gap in by.gaps}]
    note = f"No two groups have enough rows to compare: {', '.join(few)}." if few else ""
    title = f"The largest gaps between groups by {one_line(by.column)}; the intervals of all pairs hold at once"
    return table_text(title, rows, note) if by.gaps else note


def _summary(found: Evaluation, figures: Figures) -> list[tuple[str, str]]:
    """The figures of a group, or of one of two models."""
    level, classes = found.level, figures.classes
    told = [("accuracy", share_text(figures.accuracy, level))]
    if len(classes) > 2:
        return [*told, ("balanced", _percent(figures.balanced_accuracy))]
    told += [("sensitivity", share_text(classes[1].sensitivity, level))]
    told += [("specificity", share_text(classes[0].sensitivity, level))]
    told += [("AUC", estimate_text(figures.auc, level, 2))] if found.thresholds else []
    told += [("told", _percent(figures.told))] if found.benefits else []
    return [*told, ("observed", share_text(classes[1].observed, level))]


def _comparison(found: Evaluation, other: Comparison) -> str:
    pairs = zip(_summary(found, found.figures), _summary(found, other.figures), strict=True)
    rows = [["", "this model", "the other"], *([name, one, two] for (name, one), (_, two) in pairs)]
    if found.figures.losses and other.figures.losses:
        for name, one, two in (
            ("Brier score", found.figures.losses.brier, other.figures.losses.brier),
            ("log loss", found.figures.losses.log_loss, other.figures.losses.log_loss),
        ):
            rows.append([name, estimate_text(one, found.level), estimate_text(two, found.level)])
    note = (
        f"They differ in {count(other.n_different, 'row')}, where this model is right in {other.first_right:,} and the "
        f"other in {other.other_right:,} (exact sign test: p = {other.p_value:.2g})."
    )
    note = note if other.n_different else "They judge every row alike."
    if other.auc_difference is not None:
        note += f"\nAUC of this model less that of the other: {estimate_text(other.auc_difference, found.level)}."
    return table_text(f"Beside the model {other.fingerprint[:12]}…", rows, note)
