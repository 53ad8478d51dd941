"""What every learner takes and gives: knowledge, weights of rows, candidates, the front, the result."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of
from crystalogic.errors import CrystalError, TrainingDataError, refuse, refuse_first
from crystalogic.logic.formula import Formula
from crystalogic.progress import Stop
from crystalogic.symbolic.extract import extract

RISE, FALL = 1, 2  # bits: a feature may raise, may lower the output


@dataclass(frozen=True)
class Knowledge:
    """Constraints that every formula of a search keeps, and a crystal to start from, which is a candidate, too.

    >>> print(Knowledge(monotone={"ca": 1}, forbidden=["age"], required=["cp=4"]))
    'ca' may only raise the output; 'age' is not used; 'cp=4' is used
    """

    monotone: Mapping[str, int] = field(default_factory=dict)  # +1: it may only raise the output, -1: only lower it
    forbidden: Sequence[str] = ()
    required: Sequence[str] = ()
    start: Crystal | None = None

    def __post_init__(self) -> None:
        for field_name, kind in (("monotone", dict), ("forbidden", tuple), ("required", tuple)):
            object.__setattr__(self, field_name, kind(getattr(self, field_name)))
        for name, sign in self.monotone.items():
            message = f"the direction of {name!r} is +1 (may only raise) or -1 (may only lower), got {sign!r}."
            refuse_first(TrainingDataError, {message: sign not in (1, -1)})
        for name in (name for name in self.required if name in self.forbidden):
            refuse(TrainingDataError, f"{name!r} is both forbidden and required; leave it out of one of them.")

    def permitted(self, names: Sequence[str]) -> Array:
        """For each feature its bits, both where nothing is said of it."""
        self.refuse_unknown(names)
        return np.array([self.bounds.get(name, RISE | FALL) for name in names], np.int64)

    @cached_property
    def bounds(self) -> dict[str, int]:
        """The bits of what each constrained feature may do: 1 raise the output, 2 lower it."""
        ways = {name: RISE if sign > 0 else FALL for name, sign in self.monotone.items()}
        return ways | dict.fromkeys(self.forbidden, 0)

    def needed(self, names: Sequence[str]) -> Array:
        self.refuse_unknown(names)
        return np.array([names.index(name) for name in self.required], np.int64)

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """An error if the knowledge speaks of a feature that is not among the names."""
        spoken_of = *self.monotone, *self.forbidden, *self.required, *(self.start.inputs if self.start else ())
        known = set(names)
        for name in (name for name in spoken_of if name not in known):
            refuse(TrainingDataError, f"{name!r} is not a feature of these rows; the features are {', '.join(names)}.")

    def __str__(self) -> str:
        words = {name: "raise" if sign > 0 else "lower" for name, sign in self.monotone.items()}
        parts = [f"{name!r} may only {word} the output" for name, word in words.items()]
        parts += [f"{name!r} is not used" for name in self.forbidden]
        parts += [f"{name!r} is used" for name in self.required]
        return "; ".join(parts) or "no constraint"


def keeps_to(crystal: Crystal, knowledge: Knowledge) -> bool:
    """Whether a crystal reads nothing forbidden, and each feature with a direction only so that it goes that way.

    A neuron never falls as one rises that it reads with a positive weight, nor rises with a negative one, whatever
    else it reads. So it is enough to follow the signs from the outputs down, which is a proof for all rows.
    """
    if not (knowledge.monotone or knowledge.forbidden):
        return True
    n_inputs = len(crystal.inputs)
    heard = [0] * crystal.n_values  # RISE: an output may rise with this value, FALL: it may fall
    for output in crystal.outputs:
        heard[output] = RISE
    for index in sorted(crystal.live, reverse=True):
        way = heard[n_inputs + index]
        for source, weight in crystal.neurons[index].links:
            heard[source] |= way if weight > 0 else (way & RISE) * FALL | (way & FALL) // FALL
    pairs = zip(crystal.inputs, heard, strict=False)
    return not any(way & ~knowledge.bounds.get(name, RISE | FALL) for name, way in pairs)


NOTHING = Knowledge()


def are_counts(weight: Array) -> bool:
    """Whether weights say how many rows each row stands for: whole numbers, not beyond what floats count."""
    return bool((weight == np.rint(weight)).all() and weight.max() < 2**53 / len(weight))


def settled_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The checked weight of each row: counts as they are; others, which only say how rows compare, with the mean 1."""
    checked = checked_weight(weight, n_rows)
    heavy = checked[checked > 0]
    if are_counts(checked) and heavy.min() < heavy.max():
        return checked
    scaled = checked / heavy.max()  # whose sum is finite and not 0
    return np.asarray(scaled * (len(heavy) / scaled.sum()))


