"""The truth values of rows as the search reads them."""

from typing import Any

from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import n_rows
from crystalogic.search import Features


def features_of(encoding: Encoding, rows: Any, first_row: int = 0) -> Features:
    """All truth values of some rows, packed; `first_row` is the number of the first, for error messages."""
    truths = encoding.truths(rows, first_row=first_row)
    return Features.of((truth for _, truth in truths), encoding.names, n_rows(rows))
