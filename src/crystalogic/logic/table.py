"""Truth tables over Sₙ = {0, 1/n, …, 1}, computed exactly with integers."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from crystalogic.arrays import Array, np
from crystalogic.errors import EvaluationError, TooLargeError, refuse
from crystalogic.logic.evaluate import lattice_degrees
from crystalogic.logic.formula import Formula, as_formula
from crystalogic.logic.names import size_text, write_name

MOST_ROWS = 2_000_000


@dataclass(frozen=True)
class TruthTable:
    """The degrees of a formula for every row of Sₙ, the last variable running fastest. `print` shows it.

    Attributes:
        formula: the formula.
        variables: its variables, in the order of the columns.
        n: the n of Sₙ.
        numerators: the degrees times n, row by row.
    """

    formula: Formula
    variables: tuple[str, ...]
    n: int
    numerators: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numerators)

    def rows(self) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
        """The pairs (values of the variables, degree)."""
        values = product([Fraction(numerator, self.n) for numerator in range(self.n + 1)], repeat=len(self.variables))
        for row, numerator in zip(values, self.numerators, strict=True):
            yield row, Fraction(numerator, self.n)

    def __str__(self) -> str:
        head = [*map(write_name, self.variables), str(self.formula) if self.formula.size < 20 else "degree"]
        body = [[*map(str, values), str(degree)] for values, degree in self.rows()]
        widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in [head, *body])


def truth_table(formula: Formula, n: int = 1) -> TruthTable:
    """The truth table over Sₙ = {0, 1/n, …, 1}.

    >>> from crystalogic.logic.parse import parse
    >>> print(truth_table(parse("a ⊗ b"), 2))
      a    b  a ⊗ b
      0    0      0
      0  1/2      0
      0    1      0
    1/2    0      0
    1/2  1/2      0
    1/2    1    1/2
      1    0      0
      1  1/2    1/2
      1    1      1

    Parameters:
        formula: a formula; a table has (n + 1)ᵐ rows for m variables.
        n: how fine the degrees are; 1 gives the Boolean table.
    """
    formula = as_formula(formula)
    grid = lattice_rows(formula.variables, n)
    count = (n + 1) ** len(formula.variables)
    degrees = lattice_degrees(formula, grid, n)
    numerators = degrees.tolist() if degrees.ndim else [int(degrees)] * count
    return TruthTable(formula, formula.variables, n, tuple(numerators))


def lattice_rows(names: tuple[str, ...], n: int) -> dict[str, Array]:
    """All rows of Sₙ as integer numerators over n, a column for each name."""
    if not isinstance(n, int) or n < 1:
        refuse(EvaluationError, f"S_n needs a whole number n of at least 1, got {n!r}.")
    count = (n + 1) ** len(names)
    if count > MOST_ROWS:
        message = (
            f"{len(names)} variables over S_{n} make {size_text(count)} rows, more than {MOST_ROWS:,}. "
            "Take a smaller n, or ask `prove` instead of tabulating."
        )
        raise TooLargeError(message)
    index = np.arange(count, dtype=np.int64)
    return {name: index // (n + 1) ** (len(names) - 1 - place) % (n + 1) for place, name in enumerate(names)}
