"""What is recorded about a fit, as values: the front, how the rule was found, of which rows, and how good it was."""

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from functools import partial
from operator import gt
from typing import Annotated, Any

from crystalogic.errors import DocumentError, refuse, refuse_first
from crystalogic.intervals import KINDS, RATES, Rates
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.logic.render import render
from crystalogic.model.risk import Risk, read_risk
from crystalogic.progress import Stop
from crystalogic.untrusted import LIMITS, each, finite, named, number, perhaps, read_fields, readers_of, table, whole
from crystalogic.untrusted import text as text_of

VERSION = 2  # the first had sentences for what ended a search
STOPS = {each.value: each for each in Stop}  # the sentences of the first version are those of today
Text = Annotated[str | None, text_of]  # what is known, and how it is read from JSON
Texts = Annotated[tuple[str, ...], partial(each, text_of)]
NamedTexts = Annotated[Mapping[str, str], partial(named, text_of)]
Count = Annotated[int | None, whole]


class JudgedBy(Enum):
    """On which rows the sizes of the front were judged; the value is the heading for people."""

    FOLDS = "cross-validated"
    UNSEEN = "unseen rows"


@dataclass(frozen=True)
class Group:
    """The rates of the rows with one value of a protected column, None for missing, when they were held out."""

    column: str
    value: str | None
    rates: Rates


def _group(value: Any, what: str) -> Group:
    known = table(value, what)
    counts = each(whole, known.get("counts", []), f"{what}, counts")
    if len(counts) != len(RATES) or min(counts) < 0:
        refuse(DocumentError, f"{what} has the counts {counts!r}, expected {len(RATES)} counts of rows.")
    level = perhaps(text_of, known.get("value"), f"{what}, value")
    return Group(text_of(known.get("column"), f"{what}, column"), level, Rates.of(*counts))


Groups = Annotated[tuple[Group, ...], partial(each, _group)]


def _one_of(known: Mapping[str, Any], value: Any, what: str) -> str:
    if value not in known:
        refuse(DocumentError, f"{what} is {value!r}, expected one of {', '.join(known)}.")
    return str(value)


@dataclass(frozen=True)
class HeldOut:
    """The mean score of the whole fit, repeated without rows that it is then measured on, and its spread."""

    mean: Annotated[float, number]
    spread: Annotated[float, number]
    splits: Annotated[int, whole]
    groups: Groups = ()  # by protected columns; each row is counted when it is first held out


@dataclass(frozen=True)
class Limited:
    """What was asked of what the rule does, and what it does, by group: of rows held out in turn, and of all rows."""

    gap_by: Annotated[str | None, partial(perhaps, text_of)]
    gap: Annotated[str, partial(_one_of, KINDS)]
    at_most: Annotated[float | None, partial(perhaps, number)]
    sensitivity: Annotated[float | None, partial(perhaps, number)]
    held_out: Groups = ()
    learned: Groups = ()
    # the share of right rows held out, for each budget
    bought: Annotated[Mapping[str, float], partial(named, number)] = field(default_factory=dict)


@dataclass(frozen=True)
class ChosenBy:
    """Who chose the rule from what a model offered, why, and the fingerprint of that model."""

    who: Annotated[str, text_of]
    why: Annotated[str, text_of]
    model: Annotated[str, text_of]


@dataclass(frozen=True)
class Proved:
    """What is proved of all checklists of at most 1, 2, 3 … facts, on the rows that a model was learned from."""

    n_facts: Annotated[int, whole]  # that the search looked at
    errors: Annotated[tuple[int, ...], partial(each, whole)]  # the fewest that were found, for each size
    bounds: Annotated[tuple[int, ...], partial(each, whole)]  # what no checklist of that size is below

    def __post_init__(self) -> None:
        if len(self.errors) != len(self.bounds) or any(map(gt, self.bounds, self.errors)):
            refuse(DocumentError, "of what is proved, each size needs errors, and a bound that is not above them.")

    def gap(self, size: int, errors: int) -> int | None:
        """How many errors fewer than these a checklist of this size can have at most; None for a size not looked at."""
        return max(0, errors - self.bounds[size - 1]) if 0 < size <= len(self.bounds) else None


def _member(kind: Any, value: Any, what: str) -> Any:
    members = {each.name.lower(): each for each in kind}
    return members[_one_of(members, value, what)]


def _weights(value: Any, what: str) -> str | dict[str, float]:
    return value if isinstance(value, str) else named(number, value, what)


def _range(value: Any, what: str) -> tuple[float, float] | None:
    low_high = each(number, value, what)
    return (low_high[0], low_high[1]) if len(low_high) == 2 else None


def _held_out(value: Any, what: str) -> HeldOut | None:
    return read_fields(HeldOut, value, what) if table(value, what) else None


def _limited(value: Any, what: str) -> Limited:
    return read_fields(Limited, {"bought": {}, **table(value, what)}, what)


