"""Exports: a model in languages, as SQL, ONNX, PMML, DMN, a spreadsheet, LaTeX, a checklist or a model card."""

from collections.abc import Callable, Mapping
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


TARGETS: Mapping[str, Callable[..., str | bytes]] = {
    "sql": to_sql,
    "python": to_python,
    "c": to_c,
    "javascript": to_javascript,
    "onnx": to_onnx,
    "pmml": to_pmml,
    "dmn": to_dmn,
    "xlsx": to_xlsx,
    "latex": to_latex,
    "markdown": to_markdown,
    "card": to_card,
}
OPTIONS = {"sql": ("table", "keep", "dialect", "types", "view"), "xlsx": ("rows",)}
OPTIONS |= dict.fromkeys(("python", "c", "javascript"), ("name",))


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
    known = OPTIONS.get(target, ())
    unknown = [name for name in options if name not in known]
    if unknown:
        refuse(ExportError, f"the target {target!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    return TARGETS[target](model, **options)
