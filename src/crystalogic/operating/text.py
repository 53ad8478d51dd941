"""A new operating point in words: what it changes for the rows that were counted."""

from crystalogic.evaluation.text import share_text, table_text
from crystalogic.intervals import LEVEL
from crystalogic.logic.names import one_line
from crystalogic.logic.score import score_of
from crystalogic.operating.aim import decimal_text
from crystalogic.operating.point import Operated


def operated_text(found: Operated) -> str:
    """The thresholds before and after, side by side; without rows, the thresholds alone."""
    label, points = one_line((found.model.classes or "01")[1]), (found.before, found.after)
    score = score_of(found.model.formulas[0])
    rows = [
        ["", "before", "after"],
        [f"{label} from", *(score.text(each.score) for each in points)],
    ]
    if found.n_rows:
        rows += [
            ["sensitivity", *(share_text(each.sensitivity, LEVEL) for each in points)],
            ["specificity", *(share_text(each.specificity, LEVEL) for each in points)],
            ["missed", *(_part(each.missed, each.sensitivity.n) for each in points)],
            ["false alarms", *(_part(each.false_alarms, each.specificity.n) for each in points)],
        ]
        if found.aim.cost is not None:
            cost = found.aim.cost
            rows.append([f"cost ({cost})", *(decimal_text(cost.of(each)) for each in points)])
    notes = [f"Counted on {found.n_rows:,} rows {one_line(found.source)}; brackets hold {100 * LEVEL:g} % intervals."]
    if found.asked is not None:
        notes.append(f"A person is asked for {share_text(found.asked, LEVEL)} of them.")
    return table_text("", rows, "\n".join(notes) if found.n_rows else "").lstrip("\n")


def _part(n: int, of: int) -> str:
    return f"{n:,} of {of:,}"
