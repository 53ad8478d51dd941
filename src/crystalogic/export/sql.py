"""Export to SQL: a query over a table, or one expression; CASE alone, for engines differ on LEAST and NULL.

A sum of whole truth values needs no clamping: it is compared with 1. Other sums are written two or three times, so a
query gives them names in common table expressions; one expression cannot, and is refused when it grows too long.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

from crystalogic.cells import LARGEST_EXACT
from crystalogic.encoding import Cut, Degree, Missing
from crystalogic.errors import ExportError, TooLargeError, refuse
from crystalogic.export import quoting
from crystalogic.export.columns import SqlColumn, sql_columns
from crystalogic.export.languages import sum_text
from crystalogic.export.program import Fact, Input, Program, Step, program
from crystalogic.export.quoting import SqlDialect, exact_labels, exact_number, free_names, quote_name, quote_text
from crystalogic.model import Label, Model
from crystalogic.model.risk import LEVEL
from crystalogic.words.tables import fill_template

LONGEST_EXPRESSION = 100_000  # characters of one expression
DEEPEST = 8  # steps one inside the other before one of them gets a name
LONGEST_NAME = 63  # bytes of a name that all engines keep


def to_sql(
    model: Model,
    *,
    table: str | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    dialect: str = "standard",
    types: Mapping[str, str] | None = None,
    view: str | Sequence[str] | None = None,
) -> str:
    """The model as a query over a table, or without one as an expression of the decision alone.

    The query gives the decision, the degrees and columns of the table; of a model with a risk also the score, the
    probability and, where there is a band, whether to ask a person; of a list the probability of each class. All are
    NULL where the rule cannot decide.

    Parameters:
        model: the model to write.
        table: `name`, `schema.name` or a list of the parts of it; None for an expression.
        keep: the columns of the table to give as well; None for all, and before them the facts and steps of a long
            rule.
        dialect: one of `DIALECTS`: "standard", "sqlite", "duckdb", "postgresql", "spark", "sqlserver", "oracle",
            "snowflake" or "bigquery".
        types: what columns are in the database, "integer", "number" (double precision), "text" or "boolean", which
            makes the text shorter and the engine quicker; of all others anything is expected.
        view: a name, which makes the query a view.
    """
    if dialect not in quoting.DIALECTS:
        refuse(ExportError, f"there is no SQL dialect {dialect!r}; there are {', '.join(quoting.DIALECTS)}.")
    found, words = program(model), quoting.DIALECTS[dialect]
    columns = sql_columns(found.inputs, types or {}, words)
    if table is None:
        if view is not None:
            refuse(ExportError, "a view is a query over a table: say which, with --table NAME.")
        return f"{_Writer(found, words, columns).expression()}\n"
    query = _Writer(found.by_score, words, columns, keep, "\n      ").query(_parts_of(table))
    made = "" if view is None else f"CREATE VIEW {'.'.join(quote_name(part, words) for part in _parts_of(view))} AS\n"
    return made + query


def _parts_of(name: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(name, str):
        return name
    if re.fullmatch(r"\w+\s*\(.*\)\s*", name, re.DOTALL):
        way_out = f"CREATE VIEW incoming AS SELECT * FROM {name}, and export with --table incoming"
        refuse(ExportError, f"{name} is a call, and --table takes a name. Give it one in the database, {way_out}.")
    return name.split(".")


@dataclass
class _Writer:
    """Writes facts and steps as texts; what has a name is written as that name."""

    program: Program
    dialect: SqlDialect
    columns: Mapping[str, SqlColumn]
    keep: Sequence[str] | None = None
    space: str = " "  # what stands before a term of a sum that is written out
    texts: dict[str, str] = field(default_factory=dict)  # of readings, facts and steps
    level: dict[str, int] = field(default_factory=dict)  # how many layers of named things each one needs
    layers: list[dict[str, str]] = field(default_factory=list)  # the named things and what they stand for

    def expression(self) -> str:
        self._write_all(frozenset())
        decided = self._decision([self.texts[output] for output in self.program.outputs], complete=True)
        text = f"CASE WHEN {undecided} THEN NULL ELSE {decided} END" if (undecided := self._refused()) else decided
        _refuse_long(text)
        return text

    def query(self, table: Sequence[str]) -> str:
        """The query over a table: a layer of names for the readings and steps that the next layer uses.

        New columns stand before those of the table: where the table has one of the same name, as after scoring twice,
        engines that do not refuse it mean the first.
        """
        self._write_all(self._names_needed())
        found, points, prefix = self.program, self.program.points, "crystalogic"
        while any(part.lower().startswith(prefix) for part in table):
            prefix += "_"
        decided, *names = (quote_name(name, self.dialect) for name in self._output_names())
        degrees = names[: len(found.outputs)] if points is None else [self._alias(points.total.name)]
        kept = ["*"] if self.keep is None else [quote_name(name, self.dialect) for name in self.keep]
        kept = kept if self.keep is None or points else [*names, *kept]
        known: dict[str, Any] = {"program": found, "points": points, "dialect": self.dialect, "prefix": prefix}
        known |= {"decided": decided, "names": names, "degrees": degrees, "labels": self._labels, "level": LEVEL}
        known |= {"refused": self._refused(), "alias": self._alias, "score_text": self._step, "choose": self._choose}
        known["header"] = quoting.remarks(found.header, "--")
        known["table"] = ".".join(quote_name(part, self.dialect) for part in table)
        known["steps"] = [{self._alias(name): text for name, text in layer.items()} for layer in self.layers]
        known["computed"] = [self.texts[output] for output in found.outputs]
        known["decision"] = "" if points else self._decision(degrees, complete=False)
        return fill_template("export", "query.sql.jinja", kept=",\n  ".join(f"t.{name}" for name in kept), **known)

    def _write_all(self, to_name: frozenset[str]) -> None:
        for each in self.program.inputs:
            column = self.columns[each.column]
            self._put(_text(each), column.text, (), to_name)
            text = self.texts[_text(each)]
            self._put(each.number_name, column.number(text), (_text(each),) * each.hides_numbers, to_name)
        for fact in self.program.facts:
            self._put(fact.name, self._fact(fact, *self._called(fact.input)), self._parts(fact), to_name)
        for step in self.program.steps:
            self._put(step.name, self._step(step), self._parts(step), to_name)

    def _put(self, name: str, text: str, parts: Sequence[str], to_name: frozenset[str]) -> None:
        _refuse_long(text)
        level = max((self.level[part] for part in parts), default=0)
        self.texts[name], self.level[name] = text, level
        if name in to_name:
            if level == len(self.layers):
                self.layers.append({})
            self.layers[level][name] = text
            self.texts[name], self.level[name] = self._alias(name), level + 1

    def _alias(self, name: str) -> str:
        alias = self.aliases.get(name, self._plain(f"crystalogic {name}"))
        if alias.casefold() in self._taken:
            (alias,) = free_names([alias], self._taken)
        return quote_name(alias, self.dialect)

    def _plain(self, name: str) -> str:
        return re.sub(r"\W", "_", name) if self.dialect.has_plain_names else name

    @cached_property
    def _taken(self) -> frozenset[str]:
        """Columns of the table that are asked for: what has their names in a layer would be read in their place."""
        return frozenset(name.casefold() for name in (*self.columns, *(self.keep or ())))

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Facts that a result shows are called what they say, if engines can hold and tell these names."""
        names = {fact.name: self._plain(f"fact {fact.literal.name}") for fact in self.program.facts}
        alike = Counter(name.casefold() for name in (*names.values(), *self._taken))
        return {key: name for key, name in names.items() if _is_short(name) and alike[name.casefold()] == 1}

    def _names_needed(self) -> frozenset[str]:
        """Readings that are written often, and facts and steps that are written twice or stand deep."""
        uses: Counter[str] = Counter(self.program.outputs)
        for item in (*self.program.parts, *(each.total for each in self.program.chain)):
            uses.update(self._parts(item))
        found = set()
        for each in self.program.inputs:
            column = self.columns[each.column]
            readings = {each.number_name: column.number(column.text), _text(each): column.text}
            found |= {name for name, text in readings.items() if uses[name] > 2 and text != column.column}
        depth: dict[str, int] = {}
        for item in self.program.parts:
            depth[item.name] = 1 + max((depth.get(part, 0) for part in self._parts(item)), default=0)
            is_final = item.name in self.program.outputs and uses[item.name] == 1
            if not is_final and (uses[item.name] > 1 or depth[item.name] > DEEPEST):
                found.add(item.name)
                depth[item.name] = 0
        return frozenset(found)

    def _parts(self, item: Fact | Step) -> tuple[str, ...]:
        """What the item is written with, as often as its text does: clamping writes a sum again."""
        if isinstance(item, Step):
            once = item.kind == "alike" or (item.kind == "sum" and item.is_boolean)
            return item.parts * (1 if once else 1 + item.below + item.above if item.kind == "sum" else 2)
        number, text = f"\0{item.input.number_name}", f"\0{_text(item.input)}"  # in no text, as NUL is refused
        written = self._fact(item, number, text)
        return (number[1:],) * written.count(number) + (text[1:],) * written.count(text)

    def _refused(self) -> str:
        conditions = [self.columns[each.column].refused(*self._called(each)) for each in self.program.inputs]
        return " OR ".join(filter(None, conditions))

    def _called(self, each: Input) -> tuple[str, str]:
        """What stands for the column as a number and as a text."""
        return self.texts[each.number_name], self.texts[_text(each)]

    def _fact(self, fact: Fact, number: str, text: str) -> str:
        """The fact, given what stands for the column as a number and as a text."""
        column = self.columns[fact.input.column]
        match fact.literal:
            case Degree():
                start, end, divisor = (exact_number(each, self.dialect) for each in fact.ends)
                number = column.as_double(number) if max(map(abs, fact.ends)) >= LARGEST_EXACT else number
                divisor = f"{divisor}e0" if divisor.lstrip("-").isdigit() else divisor
                part = f"({column.as_double(number)} - {start}) / {divisor}"
                return f"CASE WHEN {number} >= {end} THEN 1 WHEN {number} > {start} THEN {part} ELSE 0 END"
            case Cut(at=at):
                number = column.as_double(number) if abs(at) >= LARGEST_EXACT else number  # rounded, as elsewhere
                return _truth(f"{number} >= {exact_number(at, self.dialect)}")
            case Missing():
                return _truth(column.missing(text))
        return _truth(" OR ".join(each for value in fact.values for each in column.equals(value, number, text)))

    def _step(self, step: Step) -> str:
        texts = (self.texts[name] for name in step.parts)
        parts = [text if text.startswith('"') or text.isdigit() else f"({text})" for text in texts]
        if step.kind == "alike":
            return "1 - ABS({} - {})".format(*parts)
        if step.kind != "sum":
            sign = "<" if step.kind == "least" else ">"
            return reduce(lambda x, y: f"(CASE WHEN {x} {sign} {y} THEN {x} ELSE {y} END)", parts)
        if not parts:
            return str(0 if step.below else 1 if step.above else step.bias)
        bias, weights = 0 if step.is_boolean else step.bias, [weight for _, weight in step.terms]
        space = self.space if any("CASE" in text for text in parts) else " "
        total = sum_text(bias, list(zip(parts, weights, strict=True)), str, space)
        if step.is_boolean:  # whole numbers: bias + sum reaches 1, or it does not
            return _truth(f"{total} >= {1 - step.bias}")
        low = f" WHEN {total} < 0 THEN 0" if step.below else ""
        high = f" WHEN {total} > 1 THEN 1" if step.above else ""
        return f"CASE{low}{high} ELSE {total} END" if low or high else total

    def _decision(self, degrees: Sequence[str], *, complete: bool) -> str:
        """The class by the degrees; `complete` if no degree is NULL, which then needs no care."""
        if self.program.labels is None:
            return degrees[0]
        if len(degrees) > 1:
            return self._choose(degrees, self._labels)
        (output,), (first, second) = self.program.outputs, self._labels
        is_whole = any(item.is_boolean for item in self.program.parts if item.name == output)
        yes, no = ("= 1", "= 0") if is_whole else (">= 0.5", "< 0.5")  # engines compare 0 and 1 as whole numbers
        last = f"ELSE {first}" if complete else f"WHEN {degrees[0]} {no} THEN {first}"
        return f"CASE WHEN {degrees[0]} {yes} THEN {second} {last} END"

    def _choose(self, degrees: Sequence[str], texts: Sequence[str]) -> str:
        """The text of the class whose degree is the largest, of equal ones the first."""
        order, cases = self.program.model.order, []
        for index in order:
            condition = " AND ".join(f"{degrees[index]} >= {degrees[other]}" for other in order if other != index)
            cases.append(f"WHEN {condition} THEN {texts[index]}")
        return f"CASE {' '.join(cases)} END"

    @cached_property
    def _labels(self) -> list[str]:
        labels = exact_labels(self.program.labels or (), quoting.LARGEST_INTEGER)
        if all(isinstance(each, bool) for each in labels):
            return [self.dialect.true if label else self.dialect.false for label in labels]
        if all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in labels):
            return list(map(repr, labels))
        return [quote_text(str(label), self.dialect) for label in labels]

    def _output_names(self) -> list[str]:
        """The names of the decision and the degrees, which is one where there are no classes, and of what is told."""
        decided = self._plain(f"predicted {self.program.model.target}")
        decided = decided if _is_short(decided) else "predicted"
        if (labels := self.program.labels) is None:
            return free_names([decided], self._taken) * 2
        spoken_for = labels[1:] if len(self.program.outputs) == 1 else labels
        names = [decided, *_names_of("degree", spoken_for)]
        for name in self.program.told:
            names += _names_of("probability", spoken_for) if name.startswith("probabilit") else [name]
        return free_names(map(self._plain, names), self._taken)


