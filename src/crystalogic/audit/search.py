"""Search a scope for rows that meet a condition on what models say of them; what is found is run exactly."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

import z3

from crystalogic.audit.cells import Cell, cell_of, rational
from crystalogic.audit.scope import Choices, Field, Row, Scope, Value, plain
from crystalogic.audit.statements import COMPARE, NO_ROW, Finding, Outcome, RiskOutcome, of_risk
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.decision import THRESHOLD, class_conditions
from crystalogic.encoding import Literal
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.score import score_of
from crystalogic.model import Explanation, Model, Risk
from crystalogic.verify.questions import Verdict, degree_terms, solve, wrong_row
from crystalogic.verify.trace import Trace, TraceStep

SECONDS = 10.0
MANY = 16  # values of a cell that are tried at once
Holds = Callable[..., bool]  # of the explanations of the rows found
Explain = Callable[[Model, Row], Explanation]
UnknownRow = dict[str, Cell]  # a row that is searched for: a cell for each column of the scope
Runs = Sequence[tuple[Model, UnknownRow]]  # the models, and the rows that they judge
Contradict = Callable[["Search"], tuple[Runs, Sequence[Any], Holds]]  # what `find` takes: what is against a claim
Differs = Callable[[frozenset[str]], frozenset[str] | None]


class Search:
    """Unknown rows of one scope, the degrees of models on them, and the time that is left. All may say TimeUp."""

    def __init__(self, scope: Scope, deadline: Deadline) -> None:
        self.scope, self.deadline = scope, deadline
        self._solver = z3.Solver()
        self._n_rows = self._n_runs = 0
        self._degrees: dict[tuple[int, int], tuple[Model, UnknownRow, tuple[Any, ...]]] = {}  # kept, so are their ids
        self._classes: dict[tuple[int, int], list[Any]] = {}
        self._truths: dict[tuple[Cell, Literal, frozenset[str]], Any] = {}

    def row(self, like: UnknownRow | None = None, apart: Collection[str] = ()) -> UnknownRow:
        """A new row; one that is `like` another shares its cells, except for the columns that are `apart`."""
        cells = dict(like or {})
        for index, field in enumerate(self.scope.fields):
            if like is None or field.column in apart:
                cells[field.column] = cell_of(field, f"row {self._n_rows} cell {index}", self.deadline)
                self._solver.add(*cells[field.column].rules)
        self._n_rows += 1
        return cells

    def _inputs(self, model: Model, row: UnknownRow) -> dict[str, Any]:
        inputs = {}
        for name in model.names:
            self.deadline.check()
            literal = model.encoding.literals[name]
            asked = row[literal.column], literal, model.encoding.by_name[literal.column].words
            if asked not in self._truths:  # rows that are alike share cells, and what is said of them
                self._truths[asked] = asked[0].truth(*asked[1:])
            inputs[name] = self._truths[asked]
        return inputs

    def degrees(self, model: Model, row: UnknownRow) -> tuple[Any, ...]:
        """The degrees of a model's formulas on a row, as terms."""
        key = id(model), id(row)
        if key not in self._degrees:
            nodes = self.terms(model.formulas, self._inputs(model, row))
            self._degrees[key] = model, row, tuple(nodes[formula] for formula in model.formulas)
        return self._degrees[key][2]

    def score(self, model: Model, row: UnknownRow) -> Any:
        """The score of the formula of two classes on a row, as a term."""
        points = score_of(model.formulas[0]).points
        nodes = self.terms(points, self._inputs(model, row))
        return z3.Sum([z3.RealVal(0), *(worth * nodes[part] for part, worth in points.items())])

    def says(self, outcome: Outcome, model: Model, row: UnknownRow) -> Any:
        """The outcome of a row as a condition."""
        if isinstance(outcome, RiskOutcome):
            return risk_term(self.score(model, row), of_risk(model), outcome.is_met)
        if model.classes is None:
            return COMPARE[outcome.operator](self.degrees(model, row)[0], rational(Fraction(outcome.value)))
        is_class = self.classes(model, row)[model.classes.index(outcome.value)]
        return is_class if outcome.operator == "=" else z3.Not(is_class)

    def classes(self, model: Model, row: UnknownRow) -> list[Any]:
        """For each class, that the model decides for it."""
        degrees, key = self.degrees(model, row), (id(model), id(row))
        if key not in self._classes:
            self._classes[key] = [z3.And(each) for each in class_conditions(degrees, model.order, rational(THRESHOLD))]
        return self._classes[key]

    def terms(self, formulas: Iterable[Formula], inputs: Mapping[str, Any]) -> dict[Formula, Any]:
        """The degrees of all subformulas, given terms for their inputs."""
        self._n_runs += 1
        return degree_terms(self._solver, formulas, inputs, self.deadline, f"run {self._n_runs} node")

    def find(
        self, runs: Runs, conditions: Sequence[Any], holds: Holds, like: Row | None = None, *, is_shown: bool = True
    ) -> tuple[Explanation, ...] | None:
        """Rows that meet the conditions, run through the models, of which `holds` says the same; None if there is none.
        Those shown are cell by cell as simple, or as `like` another row, as can be, whatever z3 happens to find."""
        if (found := self._solve(conditions)) is None:
            return None
        cells = {cell: column for _, row in runs for column, cell in row.items()}
        models = [model for model, _ in runs]

        def explain(values: Mapping[Cell, Value], how: Explain = run) -> tuple[Explanation, ...]:
            rows = [{name: as_given(values[cell]) for name, cell in row.items()} for _, row in runs]
            return tuple(map(how, models, rows))

        def check(found: Any) -> dict[Cell, Value]:
            values = {cell: cell.value(found) for cell in cells}
            if not all(cell.field.contains(values[cell]) for cell in cells) or not holds(*explain(values)):
                raise wrong_row(list(values.values()))
            return values

        values, settled = check(found), list(conditions)
        if like is None and not is_shown:
            return explain(values)
        with suppress(TimeUp):  # what was found is good, if not simple
            for cell, column in cells.items():
                first = [like[column]] if like is not None else []
                options = candidates(cell.field, [*first, *simple_values(cell.field, models)], values[cell])
                for candidate in self._possible(cell, options, settled) if is_shown else options:
                    self.deadline.check()
                    changed = {**values, cell: candidate}
                    if candidate == values[cell] or holds(*explain(changed)):
                        values = changed
                        break
                    if is_shown and (found := self._solve([*settled, cell.equals(candidate)])) is not None:
                        values = check(found)
                        break
                settled.append(cell.equals(values[cell]))
        return explain(values, Model.explain if is_shown else run)

    def least(self, term: Any, conditions: Sequence[Any]) -> Fraction:
        """The greatest lower bound of a term that is never negative, as z3 optimises it; the caller proves it."""
        optimizer = z3.Optimize()
        for each in (*self._solver.assertions(), *conditions):
            self.deadline.check()
            optimizer.add(each)
        objective = optimizer.minimize(term)
        if solve(optimizer, self.deadline) is None:
            raise TimeUp  # the rows that were found say otherwise
        _, bound, _ = objective.lower_values()  # of infinity, of 1, and of something smaller than every number
        return Fraction(bound.as_string())

    def _possible(self, cell: Cell, options: Iterator[Value], conditions: Sequence[Any]) -> Iterator[Value]:
        """The options without those of which z3 says, of many at once, that none meets the conditions."""
        yield from islice(options, 1)
        while some := list(islice(options, MANY)):
            if self._solve([*conditions, z3.Or([cell.equals(each) for each in some])]) is not None:
                yield from some

    def _solve(self, conditions: Sequence[Any]) -> Any | None:
        self._solver.push()
        try:
            self._solver.add(*conditions)
            return solve(self._solver, self.deadline)
        finally:
            self._solver.pop()


