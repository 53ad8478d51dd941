"""BoolXAI's local search over rules with "at least k of", our nearest relative.

It pins numpy and scikit-learn of 2023, so it runs in an environment of its own, `.venv-boolxai`, as a process that
reads rows and prints the rule. Here rows are decided by that text, which is compared with what the library predicted.
"""

import json
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from research.bench.peers.base import Array, Fitted, Peer, columns_of
from research.bench.tables import Halves
from research.errors import StudyError

PYTHON = "CRYSTALOGIC_BOOLXAI_PYTHON"  # another interpreter that has boolxai
_ROOT = Path(__file__).parents[3]
_CHILD = Path(__file__).with_name("local_search_child.py")
_TOKEN = re.compile(r"\s*(~|\(|\)|,|[A-Za-z]+\d*|\d+)")


def interpreter() -> Path:
    """The Python of the environment that has boolxai."""
    return Path(os.environ.get(PYTHON, str(_ROOT / ".venv-boolxai" / "bin" / "python")))


@cache
def find_version() -> str | None:
    """The version of boolxai in its environment, None where there is none."""
    code = "from importlib.metadata import version; print(version('boolxai'))"
    try:
        found = subprocess.run([interpreter(), "-c", code], capture_output=True, text=True, check=True, env={})
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def _fit(data: Halves, seed: int, **settings: Any) -> Fitted:
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.npz"
        np.savez(rows, X=data.train.booleans.astype(np.int8), y=data.train.labels.astype(np.int8))
        command = [str(interpreter()), str(_CHILD), str(rows), json.dumps({"random_state": seed, **settings})]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"OMP_NUM_THREADS": "1"})
    if done.returncode:
        message = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "boolxai ended without a word"
        raise StudyError(message)
    answer = json.loads(done.stdout.splitlines()[-1])
    text = answer["rule"]
    trained = np.array(answer["predicted"])
    agrees = bool((decide_by_rule(text, data.train.booleans) == trained).all())
    places = {int(found) for found in re.findall(r"(?<![A-Za-z\d])\d+", text)}
    return Fitted(
        lambda half: decide_by_rule(text, half.booleans),
        len(re.findall(r"(?<![A-Za-z\d])\d+", text)),
        None,
        columns_of(data.booleans, places),
        lambda half: decide_by_rule(text, half.booleans) if agrees else np.full(len(half.labels), -1),
    )


def decide_by_rule(text: str, rows: Array) -> Array:
    """The classes by a rule such as `AtLeast2(0, ~3, And(1, 2))`, whose numbers are columns.

    >>> decide_by_rule("AtLeast2(0, ~1, 2)", np.array([[1, 0, 0], [0, 1, 1]])).tolist()
    [1, 0]
    """
    tokens = _TOKEN.findall(text.replace("¬", "~"))
    value, rest = _evaluate(tokens, rows != 0)
    if rest:
        message = f"cannot read the rule {text!r}"
        raise ValueError(message)
    return value.astype(int)


def _evaluate(tokens: list[str], rows: Array) -> tuple[Array, list[str]]:
    head, rest = tokens[0], tokens[1:]
    if head == "~":
        value, rest = _evaluate(rest, rows)
        return ~value, rest
    if head.isdigit():
        return rows[:, int(head)], rest
    parts: list[Array] = []
    if not rest or rest[0] != "(":  # the rules that are always the same
        return np.full(len(rows), head in ("One", "1")), rest
    while rest[0] != ")":
        value, rest = _evaluate(rest[1:], rows)
        parts.append(value)
    return _combine(head, np.array(parts)), rest[1:]


def _combine(head: str, parts: Array) -> Array:
    operator, number = re.fullmatch(r"([A-Za-z]+)(\d*)", head).groups()  # type: ignore[union-attr]
    count = parts.sum(axis=0)
    match operator:
        case "And":
            return np.asarray(count == len(parts))
        case "Or":
            return np.asarray(count > 0)
        case "AtLeast":
            return np.asarray(count >= int(number))
        case "AtMost":
            return np.asarray(count <= int(number))
        case "Choose":
            return np.asarray(count == int(number))
    message = f"no such operator: {head}"
    raise ValueError(message)


BOOLXAI = Peer(
    "BoolXAI",
    "boolxai",
    "rules",
    _fit,
    "`BoolXAI.RuleClassifier()` on cuts at quantiles and categories, in an environment of its own",
    (
        {},
        {"max_complexity": 4},
        {"max_complexity": 10},
        {"max_complexity": 14},
        {"max_depth": 2},
        {"num_starts": 20},
    ),
    sized=lambda size: {"max_complexity": size + 1},
    two_classes=True,
)
