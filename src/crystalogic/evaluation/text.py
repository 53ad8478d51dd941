"""An evaluation as a page of text, to be pasted into a report; evaluation.txt holds its sentences and tables."""

from functools import partial

from crystalogic.counts import count
from crystalogic.evaluation.evaluation import Evaluation
from crystalogic.evaluation.groups import MOST_SHOWN, Groups
from crystalogic.evaluation.judging import Figures
from crystalogic.evaluation.scores import GROUPS
from crystalogic.intervals import RATES, Estimate, Rates, Share, total
from crystalogic.logic.names import one_line
from crystalogic.words.tables import NONE, few_note, fill_template, rates_rows, share_text

MOST_LINES = 20  # of a table by points
MOST_CLASSES = 12  # of a confusion table


def evaluation_text(found: Evaluation) -> str:
    """What was judged and the main figures, then a table for each question that the model can be asked."""
    figures, level, step = found.figures, found.level, -(-len(found.thresholds) // MOST_LINES)
    sizes = [each.observed.n for each in found.lifts]
    return fill_template(
        "evaluation",
        "evaluation.txt",
        **{"found": found, "figures": figures, "other": found.against, "rate_names": RATES, "step": step},
        outcome=f"{one_line(found.target)} is {one_line(figures.classes[1].name)}",
        commonest=max(figures.classes, key=lambda each: each.observed.yes).name,
        are_shown=len(figures.classes) <= MOST_CLASSES,
        calibration=_calibration(found) if found.benefits else [],
        thresholds=[each for place, each in enumerate(found.thresholds) if each.is_own or not place % step],
        are_tenths=len(sizes) == GROUPS and max(sizes) - min(sizes) < 2,
        all_groups=[(by, _largest(by)) for by in (found.by, *found.also_by) if by],
        share=partial(share_text, level=level),
        estimate=partial(estimate_text, level=level),
        rates_rows=partial(rates_rows, level=level),
        summary=partial(_summary, found),
        **{"percent": _percent, "range_text": _range, "few_note": few_note, "rated": _rated},
    )


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


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _calibration(found: Evaluation) -> list[tuple[str, float | None, Share]]:
    """Points, told risk and observed class; neighbouring scores together, where there are many, and then all."""
    rows: list[tuple[str, float | None, Share]] = []
    step = -(-len(found.lines) // MOST_LINES)
    for start in range(0, len(found.lines), step):
        lines = found.lines[start : start + step]
        observed = total(line.observed for line in lines)
        told = sum((line.told or 0) * line.observed.n for line in lines) / observed.n
        rows.append((_range(lines[0].score, lines[-1].score), told, observed))
    return [*rows, ("all", found.figures.told, total(line.observed for line in found.lines))]


def _largest(by: Groups) -> list[tuple[str, Figures]]:
    """The groups; where they are many, the largest, and the others together."""
    groups = [("missing" if value is None else value, figures) for value, figures in by.groups]
    if by.others is None:
        return groups
    largest = sorted(groups, key=lambda each: -each[1].accuracy.n)[: MOST_SHOWN - 1]
    n_others = count(len(groups) - len(largest), "other")
    return [*(each for each in groups if each in largest), (n_others, by.others)]


def _rated(groups: list[tuple[str, Figures]]) -> list[tuple[str | None, Rates]]:
    return [(value, figures.rates) for value, figures in groups if figures.rates]


def _summary(found: Evaluation, figures: Figures) -> dict[str, str]:
    """The figures of a group, or of one of two models."""
    level, classes = found.level, figures.classes
    told = {"accuracy": share_text(figures.accuracy, level)}
    if len(classes) > 2:
        return {**told, "balanced": _percent(figures.balanced_accuracy)}
    told["sensitivity"] = share_text(classes[1].sensitivity, level)
    told["specificity"] = share_text(classes[0].sensitivity, level)
    told |= {"AUC": estimate_text(figures.auc, level, 2)} if found.thresholds else {}
    told |= {"told": _percent(figures.told)} if found.benefits else {}
    return {**told, "observed": share_text(classes[1].observed, level)}
