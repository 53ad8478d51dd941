"""A model as a program: which columns to read, which facts to establish, which sums to clamp, how to decide.

Every target writes down this one program, so that all of them compute the same floating-point numbers in the same
order as the library, and decide alike. A row gets no decision where the library would refuse it: a value is missing in
a column that had none missing in training, or is no finite number where one is compared.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from crystalogic.cells import LARGEST_EXACT, MISSING_WORDS, MOST_DIGITS, level_number, level_of, number_of
from crystalogic.decision import THRESHOLD
from crystalogic.encoding import Literal
from crystalogic.errors import ExportError, refuse
from crystalogic.logic.connectives import clamp_form
from crystalogic.logic.evaluate import Instruction, program_of
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable
from crystalogic.logic.score import score_of
from crystalogic.model import Label, Model, Risk

HALF = repr(float(THRESHOLD))  # from this degree on a row has the class; every target writes this number
MISSING_TEXTS = ("", *sorted(MISSING_WORDS))  # what stands for missing unless a column has words of its own
WHITESPACE = "".join(char for char in map(chr, range(0x3001)) if char.isspace())  # what `str.strip` takes away


@dataclass(frozen=True)
class Value:
    """A level to compare cells with: the number that it is, or the text."""

    text: str
    number: int | float | None  # None: it is no number

    @property
    def is_beyond(self) -> bool:
        """Whether it is a whole number so large that a double stands for several, and small enough to be exact."""
        return isinstance(self.number, int) and LARGEST_EXACT <= abs(self.number) < 10**MOST_DIGITS

    @property
    def double(self) -> float | None:
        """The double that equals it; None if none does."""
        return None if self.number is None or float(self.number) != self.number else float(self.number)


@dataclass(frozen=True)
class Input:
    """A column of the table, and what its values must be for a decision."""

    name: str  # v1, v2, …
    column: str
    is_number: bool  # numbers and codes; what has types reads all others as texts
    may_be_missing: bool
    needs_number: bool  # a value that is no finite number gets no decision
    is_truth: bool = False  # all values of training were True or False
    words: frozenset[str] = MISSING_WORDS  # levels that stand for missing

    @property
    def number_name(self) -> str:
        """What the column is called as a number: n1, n2, …."""
        return f"n{self.name[1:]}"

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """The texts that stand for missing, the empty one first."""
        return ("", *(each.text for each in map(_value, sorted(self.words)) if each.number is None))

    @property
    def missing_numbers(self) -> tuple[Value, ...]:
        """The numbers that stand for missing, such as -9."""
        return tuple(each for each in map(_value, sorted(self.words)) if each.number is not None)

    @property
    def hides_numbers(self) -> bool:
        """Whether a cell may look like a number and be missing."""
        return any(not math.isnan(number_of(word)) for word in self.words)


@dataclass(frozen=True)
class Fact:
    """A truth value read from one column; `values` are those of which it must have one, if it compares values."""

    name: str  # f1, f2, …
    literal: Literal
    input: Input
    values: tuple[Value, ...]

    @property
    def is_boolean(self) -> bool:
        return self.literal.is_boolean

    @property
    def ends(self) -> tuple[float, float, float]:
        """Where a degree begins and ends, and what it is divided by, as the library does it."""
        low, high = (float(getattr(self.literal, name)) for name in ("low", "high"))
        if math.isinf(high - low):
            problem = f"the range of {self.literal.column!r} is too wide to be divided by"
            refuse(ExportError, f"{problem}. Scale the column and train again.")
        return low, high, high - low


@dataclass(frozen=True)
class Step:
    """bias + Σ weight · term, in this order, then raised to 0 and lowered to 1 where it can lie outside.

    Or, by its kind, the least or greatest of the terms, or 1 minus the distance of two.
    """

    name: str  # s1, s2, …
    kind: str  # "sum", "least", "greatest" or "alike"
    terms: tuple[tuple[str, int], ...]
    bias: int = 0
    below: bool = False
    above: bool = False
    is_boolean: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The terms without their weights."""
        return tuple(name for name, _ in self.terms)


@dataclass(frozen=True)
class Points:
    """The score of a formula of facts, which is a whole number, and how likely the class is at each score."""

    total: Step  # a sum that is never clamped
    threshold: int  # from which score on the formula is true
    possible: tuple[int, ...]  # the scores that can add up
    probabilities: tuple[str, ...]  # from the score 0 on, all digits that are stored


