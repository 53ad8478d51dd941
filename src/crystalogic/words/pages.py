"""Models as HTML, everything escaped."""

from collections.abc import Sequence
from html import escape

from crystalogic.logic.names import one_line
from crystalogic.model import Model
from crystalogic.words.fronts import shown_fronts
from crystalogic.words.models import MOST_LINES, rule_text
from crystalogic.words.risks import risk_text


def model_html(model: Model) -> str:
    """All that `print` shows of a model, for a notebook: escaped, without scripts, styles only on its own elements."""
    parts = []
    for each in shown_fronts(model):
        front, chosen = each.rows, each.chosen
        of = "" if each.label is None else f" for {one_line(model.target)} = {one_line(each.label)}"
        rows = [
            [
                "▶" * (place == chosen),
                str(row.size),
                f"{row.training:.3f}",
                "–" if row.validated is None else f"{row.validated:.3f} ± {row.standard_error or 0:.3f}",
                str(row.formula),
            ]
            for place, row in enumerate(front[: max(MOST_LINES, chosen + 3)])
        ]
        parts.append(_html_table(f"Front{of}", ["", "literals", "training", model.judged_by, "formula"], rows))
    parts.append(f"<pre>{escape(rule_text(model))}</pre>")
    parts += [f"<pre>{escape(risk)}</pre>" for risk in (risk_text(model),) if risk]
    parts += [f"<p><code>{escape(str(formula))}</code></p>" for formula in model.formulas]
    parts.append(f"<p>{escape(str(model.certificate))}</p>")
    return f'<div class="crystalogic-model">{"".join(parts)}</div>'


def _html_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        return "<tr>" + "".join(f"<{tag}{scope}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<caption>{escape(caption)}</caption>\n{line('th', header)}\n{body}\n</table>"
