"""A model as text: the front with the chosen row marked, the rule as a checklist, what is proved."""

from crystalogic.model import FrontRow, Model
from crystalogic.wording import checklist

MOST_WIDTH = 60  # characters of a formula in the table; the chosen one is printed in full below it


def front_text(front: tuple[FrontRow, ...], chosen: int) -> str:
    """The front as an aligned table."""
    lines = ["   literals  training  cross-validated  formula"]
    for index, row in enumerate(front):
        judged = "–" if row.validated is None else f"{row.validated:.3f} ± {row.standard_error or 0:.3f}"
        formula = " ".join(row.formula.split())
        formula = formula if len(formula) <= MOST_WIDTH else formula[: MOST_WIDTH - 1] + "…"
        lines.append(f"{'▶' if index == chosen else ' '} {row.size:>9}  {row.training:>8.3f}  {judged:>15}  {formula}")
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


def model_text(model: Model) -> str:
    """All that `print` shows of a model."""
    parts = [front_text(front, chosen) for front, chosen in zip(model.fronts, model.chosen, strict=True)]
    formulas = "\n".join(f"formula: {formula}" for formula in model.formulas)
    left_out = [str(column) for column in model.encoding.columns if column.kind == "left out"]
    notes = ["columns " + "; ".join(left_out)] if left_out else []
    return "\n\n".join([*parts, rule_text(model), formulas, str(model.certificate), *notes])
