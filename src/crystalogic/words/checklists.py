"""Formulas as checklists and scorecards: lines of text, or blocks in which what is repeated or lies deep is a step."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from crystalogic.counts import count
from crystalogic.encoding import Cut, Is, Literal, OneOf, Reaches
from crystalogic.logic.formula import Constant, Formula, Not, StrongAnd, StrongOr, Variable, peel
from crystalogic.logic.names import one_line
from crystalogic.logic.render import named_parts
from crystalogic.logic.score import score_of
from crystalogic.logic.walk import is_longer
from crystalogic.model.ladders import adds_points
from crystalogic.words.literals import connectives, group_words, literal_words

MOST_LEVELS = 5  # of lists inside lists in a block; what lies deeper is a step
MOST_INDENTS = 12  # of the lines of a text; what lies deeper is shown as a formula
MOST_LISTED = 10_000  # lines; a longer formula is shown as a formula
MISSED = "missed"  # what cuts are that are to be below
MOST_PHRASED = 30  # literals of a part in one line; a longer one is shown as a formula


@dataclass(frozen=True)
class Rung:
    """A cut, or values, as one of several of a column that are told in one line: its words there, by its place.

    A missing value is below all cuts where it is below one, so that is told of the last.
    """

    ladder: tuple[str, str]  # what they have in common: the column, and whether cuts are to be reached or missed
    first: str
    later: str
    last: str
    values: frozenset[str] = frozenset()  # one of which is there

    def goes_with(self, other: "Rung") -> bool:
        return self.ladder == other.ladder and not self.values & other.values


@dataclass(frozen=True)
class Item:
    """A line of the checklist: the part of the rule that it stands for, in words, and what it is made of."""

    words: str
    formula: Formula
    parts: tuple["Item", ...] = ()
    points: int | None = None  # what it counts in a list that adds up points, None in other lists
    rung: Rung | None = None  # a cut that adds points
    rungs: tuple["Item", ...] = ()  # the cuts that are told as one line

    @property
    def line(self) -> str:
        return self.words if self.points is None else f"{count(self.points, 'point')} if {self.words}"

    @property
    def most(self) -> int:
        """The sum of all points of its parts; 0 if they have none."""
        return sum(part.points or 0 for part in self.parts)

    @property
    def lines(self) -> tuple["Item", ...]:
        """The parts, those on one ladder in one line with the points that a value has in all."""
        return tuple(_join_rungs(run) if len(run) > 1 else run[0] for run in runs_of(self.parts))

    @property
    def most_of_rungs(self) -> int:
        """The most points that it can have: of cuts all of them, of values that exclude each other the most."""
        told = [each.points or 0 for each in self.rungs or (self,)]
        return max(told) if self.rung and self.rung.values else sum(told)


def runs_of(items: Iterable[Item]) -> list[list[Item]]:
    """The items, those next to each other that are told in one line together: of values if none is in two of them."""
    runs: list[list[Item]] = []
    for each in items:
        if each.rung and runs and all(item.rung and item.rung.goes_with(each.rung) for item in runs[-1]):
            runs[-1].append(each)
        else:
            runs.append([each])
    return runs


@dataclass(frozen=True)
class Block:
    """A checklist; `name` is what other blocks call it, None for the rule itself."""

    name: str | None
    item: Item


def checklist(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> str:
    """The formula as indented lines, one for each thing to check; `gaps` are the columns with missing values.

    >>> from crystalogic.encoding import Cut, Is
    >>> from crystalogic.logic.parse import parse
    >>> literals = {"cp=4": Is("cp", "4"), "age ≥ 55": Cut("age", 55)}
    >>> print(checklist(parse("at least 2 of ({cp=4}, ¬{age ≥ 55})"), literals))
    at least 2 of these 2:
      - cp is 4
      - age is below 55
    >>> print(checklist(parse("{cp=4} ⊗ {cp=4} ⊗ {age ≥ 55}"), literals))
    all of these 3:
      - cp is 4, counted twice
      - age is at least 55
    >>> print(checklist(parse("at least 3 of ({age ≥ 55}, 2·{cp=4}, x)"), literals))
    at least 3 points:
      - 2 points if cp is 4
      - 1 point if age is at least 55
      - 1 point if x

    The points of cuts of one column are added up: every line is one number to look up.

    >>> literals |= {"age ≥ 65": Cut("age", 65), "age ≥ 70": Cut("age", 70)}
    >>> print(checklist(parse("at least 3 of ({age ≥ 55}, 2·{age ≥ 65}, 2·{cp=4}, {age ≥ 70})"), literals))
    at least 3 points:
      - 1 point if age is at least 55, 3 from 65 on, 4 from 70 on
      - 2 points if cp is 4
    >>> literals |= {"cp=3": Is("cp", "3")}
    >>> print(checklist(parse("at least 3 of ({cp=3}, 2·{cp=4}, {age ≥ 70})"), literals))
    at least 3 points:
      - 2 points if cp is 4, 1 if 3
      - 1 point if age is at least 70
    """
    if is_longer(formula, MOST_LISTED):  # its tree may be larger than all memory
        return str(formula)
    return "\n".join(_lines(_Lister(literals, gaps, _as_formula).item(formula, 0), 0))


def counted_lines(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> list[Item]:
    """What a formula counts, each part in one line with its points, in the order of its checklist."""
    points, lister = score_of(formula).points, _Lister(literals, gaps, _as_formula)
    if not adds_points(formula, literals):
        return [Item(_phrase(lister, part), part, points=worth) for part, worth in points.items()]
    listed = [lister.item(part, 1, points=worth) for part, worth in lister.arrange(points)]
    return [replace(each, words=_phrase(lister, each.formula), parts=()) for each in listed]


def fact_words(
    fact: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()
) -> tuple[str, tuple[str, str, str] | None]:
    """A part of a rule in one line; and, of a cut, its words as the first, a later and the last of its column."""
    lister = _Lister(literals, gaps, _as_formula)
    rung = lister.item(fact, 1, points=1).rung
    return _phrase(lister, fact), None if rung is None or rung.values else (rung.first, rung.later, rung.last)


def _phrase(lister: "_Lister", part: Formula) -> str:
    """A part of a rule in one line; one that is long as a formula."""
    return one_line(str(part)) if is_longer(part, MOST_PHRASED) else _in_line(lister.item(part, 1))


def _in_line(item: Item) -> str:
    parts = "; ".join(f"({_in_line(part)})" if part.parts else part.line for part in item.parts)
    return f"{item.line}: {parts}" if parts else item.line


def _as_formula(part: Formula, inner: Formula, level: int) -> str | None:
    return str(part) if _weak_heading(inner) or level > MOST_INDENTS else None


def _lines(item: Item, level: int) -> Iterator[str]:
    yield f"{'  ' * level}{'- ' * bool(level)}{item.line}{':' * bool(item.parts)}"
    for part in item.lines:
        yield from _lines(part, level + 1)


def _join_rungs(rungs: list[Item]) -> Item:
    """Cuts of one column, which ascend: those that are to be missed are told from the last on; or values of one."""
    first, *later = [rung for item in rungs if (rung := item.rung)]
    if first.ladder[1] == MISSED:
        rungs, (first, *later) = rungs[::-1], [*later[::-1], first]
    places = [*(rung.later for rung in later[:-1]), later[-1].last]
    sums = [item.points or 0 for item in rungs]
    sums = sums if first.values else [*accumulate(sums)]
    words = first.first + "".join(f", {n} {place}" for n, place in zip(sums[1:], places, strict=True))
    return replace(rungs[0], words=words, rungs=tuple(rungs))


def outline(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> tuple[Block, ...]:
    """The formula as blocks, the rule itself first and then the steps that it names; `gaps` as in `checklist`."""
    repeated = set(named_parts(formula))
    names: dict[Formula, str] = {}
    steps: list[Formula] = []  # in the order in which they are first used

    def as_step(part: Formula, inner: Formula, level: int) -> str | None:
        if not level or (inner not in repeated and level < MOST_LEVELS):
            return None
        if inner not in names:
            steps.append(inner)
            names[inner] = f"step {len(steps)}"
        return f"{'not ' * peel(part)[1]}{names[inner]}"

    lister = _Lister(literals, gaps, as_step)
    rule = Block(None, lister.item(formula, 0))
    return (rule, *(Block(names[node], lister.item(node, 0)) for node in steps))  # steps grow on the way


@dataclass(frozen=True)
class _Lister:
    """Makes the items of a checklist; `shorten` gives a part that is not to be listed in one line, None otherwise."""

    literals: Mapping[str, Literal]
    gaps: Collection[str]
    shorten: Callable[[Formula, Formula, int], str | None]

    def item(self, formula: Formula, level: int, times: int = 1, points: int | None = None) -> Item:
        """The line of a part that stands in its list so many times, or has so many points there."""
        counted = {1: "", 2: ", counted twice"}.get(times, f", counted {times} times")
        inner, negated = peel(formula)
        if isinstance(inner, Variable):
            literal = self.literals.get(inner.name)
            plain = f"{'not ' * negated}{one_line(inner.name)}"
            words = plain if literal is None else literal_words(literal, negated=negated, gaps=self.gaps)
            return Item(words + counted, formula, (), points, None if points is None else self._rung(formula))
        if isinstance(inner, Constant):
            return Item(("always" if inner.value != negated else "never") + counted, formula, points=points)
        short = self.one_of(inner, negated=negated) or self.shorten(formula, inner, level)
        if short is not None:
            return Item(short + counted, formula, points=points)
        weak = _weak_heading(inner)
        if adds_points(inner, self.literals):
            parts = tuple(self.item(part, level + 1, points=n) for part, n in self.arrange(Counter(inner.parts)))
        else:
            listed = [(part, 1) for part in inner.parts] if weak else Counter(inner.parts).items()
            parts = tuple(self.item(part, level + 1, n) for part, n in listed)
        return Item(f"{'not: ' * negated}{weak or _heading(inner, self.literals)}{counted}", formula, parts, points)

    def one_of(self, inner: Formula, *, negated: bool) -> str | None:
        """Values of one column of which one, or none, is to be there, in one line; None for anything else."""
        is_all = isinstance(inner, StrongAnd)
        if not isinstance(inner, (StrongAnd, StrongOr)) or any(isinstance(part, Not) != is_all for part in inner.parts):
            return None
        facts = [self.literals.get(str((part.parts[0] if is_all else part).detail)) for part in inner.parts]
        values = [fact for fact in facts if isinstance(fact, Is)]
        if len(set(values)) < len(facts) or len({fact.column for fact in values}) > 1:
            return None
        return group_words(values, negated=negated != is_all, gaps=self.gaps)

    def arrange(self, points: Mapping[Formula, int]) -> list[tuple[Formula, int]]:
        """The most points first, and cuts of one column next to each other, ascending; so are its values."""
        rungs = {part: self._rung(part) for part in points}
        groups = {part: (rung.ladder[0], bool(rung.values)) if rung else part for part, rung in rungs.items()}
        most: dict[object, int] = {}
        for part, group in groups.items():
            most[group] = max(points[part], most.get(group, 0))
        places = {group: place for place, group in enumerate(most)}

        def order(part: Formula) -> tuple[int, int, float]:
            cut = self.literals.get(str(peel(part)[0].detail))
            at = cut.at if isinstance(cut, Cut) else cut.order.index(cut.level) if isinstance(cut, Reaches) else None
            return -most[groups[part]], places[groups[part]], -points[part] if at is None else at

        return [(part, points[part]) for part in sorted(points, key=order)]

    def _rung(self, part: Formula) -> Rung | None:
        inner, negated = peel(part)
        literal = self.literals.get(inner.name) if isinstance(inner, Variable) else None
        if isinstance(literal, Is | OneOf) and not negated:
            words = literal_words(literal)
            later = f"if {words.removeprefix(f'{one_line(literal.column)} is ')}"
            return Rung((literal.column, "has"), words, later, later, frozenset(literal.levels))
        if not isinstance(literal, Cut | Reaches):
            return None
        value = one_line(literal.statement[1])
        later = f"below {value}" if negated else f"from {value} on"
        last = later + " or missing" * (negated and literal.column in self.gaps)
        first, how = literal_words(literal, negated=negated), MISSED if negated else "reached"
        return Rung((literal.column, how), first, later, last)


def _weak_heading(formula: Formula) -> str:
    """How a weak connective is said in a line; nothing for others."""
    return next(iter(connectives()[type(formula).__name__][2:]), "")


def _heading(formula: Formula, literals: Mapping[str, Literal]) -> str:
    """What a strong connective asks of its parts."""
    m = len(formula.parts)
    if adds_points(formula, literals):
        return f"at least {count(score_of(formula).threshold, 'point')}"
    if isinstance(formula, StrongAnd):
        return "both of these" if m == 2 else f"all of these {m}"
    return f"at least {'one' if isinstance(formula, StrongOr) else formula.detail} of these {m}"
