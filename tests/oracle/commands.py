"""The command line in this process, and how its answers are taken apart."""

import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from crystalogic.cli.app import run


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


class _Stream(io.StringIO):
    """A stream that is no terminal, whose bytes can be written to as well."""

    encoding = "utf-8"


def command(*arguments: str, stdin: str = "") -> Said:
    """Run a command line."""
    out, err = _Stream(), _Stream()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = run([str(each) for each in arguments])
    finally:
        sys.stdin = before
    return Said(code, out.getvalue(), err.getvalue())


def strict_json(text: str) -> Any:
    """JSON whose objects have every key once."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        message = f"a key stands twice: {[key for key, _ in pairs]}"
        raise ValueError(message)
    return found
