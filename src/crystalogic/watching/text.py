"""Findings in words: a sentence for each that names the way out, and all of them as an aligned table."""

from crystalogic.cells import number_text
from crystalogic.counts import count
from crystalogic.evaluation.text import table_text
from crystalogic.logic.names import one_line
from crystalogic.watching.compare import LEVEL
from crystalogic.watching.findings import Finding, Kind
from crystalogic.watching.watch import Watch

TRAIN = "If this is how things are now, train again; if not, look for what changed in the table."
THERE = "of the rows that have it"
SENTENCES = {
    Kind.GONE: "The rule reads {column}, and the table has no such column, nor one whose values look like it. "
    "Add it before you score the table.",
    Kind.RENAMED: "The rule reads {column}, which the table does not have; {about} looks like it. "
    "If it is the same, rename {about} to {column}.",
    Kind.SWAPPED: "{column} and {about} seem to be exchanged: each has the values that the other had. "
    "Exchange their headings.",
    Kind.TYPE: f"{{column}} is no number in {{seen}} {THERE}, such as “{{about}}”; in training it always was. "
    "Write numbers alone, without units.",
    Kind.UNIT: "{column} seems to be in {about}: its median is {seen}, it was {known}. {remedy}",
    Kind.CODE: f"{{column}} is written differently in {{seen}} {THERE} ({{about}}), and equals no known value there. "
    "Write it as in training.",
    Kind.NEW: f"{{column}} has new values in {{seen}} {THERE}: {{about}}. In training there were none, so that facts "
    "about known values are false of them. Check them, or train again with such rows.",
    Kind.VANISHED: f"{{column}} is never {{about}} any more; in training it was in {{known}} {THERE}. "
    "Check whether such rows are left out, or written differently.",
    Kind.MISSING: "{column} is missing in {seen} of the rows; in training it was in {known}. "
    "Find out why before you score the table.",
    Kind.SHIFTED: f"{{column}} has moved: it is {{about}} in {{seen}} {THERE}; in training it was in {{known}}. "
    + TRAIN,
    Kind.FACT: "“{about}” holds for {seen} of the rows; in training it held for {known}. " + TRAIN,
    Kind.SCORES: "The scores have moved: their mean is {seen}; in training it was {known}. " + TRAIN,
    Kind.DECIDED: "{column} is judged {about} in {seen} of the rows; in training it was in {known}. " + TRAIN,
    Kind.FLIPPED: "The labels {about} of {column} seem to be exchanged: the rule is right for {seen} of the rows, "
    "{known} were promised, and it would be right for {otherwise} with them exchanged. Check how the labels were written.",
    Kind.ACCURACY: "The rule is right for {seen} of the rows whose {column} is known; {known} were promised. "
    "Do not rely on it for this table; train again with rows like these.",
    Kind.CALIBRATION: "{column} is {about} in {seen} of the rows where it is known; the risks told {known} on average. "
    "Do not rely on the risks for this table; train again with rows like these.",
}
CAUSES = (Kind.GONE, Kind.RENAMED, Kind.SWAPPED, Kind.TYPE, Kind.UNIT, Kind.CODE)  # a mistake that can be mended


def figure(finding: Finding, number: float | None) -> str:
    """A figure of a finding as people read it: a share of rows, or a number."""
    if number is None:
        return "–"
    if finding.kind.has_shares:
        return f"{100 * number:.{int(0 < number < 0.1)}f} %"
    return number_text(float(f"{number:.4g}"))


def about_words(finding: Finding) -> str:
    """What a finding is about; of a column of numbers that moved, the place where it did most."""
    about = one_line(finding.about)
    return f"at most {about}" if finding.is_number else about or "another value"


def sentence(finding: Finding) -> str:
    """What was seen, what was known, and the way out."""
    remedy = "Convert it before you score the table."
    if finding.factor is not None and "degrees" not in finding.about:
        way, factor = ("Divide", finding.factor) if finding.factor > 1 else ("Multiply", 1 / finding.factor)
        remedy = f"{way} it by {factor:.5g} before you score the table."
    return SENTENCES[finding.kind].format(
        column=one_line(finding.column),
        about=about_words(finding),
        known=figure(finding, finding.known),
        seen=figure(finding, finding.seen),
        otherwise=figure(finding, (finding.seen or 0.0) + finding.effect),
        remedy=remedy,
    )


def next_step(found: Watch) -> str:
    """What to do first, where some findings can follow from others."""
    n = sum(each.kind in CAUSES for each in found.findings)
    if not 0 < n < len(found.findings):
        return ""
    return f"Mend the first{f' {n}' if n > 1 else ''} and watch again: what comes after can follow from it."


def watch_text(found: Watch) -> str:
    """The findings as a table, and a sentence for each."""
    source = "the reference" if found.is_given else "training"
    rows = f"{count(found.now.n_rows, 'row')} beside {count(found.before.n_rows, 'row')} of {source}"
    tests = f"{count(found.n_tests, 'test')} that together err with a chance of at most {100 * LEVEL:g} % (Holm)"
    is_changed = found.now.decided and not found.before.decided
    gap = "\nScores and decisions were not compared: the formula was changed after training. --reference tells them."
    gap *= bool(is_changed)
    if not found.findings:
        return f"{rows}\n\nNothing to see: {tests} found no change that matters.{gap}"
    cells = [["what", "where", "about", "known", "seen"]]
    for each in found.findings:
        figures = (figure(each, each.known), figure(each, each.seen))
        cells.append([each.kind.value, each.column, about_words(each) if each.about else "–", *figures])
    table = table_text(f"{count(len(found.findings), 'thing')} to look at", cells, n_left=3)
    told = "\n".join(f"{place}. {each}" for place, each in enumerate(found.findings, 1))
    return "\n\n".join(filter(None, [rows, table, told, next_step(found), f"By {tests}.{gap}"]))
