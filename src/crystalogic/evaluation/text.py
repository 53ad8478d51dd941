"""An evaluation as a page of text, to be read and pasted into a report."""

from collections.abc import Iterable, Sequence

from crystalogic.counts import count
from crystalogic.evaluation.evaluation import Evaluation
from crystalogic.evaluation.figures import MOST_SHOWN, Comparison, Figures, Groups
from crystalogic.evaluation.scores import GROUPS
from crystalogic.intervals import Estimate, Share, total
from crystalogic.logic.names import one_line

MOST_LINES = 20  # of a table by points
MOST_CLASSES = 12  # of a confusion table
BENEFITS = (1, 2, 5, 10, 20, 30, 50, 70, 90)  # percent
NONE = "–"


def evaluation_text(found: Evaluation) -> str:
    """What was judged and the main figures, then a table for each question that the model can be asked."""
    parts = [_main(found), _confusion(found)]
    parts += [_calibration(found)] if found.benefits else []
    parts += [_thresholds(found), _lift(found)] if found.thresholds else []
    parts += [_benefit(found)] if found.benefits else []
    parts += [_groups(found, found.by)] if found.by else []
    parts += [_comparison(found, found.against)] if found.against else []
    return "\n\n".join(parts)


def share_text(share: Share, level: float) -> str:
    """A share in percent with its interval; whole percent, unless the interval is narrow.

    >>> share_text(Share(77, 100), 0.9), share_text(Share(41, 10_000), 0.9), share_text(Share(0, 0), 0.9)
    ('77 % (69–84)', '0.4 % (0.3–0.5)', '–')
    """
    if share.value is None:
        return NONE
    ends = share.interval(level)
    middle, low, high = (f"{100 * each:.{int(ends[1] - ends[0] < 0.02)}f}" for each in (share.value, *ends))
    return f"{middle} % ({low}–{high})"


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


def table_text(title: str, rows: Iterable[Sequence[str]], note: str = "", n_left: int = 1) -> str:
    """Cells in columns, so many of them to the left and the others to the right."""
    known = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*known, strict=True)]
    lines = []
    for row in known:
        pairs = list(zip(row, widths, strict=True))
        left, right = ([str.ljust(*pair) for pair in pairs[:n_left]], [str.rjust(*pair) for pair in pairs[n_left:]])
        lines.append(f"  {'  '.join(left + right)}".rstrip())
    return "\n".join(filter(None, [title, *lines, note]))


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


def _groups(found: Evaluation, by: Groups) -> str:
    groups = [("missing" if value is None else value, figures) for value, figures in by.groups]
    if by.others is not None:
        largest = sorted(groups, key=lambda each: -each[1].accuracy.n)[: MOST_SHOWN - 1]
        more = count(len(groups) - len(largest), "other")
        groups = [*(each for each in groups if each in largest), (more, by.others)]
    heads = [name for name, _ in _summary(found, found.figures)]
    rows = [[one_line(by.column), "rows", *heads]]
    for value, figures in groups:
        rows.append([value, f"{figures.accuracy.n:,}", *(cell for _, cell in _summary(found, figures))])
    note = f"{one_line(by.column)} is cut into quarters of the rows." if by.are_quarters else ""
    return table_text(f"By {one_line(by.column)}", rows, note)


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
