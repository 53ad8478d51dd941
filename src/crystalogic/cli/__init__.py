"""The command line: the same verbs as the library, errors in one sentence, no tracebacks."""

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> None:
    """Run the command line; exit 0 when done, 1 when the job failed, 2 when it was asked for wrongly, 130 on Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):  # what the terminal or UTF-8 cannot hold is an escape, never a failure
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, _leave)
    gc.set_threshold(100_000)  # loading libraries makes much that stays: looking through it again and again takes time
    try:
        from crystalogic.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before there was anything to stop
        code = 130
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more on its way out
        if not code:
            sys.stderr.write(f"the output cannot be written ({error.strerror}).\n")
            code = 1
    sys.exit(code)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """A way out that removes temporary files. Not sys.exit: its bare number is a TypeError to readers written in C."""
    raise SystemExit(128 + number)
