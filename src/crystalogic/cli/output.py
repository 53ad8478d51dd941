"""Where results go: a file that is there completely or not at all, or standard output."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from crystalogic.document import refuse_unwritable, write_lines_atomically


def checked(output: Path | None) -> Path | None:
    """The file to write, after a look whether it can be; None for standard output, which is also '-'."""
    if output is None or str(output) == "-":
        return None
    refuse_unwritable(output)
    return output


def write(output: Path | None, blocks: Iterable[str]) -> None:
    """Blocks of text to the file, or to standard output as they come."""
    if output is not None:
        write_lines_atomically(output, blocks)
        return
    for block in blocks:
        sys.stdout.write(block)
    sys.stdout.flush()


def show_json(content: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(content, ensure_ascii=False))
