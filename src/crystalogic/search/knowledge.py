"""What an expert knows before the data speak: directions, forbidden and required features, a first formula."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError

RISE, FALL = 1, 2  # bits: a feature may raise, may lower the output


@dataclass(frozen=True)
class Knowledge:
    """Constraints that every move of the search respects, and a crystal to start from.

    `monotone` maps a feature to +1 (it may only raise the output) or -1 (only lower it).

    >>> print(Knowledge(monotone={"ca": 1}, forbidden=["age"], required=["cp=4"]))
    'ca' may only raise the output; 'age' is not used; 'cp=4' is used
    """

    monotone: Mapping[str, int] = field(default_factory=dict)
    forbidden: Sequence[str] = ()
    required: Sequence[str] = ()
    start: Crystal | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "monotone", dict(self.monotone))
        object.__setattr__(self, "forbidden", tuple(self.forbidden))
        object.__setattr__(self, "required", tuple(self.required))
        for name, sign in self.monotone.items():
            if sign not in (1, -1):
                message = f"the direction of {name!r} is +1 (may only raise) or -1 (may only lower), got {sign!r}."
                raise TrainingDataError(message)
        both = [name for name in self.required if name in self.forbidden]
        if both:
            message = f"{both[0]!r} is both forbidden and required; leave it out of one of them."
            raise TrainingDataError(message)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is constrained; a start alone constrains nothing."""
        return not (self.monotone or self.forbidden or self.required)

    def within(self, names: Sequence[str]) -> "Knowledge":
        """What it says of these features alone; those that are required, or that a start reads, are among them."""
        known = set(names)
        return replace(
            self,
            monotone={name: sign for name, sign in self.monotone.items() if name in known},
            forbidden=[name for name in self.forbidden if name in known],
        )

    def permitted(self, names: Sequence[str]) -> NDArray[np.int64]:
        """For each feature the bits of what it may do: 1 raise the output, 2 lower it."""
        self.refuse_unknown(names)
        bits = np.full(len(names), RISE | FALL, np.int64)
        place = {name: index for index, name in enumerate(names)}
        for name, sign in self.monotone.items():
            bits[place[name]] = RISE if sign > 0 else FALL
        for name in self.forbidden:
            bits[place[name]] = 0
        return bits

    def needed(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The indices of the required features."""
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
        parts = [
            f"{name!r} may only {'raise' if sign > 0 else 'lower'} the output" for name, sign in self.monotone.items()
        ]
        parts += [f"{name!r} is not used" for name in self.forbidden]
        parts += [f"{name!r} is used" for name in self.required]
        return "; ".join(parts) or "no constraint"


NOTHING = Knowledge()
