"""Sparse tables: one dense column at a time, on demand."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any


class SparseColumns(Mapping[str, Any]):
    """The columns x0, x1, … of a scipy sparse matrix; what is not stored is 0.

    >>> from scipy.sparse import csr_array
    >>> columns = SparseColumns(csr_array([[0, 2], [3, 0]]))
    >>> list(columns), columns["x1"].tolist()
    (['x0', 'x1'], [2, 0])
    """

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix.tocsc()

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self._matrix[:, [int(name[1:])]].toarray()[:, 0]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name[:1] == "x" and name[1:].isdecimal() and int(name[1:]) < len(self)

    def __iter__(self) -> Iterator[str]:
        return (f"x{index}" for index in range(len(self)))

    def __len__(self) -> int:
        return int(self._matrix.shape[1])

    @cached_property
    def _by_rows(self) -> Any:
        return self._matrix.tocsr()

    def take(self, rows: Any) -> "SparseColumns":
        return SparseColumns(self._by_rows[rows])

    @staticmethod
    def stack(parts: "Sequence[SparseColumns]") -> "SparseColumns":
        from scipy.sparse import vstack

        return SparseColumns(vstack([part._matrix for part in parts], format="csc"))

    @property
    def n_stored(self) -> int:
        return int(self._matrix.nnz)
