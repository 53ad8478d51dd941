"""Findings as an aligned table, and a sentence for each."""

from crystalogic.counts import count
from crystalogic.evaluation.text import table_text
from crystalogic.watching.compare import LEVEL
from crystalogic.watching.findings import Kind
from crystalogic.watching.watch import Watch

CAUSES = (Kind.GONE, Kind.RENAMED, Kind.SWAPPED, Kind.TYPE, Kind.UNIT, Kind.CODE)  # a mistake that can be mended


def next_step(found: Watch) -> str:
    """What to do first, where some findings can follow from others."""
    n = sum(each.kind in CAUSES for each in found.findings)
    first = f"Mend the first{f' {n}' if n > 1 else ''} and watch again: what comes after can follow from it."
    return first if 0 < n < len(found.findings) else ""


def how_tested(found: Watch) -> str:
    """How many tests there were, and how often they err."""
    return f"{count(found.n_tests, 'test')} that together err with a chance of at most {100 * LEVEL:g} % (Holm)"


def watch_text(found: Watch) -> str:
    """The findings as a table, and a sentence for each."""
    source = "the reference" if found.is_given else "training"
    rows = f"{count(found.now.n_rows, 'row')} beside {count(found.before.n_rows, 'row')} of {source}"
    gap = "\nScores and decisions were not compared: the formula was changed after training. --reference tells them."
    gap *= bool(found.now.decided and not found.before.decided)
    if not found.findings:
        return f"{rows}\n\nNothing to see: {how_tested(found)} found no change that matters.{gap}"
    cells = [["what", "where", "about", "known", "seen"]]
    for each in found.findings:
        figures = map(each.figure, (each.known, each.seen))
        cells.append([each.kind.value, each.column, each.about or "–", *figures])
    table = table_text(f"{count(len(found.findings), 'thing')} to look at", cells, n_left=3)
    told = "\n".join(f"{place}. {each}" for place, each in enumerate(found.findings, 1))
    return "\n\n".join(filter(None, [rows, table, told, next_step(found), f"By {how_tested(found)}.{gap}"]))
