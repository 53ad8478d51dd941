"""A model as text: the front with the chosen row marked, the rule as a checklist, what is proved."""

from crystalogic.model import THRESHOLD, Explanation, FrontRow, Model
from crystalogic.verify.trace import decimal
from crystalogic.wording import checklist

MOST_LINES = 8  # of the front that are shown; all of it is in the model file
MOST_WIDTH = 60  # characters of a formula in the table; the chosen one is printed in full below it


def front_text(front: tuple[FrontRow, ...], chosen: int) -> str:
    """The front as an aligned table."""
    lines = ["   literals  training  cross-validated  formula"]
    shown = max(MOST_LINES, chosen + 3)
    for index, row in enumerate(front[:shown]):
        judged = "–" if row.validated is None else f"{row.validated:.3f} ± {row.standard_error or 0:.3f}"
        formula = " ".join(row.formula.split())
        formula = formula if len(formula) <= MOST_WIDTH else formula[: MOST_WIDTH - 1] + "…"
        lines.append(f"{'▶' if index == chosen else ' '} {row.size:>9}  {row.training:>8.3f}  {judged:>15}  {formula}")
    if len(front) > shown:
        lines.append(f"            … {len(front) - shown} longer formulas, up to {front[-1].size} literals")
    return "\n".join(lines)


def rule_text(model: Model) -> str:
    """The rules as checklists: when a row gets which class."""
    if model.classes is None:
        return f"degree of {model.target} = {model.formulas[0]}"
    lines = []
    if len(model.formulas) == 1:
        lines.append(f"{model.target} is {model.classes[1]} if {checklist(model.formulas[0], model.encoding.literals)}")
        lines.append(f"otherwise {model.target} is {model.classes[0]}")
        return "\n".join(lines)
    for label, formula in zip(model.classes, model.formulas, strict=True):
        lines.append(f"for {model.target} = {label}: {checklist(formula, model.encoding.literals)}")
    lines.append(f"{model.target} is the class with the largest degree")
    return "\n".join(lines)


def columns_text(model: Model) -> str:
    """How each column was read, so that a wrong guess is seen."""
    lines = []
    for column in model.encoding.columns:
        if column.kind == "left out":
            lines.append(f"  {column.name}: {column.note}")
            continue
        detail = ", ".join(column.known[:8]) + (", …" if len(column.known) > 8 else "")
        missing = ", with missing values" if column.has_missing else ""
        lines.append(f"  {column.name}: {column.kind}{f' ({detail})' if detail else ''}{missing}")
    return "\n".join(["Columns (overrule with --kind COLUMN=KIND):", *lines])


def explanation_text(found: Explanation) -> str:
    """Why one row gets its class: the facts, each step, the decision and its distance from the threshold."""
    model = found.model
    lines = [f"  {name} = {found.row[name]}" for name in model.columns]
    parts = ["The row:\n" + "\n".join(lines)] if lines else []
    for index, each in enumerate(found.traces):
        of = f" for {model.target} = {model.classes[index]}" if model.classes and len(found.traces) > 1 else ""
        parts.append(f"Step by step{of}:\n" + "\n".join(f"  {line}" for line in str(each).splitlines()))
    if model.classes is None:
        parts.append(f"{model.target}: {decimal(found.degrees[0])}")
    elif len(found.traces) == 1:
        side = "at least" if found.degrees[0] >= THRESHOLD else "below"
        parts.append(
            f"{model.target} is {found.decision}: the degree {decimal(found.degrees[0])} is {side} 0.50 "
            f"(distance {decimal(found.margin)})"
        )
    else:
        parts.append(f"{model.target} is {found.decision}: the largest degree (ahead by {decimal(found.margin)})")
    return "\n\n".join(parts)


def held_out_text(model: Model) -> str:
    """How good it was on rows it had not seen, where that was measured."""
    measured = model.notes.get("held_out")
    if not measured:
        return ""
    return (
        f"On rows it has not seen: {measured['mean']:.1%} ± {measured['spread']:.1%} "
        f"({measured['splits']} splits, a fifth held out, the whole fit repeated)"
    )


def ending_text(model: Model) -> str:
    """Why the search ended, where it did not end by itself."""
    stop = str(model.notes.get("stop", ""))
    return stop if "best so far" in stop else ""


def model_text(model: Model) -> str:
    """All that `print` shows of a model."""
    parts = [front_text(front, chosen) for front, chosen in zip(model.fronts, model.chosen, strict=True)]
    formulas = "\n".join(f"formula: {formula}" for formula in model.formulas)
    left_out = [str(column) for column in model.encoding.columns if column.kind == "left out"]
    notes = ["columns " + "; ".join(left_out)] if left_out else []
    return "\n\n".join([*parts, rule_text(model), formulas, str(model.certificate), *notes])
