"""Exports: a model in languages, as SQL, ONNX, PMML, DMN, a spreadsheet, LaTeX, a checklist or a model card."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crystalogic.errors import ExportError, refuse
from crystalogic.export.dmn import to_dmn
from crystalogic.export.languages import to_c, to_javascript, to_python
from crystalogic.export.onnx import to_onnx
from crystalogic.export.pmml import to_pmml
from crystalogic.export.prose import to_card, to_latex, to_markdown
from crystalogic.export.sql import to_sql
from crystalogic.export.xlsx import to_xlsx
from crystalogic.model import Model

__all__ = ["TARGETS", "to", "to_c", "to_card", "to_javascript", "to_latex", "to_markdown", "to_onnx", "to_python"]
__all__ += ["to_dmn", "to_pmml", "to_sql", "to_xlsx"]


@dataclass(frozen=True)
class Target:
    """A target by its name: what writes it, what it is, and which options it has."""

    write: Callable[..., str | bytes]
    words: str
    options: tuple[str, ...] = ()


TARGETS: Mapping[str, Target] = {
    "sql": Target(
        to_sql, "a query over --table, or without it an expression", ("table", "keep", "dialect", "types", "view")
    ),
    "python": Target(to_python, "a function without imports", ("name",)),
    "c": Target(to_c, "a C99 file", ("name",)),
    "javascript": Target(to_javascript, "a function", ("name",)),
    "onnx": Target(to_onnx, "a network for onnxruntime"),
    "pmml": Target(to_pmml, "PMML 4.4"),
    "dmn": Target(to_dmn, "DMN 1.3 with FEEL"),
    "xlsx": Target(to_xlsx, "a spreadsheet with formulas", ("rows",)),
    "latex": Target(to_latex, "the formula and its facts"),
    "markdown": Target(to_markdown, "a checklist"),
    "card": Target(to_card, "a model card"),
}


def to(model: Model, target: str, **options: Any) -> str | bytes:
    """The model as a target by its name, as `crystalogic export` writes it; ONNX and spreadsheets are bytes.

    Parameters:
        model: the model to write.
        target: one of `TARGETS`: "sql", "python", "c", "javascript", "onnx", "pmml", "dmn", "xlsx", "latex",
            "markdown" or "card".
        options: those of the function of the target, such as `table` and `dialect` for "sql".
    """
    if target not in TARGETS:
        refuse(ExportError, f"there is no export target {target!r}; there are {', '.join(TARGETS)}.")
    unknown = [name for name in options if name not in TARGETS[target].options]
    if unknown:
        known = ", ".join(TARGETS[target].options) or "none"
        refuse(ExportError, f"the target {target!r} has no option {unknown[0]!r}; it has {known}.")
    return TARGETS[target].write(model, **options)
