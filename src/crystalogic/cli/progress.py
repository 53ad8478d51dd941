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
