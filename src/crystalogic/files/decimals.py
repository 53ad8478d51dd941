"""How a table writes its numbers: with a decimal point or a decimal comma, and thousands apart or not.

1,234 is a number with decimals in one country and a thousand in another, so the whole table is looked at: 5,7 and 0,125
can only have a decimal comma, 1,234,567 can only have thousands apart. Where both are possible, a table whose cells are
separated by commas is taken to write decimals with points.
"""

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

POINT, COMMA = ".", ","
_OTHER = {POINT: COMMA, COMMA: POINT}
_NUMBER = {mark: re.compile(rf"[+-]?\d+(?:{re.escape(mark)}\d+)?(?:[eE][+-]?\d+)?", re.ASCII) for mark in _OTHER}
_APART = {  # thousands apart, and perhaps decimals; no thousands begin with a 0
    mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(mark)}\d+)?", re.ASCII)
    for mark, other in _OTHER.items()
}


@dataclass(frozen=True)
class Decimals:
    """The mark before decimals; the other mark stands between thousands, if `has_thousands` or decimals have commas."""

    mark: str = POINT
    has_thousands: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether numbers are written as they are read."""
        return self.mark == POINT and not self.has_thousands

    def plain(self, cells: Sequence[str]) -> list[str]:
        """The cells, numbers with points and without thousands apart.

        >>> Decimals(COMMA).plain(["5,7", "16.428", "1.000,5", "0.125", "07.03.2024"])
        ['5.7', '16428', '1000.5', '0.125', '07.03.2024']
        >>> Decimals(POINT, has_thousands=True).plain(["125,170", "1.5", "1,2"])
        ['125170', '1.5', '1,2']
        """
        if self.is_plain:
            return list(cells)
        other, written = _OTHER[self.mark], {}
        for cell in set(cells):
            number = cell.strip()
            number = number.replace(other, "") if _APART[self.mark].fullmatch(number) else number
            written[cell] = number.replace(self.mark, POINT) if _NUMBER[self.mark].fullmatch(number) else cell
        return [written[cell] for cell in cells]


@dataclass(frozen=True)
class DecimalEvidence:
    """What cells tell: some can only have a decimal point, some only a decimal comma, some numbers have commas."""

    needs_point: bool = False
    needs_comma: bool = False
    has_commas: bool = False

    def join(self, other: "DecimalEvidence") -> "DecimalEvidence":
        return DecimalEvidence(*map(operator.or_, vars(self).values(), vars(other).values()))

    def decimals(self, delimiter: str, usual: str | None = None) -> Decimals:
        """How the table writes its numbers; `usual` is the mark that is expected, unless a cell speaks against it."""
        if usual == COMMA and not self.needs_point:
            return Decimals(COMMA)
        if (not self.has_commas or delimiter == COMMA or usual == POINT or self.needs_point) and not self.needs_comma:
            return Decimals(POINT, has_thousands=self.has_commas)
        return Decimals(COMMA) if not self.needs_point and usual is None else Decimals()


NOTHING_TOLD = DecimalEvidence()


def evidence_of(cells: Iterable[str]) -> DecimalEvidence:
    """What these cells tell; dates and texts tell nothing.

    >>> evidence_of(["5,7", "16.428"]).decimals(";"), evidence_of(["125,170", "0.5"]).decimals(",")
    (Decimals(mark=',', has_thousands=False), Decimals(mark='.', has_thousands=True))
    """
    numbers = {cell.strip() for cell in cells if COMMA in cell or POINT in cell}
    patterns = ((_NUMBER[mark], _APART[mark]) for mark in (POINT, COMMA))
    points, commas = ({n for n in numbers if plain.fullmatch(n) or apart.fullmatch(n)} for plain, apart in patterns)
    return DecimalEvidence(bool(points - commas), bool(commas - points), any(COMMA in n for n in points | commas))
