"""A model judged on rows whose classes are known: one value with all figures, and as a page of text, evaluation.txt."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

from crystalogic.counts import count
from crystalogic.errors import RiskError, refuse
from crystalogic.evaluation import judging, scores
from crystalogic.intervals import LEVEL, RATES, Estimate, Share, total
from crystalogic.logic.names import one_line
from crystalogic.model import Model, Unknown
from crystalogic.words.tables import NONE, fill_template, rates_rows, share_text


@dataclass(frozen=True)
class Evaluation:
    """How good a model is on rows whose classes are known. `print` shows it as a page of text."""

    target: str  # the column that is judged
    fingerprint: str  # that of the model
    level: float  # how often intervals hold what they are for
    n_rows: int  # all rows of the table
    n_unlabelled: int  # those without a class, which are left out
    n_skipped: int  # those with a class that are not judged, because a value is missing (`unknown="skip"`)
    figures: judging.Figures  # accuracy, confusion, each class, area under the curve, mean told risk, losses
    lines: tuple[scores.ScoreLine, ...] = ()  # of two classes and a rule of facts, told and observed for each score
    thresholds: tuple[scores.Threshold, ...] = ()  # of the same, what deciding from each score on means
    lifts: tuple[scores.Lift, ...] = ()  # of the same, tenths of the rows from the greatest scores down
    calibration_error: float | None = None  # of two classes with a risk, the mean distance of told and observed
    benefits: tuple[scores.NetBenefit, ...] = ()  # of the same, the decision curve, from 1 to 99 percent
    asked: Share | None = None  # the rows of which a person is asked, where the model asks
    wrong_unasked: tuple[Share, ...] = ()  # and of each class those that are told another one without asking
    by: judging.Groups | None = None  # the figures of groups of rows, where a column was named: by the first one
    also_by: tuple[judging.Groups, ...] = ()  # by other columns that were named, and then by each pair of columns
    against: judging.Comparison | None = None  # another model on the same rows, where one was given

    def __str__(self) -> str:
        """What was judged and the main figures, then a table for each question that the model can be asked."""
        figures, level, step = self.figures, self.level, -(-len(self.thresholds) // MOST_LINES)
        sizes = [each.observed.n for each in self.lifts]
        return fill_template(
            "evaluation",
            "evaluation.txt",
            **{"found": self, "figures": figures, "other": self.against, "rate_names": RATES, "step": step},
            outcome=f"{one_line(self.target)} is {one_line(figures.classes[1].name)}",
            commonest=max(figures.classes, key=lambda each: each.observed.yes).name,
            are_shown=len(figures.classes) <= MOST_CLASSES,
            calibration=_calibration(self) if self.benefits else [],
            thresholds=[each for place, each in enumerate(self.thresholds) if each.is_own or not place % step],
            are_tenths=len(sizes) == scores.GROUPS and max(sizes) - min(sizes) < 2,
            all_groups=[(by, _largest(by)) for by in (self.by, *self.also_by) if by],
            share=partial(share_text, level=level),
            estimate=partial(estimate_text, level=level),
            rates_rows=partial(rates_rows, level=level),
            summary=partial(_summary, self),
            rated=lambda groups: [(value, figures.rates) for value, figures in groups if figures.rates],
            **{"percent": _percent, "range_text": scores.range_text},
        )

    def content(self) -> dict[str, Any]:
        """All of it as plain JSON data; shares and estimates have the ends of their intervals, `low` and `high`."""
        return {each.name: plain_content(getattr(self, each.name), self.level) for each in fields(self)}


def evaluate(
    model: Model,
    rows: Any,
    labels: Any = None,
    *,
    by: str | Sequence[str] | None = None,
    against: Model | None = None,
    level: float = LEVEL,
    unknown: Unknown = "refuse",
) -> Evaluation:
    """How good a model is on rows whose classes are known, best rows that it has not seen.

    Parameters:
        model: the model to judge.
        rows: a frame or a mapping from columns to their values; or several of them, the parts of one table.
        labels: the class of each row; None if the rows have it, in the column of the target. Rows without a class are
            left out and counted.
        by: a column of the rows, or several, of which each value is judged by itself, and each pair of values of two
            columns; numbers with many values are cut in quarters.
        against: another model of the same classes, judged on the same rows.
        level: how often intervals hold what they are for.
        unknown: what to do with a value that is missing and was in no training row: "refuse" it, "skip" the row, or
            take every fact about it to be "false".
    """
    if not 0 < level < 1:
        refuse(RiskError, f"the level of intervals lies between 0 and 1, got {level:g}. Write 0.9 for 90 %.")
    names = list(dict.fromkeys([by] if isinstance(by, str) else by or ()))
    found = judging.judge_rows([model] if against is None else [model, against], rows, labels, names, unknown)
    order = model.order[::-1] if model.is_ordered else range(len(model.classes or ()))  # grades from the least on
    (one, *others), facts = [each.sort_classes(order) for each in found.judged], dict[str, Any]()
    if one.scores is not None:
        lines = scores.count_scores(one.labels == 1, one.scores, one.shares)
        facts = {"lines": lines, "lifts": scores.find_lifts(lines)}
        facts["thresholds"] = scores.find_thresholds(lines, one.threshold)
        if one.shares is not None:
            facts["calibration_error"] = scores.measure_calibration_error(lines)
            facts["benefits"] = tuple(scores.find_benefit(lines, percent) for percent in range(1, 100))
    told = one.likely if one.scores is None else one.scores
    if model.band is not None and told is not None:
        asks = model.band.asks(told.max(axis=1) if told.ndim > 1 else told)
        facts["asked"], facts["wrong_unasked"] = judging.count_asked(one, asks)
    if names:
        known = model.encoding.by_name
        may_cut = {name: name not in known or known[name].kind in ("number", "left out") for name in names}
        columns = [judging.group_levels(name, found.levels[name], are_numbers=may_cut[name]) for name in names]
        facts["by"], *more = judging.group_rows(one, columns, level)
        facts["also_by"] = tuple(more)
    if against is not None:
        facts["against"] = judging.compare(one, others[0], against.fingerprint)
    counted = found.n_rows, found.n_unlabelled, found.n_skipped
    return Evaluation(model.target, model.fingerprint, level, *counted, judging.figures_of(one), **facts)


def plain_content(value: Any, level: float) -> Any:
    if isinstance(value, (Share, Estimate)):
        low, high = (None if isinstance(value, Share) and not value.n else value.interval(level)) or (None, None)
        known = {"yes": value.yes, "n": value.n} if isinstance(value, Share) else {"error": value.error}
        return {"value": value.value, **known, "low": low, "high": high}
    if is_dataclass(value):
        return {each.name: plain_content(getattr(value, each.name), level) for each in fields(value)}
    return [plain_content(each, level) for each in value] if isinstance(value, tuple) else value


MOST_LINES = 20  # of a table by points
MOST_CLASSES = 12  # of a confusion table


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


def _calibration(found: Evaluation) -> list[tuple[str, float | None, Share]]:
    """Points, told risk and observed class; neighbouring scores together, where there are many, and then all."""
    step = -(-len(found.lines) // MOST_LINES)
    rows = [scores.join_lines(found.lines[start : start + step]) for start in range(0, len(found.lines), step)]
    return [*rows, ("all", found.figures.told, total(line.observed for line in found.lines))]


def _largest(by: judging.Groups) -> list[tuple[str, judging.Figures]]:
    """The groups; where they are many, the largest, and the others together."""
    groups = [("missing" if value is None else value, figures) for value, figures in by.groups]
    if by.others is None:
        return groups
    largest = sorted(groups, key=lambda each: -each[1].accuracy.n)[: judging.MOST_SHOWN - 1]
    return [*(each for each in groups if each in largest), (count(len(groups) - len(largest), "other"), by.others)]


def _summary(found: Evaluation, figures: judging.Figures) -> dict[str, str]:
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
