"""Models and explanations as HTML, everything escaped."""

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from crystalogic.logic.names import one_line
from crystalogic.model import Explanation, Model
from crystalogic.verify.trace import decimal
from crystalogic.words.explanations import decision_sentence, headings, literal_content, with_unit
from crystalogic.words.fronts import shown_fronts
from crystalogic.words.models import MOST_LINES, rule_text
from crystalogic.words.points import row_points
from crystalogic.words.risks import risk_sentence, risk_text

PAGE_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}table{border-collapse:collapse;"
    "margin-bottom:1.5rem}caption{text-align:left;font-weight:bold}th,td{text-align:left;padding:.2rem 1rem .2rem 0}"
    ".decision{font-weight:bold}"
)


def explanation_html(found: Explanation) -> str:
    """An explanation as a fragment of HTML, everything escaped; it has classes to style and no style of its own."""
    model = found.model
    facts = [
        (literal["words"], with_unit(found, literal["column"]), decimal(Fraction(literal["degree"])))
        for literal in (literal_content(found, name) for name in model.names)
    ]
    parts = [_html_table("What is read", ("fact", "value", "truth"), facts)] if facts else []
    for heading, each, score in zip(headings(found), found.traces, row_points(found), strict=True):
        steps = [(text, decimal(step.degree)) for text, step in zip(each.texts(), each.steps, strict=True)]
        if score is not None:
            steps = [("\N{NO-BREAK SPACE}" * 4 * level + words, worth) for level, worth, words in score.rows()]
        parts.append(_html_table(heading, ("part of the rule", "degree" if score is None else "points"), steps))
    told = filter(None, (decision_sentence(found), risk_sentence(found)))
    body = "\n".join([*parts, *(f'<p class="decision">{escape(sentence)}</p>' for sentence in told)])
    return f'<section class="explanation">\n{body}\n</section>'


def explanation_page(found: Explanation) -> str:
    """The fragment as a page of its own, which needs nothing else."""
    title = escape(f"Why {one_line(found.model.target)} is {one_line(found.decision)}")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{PAGE_STYLE}</style>\n{explanation_html(found)}\n</html>"
    )


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
