"""What an expert knows before the data speak: directions, forbidden and required features, a first formula."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError, refuse

RISE, FALL = 1, 2  # bits: a feature may raise, may lower the output


@dataclass(frozen=True)
class Knowledge:
    """Constraints that every formula of a search keeps, and a crystal to start from, which is a candidate, too.

    `monotone` maps a feature to +1 (it may only raise the output) or -1 (only lower it).

    >>> print(Knowledge(monotone={"ca": 1}, forbidden=["age"], required=["cp=4"]))
    'ca' may only raise the output; 'age' is not used; 'cp=4' is used
    """

    monotone: Mapping[str, int] = field(default_factory=dict)
    forbidden: Sequence[str] = ()
    required: Sequence[str] = ()
    start: Crystal | None = None

    def __post_init__(self) -> None:
        for field_name, kind in (("monotone", dict), ("forbidden", tuple), ("required", tuple)):
            object.__setattr__(self, field_name, kind(getattr(self, field_name)))
        for name, sign in self.monotone.items():
            if sign not in (1, -1):
                message = f"the direction of {name!r} is +1 (may only raise) or -1 (may only lower), got {sign!r}."
                raise TrainingDataError(message)
        both = [name for name in self.required if name in self.forbidden]
        if both:
            refuse(TrainingDataError, f"{both[0]!r} is both forbidden and required; leave it out of one of them.")

    def permitted(self, names: Sequence[str]) -> Array:
        """For each feature its bits, both where nothing is said of it."""
        self.refuse_unknown(names)
        bounds = self.bounds
        return np.array([bounds.get(name, RISE | FALL) for name in names], np.int64)

    @property
    def bounds(self) -> dict[str, int]:
        """The bits of what each constrained feature may do: 1 raise the output, 2 lower it."""
        ways = {name: RISE if sign > 0 else FALL for name, sign in self.monotone.items()}
        return ways | dict.fromkeys(self.forbidden, 0)

    def needed(self, names: Sequence[str]) -> Array:
        self.refuse_unknown(names)
        return np.array([names.index(name) for name in self.required], np.int64)

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """An error if the knowledge speaks of a feature that is not among the names."""
        start, known = self.start.inputs if self.start else (), set(names)
        for name in (*self.monotone, *self.forbidden, *self.required, *start):
            if name not in known:
                message = f"{name!r} is not a feature of these rows; the features are {', '.join(names)}."
                raise TrainingDataError(message)

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
    bounds = knowledge.bounds
    return not any(way & ~bounds.get(name, RISE | FALL) for name, way in zip(crystal.inputs, heard, strict=False))


NOTHING = Knowledge()
