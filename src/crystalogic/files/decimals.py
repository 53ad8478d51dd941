"""How a table writes its numbers: with a decimal point or a decimal comma, and thousands apart or not.

1,234 is a number with decimals in one country and a thousand in another, so the whole table is looked at: 5,7 can only
be one with a decimal comma, 1,234,567 only one with thousands. Where both are possible, a table whose cells are
separated by commas is taken to write decimals with points.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

POINT, COMMA = ".", ","
_OTHER = {POINT: COMMA, COMMA: POINT}
_NUMBER = {
    mark: re.compile(rf"[+-]?\d+(?:{re.escape(mark)}\d+)?(?:[eE][+-]?\d+)?", re.ASCII) for mark in (POINT, COMMA)
}
_APART = {  # thousands apart, and perhaps decimals
    mark: re.compile(rf"[+-]?\d{{1,3}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(mark)}\d+)?", re.ASCII)
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

        >>> Decimals(COMMA).plain(["5,7", "16.428", "1.000,5", "07.03.2024"])
        ['5.7', '16428', '1000.5', '07.03.2024']
        >>> Decimals(POINT, has_thousands=True).plain(["125,170", "1.5", "1,2"])
        ['125170', '1.5', '1,2']
        """
        other = _OTHER[self.mark]
        written = {}
        for cell in set(cells):
            number = cell.strip()
            if _APART[self.mark].fullmatch(number):
                number = number.replace(other, "")
            written[cell] = number.replace(self.mark, POINT) if _NUMBER[self.mark].fullmatch(number) else cell
        return [written[cell] for cell in cells]


def decimals_of(cells: Sequence[str], delimiter: str, usual: str | None = None) -> Decimals:
    """How the cells write their numbers; `usual` is the mark that is expected, taken unless a cell speaks against it.

    >>> decimals_of(["5,7", "16.428"], ";"), decimals_of(["125,170", "0.5"], ",")
    (Decimals(mark=',', has_thousands=False), Decimals(mark='.', has_thousands=True))
    """
    numbers = [cell.strip() for cell in cells if COMMA in cell or POINT in cell]
    can_be = {
        mark: {n for n in numbers if _NUMBER[mark].fullmatch(n) or _APART[mark].fullmatch(n)} for mark in (POINT, COMMA)
    }
    both = can_be[POINT] | can_be[COMMA]  # the others are dates and texts
    is_possible = {mark: can_be[mark] == both for mark in (POINT, COMMA)}
    has_commas = any(COMMA in n for n in both)
    if usual == COMMA and is_possible[COMMA]:
        return Decimals(COMMA)
    if is_possible[POINT] and (not has_commas or delimiter == COMMA or usual == POINT or not is_possible[COMMA]):
        return Decimals(POINT, has_thousands=has_commas)
    return Decimals(COMMA) if is_possible[COMMA] and usual is None else Decimals()
