"""The command line: the same verbs as the library, errors in one sentence, no tracebacks."""

import sys


def main() -> None:
    """Run the command line; exit 0 when done, 1 when the job failed, 2 when it was asked for wrongly."""
    from crystalogic.cli.app import run

    sys.exit(run(sys.argv[1:]))
