"""Whether a model of these columns could be read from a file again, asked before the search and not after it."""

import json
from typing import TYPE_CHECKING

from crystalogic.encoding import Encoding
from crystalogic.errors import TrainingDataError
from crystalogic.fitting.request import Request
from crystalogic.logic.names import written_name
from crystalogic.untrusted import LIMITS

if TYPE_CHECKING:
    from crystalogic.search import Annealing

AROUND = 16  # characters around a literal: connectives, brackets
TIMES = 12  # that a literal of the rule is written: in formulas, certificate and crystal


def refuse_unreadable(encoding: Encoding, n_classes: int, request: Request) -> None:
    """A TrainingDataError if the largest model that may be found is beyond the limits of a file."""
    n_formulas = 1 if n_classes == 2 else n_classes
    sizes = {"literals": len(encoding.names)}  # a trained network may read everything
    if request.is_lattice:
        sizes = _largest(encoding, n_formulas, request.lattice)
    for name, found in sizes.items():
        most = getattr(LIMITS, name)
        if found > most:
            message = (
                f"a model of this table could have {found:,} {name}, more than the {most:,} that are read from a file. "
                "Leave out columns, shorten their names, or allow fewer cuts or literals (--cuts, --max-literals)."
            )
            raise TrainingDataError(message)


def _largest(encoding: Encoding, n_formulas: int, settings: "Annealing") -> dict[str, int]:
    """The sizes of the largest model that a search may find.

    A front has at most one formula of each size, so it reads at most 1 + 2 + … + max_literals truth values. The columns
    of these are in the file with all their literals, the others without most of them.
    """
    n_read = n_formulas * settings.max_literals * (settings.max_literals + 1) // 2
    thin = encoding.thinned(())
    pairs = zip(encoding.columns, thin.columns, strict=True)
    more = sorted((len(column.literals) - len(left.literals) for column, left in pairs), reverse=True)
    widest = sorted((len(json.dumps(column, indent=1)) for column in encoding.content()["columns"]), reverse=True)
    least = sum(len(json.dumps(column, indent=1)) + AROUND for column in thin.content()["columns"])
    longest = max(len(json.dumps(written_name(name))) for name in encoding.names) + AROUND
    return {
        "formulas": n_formulas,
        "neurons": n_formulas * settings.max_neurons,
        "literals": len(thin.names) + sum(more[:n_read]),
        "characters": settings.max_literals * longest,
        "bytes": least + 2 * sum(widest[:n_read]) + (n_read + TIMES * n_formulas * settings.max_literals) * longest,
    }
