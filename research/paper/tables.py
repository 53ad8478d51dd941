"""The paper's own encoding of the six benchmarks, and a slightly richer one, fitted on training rows only.

| | inputs | how |
|---|---|---|
| MONK | 17 | one input per value |
| Heart | 22 | 5 numbers and `ca` by min and max, 3 Boolean columns, one input per value of cp, restecg, slope, thal |
| Breast cancer | 20 | 4 ordered columns by min and max, one input per value (also `?`) of the others |
| Mushroom | 117 | one input per value; 111 in the paper, which writes two-valued columns once and drops the constant |

`mushroom-enriched` adds, as the paper's runs did, a half-valued copy of every edible row, labelled not edible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crystalogic.datasets import MISSING, Dataset, load
from research.splits import Split, split, stratify

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENRICHED = "mushroom-enriched"

_NUMBERS = {
    "heart": ("age", "trestbps", "chol", "thalach", "oldpeak", "ca"),
    "breast-cancer": ("age", "tumor-size", "inv-nodes", "deg-malig"),
}
_BOOLEAN = {"heart": ("sex", "fbs", "exang")}


@dataclass(frozen=True)
class TruthRows:
    """Truth values by name, and the targets: what a network is trained on."""

    names: tuple[str, ...]
    rows: "NDArray[Any]"
    target: "NDArray[Any]"


def paper_table(name: str, seed: int = 0, *, drop_incomplete: bool = True) -> tuple[TruthRows, TruthRows]:
    """Training and test rows of a benchmark in the paper's encoding.

    >>> train, test = paper_table("heart", seed=0)
    >>> train.rows.shape, test.rows.shape
    ((238, 22), (59, 22))

    Parameters:
        name: one of `NAMES`, or `ENRICHED`, the mushrooms of the paper's figures.
        seed: of the random split.
        drop_incomplete: whether the rows of Heart with missing values are left out.
    """
    if name == ENRICHED:
        return _enriched(seed)
    if name == "heart" and drop_incomplete:
        table = load(name)
        parts = stratify(table.take([i for i, row in enumerate(table.rows) if MISSING not in row]), seed)
    else:
        parts = split(name, seed)
    return encode_split(parts)


def encode_split(parts: Split, n_cuts: int = 0) -> tuple[TruthRows, TruthRows]:
    """Both halves as truth values; codes, ranges and cuts are learnt from the training half alone.

    Parameters:
        parts: a split of a table.
        n_cuts: how many Boolean inputs each number gives as well, `age ≥ q` at evenly spaced quantiles.
    """
    encoders = [encoder for column in parts.train.columns for encoder in _fit(parts.train, column, n_cuts)]
    return _encode(parts.train, encoders), _encode(parts.test, encoders)


@dataclass(frozen=True)
class _Encoder:
    """One input: whether a column has a code, or the degree of a number between two bounds (a cut when they agree)."""

    column: str
    name: str
    code: str | None = None
    low: float = 0.0
    high: float = 0.0

    def encode(self, table: Dataset) -> list[float]:
        values = table.column(self.column)
        if self.code is not None:
            return [float(value == self.code) for value in values]
        return [self._degree(value) for value in values]

    def _degree(self, value: str) -> float:
        number = (self.low + self.high) / 2 if value == MISSING else _number(value)
        if self.low == self.high:
            return float(number >= self.low)
        return min(1.0, max(0.0, (number - self.low) / (self.high - self.low)))


def _number(code: str) -> float:
    """A number, or the lower end of a range such as '30-39'."""
    return float(code.split("-")[0])


def _fit(train: Dataset, column: str, n_cuts: int) -> list[_Encoder]:
    if column in _BOOLEAN.get(train.name, ()):
        return [_Encoder(column, column, code="1")]
    if column in _NUMBERS.get(train.name, ()):
        codes = sorted((value for value in train.column(column) if value != MISSING), key=_number)
        low, high = _number(codes[0]), _number(codes[-1])
        cuts = {codes[round(k * (len(codes) - 1) / (n_cuts + 1))] for k in range(1, n_cuts + 1)}
        if n_cuts:  # a column that is mostly at its lowest value says most by leaving it
            cuts.add(next((code for code in codes if _number(code) > low), codes[-1]))
        steps = sorted({_number(cut): cut for cut in cuts if _number(cut) > low}.items())
        return [
            _Encoder(column, column, None, low, high),
            *(_Encoder(column, f"{column} ≥ {text}", None, number, number) for number, text in steps),
        ]
    return [_Encoder(column, f"{column}={code}", code) for code in sorted(set(train.column(column)))]


def _encode(table: Dataset, encoders: Sequence[_Encoder]) -> TruthRows:
    import numpy as np

    rows = np.array([encoder.encode(table) for encoder in encoders], dtype=np.float64).T
    return TruthRows(tuple(e.name for e in encoders), rows, np.array(table.labels, dtype=np.float64))


def _enriched(seed: int) -> tuple[TruthRows, TruthRows]:
    import numpy as np

    whole, _ = encode_split(Split(load("mushroom"), load("mushroom").take(range(1))))
    edible = whole.target == 1
    rows = np.concatenate([whole.rows, whole.rows[edible] / 2])
    target = np.concatenate([whole.target, np.zeros(int(edible.sum()))])
    order = np.random.default_rng(seed).permutation(len(rows))
    cut = round(len(rows) * 0.8)
    train, test = order[:cut], order[cut:]
    return (
        TruthRows(whole.names, rows[train], target[train]),
        TruthRows(whole.names, rows[test], target[test]),
    )
