"""Random models and cells: codes with zeros in front, numbers that no double holds, words for missing, ties.

What is drawn here is only material. What it means is said by `cells`, `formulas` and `rules`.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from crystalogic.encoding import Cut, Degree, Encoding, Is, Ladder, Missing, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CertificateError
from crystalogic.fitting import model_of
from crystalogic.logic.names import write_name
from crystalogic.logic.parse import parse
from crystalogic.model import Model, Risk
from crystalogic.model.risk import Band
from oracle.cells import WORDS, meaning
from oracle.formulas import read
from oracle.rules import Refused, Rule, rule_of

TEXTS = (
    *("a", "b", "red", "Red", "x y", "é", "o'clock", '"q"', "\\", "%", "_", "a,b", "c;d", "=1+1", "-", "@x", "4 mg"),
    *("1_000", "0x10", "٣", "true", "TRUE", "NA.", "two\nlines", "1,234", "1/2", "12.3.2024", "{", "<b>"),
)
CODES = ("007", "07", "0012", "001", "002", "000", "-01", "00.5", "01e2")
WHOLE = (0, 1, 2, 3, 4, 7, 10, -1, 12, 100, 2024)
LARGE = (10**15, 10**15 + 1, 4000123412341234, 5500567856785678, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 10**16 + 1,
         123456789012345671, 123456789012345678, 2**63 - 1, -(2**53) - 1)  # fmt: skip
HUGE = (12345678901234567890123, 12345678901234567890124, 10**22, 10**29 + 1)  # beyond 64 bits
DECIMALS = (0.5, 2.5, -1.25, 0.1, 1e-05, 1e300, 1 / 3, 1234.5, 0.125)
NAMES = (
    *(
        "x",
        "z",
        "age",
        "dept",
        "row",
        "file_row_number",
        "degree of yes",
        "file_index",
        "filename",
        "d1",
        "number",
        "y",
    ),
    *("decision", "a'", "cp", "Größe", "two words", "=1+1", "coding: utf_7", "crystalogic row", "t"),
)
WORD_LIST = sorted(WORDS)
OWN_WORDS = ("-9", "999", "NA", "unknown", "a", "0", "-", "?", "007")
CLASSES: tuple[tuple[Any, ...], ...] = (
    ("no", "yes"), (0, 1), (False, True), ("1", "2"), ("=1+1", "ok"), ("healthy", "ill\nvery"), (-1, 1), (0.5, 1.5),
)  # fmt: skip
MANY_CLASSES: tuple[tuple[Any, ...], ...] = (("A", "B", "C"), (1, 2, 3), ("x", "y", "z", "w"), ("low", "mid", "high"))


@dataclass(frozen=True)
class Table:
    """Columns of cells by name, and what each is kept as: "text", "int", "float", "bool" or "mixed"."""

    cells: dict[str, list[Any]]
    storage: dict[str, str]

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.cells.values())))

    def row(self, place: int) -> dict[str, Any]:
        return {name: column[place] for name, column in self.cells.items()}

    def take(self, places: Sequence[int]) -> "Table":
        return Table({name: [column[i] for i in places] for name, column in self.cells.items()}, self.storage)


@dataclass(frozen=True)
class Drawn:
    """A model with the oracle's reading of its file."""

    model: Model
    rule: Rule
    path: Path


