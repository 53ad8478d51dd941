"""One experiment of a study, and what it gave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]  # plain JSON data: numbers, texts, lists


@dataclass(frozen=True)
class Job:
    """What decides one result: the kind of experiment, the data, the learner, its variant and the seed.

    >>> Job("paper", "heart", "proximal", seed=3).key
    'paper/heart/proximal/default/3'
    """

    kind: str
    data: str
    learner: str
    variant: str = "default"
    seed: int = 0

    @property
    def key(self) -> str:
        """The name under which the store keeps its result."""
        return f"{self.kind}/{self.data}/{self.learner}/{self.variant}/{self.seed}"

    def labels(self) -> dict[str, Any]:
        """The columns that identify it in a tidy table."""
        return {
            "kind": self.kind,
            "data": self.data,
            "learner": self.learner,
            "variant": self.variant,
            "seed": self.seed,
        }
