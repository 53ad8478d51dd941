"""Integer vectors, each stored once: adding one term to a long vector costs nothing the second time."""

from collections.abc import Mapping

Terms = tuple[tuple[int, int], ...]  # (value, weight) with weight ≠ 0, sorted by value


class Vectors:
    """A table of integer vectors over value numbers, each known by its index."""

    def __init__(self) -> None:
        self._index: dict[Terms, int] = {}
        self._plus: dict[tuple[int, int, int], int] = {}
        self._negative: dict[int, int] = {}
        self.terms: list[Terms] = []
        self.least: list[int] = []  # the sum over [0,1]ⁿ is at least this
        self.most: list[int] = []  # and at most this

    def index(self, weights: Mapping[int, int]) -> int:
        """The index of the vector with these weights."""
        terms = tuple(sorted((value, weight) for value, weight in weights.items() if weight))
        found = self._index.setdefault(terms, len(self.terms))
        if found == len(self.terms):
            self.terms.append(terms)
            self.least.append(sum(weight for _, weight in terms if weight < 0))
            self.most.append(sum(weight for _, weight in terms if weight > 0))
        return found

    def plus(self, vector: int, value: int, weight: int) -> int:
        """The vector with `weight` added at `value`."""
        key = (vector, value, weight)
        if key not in self._plus:
            weights = dict(self.terms[vector])
            weights[value] = weights.get(value, 0) + weight
            self._plus[key] = self.index(weights)
        return self._plus[key]

    def negative(self, vector: int) -> int:
        """The vector with all signs changed."""
        if vector not in self._negative:
            self._negative[vector] = self.index({value: -weight for value, weight in self.terms[vector]})
        return self._negative[vector]