def number_text(number: float) -> str:
    """A number without needless digits."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e30 else repr(float(number))


def draw_column(name: str, draw: Random, kinds: Sequence[str] = ("number", "code", "category", "ordinal")) -> Column:
    """A column as a model file has it, some with words for missing of their own."""
    column = _column(name, draw, draw.choice(kinds))
    if draw.random() < 0.85:
        return column
    return replace(column, missing_words=frozenset(draw.sample(OWN_WORDS, draw.randint(0, 3))))


def _column(name: str, draw: Random, kind: str) -> Column:
    may_miss = draw.random() < 0.5
    missing: tuple[Any, ...] = (Missing(name),) if may_miss else ()
    if kind == "number":
        low = draw.choice([0.0, 0.0, 1.0, -1 / 3, 29.0, float(draw.randint(-100, 100)), 1e15])
        high = low + draw.choice([1.0, 10.0, 10.0, 2 / 3, 48.0, float(draw.randint(1, 200))])
        cuts = {low, (low + high) / 2, round(draw.uniform(low, high), 2), float(draw.randint(-5, 60))}
        literals: list[Any] = [Cut(name, at) for at in draw.sample(sorted(cuts), draw.randint(1, 2))]
        if draw.random() < 0.7:
            literals.append(Degree(name, low, high))
        return Column(name, "number", (*literals, *missing), (), may_miss)
    if kind == "code":
        pool = WHOLE if draw.random() < 0.7 else (*WHOLE, *(n for n in LARGE if abs(n) < 2**53))
        known = sorted(draw.sample(pool, draw.randint(2, 4)))
        cuts_between = [Cut(name, float(value)) for value in known[2:-1]]
        values = [Is(name, str(value)) for value in known]
        values += _list_some(name, list(map(str, known)), draw)
        return Column(name, "code", (*values, *cuts_between, *missing), tuple(map(str, known)), may_miss)
    levels = draw_levels(draw, draw.randint(2, 5))
    if kind == "ordinal":
        reached = [Reaches(name, level, tuple(levels)) for level in levels[1:]]
        return Column(name, "ordinal", (*reached, *missing), tuple(levels), may_miss)
    levels = sorted(levels)
    values = [*(Is(name, level) for level in levels), *_list_some(name, levels, draw)]
    return Column(name, "category", (*values, *missing), tuple(levels), may_miss)


def _list_some(name: str, levels: list[str], draw: Random) -> list[Any]:
    """A literal that lists some of the levels, now and then."""
    return [OneOf(name, tuple(draw.sample(levels, draw.randint(2, len(levels)))))] * (draw.random() < 0.3)


def draw_levels(draw: Random, count: int) -> list[str]:
    """Different levels in their canonical texts: words, codes, truth values, numbers of all sizes."""
    words = WORD_LIST if draw.random() < 0.2 else []
    pools: list[Sequence[Any]] = [TEXTS, CODES, WHOLE, LARGE, HUGE, DECIMALS, ("True", "False"), words]
    chosen = draw.sample(pools, draw.randint(1, 3))
    flat = [each if isinstance(each, str) else str(each) if isinstance(each, int) else number_text(each)
            for pool in chosen for each in pool]  # fmt: skip
    flat = flat if len(flat) >= count else [*flat, *TEXTS]
    found: dict[object, str] = {}
    while len(found) < count:
        level = draw.choice(flat)
        found.setdefault(meaning(level, frozenset()), level)
    return list(found.values())


def draw_model(
    draw: Random, folder: Path, *, kinds: Sequence[str] | None = None, graded: bool = True, depth: int = 2
) -> Drawn:
    """A rule of connectives so many levels deep over two to four columns; two classes, more, or a degree."""
    names = draw.sample(NAMES, draw.randint(2, 4))
    chosen = kinds or ("number", "number", "code", "category", "category", "ordinal")
    columns = [draw_column(name, draw, chosen) for name in names]
    if not graded:
        columns = [replace(each, literals=tuple(x for x in each.literals if x.is_boolean)) for each in columns]
    return model_with(draw, folder, Encoding(tuple(columns)), depth=depth)


def model_with(
    draw: Random, folder: Path, encoding: Encoding, classes: Any = "any", name: str = "model.json", depth: int = 2
) -> Drawn:
    """A rule of any connectives over this encoding, in a file."""
    if classes == "any":
        classes = draw.choice([*CLASSES, *MANY_CLASSES, None])
    target = draw.choice([each for each in ("y", "row", "disease", "=2+2", "the class", "number", "x")
                          if each not in {column.name for column in encoding.columns}])  # fmt: skip
    n_formulas = 1 if classes is None or len(classes) == 2 else len(classes)
    while True:
        with suppress(CertificateError):  # the checker cannot show every formula of weak connectives
            texts = [draw_formula(list(encoding.names), draw, depth) for _ in range(n_formulas)]
            model = model_of(list(map(parse, texts)), encoding, target, classes)
            break
    if n_formulas > 1:
        model = replace(model, order=tuple(draw.sample(range(n_formulas), n_formulas)))
    path = folder / name
    model.save(path)
    return Drawn(model, rule_of(path.read_text(encoding="utf-8")), path)


@dataclass(frozen=True)
class Counted:
    """A model with a risk and perhaps a band, and what the oracle needs to count its points."""

    drawn: Drawn
    by_part: Rule  # a formula for each part
    worth: tuple[int, ...]
    shares: tuple[int, ...]  # of 10,000
    band: tuple[int, int] | None

    def count(self, row: dict[str, Any]) -> tuple[int, Fraction] | None:
        """The score of a row and its probability; None where the rule refuses it."""
        try:
            self.drawn.rule.degrees(row)
            score = int(sum(n * each for n, each in zip(self.worth, self.by_part.degrees(row), strict=True)))
        except Refused:
            return None
        return score, Fraction(self.shares[score], 10_000)

    def told(self, row: dict[str, Any]) -> tuple[Any, ...] | None:
        """The same with the probability as a double and, with a band, whether to ask."""
        found = self.count(row)
        if found is None:
            return None
        score, told = found[0], (found[0], float(found[1]))
        return told if self.band is None else (*told, self.band[0] <= score < self.band[1])


def draw_points(draw: Random, folder: Path, names: Sequence[str] = NAMES) -> Counted:
    """A rule of parts with points, a share for each score, and now and then a band."""
    chosen = draw.sample(names, draw.randint(2, 3))
    columns = [draw_column(name, draw) for name in chosen]
    columns = [replace(each, literals=tuple(x for x in each.literals if x.is_boolean)) for each in columns]
    facts = Encoding(tuple(columns))
    encoding, steps = _climb(facts, draw)
    while True:
        parts = {draw_formula(list(facts.names), draw, draw.randint(0, 1)): draw.choice((1, 1, 2, 3)) for _ in range(3)}
        parts |= {write_name(each.name): len(each.steps) * draw.choice((1, 1, 2)) for each in steps}
        most = sum(parts.values())
        counted = ", ".join(part for part, points in parts.items() for _ in range(points))
        formula = parse(f"at least {draw.randint(1, most)} of ({counted})")
        with suppress(CertificateError):  # the checker cannot show every formula of weak connectives
            model = model_of([formula], encoding, "y" if "y" not in chosen else "disease", draw.choice(CLASSES))
            break
    shares = tuple(sorted(draw.randint(1, 9_999) for _ in range(most + 1)))
    if draw.random() < 0.5:  # several scores with one share
        shares = tuple(max(1, share // 2000 * 2000) for share in shares)
    low, high = sorted(draw.choices(range(most + 2), k=2))
    band = (low, high) if draw.random() < 0.6 else None
    model = replace(model, risk=Risk(shares), band=None if band is None else Band(*band, error=500, rows=(30, 40)))
    path = folder / "model.json"
    model.save(path)
    rule = rule_of(path.read_text(encoding="utf-8"))
    by_part = replace(rule, formulas=tuple(map(read, parts)))
    return Counted(Drawn(model, rule, path), by_part, tuple(parts.values()), shares, band)


def _climb(encoding: Encoding, draw: Random) -> tuple[Encoding, list[Ladder]]:
    """Ladders of some of the numbers, and the encoding with them and their rungs."""
    columns, steps = [], []
    for column in encoding.columns:
        cuts = [each.at for each in column.literals if isinstance(each, Cut)]
        if column.kind == "number" and draw.random() < 0.5:
            more = (cuts[0] + draw.choice((-10, -2.5, 1, 7)) for _ in range(draw.randint(1, 3)))
            ladder = Ladder(column.name, tuple(sorted({cuts[0], *more})))
            if len(ladder.steps) > 1:
                fresh = [rung for rung in ladder.rungs if rung not in column.literals]
                column = replace(column, literals=(*column.literals, *fresh, ladder))
                steps.append(ladder)
        columns.append(column)
    return Encoding(tuple(columns)), steps


def draw_ties(draw: Random, folder: Path) -> tuple[Drawn, Table]:
    """A rule of degrees alone, and rows at which they are equal or 1/2, exactly and not always for doubles."""
    names = ("x", "z", "w")[: draw.randint(2, 3)]
    high = draw.choice([1.0, 10.0, 7.0, 0.3])
    encoding = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, high),)) for name in names))
    classes = draw.choice([("no", "yes"), ("A", "B", "C"), ("A", "B", "C")])
    literals = [*names, *(f"¬{name}" for name in names)]
    sums = [f"{draw.choice(literals)} {draw.choice('⊗⊕')} {draw.choice(literals)}" for _ in range(3)]
    formulas = [draw.choice([*literals, *sums, *sums]) for _ in range(1 if len(classes) == 2 else len(classes))]
    model = model_of([parse(text) for text in formulas], encoding, "y", classes)
    if len(classes) > 2:
        model = replace(model, order=tuple(draw.sample(range(len(classes)), len(classes))))
    path = folder / "model.json"
    model.save(path)
    grid = [number * high / 10 if high != 10 else float(number) for number in range(11)]
    cells = {name: [draw.choice(grid) for _ in range(60)] for name in names}
    return Drawn(model, rule_of(path.read_text(encoding="utf-8")), path), Table(cells, dict.fromkeys(names, "float"))


def braced(name: str) -> str:
    """A name as formulas write it."""
    escaped = name.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
    return "{" + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "}"


def draw_formula(names: Sequence[str], draw: Random, depth: int = 2) -> str:
    """A formula of any connectives, as a text."""
    if depth == 0 or draw.random() < 0.2:
        literal = braced(draw.choice(names))
        return f"¬{literal}" if draw.random() < 0.4 else literal
    parts = [draw_formula(names, draw, depth - 1) for _ in range(draw.randint(2, 3))]
    how = draw.choice(["⊗", "⊕", "∧", "∨", "→", "↔", "count", "count", "count", "¬"])
    if how == "¬":
        return f"¬({parts[0]})"
    if how == "count":
        more = [*parts, draw.choice(parts)]
        points = [draw.choice([1, 1, 1, 2, 3]) for _ in more]
        listed = ", ".join(part if n == 1 else f"{n}·({part})" for n, part in zip(points, more, strict=True))
        return f"at least {draw.randint(1, sum(points))} of ({listed})"
    joined = parts[:2] if how in "→↔" else parts
    return "(" + f" {how} ".join(f"({part})" for part in joined) + ")"


def draw_table(
    drawn: Drawn,
    draw: Random,
    n_rows: int = 24,
    *,
    mixed: bool = True,
    refusals: float = 0.25,
    storage: str | None = None,
) -> Table:
    """Rows for a model; with the probability given, some that it must refuse."""
    stored, cells = {}, {}
    for column in drawn.rule.columns.values():
        kept = storage or draw_storage(column, draw, mixed=mixed)
        stored[column.name] = kept
        cells[column.name] = [draw_cell(column, kept, draw) for _ in range(n_rows)]
    table = Table(cells, stored)
    if draw.random() < refusals:
        return table
    kept_rows = [place for place in range(n_rows) if is_decided(drawn.rule, table.row(place))]
    return table.take(kept_rows or [0])


def is_decided(rule: Rule, row: dict[str, Any]) -> bool:
    """Whether the rule says something of the row."""
    try:
        rule.degrees(row)
    except Refused:
        return False
    return True


def draw_storage(column: Any, draw: Random, *, mixed: bool) -> str:
    """What the cells of a column are kept as."""
    meanings = [meaning(level, frozenset()) for level in column.known]
    fitting = ["text", "text", *(["mixed", "mixed"] if mixed else [])]
    if column.kind in ("number", "code") or any(not hasattr(each, "text") for each in meanings):
        fitting += ["float", "float", "int", "int"]
    if {"True", "False"} & set(column.known) or draw.random() < 0.03:
        fitting.append("bool")
    return draw.choice(fitting)


def draw_cell(column: Any, storage: str, draw: Random) -> Any:
    """A cell: at a level or a cut, written in some way, or beside them, missing, or nonsense."""
    if storage == "mixed":
        return draw_cell(column, draw.choice(["text", "int", "float", "bool", "text"]), draw)
    if draw.random() < 0.12:
        return _missing(column, storage, draw)
    if storage == "bool":
        return draw.random() < 0.5
    number = _number(column, draw)
    if storage == "int":
        whole = number if isinstance(number, int) else int(max(-1e15, min(1e15, number)))
        return whole if abs(whole) < 2**63 else whole % 1000
    if storage == "float":
        return draw.choice([math.inf, 1e308, -0.0]) if draw.random() < 0.02 else float(number)
    return _text(column, number, draw)


def _missing(column: Any, storage: str, draw: Random) -> Any:
    if storage == "text":
        words = sorted(column.words) if column.words and draw.random() < 0.5 else WORD_LIST
        return draw.choice([None, "", " ", draw.choice(words), f" {draw.choice(words)} "])
    if "-9" in column.words and storage in ("int", "float") and draw.random() < 0.5:
        return -9 if storage == "int" else -9.0
    return draw.choice([None, math.nan]) if storage == "float" else None


def _number(column: Any, draw: Random) -> int | float:
    """A number that matters to the column, one beside it, or any."""
    edges: list[int | float] = []
    for literal in column.literals:
        edges += [float(literal[key]) for key in ("at", "low", "high") if key in literal]
    for level in column.known:
        with suppress(ValueError):
            edges.append(int(level) if level.lstrip("+-").isdecimal() and level.isascii() else float(level))
    if edges and draw.random() < 0.75:
        edge = draw.choice(edges)
        if isinstance(edge, int) or draw.random() < 0.5:
            return edge if draw.random() < 0.8 or not isinstance(edge, int) else edge + draw.choice([-1, 1])
        return draw.choice([math.nextafter(edge, -math.inf), math.nextafter(edge, math.inf), edge + 0.5, edge / 2])
    if column.kind == "number" and len(edges) > 1 and draw.random() < 0.7:
        low, high = min(edges), max(edges)
        return draw.choice([draw.uniform(low, high), round(draw.uniform(low, high), 1), low + (high - low) / 4])
    return draw.choice([*WHOLE, *DECIMALS, *LARGE[:10]])


def _text(column: Any, number: int | float, draw: Random) -> str:
    if column.kind in ("number", "code") or draw.random() < 0.2:
        return "no number" if draw.random() < 0.01 else number_spelling(number, draw)
    if draw.random() < 0.75:
        level = draw.choice(column.known)
        return level_spelling(level, draw)
    return draw.choice([*TEXTS, *CODES, "True", "False"])


def number_spelling(number: int | float, draw: Random) -> str:
    """One of the ways to write a number."""
    plain = str(number) if isinstance(number, int) else repr(number)
    ways = [plain, plain, plain, f" {plain} "]
    if isinstance(number, int):
        ways += [f"{plain}e0", f"{plain}.0", f"{plain}."] if abs(number) < 2**53 else []
    elif math.isfinite(number) and number.is_integer() and abs(number) < 1e15:
        ways += [str(int(number)), f"{int(number)}.000"]
    ways += [f"+{plain}"] if not plain.startswith("-") else []
    ways += [f"0{plain}", f"00{plain}"] if plain[0].isdigit() and draw.random() < 0.3 else []
    return draw.choice(ways)


def level_spelling(level: str, draw: Random) -> str:
    """A level as a table may write it."""
    meant = meaning(level, frozenset())
    if hasattr(meant, "text"):
        return draw.choice([level, level, f" {level} "])
    number = int(level) if level.lstrip("-").isdigit() else float(level)
    return level if draw.random() < 0.4 else number_spelling(number, draw)
