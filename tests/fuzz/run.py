"""One target under atheris, guided by coverage: python tests/fuzz/run.py TARGET [options of libFuzzer].

It ends at the first input that breaks the property of the target, and writes it to a file `crash-…`.
"""

import sys
from collections import Counter
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))
with atheris.instrument_imports(include=["crystalogic"]):
    import crystalogic.cli.app
    import crystalogic.export
    import crystalogic.files
    import crystalogic.report.page  # noqa: F401 (so that all of it is watched)
    from fuzz.targets import TARGETS

NAME = sys.argv[1]
outcomes: Counter[str] = Counter()


def one_input(data: bytes) -> None:
    outcomes[TARGETS[NAME](data)] += 1
    if sum(outcomes.values()) % 1000 == 0:
        report()


def report() -> None:
    counted = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(outcomes.items()))
    sys.stderr.write(f"{NAME}: {sum(outcomes.values()):,} inputs, {counted}\n")


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
    atheris.Fuzz()
