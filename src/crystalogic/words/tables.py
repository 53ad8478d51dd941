"""Shares and tables as text, what a rule does to groups of rows, and templates of the package, filled in.

Of pages of HTML all values are escaped, of text all are on one line, unless they are marked as safe. There a table
stands in a block `{% filter table %}`, a line for each row, its cells separated by tabs.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from crystalogic.counts import count
from crystalogic.intervals import FEWEST, LEVEL, RATES, Rates, Share
from crystalogic.logic.names import one_line, visible

SPOKEN = {  # what all templates can call, by the modules of this room
    "checklists": ("checklist",),
    "explanations": ("worth_words",),
    "literals": ("column_words", "legend", "literal_words", "value_words"),
    "models": ("card_sections", "groups_held_out", "limits_lines", "proved_text", "rules_in_turn", "shown_fronts"),
    "risks": ("operating_lines", "outcome_words", "percent_text", "risk_tables"),
    "tables": ("few_note", "rate_text", "rates_rows", "share_text", "table_text"),
}
NONE = "–"
TOO_FEW = f"Too few: fewer than {FEWEST} rows to judge a rate by."
Group = tuple[str | None, Rates]  # the value of a column, None for missing


def share_text(share: Share, level: float = LEVEL) -> str:
    """A share in percent with its interval; whole percent, unless the interval is narrow.

    >>> share_text(Share(77, 100)), share_text(Share(41, 10_000)), share_text(Share(0, 0))
    ('77 % (69–84)', '0.4 % (0.3–0.5)', '–')
    """
    if share.value is None:
        return NONE
    ends = share.interval(level)
    middle, low, high = (f"{100 * each:.{int(ends[1] - ends[0] < 0.02)}f}" for each in (share.value, *ends))
    return f"{middle} % ({low}–{high})"


def table_text(rows: Iterable[Sequence[str]], n_left: int = 1) -> str:
    """Cells in columns, so many of them to the left and the others to the right."""
    known = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*known, strict=True)]
    lines = []
    for row in known:
        pairs = list(zip(row, widths, strict=True))
        left, right = ([str.ljust(*pair) for pair in pairs[:n_left]], [str.rjust(*pair) for pair in pairs[n_left:]])
        lines.append(f"  {'  '.join(left + right)}".rstrip())
    return "\n".join(lines)


def rate_text(share: Share, level: float = LEVEL) -> str:
    """The rate of a group; where the rows are few, that they are, and how many."""
    return share_text(share, level) if share.n >= FEWEST else f"too few: {share.yes} of {share.n}"


def rates_rows(column: str, groups: Iterable[Group], level: float = LEVEL) -> list[list[str]]:
    """A table of the rates of groups: its head, and a row for each."""
    rows = [[column, "rows", *(name.replace("_", " ") for name in RATES)]]
    for value, rates in groups:
        shares = [rate_text(getattr(rates, name), level) for name in RATES]
        rows.append(["missing" if value is None else value, f"{rates.selected.n:,}", *shares])
    return rows


def few_note(groups: Iterable[Group]) -> str:
    """What "too few" means, where it is said."""
    return TOO_FEW if any(getattr(rates, name).n < FEWEST for _, rates in groups for name in RATES) else ""


def package_file(room: str, name: str) -> str:
    """The text of a file of the package: a template, a style or a script."""
    return resources.files(f"crystalogic.{room}").joinpath(name).read_text(encoding="utf-8")


@cache
def _template(room: str, name: str) -> Any:
    from jinja2 import Environment, StrictUndefined

    def show(value: Any) -> Any:
        """Texts in a page as they can be seen; what the template marks as safe stays as it is."""
        return visible(value) if type(value) is str else value

    def show_on_line(value: Any) -> Any:
        return value if hasattr(value, "__html__") else one_line(value)

    def align(rows: str, n_left: int = 1) -> str:
        return table_text([row.split("\t") for row in rows.split("\n") if row], n_left) + "\n"

    is_page, shows = name.endswith(".html"), {".html": show, ".txt": show_on_line}
    environment = Environment(autoescape=is_page, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.finalize = shows.get(Path(name).suffix)
    environment.keep_trailing_newline = True
    environment.filters |= {"table": align, "one_line": one_line}
    environment.globals |= {"count": count, "number": "{:,}".format}
    for module, names in SPOKEN.items():
        spoken = import_module(f"crystalogic.words.{module}")
        environment.globals |= {each: getattr(spoken, each) for each in names}
    return environment.from_string(package_file(room, name))


def fill_template(room: str, file: str, /, **values: Any) -> str:
    """A template with these values; a lone half of a character, which cannot be written, becomes a question mark."""
    text = str(_template(room, file).render(**values))
    if file.endswith(".html"):
        return text.strip().encode("utf-8", "replace").decode("utf-8") + "\n"
    return text.strip("\n") if file.endswith(".txt") else text


def fill_macro(room: str, file: str, macro: str, /, **values: Any) -> str:
    """One of the texts of a template, each of which is a macro there, with these values."""
    return str(getattr(_template(room, file).make_module(values), macro)()).strip("\n")
