"""What the data changed in a formula: literals kept, dropped and added, and the rows decided otherwise."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError

if TYPE_CHECKING:
    from crystalogic.logic.formula import Formula


@dataclass(frozen=True)
class Changes:
    """The difference between two formulas: literals as they stand in the text, and rows on the other side of 1/2."""

    before: "tuple[Formula, ...]"
    after: "tuple[Formula, ...]"
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    n_rows: int
    n_rows_changed: int

    def __str__(self) -> str:
        lines = [f"before  {f}" for f in self.before] + [f"after   {f}" for f in self.after]
        for title, literals in (("kept", self.kept), ("dropped", self.dropped), ("added", self.added)):
            lines.append(f"{title:<7} {', '.join(literals) or '–'}")
        return "\n".join([*lines, f"{self.n_rows_changed} of {self.n_rows} rows are decided otherwise"])


def changes(before: Crystal, after: Crystal, X: ArrayLike) -> Changes:
    """What differs between two crystals, on rows of truth values in the order of the second one's inputs.

    >>> from crystalogic.crystal import Neuron
    >>> expert = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0)], [2])
    >>> learned = Crystal(["a", "b"], [Neuron([0, 1], [1, -1], 1)], [2])
    >>> print(changes(expert, learned, [[0, 0], [1, 0], [1, 1]]))
    before  a ⊕ b
    after   a ⊕ ¬b
    kept    a
    dropped b
    added   ¬b
    1 of 3 rows are decided otherwise
    """
    from crystalogic.symbolic.extract import extract

    rows = np.asarray(X, dtype=np.float64)
    missing = [name for name in before.inputs if name not in after.inputs]
    if missing:
        message = f"{missing[0]!r} is no input of the learned crystal; its inputs are {', '.join(after.inputs)}."
        raise TrainingDataError(message)
    columns = [list(after.inputs).index(name) for name in before.inputs]
    differs = (before.run_rows(rows[:, columns]) >= 0.5) != (after.run_rows(rows) >= 0.5)
    old, new = extract(before).formulas, extract(after).formulas
    was, now = _literals(old), _literals(new)
    return Changes(
        old, new, _listed(was & now), _listed(was - now), _listed(now - was), len(rows), int(differs.any(axis=1).sum())
    )


def _literals(formulas: "tuple[Formula, ...]") -> Counter[str]:
    """Each literal with how often it stands in the formulas written out, ¬ moved to the literals."""
    from crystalogic.logic.formula import Implies, Not, Variable

    count: Counter[str] = Counter()
    pending = [(formula, True) for formula in formulas]
    while pending:
        node, positive = pending.pop()
        if isinstance(node, Variable):
            count[str(node) if positive else str(~node)] += 1
        elif isinstance(node, Not):
            pending.append((node.parts[0], not positive))
        elif isinstance(node, Implies):
            pending += [(node.parts[0], not positive), (node.parts[1], positive)]
        else:
            pending += [(part, positive) for part in node.parts]
    return count


def _listed(count: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(count.elements()))
