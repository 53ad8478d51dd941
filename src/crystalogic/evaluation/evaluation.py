"""A model judged on rows whose classes are known: one value with all figures."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from crystalogic.errors import RiskError, refuse
from crystalogic.evaluation import scores
from crystalogic.evaluation.groups import Groups, group_levels, group_rows
from crystalogic.evaluation.judging import Comparison, Figures, compare, figures_of, judge_rows
from crystalogic.intervals import LEVEL, Estimate, Share
from crystalogic.model import Model, Unknown


@dataclass(frozen=True)
class Evaluation:
    """How good a model is on rows whose classes are known. `print` shows it as a page of text.

    Attributes:
        target: the column that is judged.
        fingerprint: that of the model.
        level: how often intervals hold what they are for.
        n_rows: all rows of the table.
        n_unlabelled: those without a class, which are left out.
        n_skipped: those with a class that are not judged, because a value is missing (`unknown="skip"`).
        figures: accuracy, confusion, each class, area under the curve, mean told risk, losses.
        lines: of two classes and a rule of facts, told risk and observed class for each score, the calibration.
        thresholds: of the same, sensitivity, specificity and precision from each score on; one is the model's own.
        lifts: of the same, tenths of the rows from the greatest scores down.
        calibration_error: of two classes with a risk, the mean distance of told and observed; None otherwise.
        benefits: of the same, the decision curve: the net benefit for thresholds from 1 to 99 percent.
        by: the figures of groups of rows, where a column was named: by the first one.
        also_by: the same by other columns that were named, and then by each pair of columns.
        against: another model on the same rows, where one was given.
    """

    target: str
    fingerprint: str
    level: float
    n_rows: int
    n_unlabelled: int
    n_skipped: int
    figures: Figures
    lines: tuple[scores.ScoreLine, ...] = ()
    thresholds: tuple[scores.Threshold, ...] = ()
    lifts: tuple[scores.Lift, ...] = ()
    calibration_error: float | None = None
    benefits: tuple[scores.NetBenefit, ...] = ()
    by: Groups | None = None
    also_by: tuple[Groups, ...] = ()
    against: Comparison | None = None

    def __str__(self) -> str:
        from crystalogic.evaluation.text import evaluation_text

        return evaluation_text(self)

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
    found = judge_rows([model] if against is None else [model, against], rows, labels, names, unknown)
    one = found.judged[0]
    facts: dict[str, Any] = {}
    if one.scores is not None:
        lines = scores.count_scores(one.labels == 1, one.scores, one.shares)
        facts = {"lines": lines, "lifts": scores.find_lifts(lines)}
        facts["thresholds"] = scores.find_thresholds(lines, one.threshold)
        if one.shares is not None:
            facts["calibration_error"] = scores.measure_calibration_error(lines)
            facts["benefits"] = tuple(scores.find_benefit(lines, percent) for percent in range(1, 100))
    if names:
        known = model.encoding.by_name
        may_cut = {name: name not in known or known[name].kind in ("number", "left out") for name in names}
        columns = [group_levels(name, found.levels[name], are_numbers=may_cut[name]) for name in names]
        facts["by"], *facts["also_by"] = group_rows(one, columns, level)
        facts["also_by"] = tuple(facts["also_by"])
    if against is not None:
        facts["against"] = compare(one, found.judged[1], against.fingerprint)
    counted = found.n_rows, found.n_unlabelled, found.n_skipped
    return Evaluation(model.target, model.fingerprint, level, *counted, figures_of(one), **facts)


def plain_content(value: Any, level: float) -> Any:
    if isinstance(value, (Share, Estimate)):
        is_none = isinstance(value, Share) and not value.n
        low, high = (None if is_none else value.interval(level)) or (None, None)
        known = {"yes": value.yes, "n": value.n} if isinstance(value, Share) else {"error": value.error}
        return {"value": value.value, **known, "low": low, "high": high}
    if is_dataclass(value):
        return {each.name: plain_content(getattr(value, each.name), level) for each in fields(value)}
    return [plain_content(each, level) for each in value] if isinstance(value, tuple) else value
