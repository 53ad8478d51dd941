"""Where results go: a file that is there completely or not at all, or standard output.

All that commands print passes here: names come from files, and a name must not command the terminal that shows it.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from crystalogic.document import refuse_unwritable, write_atomically
from crystalogic.logic.names import visible


def check_output(output: Path | None) -> Path | None:
    """The file to write, after a look whether it can be; None for standard output, which is also '-'."""
    if output is None or str(output) == "-":
        return None
    refuse_unwritable(output)
    return output


def write(output: Path | None, blocks: Iterable[str]) -> None:
    """Blocks of text to the file, or to standard output as they come: data as they are, unless a person looks."""
    if output is not None:
        write_atomically(output, blocks)
        return
    for block in blocks:
        sys.stdout.write(visible(block) if sys.stdout.isatty() else block)
    sys.stdout.flush()


def show(text: str, *, to_errors: bool = False) -> None:
    """A text for people, on standard output or on standard error."""
    typer.echo(visible(text), err=to_errors)


def csv_text(lines: Iterable[Iterable[Any]]) -> str:
    """A table as CSV, its header first."""
    from crystalogic.export.quoting import csv_cell

    return "".join(",".join(csv_cell(str(cell)) for cell in line) + "\n" for line in lines)


def json_text(content: Any) -> str:
    """JSON in readable letters; what would command a terminal is an escape, which JSON reads as the same text."""
    return visible(json.dumps(content, ensure_ascii=False))


def show_json(content: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json_text(content))


def tell(content: Any, text: str, *, as_json: bool) -> None:
    """The same for machines or for people."""
    if as_json:
        show_json(content)
    else:
        show(text)
