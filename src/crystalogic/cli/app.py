"""The application: commands from the rooms of the library, and how failures leave it."""

import errno
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from crystalogic import __version__
from crystalogic.cli import ask, evaluating, learning, logic, use
from crystalogic.cli.options import DESCRIBED, Asked, Command, command_of
from crystalogic.cli.output import show
from crystalogic.errors import CrystalogicError

STOPPED = 130  # what shells expect of a program that Ctrl-C ended

HELP = "Short logical formulas from tables, proved to be the network they were read from."
PLAIN: Any = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
app = typer.Typer(name="crystalogic", help=HELP, no_args_is_help=True, **PLAIN)
WITH_TABLES: tuple[Callable[[Asked], None], ...] = (
    *(learning.fit, use.predict, use.explain, use.adopt, use.verify, learning.recover, learning.datasets),
    *(learning.optimal, ask.diff, use.export, use.report, use.choose),
    *(evaluating.evaluate, evaluating.operate, evaluating.watch, use.serve, use.mcp),
)
WITH_FORMULAS = {"prove": logic.prove, "simplify": logic.simplify, "table": logic.table, "eval": logic.evaluate}
for act in WITH_TABLES:
    app.command(act.__name__, cls=Command)(command_of(act, DESCRIBED[act.__name__]))
for name, act in WITH_FORMULAS.items():
    app.command(name, cls=Command, epilog=logic.SYNTAX)(command_of(act, DESCRIBED[name]))
app.add_typer(ask.app, name="ask")


def _show_version(wanted: bool) -> None:
    if wanted:
        show(f"crystalogic {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, help="Show the version.")] = False,
) -> None:
    pass


def run(arguments: Sequence[str], application: typer.Typer = app) -> int:
    """The exit code of a command line: 0 done, 1 failed, 2 asked for wrongly, 130 stopped by Ctrl-C."""
    try:
        application(args=list(arguments), prog_name=application.info.name)
    except SystemExit as done:
        if done.code == STOPPED:
            return say("stopped.", STOPPED)
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except CrystalogicError as error:
        return say(f"{type(error).__name__}: {error}", 1)
    except (MemoryError, ImportError, OSError) as error:
        if _is_out_of_memory(error):
            return say("there is not enough memory for this. Use fewer rows or columns, or a machine with more.", 1)
        if isinstance(error, OSError):  # standard output cannot be written: a full disk
            return say(f"the output cannot be written ({error.strerror}).", 1)
        raise
    except KeyboardInterrupt:
        return say("stopped.", STOPPED)
    return 0


def _is_out_of_memory(error: BaseException) -> bool:
    """Also where it shows in another way: a library that cannot be loaded, a call of the system that is refused."""
    is_refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or is_refused or "failed to map segment" in str(error)


def say(message: str, code: int) -> int:
    """One sentence on standard error, and the exit code that goes with it."""
    show(message, to_errors=True)
    return code
