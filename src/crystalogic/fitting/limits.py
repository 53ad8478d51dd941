"""Whether a model of these columns could be read from a file again, asked before the search and not after it."""

from collections.abc import Iterator

from crystalogic.cells import MISSING_WORDS
from crystalogic.encoding import Encoding, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.fitting.reach import measure_list
from crystalogic.learner.settings import MOST_POINTS, Shape
from crystalogic.request import Request
from crystalogic.untrusted import LIMITS

AROUND = 16  # characters around a literal: connectives, brackets
TIMES = 12  # that a literal of the rule is written: in formulas, certificate and crystal
WRITTEN = 2  # times as long as in Python a text is in a file, at most
LINE = 24  # bytes of a key, a number, brackets and what is before them on a line


def refuse_unreadable(encoding: Encoding, n_classes: int, request: Request) -> None:
    """A TrainingDataError if the largest model that may be found is beyond the limits of a file."""
    for name, found in _largest(encoding, 1 if n_classes == 2 else n_classes, request):
        most = getattr(LIMITS, name)
        if found > most:
            message = (
                f"a model of this table could have {found:,} {name}, more than the {most:,} that are read from a file. "
                "Leave out columns, shorten their names, or allow fewer cuts or literals (--cuts, --max-literals)."
            )
            raise TrainingDataError(message)


def refuse_too_large(n_rows: int, n_inputs: int) -> None:
    """A TooLargeError if training would need more than half of the memory for the rows alone."""
    from crystalogic.train.task import machine_bytes

    n_bytes, memory = 4 * n_rows * n_inputs, machine_bytes()
    if n_bytes > memory / 2:
        message = (
            f"{n_rows:,} rows × {n_inputs:,} truth values need {n_bytes / 2**30:.1f} GiB to train on, more than half "
            f"of this machine's {memory / 2**30:.1f} GiB. Leave the strategy out: the default learns from a sample."
        )
        raise TooLargeError(message)


def _largest(encoding: Encoding, n_formulas: int, request: Request) -> Iterator[tuple[str, int]]:
    """The sizes of the largest model. A trained network may read everything; a front has at most one formula of each
    size, so it reads at most 1 + 2 + … + max_literals truth values, and other columns are in the file without any."""
    if request.is_trained:
        yield "literals", len(encoding.names)
        return
    n_literals = request.most_literals
    n_read = n_formulas * n_literals * (n_literals + 1) // 2
    yield "formulas", n_formulas
    yield "neurons", n_formulas * (n_literals if request.is_likelihood else request.lattice.max_neurons)
    n_listed = n_read if request.is_likelihood else 0
    widest_columns = sorted((len(column.literals) for column in encoding.columns), reverse=True)
    yield "literals", sum(widest_columns[:n_read]) + n_listed
    longest = WRITTEN * max(len(ascii(name)) for name in encoding.names) + AROUND
    longest *= MOST_POINTS if request.is_likelihood else 1  # a file repeats what has points
    n_facts = request.likelihood.most_of(Shape.POINTS) if request.is_likelihood else 0
    listed = MOST_POINTS * (WRITTEN * max(map(measure_list, encoding.columns), default=0) + AROUND)
    yield "characters", max(n_literals * (n_literals + 1) * longest, n_facts * (n_facts + 1) * listed) // 2
    longest = max(longest, listed if n_facts else 0)
    widest, least = (sorted(map(_n_bytes, each.columns), reverse=True) for each in (encoding, encoding.thin(())))
    yield "bytes", sum(least) + sum(widest[:n_read]) + (n_read + TIMES * n_formulas * n_literals) * longest


def _n_bytes(column: Column) -> int:
    """At most so many bytes stand for a column in a file."""
    words = () if column.missing_words == MISSING_WORDS else column.missing_words
    texts = [WRITTEN * len(ascii(text)) + LINE for text in (column.note, *column.known, *words)]
    own = 10 * LINE + WRITTEN * len(ascii(column.name)) + max(texts)
    n_lists = 1 + sum(isinstance(literal, Reaches) for literal in column.literals)
    return (1 + len(column.literals)) * own + n_lists * sum(texts)
