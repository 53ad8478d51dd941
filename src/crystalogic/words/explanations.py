"""Why one row gets its class, in words and as plain data; the points of rows: what was counted, not causes."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.arrays import np
from crystalogic.cells import is_missing
from crystalogic.counts import count
from crystalogic.decision import THRESHOLD
from crystalogic.errors import RiskError, refuse_first
from crystalogic.logic.formula import Formula, Not
from crystalogic.logic.score import score_of
from crystalogic.model import Explanation, Model, Unknown
from crystalogic.model.ladders import adds_points, score_text
from crystalogic.model.rows import evaluate_rows
from crystalogic.verify.trace import decimal
from crystalogic.words.checklists import Block, Item, counted_lines, outline, runs_of
from crystalogic.words.literals import literal_words
from crystalogic.words.risks import risk_sentence
from crystalogic.words.tables import fill_macro

WIDEST_STEP = 90  # characters of a step; where one is longer, steps have names


@dataclass(frozen=True)
class RowPoints:
    """A rule with points, as lines, and the degrees of its parts for a row."""

    blocks: tuple[Block, ...]
    degrees: Mapping[Formula, Fraction]
    needed: Fraction | None  # the least sum that means yes; None where degrees are compared, or are the answer

    @property
    def lines(self) -> tuple[Item, ...]:
        return self.blocks[0].item.parts

    @property
    def sum(self) -> Fraction:
        return points_of(self.lines, self.degrees)

    def __str__(self) -> str:
        verb = "is" if self.needed == 1 else "are"
        needed = "" if self.needed is None else f", at least {number_words(self.needed)} {verb} needed"
        return f"{number_words(self.sum, self.needed)} of {count(self.blocks[0].item.most, 'point')}{needed}"

    def rows(self) -> Iterator[tuple[int, str, str]]:
        """Every line: how far it is indented, its points or its degree, and its words."""
        steps = (replace(step.item, words=f"{step.name}: {step.item.words}") for step in self.blocks[1:])
        for item in (*self.blocks[0].item.lines, *steps):
            yield from self._rows(item, 0)

    def _rows(self, item: Item, level: int) -> Iterator[tuple[int, str, str]]:
        yield level, worth_words(item, self.degrees), f"{item.words}{':' * bool(item.parts)}"
        for part in item.parts:
            yield from self._rows(part, level + 1)

    def content(self) -> dict[str, Any]:
        lines = []
        for line in self.lines:
            told = {"words": line.words, "part": str(line.formula), "points": line.points}
            lines.append(told | {"brings": str(points_of([line], self.degrees))})
        needed = None if self.needed is None else str(self.needed)
        return {"sum": str(self.sum), "of": self.blocks[0].item.most, "needed": needed, "lines": lines}


def points_of(lines: Iterable[Item], degrees: Mapping[Formula, Fraction]) -> Fraction:
    """The sum of the points that lines bring."""
    return sum(((line.points or 0) * degrees[line.formula] for line in lines), Fraction(0))


def worth_words(item: Item, degrees: Mapping[Formula, Fraction]) -> str:
    """What an item brings of its points, or has of those of its parts; without points its degree."""
    lines = item.parts if item.points is None else item.rungs or (item,)
    if most := item.most if item.points is None else item.most_of_rungs:
        return f"{number_words(points_of(lines, degrees))} of {count(most, 'point')}"
    return decimal(degrees[item.formula])


def row_points(found: Explanation) -> list[RowPoints | None]:
    """The points of the row that is explained, for each formula of its model; None for a formula without points."""
    model = found.model
    return [
        RowPoints(
            outline(each.formula, model.encoding.literals, model.encoding.gaps),
            {step.formula: step.degree for step in each.steps},
            Fraction(score_of(each.formula).threshold) if model.is_list else needed_points(model),
        )
        if adds_points(each.formula, model.encoding.literals)
        else None
        for each in found.traces
    ]


def needed_points(model: Model) -> Fraction | None:
    """The least sum of points for which a rule of two classes says yes; None for other rules. A degree of 1/2 is
    enough. Facts that are true or false add up to whole points, so then all k are needed."""
    rule, literals = model.formulas[0], model.encoding.literals
    if model.classes is None or len(model.formulas) > 1 or not adds_points(rule, literals):
        return None
    is_boolean = all(literals[name].is_boolean for name in rule.variables)
    k = Fraction(score_of(rule).threshold)
    return k if is_boolean else k - 1 + Fraction(THRESHOLD)


def number_words(number: Fraction, mark: Fraction | None = None) -> str:
    """A whole number as it is, another in decimals that show on which side of the mark it is."""
    return str(number) if number.denominator == 1 else decimal(number, mark)


@dataclass(frozen=True)
class Reason:
    """A fact of a row that has points; `print` shows it as "ca is not 0 (+2)"."""

    words: str  # the fact, as the rule says it
    part: str  # the part of the formula that it is, as text
    points: int  # how many it adds

    def __str__(self) -> str:
        return f"{self.words} (+{self.points})"


def reasons(model: Model, rows: Any, most: int = 3, *, unknown: Unknown = "refuse") -> list[tuple[Reason, ...]]:
    """For every row the facts that add most points to its score, the most points first.

    Several steps of one column are one reason: the farthest that the row reaches, with the points of all up to it.
    Facts with the same points come in the order of the rule; a row that no fact adds to has none. Points speak for the
    class that the formula speaks for. A reason is what the score counted, not a cause.

    Parameters:
        model: a rule that counts facts for one of two classes; a RiskError for others.
        rows: a frame or a mapping from columns to their values.
        most: how many reasons a row has at most.
        unknown: what to do with a value that is missing and was in no training row, as in `Model.degrees`; a row that
            is skipped has no reasons.
    """
    refuse_no_facts(model)
    places = {part: place for place, part in enumerate(score_of(model.formulas[0]).points)}
    holds = evaluate_rows(model, [part.evaluate for part in places], rows, unknown)
    items = runs_of(counted_lines(model.formulas[0], model.encoding.literals, model.encoding.gaps))

    def tell(row: list[bool]) -> tuple[Reason, ...]:
        reached = [[line for line in item if row[places[line.formula]]] for item in items]
        told = [_reason(held) for held in reached if held]
        return tuple(sorted(told, key=lambda reason: -reason.points)[: max(most, 0)])

    different, which = np.unique(np.nan_to_num(holds) > 0, axis=0, return_inverse=True)
    found = [tell(row) for row in different.tolist()]
    return [found[place] for place in which.reshape(-1).tolist()]


def _reason(held: Sequence[Item]) -> Reason:
    """A fact that holds; of several steps of one column, which ascend, the farthest."""
    farthest = held[0 if isinstance(held[0].formula, Not) else -1]
    return Reason(farthest.words, str(farthest.formula), sum(line.points or 0 for line in held))


def refuse_no_facts(model: Model) -> None:
    """A RiskError unless a model counts facts for one of two classes, so that points are whole and have reasons."""
    message = "reasons are told of a rule that counts facts for one of two classes; `explain` shows any rule."
    refuse_first(RiskError, {message: model.classes is None or len(model.formulas) > 1 or bool(model.rounding)})


def explanation_text(found: Explanation) -> str:
    """Why one row gets its class: the facts, each step, the decision and its distance from the threshold."""
    steps = []
    shown: frozenset[Any] = frozenset()  # all grades have one score, and its facts are told once
    for label, each, score in zip(_labels(found), found.traces, row_points(found), strict=True):
        if found.model.is_ordered:
            if (facts := frozenset(score_of(each.formula).points.items())) in shown | {frozenset()}:
                continue
            shown, label = shown | {facts}, None
        told = score and [f"{'  ' * level}{worth}: {words}" for level, worth, words in score.rows()]
        steps.append((label, told or each.lines(WIDEST_STEP)))
    return _write("everything", found, steps=steps, risk=risk_sentence(found))


def decision_sentence(found: Explanation) -> str:
    """What is decided, and by how much."""
    return _write("decision", found)


def _write(text: str, found: Explanation, **more: Any) -> str:
    model, graded = found.model, ""
    if model.is_ordered and (rules := [each for each in model.formulas if each.parts]):
        graded = score_text(rules[0], model.encoding.literals, int(found.score))
    about = {"found": found, "model": model, "points": row_points(found), "graded": graded, "threshold": THRESHOLD}
    return fill_macro("words", "explanations.txt", text, **about, decimal=decimal, **more)


def explanation_content(found: Explanation) -> dict[str, Any]:
    """An explanation as plain JSON data: what was read, what each literal says of it, every step, the decision."""
    model, pairs = found.model, zip(_labels(found), found.traces, strict=True)
    literals = [
        {"name": name, "words": literal_words(literal), "column": literal.column}
        | {"value": _plain(found, literal.column), "unit": model.record.units.get(literal.column)}
        | {"degree": str(model.encoding.degree_of(name, found.row))}
        for name, literal in ((name, model.encoding.literals[name]) for name in model.names)
    ]
    return {
        "target": model.target,
        "decision": str(found.decision),
        "margin": str(found.margin),
        "threshold": str(THRESHOLD) if model.classes and len(found.traces) == 1 else None,
        "sentence": decision_sentence(found),
        **({} if found.probability is None else {"score": int(found.score), "probability": float(found.probability)}),
        **({"probabilities": list(found.likelihoods)} if model.chain else {}),
        **({} if found.rounded is None else {"exported": str(found.rounded)}),
        "row": {name: _plain(found, name) for name in model.columns},
        "literals": literals,
        "degrees": [str(degree) for degree in found.degrees],
        "formulas": [{"for": label, "formula": str(each.formula)} for label, each in pairs],
        "traces": [each.content() for each in found.traces],
        "points": [None if each is None else each.content() for each in row_points(found)],
    }


def _labels(found: Explanation) -> list[str | None]:
    """The class that each trace is for; None where there is only one."""
    classes = found.model.classes
    return [str(label) for label in classes] if classes and len(found.traces) > 1 else [None]


def _plain(found: Explanation, column: str) -> Any:
    """A cell as JSON data: numbers of numpy as numbers, no value as null, what JSON has no number for as text."""
    value = found.row[column]
    if is_missing(value, found.model.encoding.by_name[column].words):
        return None
    value = value.item() if hasattr(value, "item") else value
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if isinstance(value, (str, int, bool)) or is_finite else str(value)
