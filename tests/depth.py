"""How many random cases a test tries: half of them in `make test`, all of them in `make test-long`."""

import os

IS_DEEP = bool(os.environ.get("DEEP"))


def deep(n_cases: int) -> int:
    """So many cases, or half of them where time counts."""
    return n_cases if IS_DEEP else -(-n_cases // 2)
