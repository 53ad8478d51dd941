"""Mutation testing of the exact rooms: change one thing in the source, and see whether the tests of the room notice.

Run with `make mutants`. Each mutant lives in a fork that reads the changed source in the place of the file, and runs
those tests of its room that reach the changed function, the quickest first, until one fails. A mutant that outlives all
of them has survived. The longest property tests are left out: what only they would notice counts as survived, too.
Endless loops and greed end by limits of time and memory, and count as noticed. Mutants that compute the same as the
original are listed, each with its reason, in `equivalent_mutants.toml`.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import coverage
import hypothesis
import numpy  # noqa: F401 (loaded once, before the forks)
import pytest
import z3  # noqa: F401
from mutations import Mutant, mutants

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "crystalogic"
ROOMS = {
    "logic": ["tests/logic", "src/crystalogic/logic"],
    "symbolic": ["tests/symbolic", "src/crystalogic/symbolic"],
    "verify": ["tests/verify", "src/crystalogic/verify"],
}
LEFT_OUT = (
    "flipped or answers_agree or equal_numbers or declared_domain or deep_formula or rule_r_reports or random_crystals"
)
MEMORY = 6 * 2**30
SPARE_SECONDS = 5  # of computing, for each test on top of three times what it needs


class Plugin:
    """Runs the chosen tests in the chosen order, notes their seconds, and spares the search for small examples."""

    def __init__(self, order: dict[str, float] | None = None, watch: coverage.Coverage | None = None) -> None:
        self.order, self.watch = order, watch
        self.seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutants", hypothesis.settings.default, phases=phases)
        hypothesis.settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.order is not None:
            items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        if self.watch:
            self.watch.switch_context(item.nodeid)
        if self.order is not None:
            allow(SPARE_SECONDS + 3 * self.order[item.nodeid])
        begin = time.process_time()
        done = yield
        self.seconds[item.nodeid] = time.process_time() - begin
        return done


def run_tests(room: str, plugin: Plugin) -> int:
    quiet = ["-x", "-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    quiet += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis was loaded before the forks
    return int(pytest.main([*quiet, "-k", f"not ({LEFT_OUT})", *ROOMS[room]], plugins=[plugin]))


def allow(seconds: float) -> None:
    """The process ends by a signal after this much computing from now on."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def in_fork(work: Any, is_limited: bool = False) -> int | None:
    """The exit code of the work, or None if it was ended by a limit."""
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        if is_limited:
            allow(4 * SPARE_SECONDS)  # to find the tests
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None


class Room:
    """The tests of a room as they are: how long each takes and which lines it reaches."""

    def __init__(self, name: str) -> None:
        self.name = name
        with tempfile.TemporaryDirectory() as folder:
            notes = Path(folder) / "notes.json"
            if in_fork(lambda: self._measure(notes)) != 0:
                sys.exit(f"The tests of {name} fail without any change.")
            noted = json.loads(notes.read_text())
        self.seconds: dict[str, float] = noted["seconds"]
        self._reached: dict[str, dict[str, list[str]]] = noted["reached"]

    def _measure(self, notes: Path) -> int:
        watch = coverage.Coverage(data_file=None, config_file=False, source=[str(SOURCE / self.name)])
        watch.start()
        plugin = Plugin(watch=watch)
        code = run_tests(self.name, plugin)
        watch.stop()
        data = watch.get_data()
        reached = {Path(path).name: data.contexts_by_lineno(path) for path in data.measured_files()}
        notes.write_text(json.dumps({"seconds": plugin.seconds, "reached": reached}))
        return code

    def tests_of(self, mutant: Mutant) -> dict[str, float]:
        """The tests that reach the changed function; all of them for what runs at import."""
        if mutant.lines is None:
            return self.seconds
        lines = self._reached.get(mutant.path.name, {})
        names = {name for line in mutant.lines for name in lines.get(str(line), ())}
        return {name: self.seconds[name] for name in names if name in self.seconds}

    def notices(self, mutant: Mutant) -> bool:
        """Whether a test fails, or the limits end it."""
        tests = self.tests_of(mutant)
        return bool(tests) and in_fork(lambda: self._run(mutant, tests), is_limited=True) != 0

    def _run(self, mutant: Mutant, tests: dict[str, float]) -> int:
        original = SourceFileLoader.get_code

        def get_code(loader: SourceFileLoader, name: str) -> Any:
            if Path(loader.path) == mutant.path:
                return compile(mutant.source, loader.path, "exec")
            return original(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
        return run_tests(self.name, Plugin(tests))


def equivalent() -> dict[str, str]:
    """The mutants that compute the same as the original, each with its reason."""
    listed = tomllib.loads((Path(__file__).parent / "equivalent_mutants.toml").read_text(encoding="utf-8"))
    return {mutant: entry["reason"] for entry in listed["same"] for mutant in entry["mutants"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), help=f"of {', '.join(ROOMS)}")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each room, drawn at random; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--these", type=Path, help="a file with mutants as they are printed, one a line")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCE.parent))
    known = equivalent()
    totals = []
    for name in options.rooms:
        every = [mutant for path in sorted((SOURCE / name).glob("*.py")) for mutant in mutants(path)]
        real = [mutant for mutant in every if str(mutant) not in known]
        if options.these:
            wanted = set(options.these.read_text(encoding="utf-8").splitlines())
            drawn = [mutant for mutant in real if str(mutant) in wanted]
        else:
            size = min(options.sample or len(real), len(real))
            drawn = random.Random(options.seed).sample(real, size)
        room = Room(name)
        survivors = 0
        for number, mutant in enumerate(drawn, 1):
            if not room.notices(mutant):
                survivors += 1
                print(mutant, flush=True)
            print(f"{name}: {number} of {len(drawn)}, {survivors} survived", end="\r", file=sys.stderr, flush=True)
        totals.append((name, len(every), len(every) - len(real), len(drawn), len(drawn) - survivors, survivors))
    print(f"\n{'room':<10}{'possible':>10}{'equivalent':>12}{'generated':>11}{'killed':>8}{'survived':>10}")
    for name, possible, same, generated, killed, survived in totals:
        rate = f"{survived / max(1, generated):.1%}"
        print(f"{name:<10}{possible:>10}{same:>12}{generated:>11}{killed:>8}{survived:>10}  {rate}")


if __name__ == "__main__":
    main()
