"""What is known of all rows of a table in parts after one look: its columns, its classes, how many rows."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates.weights import class_weights
from crystalogic.encoding.encoding import column_names
from crystalogic.encoding.sparse import SparseColumns
from crystalogic.encoding.survey import Survey, survey
from crystalogic.errors import TrainingDataError
from crystalogic.parts import Part, Parts, refuse_mixture

ClassWeight = str | Mapping[Hashable, float] | None
MOST_CLASSES = 100


@dataclass(frozen=True)
class Overview:
    """The survey of the columns, and the number of rows and their weight for each class (None for truth degrees)."""

    survey: Survey
    counts: Counter[Any]
    mass: Counter[Any]
    n_values: int

    def join(self, other: "Overview") -> "Overview":
        """The overview of these rows and the other's after them; a part without rows says nothing."""
        if not (self.n_rows and other.n_rows):
            return self if self.n_rows else other
        return Overview(
            self.survey.join(other.survey),
            self.counts + other.counts,
            self.mass + other.mass,
            self.n_values + other.n_values,
        )

    @property
    def n_rows(self) -> int:
        return self.survey.n_rows

    @property
    def classes(self) -> Array | None:
        """The classes in order; None for truth degrees."""
        return None if None in self.counts else np.unique(np.array(list(self.counts)))

    def of_class(self, what: Counter[Any]) -> list[Any]:
        """Counts or masses in the order of the classes."""
        return [what[None]] if self.classes is None else [what[label] for label in self.classes.tolist()]

    @property
    def order(self) -> tuple[int, ...]:
        """The classes from the heaviest on; empty for truth degrees."""
        mass = [] if self.classes is None else self.of_class(self.mass)
        return tuple(int(index) for index in np.argsort(-np.array(mass), kind="stable"))


def weights_of_classes(overview: Overview, class_weight: ClassWeight) -> Array:
    """What a row of each class weighs if its own weight is 1; together all rows weigh as much as there are."""
    classes, mass = overview.classes, np.array(overview.of_class(overview.mass))
    weight = np.ones(1) if classes is None else class_weights(classes, mass, class_weight)
    return np.asarray(weight * (overview.n_rows / (weight @ mass)))


def look_over(parts: Parts, *, degrees: bool, kinds: Mapping[str, Any], missing: frozenset[str]) -> Overview:
    """The overview of a table; an error for a target that cannot be learned."""
    overview = parts.fold(partial(_look, degrees=degrees, kinds=kinds, missing=missing), Overview.join)
    if overview is None or not overview.n_rows:
        message = "the table has no rows; there is nothing to learn from."
        raise TrainingDataError(message)
    n_classes = len(overview.counts)
    if not degrees:
        refuse_mixture(overview.counts)
    if not degrees and not 2 <= n_classes <= MOST_CLASSES:
        message = f"expected between two and {MOST_CLASSES} classes, got {n_classes:,}."
        raise TrainingDataError(message)
    n_heavy = sum(mass > 0 for mass in overview.mass.values())
    if n_heavy < (1 if degrees else 2):
        what = "all rows that weigh something have the same target" if n_heavy else "every row has the weight 0"
        message = f"{what}; there is nothing to learn."
        raise TrainingDataError(message)
    return overview


def _look(part: Part, *, degrees: bool, kinds: Mapping[str, Any] | None, missing: frozenset[str]) -> Overview:
    part.refuse_weights()
    if degrees:
        part.refuse_degrees()
        labels: list[Any] = [None]
        codes = np.zeros(len(part), np.int64)
    else:
        found, codes = part.classes()
        labels = found.tolist()
    counts = np.bincount(codes, minlength=len(labels)).tolist()
    mass = np.bincount(codes, weights=part.weight, minlength=len(labels)).tolist()
    is_sparse = isinstance(part.rows, SparseColumns)
    n_values = part.rows.n_stored if is_sparse else len(part) * len(column_names(part.rows))
    return Overview(
        survey(part.rows, part.first_row, weight=part.weight, kinds=kinds, missing=missing),
        Counter(dict(zip(labels, counts, strict=True))),
        Counter(dict(zip(labels, mass, strict=True))),
        n_values,
    )