@dataclass(frozen=True)
class Record:
    """What is known of how a model was made: None or nothing for what is not."""

    strategy: Text = None  # what found the rule
    seed: Count = None  # of the search
    stop: Annotated[Stop | None, partial(_member, Stop)] = None  # why it ended
    promises: Texts = ()  # what was declared, and is proved of every formula
    protected: Texts = ()  # columns that no formula reads, by which the rule was measured
    class_weight: Annotated[str | Mapping[str, float] | None, _weights] = None  # "balanced", or that of each class
    # What took the noise out of the labels before the rule was learned, a kernel regression: its `width` and `ridge`,
    # and its `share` of each target. It decides nothing; the formula alone does.
    teacher: Annotated[Mapping[str, float], partial(named, number)] = field(default_factory=dict)
    operated: NamedTexts = field(default_factory=dict)  # what the threshold was set for afterwards, by how many rows
    grades: Texts = ()  # the classes from the least to the greatest, where they were declared to be in an order
    limits: Annotated[Limited | None, _limited] = None  # on what the rule does; None where another rule was taken
    choice: Texts = ()  # why each formula was chosen from its front
    chosen_by: Annotated[ChosenBy | None, partial(read_fields, ChosenBy)] = None  # None where a search chose
    proved: Annotated[Proved | None, partial(read_fields, Proved)] = None  # how much better checklists can be
    judged_by: Annotated[JudgedBy | None, partial(_member, JudgedBy)] = None
    n_rows: Count = None  # that it was learned from
    data: Text = None  # what identifies these rows
    library: Text = None  # the version that made it
    source: Text = None  # the name of the table
    decimal: Text = None  # "," where the table had decimal commas
    units: NamedTexts = field(default_factory=dict)  # of columns
    range: Annotated[tuple[float, float] | None, _range] = None  # what the degrees 0 and 1 stand for
    held_out: Annotated[HeldOut | None, _held_out] = None  # how good it was on rows it had not seen
    more: Mapping[str, Any] = field(default_factory=dict)  # what else was noted
    written: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)  # as an earlier version wrote it

    def content(self) -> dict[str, Any]:
        """The record as plain JSON data; one of an earlier version as it was, so that its fingerprint stays."""
        if self.written is not None:
            return dict(self.written)
        facts = {name: getattr(self, name) for name in _READERS}
        known = {name: _plain(fact) for name, fact in facts.items() if fact is not None and fact not in ((), {})}
        return {"version": VERSION, **known, **self.more}

    @staticmethod
    def from_content(value: Any, what: str) -> "Record":
        """The record with this plain JSON data, validated; what has no place of its own is kept as it is."""
        notes = table(value, what)
        version = whole(notes.get("version", 1), f"{what}, the version")
        message = f"{what} have the version {version}; this is an older Crystalogic, which knows {VERSION}."
        refuse_first(DocumentError, {message: not 1 <= version <= VERSION})
        facts = _rename(notes) if version == 1 else {name: note for name, note in notes.items() if name != "version"}
        known = {name: read(facts[name], f"{what}, {name}") for name, read in _READERS.items() if name in facts}
        more = {name: fact for name, fact in facts.items() if name not in _READERS}
        return Record(**known, more=more, written=notes if version == 1 else None)


_READERS = readers_of(Record)


def _plain(fact: Any) -> Any:
    if isinstance(fact, Enum):
        return fact.name.lower()
    if isinstance(fact, Group):
        return {"column": fact.column, "value": fact.value, "counts": fact.rates.counts}
    if is_dataclass(fact):
        return {name: _plain(each) for name, each in vars(fact).items() if each not in ((), {})}
    return [_plain(each) for each in fact] if isinstance(fact, tuple) else fact


def _rename(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Notes of the first version by the names that their facts have now."""
    facts = {name: note for name, note in notes.items() if name not in ("version", "stop", "knowledge", "judged")}
    stop, judged = STOPS.get(text_of(notes.get("stop", ""), "the stop")), notes.get("judged")
    declared = notes.get("knowledge", "no constraint")
    return {
        **facts,
        **({} if stop is None else {"stop": stop.name.lower()}),
        **({} if declared == "no constraint" else {"promises": [declared]}),
        **({} if judged is None else {"judged_by": "unseen" if judged == JudgedBy.UNSEEN.value else "folds"}),
    }


@dataclass(frozen=True)
class FrontRow:
    """One line of the front: a formula of this size, how good it is on rows seen and held out, and its risk."""

    size: Annotated[int, whole]
    n_neurons: Annotated[int, whole]
    training: Annotated[float, finite]
    validated: Annotated[float | None, partial(perhaps, finite)]
    standard_error: Annotated[float | None, partial(perhaps, finite)]
    formula: Annotated[Formula, lambda value, what: parse(text_of(value, what))]
    risk: Annotated[Risk | None, partial(perhaps, read_risk)] = None

    def content(self) -> dict[str, Any]:
        body = {**vars(self), "formula": render(self.formula, points=False)}
        del body["risk"]  # so that rows without one are what they were
        return body if self.risk is None else {**body, "risk": self.risk.content()}


def read_fronts(value: Any, what: str) -> tuple[tuple[FrontRow, ...], ...]:
    """The fronts with this plain JSON data, validated."""
    rows = each(partial(each, table), value, what)
    for front in rows:
        LIMITS.refuse("characters", sum(len(str(row.get("formula"))) for row in front), "a front")
    return each(partial(each, partial(read_fields, FrontRow)), rows, what)
