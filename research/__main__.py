"""The commands: `python -m research reproduce` and `python -m research bench`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.app import run_app
from crystalogic.cli.output import show
from crystalogic.cli.progress import plain_bar
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
    learners: Annotated[str | None, typer.Option(help="Only these learners, separated by commas.")] = None,
    splits: Annotated[int, typer.Option(min=1, help="How many splits of each table.")] = 10,
    jobs: Jobs = CORES,
    figures: Annotated[bool, typer.Option(help="Draw the figure; needs matplotlib.")] = True,
) -> None:
    """Compare the default learner with trees, rule lists, scorecards and others on the same splits.

    Peers that are not installed are reported, not dropped. Finished runs are kept in the output folder.
    """
    from crystalogic.document import write_atomically
    from research.bench.page import page as written_page
    from research.bench.run import compare
    from research.study.tidy import tidy_rows, write_table

    if figures:
        _refuse_without_matplotlib()
    page = page or output / "comparison.md"
    with _study_bar("comparing learners") as progress:
        found = compare(
            output, tables=_names(tables), learners=_names(learners), n_splits=splits, n_jobs=jobs, progress=progress
        )
    write_table(tidy_rows(found), output / "comparison.csv")
    picture = None
    if figures:
        from research.bench.figures import draw_comparison

        folder = page.parent / "pictures"
        draw_comparison(found, folder)
        picture = "pictures/comparison.svg"
    text = written_page(found, picture)
    write_atomically(page, text)
    show(text.partition("## How each learner")[0].rstrip())
    show(f"\nWritten: {page}, {output / 'comparison.csv'}.")


def _refuse_without_matplotlib() -> None:
    """Says so before the experiments rather than after them."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        message = "figures need matplotlib, which is not installed. Install crystalogic[figures], or pass --no-figures."
        raise StudyError(message)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _study_bar(what: str) -> Iterator[Any]:
    """A bar that counts finished experiments and shows the time left; a line each tenth where there is no terminal."""
    from rich.progress import MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    with plain_bar(MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()) as bar:
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
    sys.exit(run_app(app, sys.argv[1:]))
