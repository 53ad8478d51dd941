"""A formula as a checklist with parts inside parts; what is repeated or lies deep gets a step of its own."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from crystalogic.encoding import Literal
from crystalogic.logic.formula import Constant, Formula, Iff, Implies, Maximum, Minimum, Not, Variable
from crystalogic.logic.render import named_parts
from crystalogic.words.checklists import counted_words, heading_words
from crystalogic.words.literals import literal_words

MOST_LEVELS = 5  # of lists inside lists
_OTHER_HEADINGS: dict[type[Formula], str] = {
    Minimum: "the least true of these",
    Maximum: "the most true of these",
    Implies: "if the first of these, then the second",
    Iff: "these two as true as each other",
}


@dataclass(frozen=True)
class Item:
    """A line of the checklist: the part of the rule that it stands for, in words, and what it is made of."""

    words: str
    formula: Formula
    parts: tuple["Item", ...] = ()


@dataclass(frozen=True)
class Block:
    """A checklist; `name` is what other blocks call it, None for the rule itself."""

    name: str | None
    item: Item


def outline(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> tuple[Block, ...]:
    """The formula as blocks, the rule itself first and then the steps that it names; `gaps` as in `checklist`.

    >>> from crystalogic.encoding import Is
    >>> from crystalogic.logic.parse import parse
    >>> block, = outline(parse("at least 2 of ({cp=4}, ¬{ca=0}, x)"), {"cp=4": Is("cp", "4"), "ca=0": Is("ca", "0")})
    >>> block.item.words, [part.words for part in block.item.parts]
    ('at least 2 of these 3', ['cp is 4', 'ca is not 0', 'x'])
    """
    return _Outliner(formula, literals, gaps).blocks()


class _Outliner:
    def __init__(self, formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str]) -> None:
        self.formula, self.literals, self.gaps = formula, literals, gaps
        self.repeated = set(named_parts(formula))
        self.named: list[Formula] = []  # in the order in which they are first named
        self.names: dict[Formula, str] = {}

    def blocks(self) -> tuple[Block, ...]:
        found = [Block(None, self.item(self.formula, 0))]
        for node in self.named:  # which grows on the way
            found.append(Block(self.names[node], self.item(node, 0)))
        return tuple(found)

    def item(self, formula: Formula, level: int, times: int = 1) -> Item:
        """The line of a part that stands in its list so many times."""
        found = self._once(formula, level)
        return replace(found, words=found.words + counted_words(times))

    def _once(self, formula: Formula, level: int) -> Item:
        inner, negated = formula, False
        while isinstance(inner, Not):
            inner, negated = inner.parts[0], not negated
        if isinstance(inner, Variable):
            literal = self.literals.get(inner.name)
            if literal is None:
                return Item(f"{'not ' * negated}{inner.name}", formula)
            return Item(literal_words(literal, negated=negated, gaps=self.gaps), formula)
        if isinstance(inner, Constant):
            return Item("always" if inner.value != negated else "never", formula)
        if level and (inner in self.repeated or level >= MOST_LEVELS):
            if inner not in self.names:
                self.named.append(inner)
                self.names[inner] = f"step {len(self.named)}"
            return Item(f"{'not ' * negated}{self.names[inner]}", formula)
        heading = heading_words(inner)
        if heading is None:
            parts = tuple(self.item(part, level + 1) for part in inner.parts)
            return Item(f"{'not: ' * negated}{_OTHER_HEADINGS[type(inner)]}", formula, parts)
        parts = tuple(self.item(part, level + 1, times) for part, times in Counter(inner.parts).items())
        return Item(f"{'not: ' * negated}{heading}", formula, parts)