@dataclass(frozen=True)
class Program:
    """All that a target needs to know of a model."""

    model: Model
    inputs: tuple[Input, ...]
    facts: tuple[Fact, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]  # the fact or step that is the degree of each formula
    names: Mapping[Formula, str]  # the fact or step of each part; a negated part has none of its own
    points: Points | None = None  # of two classes with a risk
    chain: tuple[Points, ...] = ()  # of a list with risks: those of each rule but the last, in their order

    @property
    def parts(self) -> "tuple[Fact | Step, ...]":
        """All facts and steps."""
        return (*self.facts, *self.steps)

    @property
    def told(self) -> tuple[str, ...]:
        """What is told beside the class and its degree."""
        told = ("probabilities",) if self.chain else () if self.points is None else ("score", "probability")
        return (*told, *["ask"] * (self.model.band is not None))

    @property
    def band(self) -> tuple[float, float]:
        """The scores, or probabilities, from the first on and below the second, of which a person is asked."""
        return (0, 0) if self.model.band is None else self.model.band.ends

    def plain_names(self, taken: Sequence[str]) -> dict[str, str]:
        """For each input the name of its column if every engine accepts that, and it is not taken, or column_1, …."""
        numbered = {each.name: f"column_{index}" for index, each in enumerate(self.inputs, 1)}
        own = [each for each in self.inputs if re.fullmatch(r"[A-Za-z_]\w*", each.column, re.ASCII)]
        return numbered | {each.name: each.column for each in own if each.column not in (*taken, *numbered.values())}

    @property
    def by_score(self) -> "Program":
        """The same program with the score in the place of the degree, which is 1 from the threshold on, otherwise 0."""
        if self.points is None:
            return self
        total = self.points.total
        kept = (each for each in self.steps if each.name not in self.outputs or each.name in dict(total.terms))
        return replace(self, steps=(*kept, total), outputs=(total.name,))

    @cached_property
    def labels(self) -> tuple[Label, ...] | None:
        """The classes; a number that is not finite becomes a text, for no target can write it otherwise."""
        classes = self.model.classes
        is_odd = [isinstance(each, float) and not math.isfinite(each) for each in classes or ()]
        return classes and tuple(str(each) if odd else each for each, odd in zip(classes, is_odd, strict=True))

    @property
    def header(self) -> list[str]:
        """What stands on top of every target: where it comes from and the formula, in lines for `quoting.remarks`.

        The first two hold no name, for there a comment of Python tells the encoding of the file. The others are
        formulas or begin with a word of ours: by its first word a comment may be an order to some other program.
        """
        model = self.model
        lines = ["a rule of Crystalogic", f"model {model.fingerprint}", f"decides {model.target}"]
        for index, formula in enumerate(model.formulas):
            of = f" of {self.labels[index]}" if self.labels and len(model.formulas) > 1 else ""
            lines += [f"degree{of}:", *(f"  {line}" for line in formula.to_ascii().split("\n"))]
        if self.labels and model.rounding:
            lines.append(f"with doubles: within {model.closest:.0e} of a tie it may decide otherwise than the model")
        return lines


def program(model: Model) -> Program:
    """The program of a model.

    >>> from crystalogic.encoding import Encoding, fit_encoding
    >>> from crystalogic.fitting import model_of
    >>> from crystalogic.logic.parse import parse
    >>> ages = fit_encoding({"age": [31, 44, 58, 62.5, 70, 75]}, n_cuts=1)
    >>> found = program(model_of([parse("age ⊗ ¬{age ≥ 60}")], ages, "risk", ("low", "high")))
    >>> found.steps
    (Step(name='s1', kind='sum', terms=(('f1', 1), ('f2', -1)), bias=0, below=True, above=False, is_boolean=False),)
    """
    literals = [model.encoding.literals[name] for name in model.names]
    inputs = {column: _input(model, column, index, literals) for index, column in enumerate(model.columns, 1)}
    facts = tuple(_fact(f"f{index}", literal, inputs[literal.column]) for index, literal in enumerate(literals, 1))
    names: dict[Formula, str] = {Variable(name): fact.name for name, fact in zip(model.names, facts, strict=True)}
    boolean = {fact.name: fact.is_boolean for fact in facts}
    steps: list[Step] = []
    for step in (step for formula in model.formulas for step in program_of(formula)):
        if step.node not in names:
            written = _step(f"s{len(steps) + 1}", step, names, boolean)
            names[step.node], boolean[written.name] = written.name, written.is_boolean
            steps.append(written)
    outputs = tuple(names[formula] for formula in model.formulas)
    points = None if model.risk is None else _points("score", model.formulas[0], model.risk, names)
    rules = zip(model.order, model.chain, strict=False)
    chain = tuple(_points(f"p{n}", model.formulas[place], risk, names) for n, (place, risk) in enumerate(rules, 1))
    return Program(model, tuple(inputs.values()), facts, tuple(steps), outputs, names, points, chain)


def _input(model: Model, column: str, index: int, literals: Sequence[Literal]) -> Input:
    read = model.encoding.by_name[column]
    needs_number = any(each.needs_number for each in literals if each.column == column)
    is_number = needs_number or read.kind in ("number", "code")
    may_be_missing = read.has_missing or read.kind == "category"
    is_truth = read.kind == "category" and bool(read.known) and set(read.known) <= {"True", "False"}
    return Input(f"v{index}", column, is_number, may_be_missing, needs_number, is_truth, read.words)


def _fact(name: str, literal: Literal, read: Input) -> Fact:
    levels = (level_of(each, read.words) for each in literal.levels)
    return Fact(name, literal, read, tuple(_value(level) for level in levels if level is not None))


def _value(level: str) -> Value:
    number = level_number(level)
    return Value(level, None if number is None or math.isinf(number) else number)


def _step(name: str, step: Instruction, names: dict[Formula, str], boolean: dict[str, bool]) -> Step:
    kind = {Minimum: "least", Maximum: "greatest", Iff: "alike"}.get(type(step.node), "sum")
    parts = step.terms if kind == "sum" else [(part, 1) for part in step.node.parts]
    terms = tuple((names[part], weight) for part, weight in parts)
    return Step(name, kind, terms, step.bias, step.below, step.above, all(boolean[term] for term, _ in terms))


def _points(name: str, formula: Formula, risk: Risk, names: Mapping[Formula, str]) -> Points:
    """The score by the terms of the formula: it is what the formula clamps, and the threshold less 1."""
    score = score_of(formula)
    terms, bias = clamp_form(formula) or ({formula: 1}, 0)
    named = tuple((names[part], weight) for part, weight in terms.items())
    probabilities = tuple(f"0.{share:04}" for share in risk.shares)  # of 10,000
    return Points(Step(name, "sum", named, bias + score.threshold - 1), score.threshold, score.possible, probabilities)