def checked_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The weight of each row, 1 if none is given, or a TrainingDataError."""
    checked = np.ones(n_rows) if weight is None else np.array(weight, dtype=np.float64)
    if not (checked.shape == (n_rows,) and np.isfinite(checked).all() and (checked >= 0).all() and checked.any()):
        message = f"sample weights are one finite number ≥ 0 for each of the {n_rows:,} rows, and not all 0."
        raise TrainingDataError(message)
    return checked


def class_weights(classes: Array, mass: ArrayLike, class_weight: str | Mapping[Hashable, float] | None) -> Array:
    """The weight of a row of each class; `mass` is what the rows of each class weigh together."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        message = f"class_weight is 'balanced', a weight for each class, or None. Got {class_weight!r} instead."
        refuse_first(TrainingDataError, {message: class_weight != "balanced"})
        return 1 / np.maximum(np.asarray(mass, dtype=np.float64), 1e-300)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and not set(labels) <= set(class_weight):  # a weight for a class that no row of a fold has is no slip
        message = f"class_weight has a weight for {unknown[0]!r}; the classes are {', '.join(map(repr, labels))}."
        raise TrainingDataError(message)
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)


@dataclass(frozen=True)
class Odds:
    """The log odds that a formula is right to say yes: slope · (points beyond its threshold) + intercept.

    A row has as many points as parts of the top connective hold; one that just reaches the threshold is 0 beyond it.
    """

    slope: float
    intercept: float
    least: int | None = None  # fewer points beyond the threshold count as these
    most: int | None = None  # and more as these
    seen: tuple[tuple[int, int, int], ...] = ()  # points beyond it, how many rows held out have them, how many are yes

    def at(self, beyond: int) -> float:
        """The log odds with so many points beyond the threshold."""
        beyond = beyond if self.least is None else max(beyond, self.least)
        return self.slope * (beyond if self.most is None else min(beyond, self.most)) + self.intercept

    def negate(self) -> "Odds":
        """The odds of the negated formula, which a row reaches that is 1 below the threshold, or more."""
        least, most = (None if end is None else -1 - end for end in (self.most, self.least))
        seen = tuple((-1 - beyond, n, n - yes) for beyond, n, yes in self.seen[::-1])
        return Odds(self.slope, self.slope - self.intercept, least, most, seen)


@dataclass(frozen=True)
class Candidate:
    """A formula of the front and its scores: the accuracy for classes, 1 - mean |error| for truth degrees.

    `cross_validated` is the score of the best formula of at most this size, learned anew without the rows it is judged
    on, with its standard error. What was not judged or learned is None.
    """

    crystal: Crystal
    n_literals: int
    n_neurons: int
    training: float
    cross_validated: float | None
    standard_error: float | None
    odds: Odds | None = None

    @cached_property
    def formula(self) -> Formula:
        """The formula of the crystal, exact."""
        return extract(self.crystal).formula


@dataclass(frozen=True)
class Front:
    """Candidates from the shortest to the longest, each better on the training rows than all before it."""

    candidates: tuple[Candidate, ...]
    chosen_index: int
    reason: str
    teacher: Mapping[str, float] | None = None  # what softened the labels that they were learned from
    reached: tuple[tuple[tuple[int, ...], ...], ...] = ()  # `Bounds.count` of the chosen: of rows held out, and of all

    @property
    def chosen(self) -> Candidate:
        return self.candidates[self.chosen_index]

    def over(self, names: tuple[str, ...]) -> "Front":
        """The same front with all these names as inputs of its crystals."""
        candidates = [replace(each, crystal=each.crystal.over(names)) for each in self.candidates]
        return replace(self, candidates=tuple(candidates))


@dataclass(frozen=True)
class SearchResult:
    """The chosen crystal with one output for each front, why the search ended, and the knowledge it respected."""

    crystal: Crystal
    fronts: tuple[Front, ...]
    classes: tuple[Hashable, ...] | None  # None for truth degrees; it and `order` mean what they mean in `decision`
    knowledge: Knowledge
    stop: Stop
    seconds: float
    order: tuple[int, ...] = ()

    @property
    def front(self) -> Front:
        if len(self.fronts) != 1:
            refuse(CrystalError, f"there are {len(self.fronts)} fronts, one for each class; take one of `fronts`.")
        return self.fronts[0]

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        return extract(self.crystal).formulas

    @property
    def formula(self) -> Formula:
        """The exact formula of a search with one output."""
        message = f"there are {len(self.formulas)} formulas, one for each class; take one of `formulas`."
        refuse_first(CrystalError, {message: len(self.formulas) != 1})
        return self.formulas[0]

    def predict(self, X: ArrayLike) -> Array:
        """The class of each row (`decision`), or its degree where there are no classes; a model decides exactly."""
        degrees = self.crystal.run_rows(np.asarray(X, dtype=np.float64))
        if self.classes is None:
            return np.asarray(degrees[:, 0])
        return np.asarray(np.array(self.classes)[classes_of(degrees, self.order)])


def mean_and_error(values: Array, count: Array) -> tuple[Array, Array]:
    """The mean of each column and its standard error, where each row stands for `count` rows."""
    total = count.sum()
    mean = count @ values / total
    return mean, np.sqrt(count @ (values - mean) ** 2) / total