def run(model: Model, row: Row) -> Explanation:
    """What the model says of a row, exactly and without the steps in between."""
    columns, literals = model.encoding.by_name, [model.encoding.literals[name] for name in model.names]
    degrees = [_degree(each, row[each.column], columns[each.column].words) for each in literals]
    values = dict(zip(model.names, degrees, strict=True))
    # a score is counted from the facts
    facts = [TraceStep(Variable(name), value) for name, value in values.items()] if model.risk else []
    wholes = zip(model.formulas, (exact(values) for exact in model.exact), strict=True)
    return Explanation(model, dict(row), tuple(Trace(f, (*facts, TraceStep(f, degree))) for f, degree in wholes))


@lru_cache(maxsize=10_000, typed=True)  # 1 and True are equal, and not the same here
def _degree(literal: Literal, value: Value, words: frozenset[str]) -> Fraction:
    return literal.degree_of(value, words)


def simple_values(field: Field, models: Iterable[Model]) -> list[Value]:
    """The values that are worth trying first: those of a choice, or the bounds and the cuts of a number."""
    if isinstance(field, Choices):
        return list(field.candidates)
    columns = [each for each in (model.encoding.by_name.get(field.column) for model in models) if each is not None]
    cuts = {Fraction(at) for column in columns for each in column.literals for at in each.cuts}
    return list[Value](sorted(cuts | {bound for bound in (field.low, field.high) if bound is not None}))


