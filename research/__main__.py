"""The commands: `python -m research reproduce` and `python -m research bench`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.app import run
from crystalogic.cli.output import show
from research.errors import StudyError

Jobs = Annotated[int, typer.Option(min=1, help="Processes; the results do not depend on them. Default: all cores.")]
CORES = os.cpu_count() or 1

app = typer.Typer(
    name="research", help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@app.command()
def reproduce(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("reproduction"),
    quick: Annotated[bool, typer.Option("--quick", help="Two trials each, the paper's chosen settings.")] = False,
    jobs: Jobs = CORES,
    figures: Annotated[bool, typer.Option(help="Draw the figures; needs matplotlib.")] = True,
) -> None:
    """Run the paper's experiments and ours, and print every claim with its verdict.

    Finished trials are kept in the output folder as they end. After a kill, the same command goes on where it was.
    """
    from research.paper.page import summary_text
    from research.paper.plan import plan
    from research.paper.reproduce import judge, run_experiments
    from research.paper.write import write_reproduction

    if figures:
        _refuse_without_matplotlib()
    with _study_bar("reproducing the paper") as progress:
        results = run_experiments(output, plan(quick=quick), n_jobs=jobs, progress=progress)
    found = judge(results)
    written = write_reproduction(found, output, figures=figures)
    show(summary_text(found))
    show(f"Written: {len(written)} files in {output}; begin with {output / 'report.md'}.")


@app.command()
def bench(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("bench"),
    page: Annotated[Path | None, typer.Option(help="Where to write the page; default: in the folder.")] = None,
    tables: Annotated[str | None, typer.Option(help="Only these tables, separated by commas.")] = None,
    learners: Annotated[str | None, typer.Option(help="Only these learners, separated by semicolons.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two splits of tables that are not large, defaults.")] = False,
    seconds: Annotated[float, typer.Option(min=0, help="Stop after so long; the same command goes on.")] = 7200,
    again: Annotated[float, typer.Option(min=0, max=1, help="The share of finished jobs to repeat and compare.")] = 0,
    again_seconds: Annotated[float, typer.Option(min=0, help="How long to repeat at most.")] = 7200,
    jobs: Jobs = CORES,
    figures: Annotated[bool, typer.Option(help="Draw the figures; needs matplotlib.")] = True,
) -> None:
    """Compare the default learner with its peers on the frozen suite, and write the page from what there is.

    Peers that are not installed are reported, not dropped. Finished jobs are kept in the output folder as they end.
    """
    from research.bench.jobs import plan_jobs
    from research.bench.run import run_again, run_bench
    from research.bench.write import write_comparison

    if figures:
        _refuse_without_matplotlib()
    page = page or output / "comparison.md"
    planned = plan_jobs(_names(tables, ","), _names(learners, ";"), quick=quick)
    with _study_bar("comparing learners") as progress:
        found = run_bench(output, planned, seconds=seconds, n_jobs=jobs, progress=progress)
    if again:
        answer = run_again(output, found, again, seconds=again_seconds, n_jobs=jobs)
        show(f"Repeated {answer['repeated']} jobs: {len(answer['different'])} gave another result.")
    written = write_comparison(output, page, found, figures=figures)
    show(f"{len(found)} of {len(planned)} jobs are done. Written: {', '.join(str(path) for path in written)}.")


def _refuse_without_matplotlib() -> None:
    """Says so before the experiments rather than after them."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        message = "figures need matplotlib, which is not installed. Install crystalogic[figures], or pass --no-figures."
        raise StudyError(message)


def _names(text: str | None, mark: str) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(mark) if name.strip()]


@contextmanager
def _study_bar(what: str) -> Iterator[Any]:
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

    console, times = Console(stderr=True), (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar if console.is_terminal else nullcontext():  # a bar that is disabled ends with an empty line in old rich
        task = bar.add_task(what)
        shown = [-1]

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            tenth = 10 * done // max(1, total)
            if not bar.console.is_terminal and tenth > shown[0]:
                shown[0] = tenth
                bar.console.print(f"{what}: {done} of {total} done")

        yield progress


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], app))
