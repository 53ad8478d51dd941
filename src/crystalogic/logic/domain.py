"""Declared domains: which inputs are Boolean, which of them exclude each other, and how many truth values there are.

A law such as x ⊗ x = x fails on [0,1] and holds on {0,1}. Whatever is simplified, compared or certified therefore
names its scope: all of [0,1]ⁿ, or a declared `Domain`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from crystalogic.errors import DocumentError, DomainError, refuse
from crystalogic.logic.names import write_name

Group = tuple[str, ...]


@dataclass(frozen=True)
class Domain:
    """What is declared of inputs: the rows that can occur.

    >>> print(Domain(boolean=["sex"], one_hot=[["cp=1", "cp=2", "cp=3", "cp=4"]]))
    sex in {0, 1}; exactly one of {cp=1}, {cp=2}, {cp=3}, {cp=4}
    >>> print(Domain())
    all of [0,1]ⁿ
    >>> print(Domain(n=2))
    all inputs in {0, 1/2, 1}

    Parameters:
        boolean: inputs that are 0 or 1.
        one_hot: groups of Boolean inputs of which exactly one is 1.
        exclusive: groups of Boolean inputs of which at most one is 1.
        n: all inputs have values in Sₙ = {0, 1/n, …, 1}, the rows of the logic with n + 1 truth values; None for [0,1].
    """

    boolean: Iterable[str] = ()
    one_hot: Iterable[Iterable[str]] = ()
    exclusive: Iterable[Iterable[str]] = ()
    n: int | None = None

    def __post_init__(self) -> None:
        for given in (self.boolean, self.one_hot, self.exclusive, *self.one_hot, *self.exclusive):
            if isinstance(given, str):
                refuse(DomainError, f"expected a list of names, got the text {given!r}. A group is a list in a list.")
        object.__setattr__(self, "boolean", tuple(dict.fromkeys(self.boolean)))
        object.__setattr__(self, "one_hot", tuple(tuple(group) for group in self.one_hot))
        object.__setattr__(self, "exclusive", tuple(tuple(group) for group in self.exclusive))
        if self.n is not None and (type(self.n) is not int or self.n < 1):
            refuse(DomainError, f"S_n needs a whole number n of at least 1, got {self.n!r}.")
        for name in (*self.boolean, *(name for group in self.groups for name in group)):
            if not isinstance(name, str) or not name:
                refuse(DomainError, f"a domain names inputs by text, got {name!r}.")
        twice = [name for name, n in Counter(name for group in self.groups for name in group).items() if n > 1]
        if twice:
            refuse(DomainError, f"{twice[0]!r} stands in two groups, or twice in one; a name belongs to one group.")
        if not all(self.groups):
            refuse(DomainError, "a group needs at least one name.")

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups of which no two members are 1 at once."""
        return (*self.one_hot, *self.exclusive)  # type: ignore[arg-type]

    @cached_property
    def names(self) -> frozenset[str]:
        """The inputs that it says something of; where n is given, something is said of all others too."""
        return frozenset(self.boolean) | self._group.keys()

    @cached_property
    def _group(self) -> dict[str, Group]:
        return {name: group for group in self.groups for name in group}

    @cached_property
    def _complete(self) -> frozenset[Group]:
        return frozenset(self.one_hot)  # type: ignore[arg-type]

    def is_boolean(self, name: str) -> bool:
        return self.n == 1 or name in self.names

    def group_of(self, name: str) -> Group:
        """The group the input belongs to, or the input alone."""
        return self._group.get(name, (name,))

    def is_complete(self, group: Group) -> bool:
        """Whether exactly one of the group is 1, rather than at most one."""
        return group in self._complete

    def contains(self, row: Mapping[str, Fraction]) -> bool:
        """Whether a row can occur; inputs that the row does not name may be anything."""
        are_facts = all(value in (0, 1) for name, value in row.items() if self.is_boolean(name))
        are_steps = self.n is None or all((value * self.n).denominator == 1 for value in row.values())
        if not (are_facts and are_steps and all(0 <= value <= 1 for value in row.values())):
            return False
        for group, named in self.split(row):
            ones = sum(row[name] == 1 for name in named)
            if ones > 1 or (ones == 0 and len(named) == len(group) and self.is_complete(group)):
                return False
        return True

    def includes(self, other: "Domain") -> bool:
        """Whether every row of the other domain is a row of this one: what is shown here then holds there."""
        if self.n is not None and (other.n is None or self.n % other.n):
            return False
        for group in self.groups:
            theirs = other.group_of(group[0])
            if any(other.group_of(name) is not theirs for name in group[1:]):
                return False
            if self.is_complete(group) and not (other.is_complete(theirs) and len(theirs) == len(group)):
                return False
        return all(map(other.is_boolean, self.names))

    def boolean_rows(self, names: Iterable[str]) -> Iterator[dict[str, int]]:
        """Every way in which the Boolean inputs among `names` can occur together."""
        choices = []
        for group, named in self.split(names):
            chosen = [{name: int(name == one) for name in named} for one in named]
            may_be_none = not self.is_complete(group) or len(named) < len(group)
            choices.append([dict.fromkeys(named, 0), *chosen] if may_be_none else chosen)
        for combination in product(*choices):
            yield {name: value for choice in combination for name, value in choice.items()}

    def split(self, names: Iterable[str]) -> list[tuple[Group, Group]]:
        """The groups that the Boolean inputs among the names touch, each with those of the names that it holds."""
        touched: dict[Group, dict[str, None]] = {}
        for name in names:
            if self.is_boolean(name):
                touched.setdefault(self.group_of(name), {})[name] = None
        return [(group, tuple(named)) for group, named in touched.items()]

    def restrict(self, names: Iterable[str]) -> "Domain":
        """What the domain says of these inputs alone; a one-hot group that loses members may be all 0."""
        kept = set(names)
        whole = [group for group in self.one_hot if kept.issuperset(group)]
        rest = [*(group for group in self.one_hot if not kept.issuperset(group)), *self.exclusive]
        parts = [[name for name in group if name in kept] for group in rest]
        alone = [group[0] for group in parts if len(group) == 1]
        boolean = [name for name in self.boolean if name in kept]
        return Domain([*boolean, *alone], whole, [group for group in parts if len(group) > 1], self.n)

    def __str__(self) -> str:
        parts = [f"{', '.join(map(write_name, self.boolean))} in {{0, 1}}"] if self.boolean else []
        for group in self.groups:
            amount = "exactly" if self.is_complete(group) else "at most"
            parts.append(f"{amount} one of {', '.join(map(write_name, group))}")
        if self.n is not None:
            values = [Fraction(i, self.n) for i in range(self.n + 1)] if self.n <= 4 else [0, f"1/{self.n}", "…", 1]
            parts.append(f"all inputs in {{{', '.join(map(str, values))}}}")
        return "; ".join(parts) or "all of [0,1]ⁿ"

    def content(self) -> dict[str, Any]:
        declared = {"boolean": self.boolean, "one_hot": self.one_hot, "exclusive": self.exclusive}
        return declared if self.n is None else {**declared, "n": self.n}

    @staticmethod
    def from_content(body: Mapping[str, Any]) -> "Domain":
        try:
            return Domain(body["boolean"], body["one_hot"], body["exclusive"], body.get("n"))
        except (AttributeError, KeyError, TypeError) as error:
            refuse(DocumentError, f"not a domain: {type(error).__name__} {error}.")


EVERYWHERE = Domain()


def as_domain(domain: Domain | None) -> Domain:
    """A domain as it is, and all of [0,1]ⁿ for None; a DomainError for anything else."""
    if domain is not None and not isinstance(domain, Domain):
        refuse(DomainError, f"expected a Domain, such as Domain(boolean=['a']) or Domain(n=2), got {domain!r}.")
    return EVERYWHERE if domain is None else domain