def candidates(field: Field, simple: Sequence[Value], value: Value) -> Iterator[Value]:
    """What a cell may be shown as, simplest first: simple values, decimals next to them, and the value itself."""
    yield from (each for each in simple if field.contains(each) and not isinstance(as_given(each), Fraction))
    if isinstance(value, Fraction):
        landmarks = [each for each in simple if isinstance(each, Fraction)]
        yield from filter(field.contains, short_decimals([*landmarks, value], range(3)))
        yield from filter(field.contains, short_decimals([value], range(3, 10)))
    yield value


def short_decimals(numbers: Sequence[Fraction], n_digits: Iterable[int]) -> Iterator[Fraction]:
    """Numbers with so many decimals at and next to these, as floats: what is printed reads back as the same number."""
    for digits in n_digits:
        unit = Fraction(1, 10**digits)
        for number in numbers:
            below = number // unit * unit
            for candidate in sorted((below - unit, below, below + unit), key=lambda each: abs(each - number)):
                yield Fraction(float(candidate))


def as_given(value: Value) -> Value:
    """A value as a table holds it; a fraction that no float is stays a fraction, which models run exactly."""
    given = plain(value)
    return value if isinstance(given, str) else given


def risk_term(score: Any, risk: Risk, is_met: Callable[[Fraction], bool]) -> Any:
    """That the risk of a score meets a condition: the score is one of those whose risk does, mostly of one range."""
    met = (each for each in range(len(risk.shares)) if is_met(risk.of(each)))
    ranges = [[each for _, each in run] for _, run in groupby(enumerate(met), lambda pair: pair[1] - pair[0])]
    return z3.Or([z3.And(score >= each[0], score <= each[-1]) for each in ranges])


def ask_in_time(claim: str, scope: Scope, seconds: float, ask: Callable[[Search], Finding]) -> Finding:
    """The answer of `ask`, or that it was not found in time."""
    deadline = Deadline.after(seconds)
    try:
        return ask(Search(scope, deadline))
    except TimeUp:
        return Finding(claim, scope, Verdict.UNDECIDED, deadline.undecided)


def for_all(claim: str, scope: Scope, seconds: float, contradict: Contradict, *, with_risk: bool) -> Finding:
    """The answer to a claim about all rows, whose contradiction is searched for."""

    def ask(search: Search) -> Finding:
        if (found := search.find(*contradict(search))) is None:
            return Finding(claim, scope, Verdict.PROVED, NO_ROW, with_risk=with_risk)
        return Finding(claim, scope, Verdict.REFUTED, "it fails here:", found[0].row, found, with_risk=with_risk)

    return ask_in_time(claim, scope, seconds, ask)


def find_fewest_facts(search: Search, runs: Runs, values: Row, against: Any, contradicts: Holds) -> tuple[str, ...]:
    """The fewest columns whose values alone exclude a contradiction, given as a condition and of rows that were run."""
    _, row = runs[0]

    def differs(kept: frozenset[str]) -> frozenset[str] | None:
        def holds(*found: Explanation) -> bool:
            return contradicts(*found) and search.scope.find_difference(values, found[0].row).isdisjoint(kept)

        conditions = [against, *(row[column].equals(values[column]) for column in kept)]
        found = search.find(runs, conditions, holds, like=values, is_shown=False)
        return None if found is None else search.scope.find_difference(values, found[0].row)

    return find_fewest(search.scope.columns, differs, search.deadline)


def find_fewest(columns: Sequence[str], differs: Differs, deadline: Deadline) -> tuple[str, ...]:
    """A smallest set of columns that settles a question; `differs` gives the columns of a contradiction, or None.

    A choice of columns settles it, or there is a row that contradicts it and differs in some other columns, of which
    any choice that settles must hold at least one. So the smallest set that meets all differences seen so far is tried
    next; when it settles, no smaller one does.
    """
    to_meet: list[frozenset[str]] = []
    while True:
        chosen = _smallest_meeting(columns, to_meet, deadline)
        if (difference := differs(frozenset(chosen))) is None:
            return chosen
        to_meet.append(difference)


def _smallest_meeting(columns: Sequence[str], sets: Sequence[frozenset[str]], deadline: Deadline) -> tuple[str, ...]:
    """The fewest columns of which every set has one: some column of a set that is not met must be among them."""

    def meet(left: Sequence[frozenset[str]], size: int) -> frozenset[str] | None:
        deadline.check()
        apart: list[frozenset[str]] = []  # sets without a column in common need one column each
        for each in left:
            if all(each.isdisjoint(other) for other in apart):
                apart.append(each)
        if not left or len(apart) > size:
            return None if left else frozenset()
        first = min(left, key=len)
        for column in sorted(first, key=columns.index):
            if (found := meet([each for each in left if column not in each], size - 1)) is not None:
                return found | {column}
        return None

    sizes = range(len(columns) + 1)
    chosen = next((found for size in sizes if (found := meet(sets, size)) is not None), frozenset(columns))
    return tuple(column for column in columns if column in chosen)