def _names_of(what: str, labels: Sequence[Label]) -> list[str]:
    """What is told of each class, such as "degree of yes"; numbered where engines could not hold or tell the names."""
    names = [f"{what} of {label}" for label in labels]
    if len({name.casefold() for name in names}) == len(names) and all(map(_is_short, names)):
        return names
    return [f"{what} {index}" for index in range(1, len(names) + 1)] if len(names) > 1 or what == "degree" else [what]


def _text(each: Input) -> str:
    return f"t{each.name[1:]}"


def _truth(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END" if condition else "0"


def _is_short(name: str) -> bool:
    return name.isprintable() and len(name.encode("utf-8")) <= LONGEST_NAME


def _refuse_long(text: str) -> None:
    if len(text) > LONGEST_EXPRESSION:
        problem = f"as one expression the rule would have {len(text):,} characters."
        refuse(TooLargeError, f"{problem} Export a query over a table, which names its steps: --table NAME.")


def facts_query(model: Model, table: str, types: Mapping[str, str], bits: int = 60) -> str:
    """A query for DuckDB that gives for each row its facts, its gaps, and whether it is refused, as bits of numbers."""
    found, words = program(model), quoting.DIALECTS["duckdb"]
    writer = _Writer(found, words, sql_columns(found.inputs, types, words))
    writer._write_all(frozenset())
    numbers = (each for each in found.inputs if each.needs_number)  # of others only what is missing is refused
    gaps = (writer.columns[each.column].missing(writer._called(each)[1]) for each in numbers)
    texts = [*(writer.texts[fact.name] for fact in found.facts), *map(_truth, (writer._refused(), *gaps))]
    parts = [texts[start : start + bits] for start in range(0, len(texts), bits)]
    sums = (" + ".join(f"({text}) * {2**place}" for place, text in enumerate(part)) for part in parts)
    listed = ", ".join(f"CAST({each} AS BIGINT) AS w{place}" for place, each in enumerate(sums))
    return f"SELECT {listed} FROM {quote_name(table, words)}"
