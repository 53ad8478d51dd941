"""Export to SymPy: the degrees as expressions of the truth values, with whole numbers, hence exact."""

from typing import TYPE_CHECKING, Any

from crystalogic.errors import ExportError
from crystalogic.export.program import Sum, TermComparison, program
from crystalogic.export.quoting import python_value, remarks
from crystalogic.export.source import sum_text
from crystalogic.model import Model

if TYPE_CHECKING:
    import sympy


def to_sympy(model: Model) -> "tuple[sympy.Expr, ...]":
    """The degree of each formula; the symbols are the truth values, by their names.

    A sum is raised to 0 by Max and lowered to 1 by Min. A subformula that occurs often is one object.

    Parameters:
        model: the model to write.
    """
    try:
        import sympy
    except ImportError:
        message = "SymPy is not installed. Install the extra: pip install 'crystalogic[sympy]'."
        raise ExportError(message) from None
    found = program(model)
    values: dict[str, Any] = {fact.name: sympy.Symbol(fact.literal.name, real=True) for fact in found.facts}
    for step in found.steps:
        values[step.name] = _value(step, values)
    return tuple(values[output] for output in found.outputs)


def _value(step: Sum | TermComparison, values: dict[str, Any]) -> Any:
    import sympy

    if isinstance(step, Sum):
        total = sum((weight * values[name] for name, weight in step.terms), sympy.Integer(step.bias))
        total = sympy.Max(0, total, evaluate=not step.terms) if step.below else total
        return sympy.Min(1, total, evaluate=not step.terms) if step.above else total
    parts = [values[name] for name in step.terms]
    if step.kind == "alike":
        return 1 - sympy.Abs(parts[0] - parts[1])
    return (sympy.Min if step.kind == "least" else sympy.Max)(*parts)


def to_sympy_text(model: Model) -> str:
    """The same as a Python script that needs SymPy, one line for each truth value and each step."""
    found = program(model)
    lines = [remarks(found.header, "#"), "from sympy import Abs, Integer, Max, Min, Symbol", ""]
    lines += [f"{fact.name} = Symbol({python_value(fact.literal.name)}, real=True)" for fact in found.facts]
    lines += [f"{step.name} = {_text(step)}" for step in found.steps]
    lines.append(f"degrees = ({', '.join(found.outputs)},)")
    lines += [f"score = {_text(found.points.total)}"] if found.points else []
    return "\n".join([*lines, ""])


def _text(step: Sum | TermComparison) -> str:
    if isinstance(step, Sum):
        text = sum_text(step.bias, step.terms, lambda number: f"Integer({number})")
        text = f"Max(0, {text})" if step.below else text
        return f"Min(1, {text})" if step.above else text
    if step.kind == "alike":
        return f"1 - Abs({step.terms[0]} - {step.terms[1]})"
    return f"{'Min' if step.kind == 'least' else 'Max'}({', '.join(step.terms)})"
