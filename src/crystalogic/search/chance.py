"""Random numbers inside kernels: the same on every machine and in every thread."""

from typing import Any

import numpy as np

from crystalogic.compiled import nb


@nb.njit(cache=True, nogil=True)
def draw(random: Any) -> Any:
    """The next 64 random bits (xorshift64*)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return x * np.uint64(2685821657736338717)


@nb.njit(cache=True, nogil=True)
def below(random: Any, n: int) -> Any:
    """A random integer in 0..n-1."""
    return np.int64((draw(random) >> np.uint64(33)) % np.uint64(n))


@nb.njit(cache=True, nogil=True)
def uniform(random: Any) -> float:
    """A random number in (0, 1)."""
    return (np.float64(draw(random) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)
