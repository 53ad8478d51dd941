"""Progress on the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Any]:
    """A bar on the terminal's standard error, and nothing where there is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("Ctrl-C keeps the best"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{what} (the first time, kernels are compiled for a minute)", total=total)

        def callback(progress: Any) -> None:
            if progress is None:
                bar.advance(task)
            else:
                done = getattr(progress, "done", getattr(progress, "step", 0))
                of = getattr(progress, "total", getattr(progress, "n_steps", None))
                bar.update(task, completed=done, total=of, description=what)

        yield callback


@contextmanager
def study_bar(what: str) -> Iterator[Any]:
    """A bar that counts finished experiments and shows the time left; a line each tenth where there is no terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        shown = [-1]

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            tenth = 10 * done // max(1, total)
            if not console.is_terminal and tenth > shown[0]:
                shown[0] = tenth
                console.print(f"{what}: {done} of {total} done")

        yield progress
