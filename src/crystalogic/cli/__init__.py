"""The command line: the same verbs as the library, errors in one sentence, no tracebacks."""

import os
import signal
import sys


def main() -> None:
    """Run the command line; exit 0 when done, 1 when the job failed, 2 when it was asked for wrongly, 130 on Ctrl-C."""
    from crystalogic.cli.app import run, say

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a way out that removes temporary files
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more on its way out
        if not code:
            code = say(f"the output cannot be written ({error.strerror}).", 1)
    sys.exit(code)
