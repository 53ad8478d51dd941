"""Models and rows that exports are tried on, and what the library says of them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np

from crystalogic.decision import classes_of, margins_of
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import EncodingError
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Iff, Maximum, Minimum, Variable
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model import Model, Risk
from crystalogic.model.file import has_fitting_risk
from crystalogic.model.risk import OUT_OF, Band

Rows = Mapping[str, Sequence[Any]]

SIZES = ("small", "medium", "large")
CUTS = (55.0, 0.18, 1 / 3, 130.5)
COLUMNS = (
    Column("age", "number", (Degree("age", 29.0, 77.0), Cut("age", CUTS[0]))),
    Column("oldpeak", "number", (Degree("oldpeak", -1 / 7, 2 * math.pi), Cut("oldpeak", CUTS[1]))),
    Column("ratio", "number", (Degree("ratio", 0.1, 0.7), Cut("ratio", CUTS[2]), Missing("ratio")), (), True),
    Column("chol", "number", (Cut("chol", CUTS[3]), Missing("chol")), (), True),
    Column("cp", "code", (Is("cp", "3"), Is("cp", "4"), Cut("cp", 3.0)), ("1", "2", "3", "4")),
    Column("thal", "code", (Is("thal", "3"), Is("thal", "-1")), ("-1", "3", "6")),
    Column("ca", "code", (Is("ca", "0"), Is("ca", "2.5"), Missing("ca")), ("0", "1", "2.5"), True),
    Column("sex", "category", (Is("sex", "male"),), ("female", "male")),
    Column(
        "batch",
        "category",
        (Is("batch", "4"), Is("batch", "4.5"), Is("batch", "007"), Is("batch", "True"), Missing("batch")),
        ("007", "4", "4.5", "True", "b"),
        True,
    ),
    Column("size", "ordinal", (Reaches("size", "medium", SIZES), Reaches("size", "large", SIZES)), SIZES),
    Column("grade", "ordinal", (Reaches("grade", "2", ("1", "2", "3")), Missing("grade")), ("1", "2", "3"), True),
)
ENCODING = Encoding(COLUMNS)


def heart() -> Model:
    """Degrees, cuts, codes, categories, orders and missing values in one rule."""
    formula = parse(
        "at least 3 of (age, ¬oldpeak, {age ≥ 55}, ratio, ¬{ratio is missing}, {cp=4}, ¬{cp ≥ 3}, {thal=3})"
        " ⊗ ¬(¬oldpeak ⊗ ¬ratio ⊗ {sex=male})"
        " ⊕ (at least 2 of ({chol ≥ 130.5}, ¬{chol is missing}, {ca=0}, {ca=2.5}, ¬{ca is missing}, {thal=-1})"
        " ∧ ¬at least 1 of ({batch=4}, {batch=4.5}, {batch=007}, {batch=True}, {batch is missing})"
        " ∧ ({size ≥ medium} → {grade ≥ 2} ⊕ {grade is missing}))"
    )
    return model_of([formula], ENCODING, "disease", (0, 1))


def facts_only() -> Model:
    """A rule over whole truth values, columns that are compared but never measured."""
    formula = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3}, {batch=4}, {size ≥ large}) ↔ ¬{sex=male}")
    return model_of([formula], ENCODING, "disease", (False, True))


def listed() -> Model:
    """Lists of values: of codes, of texts that look like numbers, of a column with gaps."""
    lists = (OneOf("cp", ("1", "4")), OneOf("ca", ("0", "2.5")), OneOf("batch", ("007", "4.5", "True")))
    columns = (
        replace(each, literals=(*each.literals, *(one for one in lists if one.column == each.name))) for each in COLUMNS
    )
    formula = parse("at least 2 of ({cp=1|4}, ¬{ca=0|2.5}, {batch=007|4.5|True}, {age ≥ 55}, ¬{batch=4})")
    return model_of([formula], Encoding(tuple(columns)), "disease", (0, 1))


def three_classes() -> Model:
    """Ties are frequent, and the order of classes that breaks them is not the order of formulas."""
    formulas = [parse("¬oldpeak ∧ ¬{age ≥ 55}"), parse("(age ∨ ratio) ⊗ {sex=male}"), parse("{age ≥ 55} ⊗ oldpeak")]
    return replace(model_of(formulas, ENCODING, "stage", ("none", "mild", "severe")), order=(2, 0, 1))


def degree() -> Model:
    """A truth degree instead of classes."""
    return model_of([parse("(age ↔ ratio) ⊕ ¬(oldpeak → age) ⊕ (ratio ⊗ ratio ⊗ ¬oldpeak)")], ENCODING, "share", None)


def constant() -> Model:
    """One class always, whatever the row."""
    return model_of([parse("1")], ENCODING, "answer", ("no", "yes"))


def partly_constant() -> Model:
    """A class whose degree reads no column beside some that do."""
    formulas = [parse("¬1"), parse("{sex=male}"), parse("age")]
    return model_of(formulas, ENCODING, "answer", (1, 2, 3))


def deep() -> Model:
    """Sixty levels, each using the one below twice: as a tree it would have more than 10¹⁸ literals."""
    inputs = [Variable(name) for name in ("age", "oldpeak", "ratio", "age ≥ 55", "sex=male")]
    formula = inputs[0] & ~inputs[1]
    for level in range(60):
        first, second = inputs[level % 5], inputs[(level + 2) % 5]
        formula = (
            AtLeast(2, formula, ~formula, first, second),
            (formula | first) & ~(formula & second),
            Minimum(Maximum(formula, first), ~formula | second),
            Iff(formula, first) & (formula | second),
        )[level % 4]
    return model_of([formula], ENCODING, "deep", ("below", "above"))


def with_risk(model: Model, band: tuple[int, int] | None = None, seed: int = 0) -> Model:
    """The model with a share for each score, some of them equal, and perhaps a band."""
    most = score_of(model.formulas[0]).most
    shares = sorted(Random(seed).choice(range(1, OUT_OF)) for _ in range(most // 2 + 1))
    risk = Risk(tuple(shares[score // 2] for score in range(most + 1)))
    return replace(model, risk=risk, band=None if band is None else Band(*band, error=500, rows=(90, 60)))


def checklist() -> Model:
    """Count the facts, read off the risk, and ask a person in between."""
    formula = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3}, {age ≥ 55}, {grade is missing})")
    return with_risk(model_of([formula], ENCODING, "disease", (0, 1)), (1, 3))


def points() -> Model:
    """Facts and neurons with points, one of them for and against, so that it cancels out; nobody is asked."""
    formula = parse(
        "at least 6 of (4·{cp=4}, 3·({age ≥ 55} ⊗ ¬{sex=male}), 2·¬({ca=0} ⊕ {thal=3} ⊕ {batch is missing}),"
        " at least 2 of ({cp ≥ 3}, {ratio ≥ 0.3333333333333333}, {ratio ≥ 0.3333333333333333}, {size ≥ large}),"
        " {chol ≥ 130.5}, ¬{chol ≥ 130.5}, 2·({grade ≥ 2} ∧ ({sex=male} ↔ {size ≥ medium})))"
    )
    return with_risk(model_of([formula], ENCODING, "disease", ("no", "yes")), seed=1)


def listed_points() -> Model:
    """Points for lists of values, all of which are asked about but the least and the greatest."""
    return with_risk(listed(), (1, 5), seed=2)


def one_fact() -> Model:
    """A literal counts 1 of 1; the band is empty."""
    return with_risk(model_of([parse("¬{sex=male}")], ENCODING, "disease", (False, True)), (1, 1), seed=3)


def one_comparison() -> Model:
    """A connective that counts nothing by itself is 1 of 1, too, and the band is everything."""
    formula = parse("{cp=4} ∧ ({sex=male} ∨ ¬{age ≥ 55})")
    return with_risk(model_of([formula], ENCODING, "disease", (-1, 1)), (0, 2), seed=4)


def constant_risk() -> Model:
    """Nothing is counted, and one probability is told of all rows."""
    return with_risk(constant(), seed=5)


def cancelled() -> Model:
    """All that is counted cancels out, so that the score is 2 of 4 for all rows."""
    formula = AtLeast(3, *(each for name in ("cp=4", "sex=male") for each in (Variable(name), ~Variable(name))))
    return with_risk(model_of([formula], ENCODING, "disease", (0, 1)), (2, 3), seed=6)


def with_chain(
    formulas: Sequence[str], classes: Sequence[Any], order: tuple[int, ...], seed: int, least: int | None = None
) -> Model:
    """A list of rules of facts, with a share for each score of each of them, and perhaps a band."""
    model = replace(model_of(list(map(parse, formulas)), ENCODING, "stage", tuple(classes)), order=order)
    draw, chain = Random(seed), []
    for place in order[:-1]:
        most = score_of(model.formulas[place]).most
        chain.append(Risk(tuple(sorted(draw.choice(range(1, OUT_OF)) for _ in range(most + 1)))))
    band = None if least is None else Band(0, least, 500, (60,) * len(classes))
    model = replace(model, chain=tuple(chain), band=band)
    assert model.is_list
    assert has_fitting_risk(model)
    return model


def chained() -> Model:
    """A list whose classes are tried in another order than theirs; one never applies, and one is told by a neuron."""
    formulas = (
        "at least 3 of ({cp=4}, ¬{ca=0}, {age ≥ 55}, 2·({thal=3} ⊗ ¬{sex=male}))",
        "0",
        "1",
        "{batch=4} ∧ ¬{grade is missing}",
        "at least 2 of ({age ≥ 55}, {size ≥ large}, {chol ≥ 130.5}, ¬{chol ≥ 130.5})",
    )
    return with_chain(formulas, ("none", "rare", "mild", "severe", "worst"), (3, 0, 1, 4, 2), seed=7, least=4321)


def graded() -> Model:
    """Grades: one score with a threshold for each."""
    points = "(2·{cp=4}, ¬{ca=0}, {age ≥ 55}, {grade ≥ 2})"
    return with_chain(
        ("1", f"at least 2 of {points}", f"at least 4 of {points}"), (0, 1, 2), (2, 1, 0), seed=8, least=6200
    )


def ten_classes() -> Model:
    """Many classes, each told by one fact or its negation."""
    facts = ("cp=4", "ca=0", "age ≥ 55", "thal=3", "sex=male", "batch=4", "size ≥ large", "grade ≥ 2", "cp=3")
    rules = [f"{'¬' * (n % 2)}{{{name}}} ⊗ {{chol ≥ 130.5}}" for n, name in enumerate(facts)]
    return with_chain((*rules, "1"), range(10), tuple(range(10)), seed=9)


CHAINS = (chained, graded, ten_classes)
RISKS = (checklist, points, listed_points, one_fact, one_comparison, constant_risk, cancelled, *CHAINS)
MODELS: dict[str, Callable[[], Model]] = {
    make.__name__: make
    for make in (heart, facts_only, listed, three_classes, degree, constant, partly_constant, deep, *RISKS)
}

LAYERED = (
    "deep",
    "chained",
    "ten_classes",
)  # with steps that standard SQL cannot keep an engine from computing again and again

HOSTILE = (
    '"; DROP TABLE x; --',
    "'; DROP TABLE x; --",
    "<script>alert(1)</script>",
    "a */ int main(void) { return 1; } /* b",
    "??/\" ??'",
    "back\\slash\\",
    "line\nend\r\n",
    "sep\u2028ara\u2029tor",
    "dollar$ {brace} #%&_^~",
    "`tick` ${template}",
    "ünïcödé 🦀",
    "__proto__",
    "[id](x) *b* _i_ | t",
    "}}\\end{itemize}\\input{x}",
    "%s %d {0} {x}",
)


def hostile() -> Model:
    """Columns, values, classes and a target whose names try to be something else."""
    columns = []
    for index, name in enumerate(HOSTILE):
        column = f"{name}{'' if index % 2 else ' '}"
        value = HOSTILE[index - 1].strip()
        columns.append(Column(column, "category", (Is(column, value),), (value, "b")))
    encoding = Encoding(tuple(columns))
    facts = [Variable(name) for name in encoding.names]
    return with_risk(model_of([AtLeast(3, *facts)], encoding, HOSTILE[0], (HOSTILE[2], HOSTILE[3])), (2, 5))


@dataclass(frozen=True)
class Verdicts:
    """What is said of every row: NaN and None where there is no decision."""

    degrees: np.ndarray[Any, Any]
    decisions: list[Any]
    told: list[tuple[Any, ...]] = field(default_factory=list)  # score, probability, whether to ask; of a list all


def nothing_told(model: Model) -> tuple[None, ...]:
    """What is told of a row without a decision."""
    if model.chain:
        return (None,) * (len(model.formulas) + (model.band is not None))
    return (None,) * (0 if model.risk is None else 2 if model.band is None else 3)


def said(model: Model, rows: Rows) -> Verdicts:
    """What exports must say: the library's degrees, decided as they are; a row that it would refuse has no decision.

    Predictions are exact, and differ from that only where rounding can decide.
    """
    n_rows = len(next(iter(rows.values())))
    allowed = np.ones(n_rows, bool)
    for name in model.columns:
        wrong = _refused(model, name, list(dict.fromkeys((type(value), value) for value in rows[name])))
        allowed &= np.array([(type(value), value) not in wrong for value in rows[name]])
    degrees = np.full((n_rows, len(model.formulas)), math.nan)
    decisions: list[Any] = [None] * n_rows
    told: list[tuple[Any, ...]] = [nothing_told(model)] * n_rows
    if allowed.any():
        chosen = np.flatnonzero(allowed)
        kept = {name: _column([values[index] for index in chosen]) for name, values in rows.items()}
        found = degrees[chosen] = model.degrees(kept)
        exact = model.predict(kept)
        by_doubles = exact if model.classes is None else [model.classes[i] for i in classes_of(found, model.order)]
        for index, decision, right, margin in zip(chosen, by_doubles, exact, margins_of(found), strict=True):
            assert decision == right or margin <= model.closest
            decisions[index] = decision
        for index, more in zip(chosen, _told(model, kept), strict=True):
            told[index] = more
    return Verdicts(degrees, decisions, told)


def _told(model: Model, rows: Rows) -> list[tuple[Any, ...]]:
    scores = model.scores(rows)
    if not model.has_risk:
        return [()] * len(scores)
    likely = model.likelihoods(scores)
    columns = likely.T.tolist() if model.chain else [list(map(int, scores[:, 0])), likely[:, 1].tolist()]
    columns += (
        [] if model.band is None else [model.band.asks(likely.max(axis=1) if model.chain else scores[:, 0]).tolist()]
    )
    return list(zip(*columns, strict=True))


def _refused(model: Model, name: str, typed: list[tuple[type, Any]]) -> set[tuple[type, Any]]:
    """The values that the library refuses in this column, by halves: most are fine."""
    literals = [each for each in model.names if model.encoding.literals[each].column == name]
    try:
        model.encoding.transform({name: _column([value for _, value in typed])}, literals)
    except EncodingError:
        if len(typed) == 1:
            return set(typed)
        half = len(typed) // 2
        return _refused(model, name, typed[:half]) | _refused(model, name, typed[half:])
    return set()


def _column(values: list[Any]) -> Any:
    if all(type(value) is float for value in values):
        return np.array(values)
    column = np.empty(len(values), object)
    column[:] = values
    return column


NUMBERS = ("age", "oldpeak", "ratio", "chol", "cp", "thal", "ca")
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "none", " ? ", "  ")


def _near(*numbers: float) -> list[float]:
    return [each for x in numbers for each in (x, math.nextafter(x, -math.inf), math.nextafter(x, math.inf))]


EDGES: dict[str, list[float]] = {
    "age": _near(29.0, 53.0, 55.0, 77.0),
    "oldpeak": _near(-1 / 7, 0.18, 2 * math.pi, math.pi - 1 / 14),
    "ratio": _near(0.1, 1 / 3, 0.4, 0.7),
    "chol": _near(130.5),
    "cp": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 3.5, -4.0],
    "thal": [-1.0, 3.0, 6.0, 7.0],
    "ca": [0.0, -0.0, 1.0, 2.5, 3.0],
}
TEXTS: dict[str, list[Any]] = {
    "sex": ["male", "female", "other", "Male", " male "],
    "batch": ["4", "4.0", "4.", "4.00", "04", "4.5", "4.50", "4.05", "40", "007", "7", "True", "true ish", "b", "4 0"],
    "size": [*SIZES, "SMALL", "huge", "small medium"],
    "grade": ["1", "2", "3", "2.0", "3.000", "4", "20", "2.01"],
}


def typed_rows(n_rows: int, seed: int = 0) -> dict[str, list[Any]]:
    """Rows as a table with types holds them: numbers, NaN where missing, and texts, None where missing."""
    draw = Random(seed)
    rows: dict[str, list[Any]] = {}
    for name in NUMBERS:
        rare = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324]
        rows[name] = [_drawn(draw, EDGES[name], rare, lambda: draw.uniform(-10, 200)) for _ in range(n_rows)]
    for name, texts in TEXTS.items():
        rows[name] = [_drawn(draw, texts, [None, *MISSING], lambda: f"new {draw.random()}") for _ in range(n_rows)]
    return rows


def loose_rows(n_rows: int, seed: int = 0) -> dict[str, list[Any]]:
    """Rows as a person's program holds them: numbers as texts, texts as numbers, truth values, tabs."""
    draw = Random(seed)
    rows = typed_rows(n_rows, seed + 1)
    for name in NUMBERS:
        strange = [None, "abc", "4abc", "1e3", " 55 ", "+4", ".5", "-", "1,5", "0x10", *MISSING]
        strange += [True] if name != "thal" else []
        values = [draw.choice(strange) if draw.random() < 0.08 else value for value in rows[name]]
        values = [repr(value) if type(value) is float and draw.random() < 0.2 else value for value in values]
        whole = [int(value) if type(value) is float and value in (3, 4, 55) else value for value in values]
        rows[name] = [None if name in ("thal", "ca") and value in (math.inf, -math.inf) else value for value in whole]
    for name, numbers in {
        "batch": [4, 4.0, 4.5, 7, 9, True, False, "\t4\n", "\u30004.5"],
        "grade": [1, 2, 3.0, 9],
    }.items():
        rows[name] = [draw.choice(numbers) if draw.random() < 0.2 else value for value in rows[name]]
    return rows


def _drawn(draw: Random, usual: list[Any], rare: list[Any], new: Callable[[], Any]) -> Any:
    chance = draw.random()
    return draw.choice(rare) if chance < 0.04 else new() if chance < 0.3 else draw.choice(usual)


def hostile_rows(n_rows: int, seed: int = 0) -> dict[str, list[Any]]:
    """Rows for the hostile model: its values, others' values, and something else."""
    draw = Random(seed)
    columns = hostile().columns
    rows: dict[str, list[Any]] = {}
    for index, column in enumerate(columns):
        own = HOSTILE[index - 1].strip()
        rows[column] = [draw.choice([own, own, HOSTILE[index], "b", None]) for _ in range(n_rows)]
    return rows
