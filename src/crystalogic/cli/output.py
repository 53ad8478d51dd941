"""Where results go: a file that is there completely or not at all, or standard output; and progress, to standard error.

All that commands print passes here: names come from files, and a name must not command the terminal that shows it.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from crystalogic.document import refuse_unwritable, write_atomically
from crystalogic.logic.names import visible
from crystalogic.progress import HELD_OUT, Progress


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


def show_notes(notes: Iterable[str]) -> None:
    """What is worth a word, on standard error."""
    for note in notes:
        show(f"note: {note}", to_errors=True)


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
    typer.echo(json_text(content) if as_json else visible(text))


def show_by_row(found: Mapping[int, Any], text: Callable[[Any], str], content: Any, *, as_json: bool) -> None:
    """What was found about each row: about one, as it is; about several, each after its number."""
    first, *more = found.values()
    if as_json:
        show_json([{"number": number, **content(each)} for number, each in found.items()] if more else content(first))
    elif not more:
        show(text(first))
    else:
        show("\n\n".join(f"row {number}:\n{text(each)}" for number, each in found.items()))


@contextmanager
def progress_bar(what: str) -> Iterator[Any]:
    """The callback that a fit tells its progress: a bar with the time left on a terminal, gone when it is done."""
    if not sys.stderr.isatty():  # and no bar is loaded
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    said, left, hint = map(TextColumn, ("{task.description}", "left", "Ctrl-C keeps the best"))
    columns = said, BarColumn(), TimeElapsedColumn(), left, TimeRemainingColumn(), hint
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def callback(progress: Progress) -> None:
            words = "measuring on held-out rows" if progress.part == HELD_OUT else what
            bar.update(task, description=words, completed=progress.done, total=progress.total)

        yield callback
