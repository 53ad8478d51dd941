"""Packed rows: what comes out is what the encoding gives."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.blocks.packed import Encoder
from crystalogic.encoding import fit_encoding
from crystalogic.parts import Part


def table(n, n_flags, seed, *, with_degree=True):
    rng = np.random.default_rng(seed)
    columns = {f"flag{index}": np.arange(n) % 2 ^ rng.integers(0, 2, n) for index in range(n_flags)}
    if with_degree:
        columns["age"] = np.r_[20.0, 80.0, rng.integers(20, 80, n - 2)]
    columns["colour"] = np.r_[["red", "green"], rng.choice(["red", "green", "blue"], n - 2)]
    return columns, rng.integers(0, 2, n), rng


@given(
    n=st.integers(30, 80),
    n_flags=st.integers(0, 20),
    seed=st.integers(0, 1000),
    with_degree=st.booleans(),
    with_weight=st.booleans(),
)
def test_packed_rows_are_the_encoded_rows_that_weigh_something(n, n_flags, seed, with_degree, with_weight):
    columns, target, rng = table(n, n_flags, seed, with_degree=with_degree)
    encoding = fit_encoding(columns)
    weight = rng.integers(0, 3, n).astype(float) if with_weight else None
    block = Encoder(encoding, np.array([0, 1]), np.array([0.5, 0.25])).block(Part(columns, target, weight, 0))
    kept = np.arange(n) if weight is None else np.flatnonzero(weight)
    dense = encoding.transform(columns)[kept]
    assert block.rows.shape == dense.shape
    assert np.array_equal(block.rows[:], dense)
    assert np.array_equal(np.concatenate([part.rows for part in block.parts(7)]), dense)
    places = rng.integers(0, max(1, len(kept)), 5)[: len(kept)]
    assert np.array_equal(block.at(places).rows, dense[places])
    assert np.array_equal(block.target[:, 0], target[kept])
    own = np.ones(n) if weight is None else weight
    assert np.array_equal(block.weight, (np.where(target == 0, 0.5, 0.25) * own)[kept])


def test_a_packed_block_travels_packed():
    columns, target, _ = table(1000, 80, 0, with_degree=False)
    encoder = Encoder(fit_encoding(columns), np.array([0, 1]), np.full(2, 1e-3))
    block = encoder.block(Part(columns, target, None, 0))
    n_bytes = 1000 * (11 + 1 + 8)  # 83 bits, a class, a weight
    assert encoder.n_bytes(1000) == block.__sizeof__() == n_bytes
    sent = pickle.dumps(block)
    assert len(sent) < n_bytes + 2000
    there = pickle.loads(sent)
    assert type(there) is type(block)
    assert np.array_equal(there.rows[:], block.rows[:])


def test_a_part_without_rows_is_a_block_without_rows():
    columns, target, _ = table(40, 3, 0)
    encoder = Encoder(fit_encoding(columns), np.array([0, 1]), np.full(2, 1e-3))
    none = {name: column[:0] for name, column in columns.items()}
    assert encoder.block(Part(none, target[:0], None, 0)).n_rows == 0
