"""Exports: a model in languages, as SQL, ONNX, PMML, DMN, a spreadsheet, LaTeX, a checklist or a model card."""

from collections.abc import Callable, Mapping
from inspect import signature
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

_WRITERS = (to_sql, to_python, to_c, to_javascript, to_onnx, to_pmml, to_dmn, to_xlsx, to_latex, to_markdown, to_card)
TARGETS: Mapping[str, Callable[..., str | bytes]] = {each.__name__.removeprefix("to_"): each for each in _WRITERS}


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
    known = list(signature(TARGETS[target]).parameters)[1:]
    if unknown := [name for name in options if name not in known]:
        refuse(ExportError, f"the target {target!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    return TARGETS[target](model, **options)
