"""How the whole of a table writes its numbers, not only its first lines.

The first lines say how most tables do. What the others could still change is looked for in the plain text, which is
quick; only a table in which something was found is read cell by cell, as far as it takes.
"""

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain, product
from typing import TYPE_CHECKING

from crystalogic.files.decimals import COMMA, NOTHING_TOLD, POINT, DecimalEvidence, Decimals, evidence_of
from crystalogic.files.delimited import LONGEST_CELL
from crystalogic.files.source import SAMPLE

if TYPE_CHECKING:
    from crystalogic.files.table import TableFile

ANYTHING = DecimalEvidence(needs_point=True, needs_comma=True, has_commas=True)
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_QUOTED = re.compile(rf'"\s*[+-]?[\d.]+,[\d.,]+{_EXPONENT}\s*"', re.ASCII)  # a number with a comma, in quotes
_AFTER_COMMA = re.compile(rf",\d[\d.,]*{_EXPONENT}(?=\s*[\";\t|\n])", re.ASCII)  # the end of one, without
_TWO_POINTS = re.compile(r"\.\d{3}\.\d{3}", re.ASCII)


def settle_decimals(files: Sequence["TableFile"], usual: str | None) -> list[Decimals]:
    """How each file of one table with a delimiter writes its numbers: what any of them tells, it tells of all."""
    found = reduce(DecimalEvidence.join, (file.first for file in files), NOTHING_TOLD)
    delimiters = [file.dialect.delimiter for file in files if file.dialect]

    def choices(found: DecimalEvidence) -> list[Decimals]:
        return [found.decimals(delimiter, usual) for delimiter in delimiters]

    def is_settled(possible: DecimalEvidence) -> bool:
        """Whether nothing that is possible would change the choice."""
        parts = product(*({False, each} for each in vars(possible).values()))
        return all(choices(found.join(DecimalEvidence(*part))) == choices(found) for part in parts)

    if is_settled(ANYTHING):
        return choices(found)
    told = (_possible(file, is_point_known=found.needs_point) for file in files)
    possible = reduce(DecimalEvidence.join, told, NOTHING_TOLD)
    cells = chain.from_iterable(map(_cells, files))
    while not is_settled(possible) and (some := next(cells, None)) is not None:
        found = found.join(evidence_of(some))
    return choices(found)


def _possible(file: "TableFile", *, is_point_known: bool) -> DecimalEvidence:
    """What the text of a file may tell at most: with a number that has a comma, anything; else what its points do."""
    has_points = has_two = False
    for text in _texts(file):
        if file.dialect and _has_comma(text, file.dialect.delimiter):
            return ANYTHING
        if not is_point_known and POINT in text:
            has_points, has_two = True, has_two or _TWO_POINTS.search(text) is not None
    return DecimalEvidence(has_points or is_point_known, has_two or is_point_known)


def _has_comma(text: str, delimiter: str) -> bool:
    """Whether a cell may be a number with a comma in it."""
    if delimiter == COMMA:
        return '"' in text and _QUOTED.search(text) is not None
    for match in _AFTER_COMMA.finditer(text) if COMMA in text else ():
        begin = max(text.rfind(edge, 0, match.start()) for edge in (delimiter, "\n", '"')) + 1
        if evidence_of([text[begin : match.end()]]).has_commas:
            return True
    return False


def _texts(file: "TableFile") -> Iterator[str]:
    """The text in pieces that end with a line."""
    rest = "\n"
    with file.source.reading(file.encoding), file.source.text(file.encoding) as text:
        while part := text.read(SAMPLE):
            lines, end, last = (rest + part).rpartition("\n")
            rest = end + last
            if lines:
                yield lines + end
            if len(rest) > LONGEST_CELL:  # no cell is as long
                rest = rest[-SAMPLE:]
    yield rest + "\n"


def _cells(file: "TableFile") -> Iterator[list[str]]:
    """The different cells of each part of a file, column by column."""
    for part in file.as_written.parts():
        for name in part.columns:
            yield part[name].unique().tolist()
