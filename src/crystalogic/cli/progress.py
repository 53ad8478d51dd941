"""Progress on standard error: a bar on a terminal, plain sentences elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from crystalogic.cli.output import show
from crystalogic.progress import HELD_OUT, Progress


def ready_kernels() -> None:
    """Compile the kernels where no earlier run has, and say so: it takes a while, and no part of a time budget."""
    from crystalogic.compiled import kernels_stay
    from crystalogic.search.learn import compile_kernels, kernels_are_compiled

    if not kernels_are_compiled():
        how_often = "this happens once and takes about a minute."
        if not kernels_stay:
            how_often = "this takes about a minute, each time, for no folder can be written to keep the result. "
            how_often += "Set NUMBA_CACHE_DIR to one that can."
        show(f"The search is being compiled for this machine; {how_often}", to_errors=True)
        compile_kernels()


@contextmanager
def plain_bar(*columns: Any) -> Iterator[Any]:
    """A bar of rich with these columns after its words, gone when it is done; silent where there is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    words = TextColumn("{task.description}")
    bar = Bar(words, BarColumn(), *columns, console=console, transient=True, disable=not console.is_terminal)
    with bar if console.is_terminal else nullcontext():  # a bar that is disabled ends with an empty line in old rich
        yield bar


@contextmanager
def progress_bar(what: str) -> Iterator[Any]:
    """A bar with the time left on a terminal, gone when it is done; nothing where there is no terminal.

    It gives the callback that a fit tells its progress.
    """
    if not sys.stderr.isatty():  # and no bar is loaded
        yield lambda _: None
        return
    from rich.progress import TextColumn, TimeElapsedColumn, TimeRemainingColumn

    hint = TextColumn("Ctrl-C keeps the best")
    with plain_bar(TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), hint) as bar:
        task = bar.add_task(what, total=None)

        def callback(progress: Progress) -> None:
            words = "measuring on held-out rows" if progress.part == HELD_OUT else what
            bar.update(task, description=words, completed=progress.done, total=progress.total)

        yield callback
