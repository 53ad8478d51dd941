"""How many random cases a test tries: a third of them in `make test`, all of them in `make test-long`."""

import os

IS_DEEP = bool(os.environ.get("DEEP"))


def deep(n_cases: int) -> int:
    """So many cases, or a third of them where time counts."""
    return n_cases if IS_DEEP else -(-n_cases // 3)
