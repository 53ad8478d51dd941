"""What is known of the best rules of a table: size by size, which rules are as good, and what all of them read."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.counts import count
from crystalogic.encoding import Cut, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Constant, Formula, Not, Variable
from crystalogic.model import Model
from crystalogic.optimal import ERRORS, Counted, Optimum, Question, Rule, certify
from crystalogic.words.models import rule_text
from crystalogic.words.tables import fill_template

Truths = dict[str, tuple[str, Array]]  # for each fact its column, and whether it holds for each value in the domain


def truths_of(encoding: Encoding) -> Truths:
    """What holds for each value that can occur, of all facts of an encoding."""
    found: Truths = {}
    for column in encoding.columns:
        names = [literal.name for literal in column.literals]
        truths = encoding.transform({column.name: _values_of(column)}, names) if names else np.zeros((0, 0))
        found |= {name: (column.name, truths[:, place] > 0) for place, name in enumerate(names)}
    return found


def _values_of(column: Column) -> Array:
    """The values of the domain; of numbers enough that each two which a cut tells apart are there."""
    values: list[object] = list(column.known)
    if column.kind == "number":
        low, high = column.range or (0.0, 0.0)
        values = [low, *(each.at for each in column.literals if isinstance(each, Cut) and low < each.at <= high)]
    return np.array([*values, *[None] * column.has_missing], object)


def function_of(rule: Rule, names: Sequence[str], truths: Truths) -> Hashable:
    """What is equal for two rules that decide every row of the domain alike, and for no others."""
    points: dict[str, Array] = {}  # that each value of a column brings
    for fact, worth in zip(rule.facts, rule.points, strict=True):
        column, holds = truths[names[max(fact, ~fact)]]
        points[column] = points.get(column, 0) + worth * (holds == (fact >= 0))
    columns = sorted(points)
    levels = [np.unique(points[column], return_inverse=True) for column in columns]
    total = np.zeros((), np.int64)
    for scores, _ in levels:
        total = np.add.outer(total, scores)
    table = total >= rule.threshold
    classes: list[tuple[str, bytes]] = []
    for axis, (column, (_, level)) in enumerate(zip(columns, levels, strict=True)):
        slices = np.moveaxis(table, axis, 0)  # more points decide for more: each lies within the next, in any writing
        is_new = np.append(True, (slices[1:] != slices[:-1]).reshape(len(slices) - 1, -1).any(axis=1))
        table = np.moveaxis(slices[is_new], 0, axis)
        if is_new.sum() > 1:
            classes.append((column, np.cumsum(is_new)[level.ravel()].tobytes()))
    return tuple(classes), table.tobytes()


@dataclass(frozen=True)
class Rules:
    """Rules over the facts of an encoding, counted on the rows of one table; nothing is said about other rows."""

    target: str  # the column that is told
    classes: tuple[Any, Any]  # the other class, and the one that rules speak for
    encoding: Encoding  # the facts
    counted: Counted  # the rows

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self.counted.yes.sum() + self.counted.no.sum())

    def formula(self, rule: Rule) -> Formula:
        """The rule as a formula."""
        if not rule.facts:
            return Constant(int(rule.threshold <= 0))
        names = self.counted.names
        parts = [Variable(names[fact]) if fact >= 0 else Not(Variable(names[~fact])) for fact in rule.facts]
        if len(parts) == 1:
            return parts[0]
        worth = zip(parts, rule.points, strict=True)
        return AtLeast(rule.threshold, *(part for part, points in worth for _ in range(points)))

    def model_of(self, rule: Rule) -> Model:
        """A rule as a model with its certificate."""
        formula = self.formula(rule)
        return model_of([formula], self.encoding.thin(formula.variables), self.target, self.classes)

    def scope_of(self, question: Question) -> str:
        """Which rules were looked at, in the plural."""
        shape = "checklists" if question.shape == "checklist" else "scorecards, whatever their points,"
        return f"{shape} of at most {count(question.size, 'fact')} of {len(self.counted.names)}"


@dataclass(frozen=True)
class BestRules(Rules):
    """The best rules over the facts of an encoding, on the rows of one table."""

    answers: tuple[Optimum, ...]  # of at most 1, 2, 3 facts and so on; the last also lists what is nearly as good
    without: Mapping[str, Optimum]  # for each column that the best of the last size reads, the best without it

    @property
    def best(self) -> Optimum:
        """The answer for the largest size."""
        return self.answers[-1]

    @cached_property
    def writings(self) -> tuple[tuple[int, tuple[Rule, ...]], ...]:
        """All rules nearly as good as the best, with their costs and all ways to write them, the plainest first.

        Two that decide every row of the domain alike are one rule. Facts that are equal on the rows are written out.
        """
        return self._write_out(self.best)

    def _write_out(self, answer: Optimum) -> tuple[tuple[int, tuple[Rule, ...]], ...]:
        found: dict[Hashable, tuple[int, list[Rule]]] = {}
        truths = truths_of(self.encoding)
        for cost, rule in answer.rules:
            for twin in rule.expand(self.counted):
                found.setdefault(function_of(twin, self.counted.names, truths), (cost, []))[1].append(twin)
        return tuple((cost, tuple(rules)) for cost, rules in found.values())

    @property
    def rules(self) -> tuple[tuple[int, Rule], ...]:
        """The same, each written in the plainest way."""
        return tuple((cost, rules[0]) for cost, rules in self.writings)

    @cached_property
    def n_good(self) -> int:
        """How many rules are within the margin for certain: all of them, if the list is complete."""
        return sum(cost <= self.best.bound + self.best.question.within for cost, _ in self.writings)

    def _count_best(self, answer: Optimum) -> int | None:
        """How many rules are as good as the best of a size, where these are known."""
        return sum(cost == answer.cost for cost, _ in self._write_out(answer)) if answer.is_complete else None

    def model(self, rule: Rule | None = None) -> Model:
        """A rule, by default the best, as a model with its certificate."""
        return self.model_of(self.best.rule if rule is None else rule)

    def models(self) -> Iterator[Model]:
        """All rules that are nearly as good as the best, each as a model."""
        return (self.model(rule) for _, rule in self.rules)

    def columns_of(self, rule: Rule) -> frozenset[str]:
        """The columns that a rule reads."""
        names = (self.counted.names[max(fact, ~fact)] for fact in rule.facts)
        return frozenset(self.encoding.literals[name].column for name in names)

    @cached_property
    def readers(self) -> dict[str, int]:
        """How many of the good rules read each column, the most read first."""
        return dict(Counter(column for _, rule in self.rules for column in sorted(self.columns_of(rule))).most_common())

    @cached_property
    def n_disputed(self) -> int:
        """The rows of which good rules say different things: there, the choice of the rule decides."""
        place_of = {own[0]: place for place, own in enumerate(self.counted.twins)}
        truths = np.zeros((len(self.counted.truth), len(self.counted.names)), np.int8)
        truths[:, list(place_of)] = self.counted.truth[:, list(place_of.values())]
        said = [rule.decide(truths) for _, rule in self.best.rules]
        disputed = np.any(said, axis=0) & ~np.all(said, axis=0) if said else np.zeros(len(truths), bool)
        return int((self.counted.yes + self.counted.no)[disputed].sum())

    def certificate(self) -> str:
        """The answer for the largest size as a document, which `crystalogic verify` counts again."""
        return certify(self.counted, self.best)

    @property
    def scope(self) -> str:
        """Which rules were looked at, in the plural."""
        return self.scope_of(self.best.question)

    @property
    def unit(self) -> str:
        """What is counted."""
        return "errors" if self.best.question.objective == ERRORS else "cost"

    def __str__(self) -> str:
        sizes = [(each, self._count_best(each)) for each in self.answers]
        return f"{rule_text(self.model())}\n\n{fill_template('best', 'rules.txt', found=self, sizes=sizes)}"

    def content(self) -> dict[str, Any]:
        """All of it as plain JSON data."""

        def describe(each: Optimum) -> dict[str, Any]:
            return {"cost": each.cost, "bound": each.bound, "is_proved": each.is_proved}

        sizes = enumerate(self.answers, 1)
        return {
            "scope": self.scope,
            "n_rows": self.n_rows,
            "formula": str(self.formula(self.best.rule)),
            "sizes": [{"size": n, **describe(each), "n_as_good": self._count_best(each)} for n, each in sizes],
            "good": [
                {"cost": cost, "formula": written[0], "other_ways": written[1:]}
                for cost, rules in self.writings
                for written in [[str(self.formula(rule)) for rule in rules]]
            ],
            "n_good_at_least": self.n_good,
            "is_complete": self.best.is_complete,
            "read_by": self.readers,
            "n_disputed": self.n_disputed,
            "without": {column: describe(each) for column, each in self.without.items()},
        }
