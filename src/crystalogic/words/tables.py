"""Shares and tables as text, and what a rule does to groups of rows."""

from collections.abc import Iterable, Sequence

from crystalogic.intervals import FEWEST, LEVEL, RATES, Rates, Share
from crystalogic.logic.names import one_line

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


def table_text(title: str, rows: Iterable[Sequence[str]], note: str = "", n_left: int = 1) -> str:
    """Cells in columns, so many of them to the left and the others to the right."""
    known = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*known, strict=True)]
    lines = []
    for row in known:
        pairs = list(zip(row, widths, strict=True))
        left, right = ([str.ljust(*pair) for pair in pairs[:n_left]], [str.rjust(*pair) for pair in pairs[n_left:]])
        lines.append(f"  {'  '.join(left + right)}".rstrip())
    return "\n".join(filter(None, [title, *lines, note]))


def rate_text(share: Share, level: float = LEVEL) -> str:
    """The rate of a group; where the rows are few, that they are, and how many.

    >>> rate_text(Share(12, 40)), rate_text(Share(2, 5))
    ('30 % (18–44)', 'too few: 2 of 5')
    """
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
