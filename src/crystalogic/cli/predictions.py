"""Predictions in any number of rows: as blocks of CSV or JSON, part by part."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any

from crystalogic.arrays import Array, np, pd
from crystalogic.cli.options import Asked, refuse_missing_columns
from crystalogic.cli.output import json_text, show_notes
from crystalogic.counts import count
from crystalogic.errors import EncodingError, ExportError, refuse, refuse_first
from crystalogic.export.quoting import csv_cell, free_names, harmless_cell
from crystalogic.export.sql import facts_query
from crystalogic.files.source import error_line, family_of
from crystalogic.files.table import TableFile, refuse_unknown
from crystalogic.model import Model, Unknown
from crystalogic.words.explanations import reasons
from crystalogic.words.literals import Unseen, newly_missing_words

SQL_TYPES = {"int64": "integer", "float64": "number", "bool": "boolean", "str": "text", "category": "text"}
DEFAULT = "The default engine does it: leave out --engine."
Texts = list[list[str | None]]  # by column


def predictions(rule: Model, source: TableFile, asked: Asked) -> Iterator[str]:
    """Row number, columns to keep, class and degrees of every row: lines of CSV, or JSON with a line for each.

    With a risk, also the score, the probability of the class that the formula speaks for and, where there is a band,
    whether to ask a person; of more than two classes the probability of each. Then so many reasons.
    """
    refuse_missing_columns(rule, source)
    kept, unknown = list(dict.fromkeys(asked.keep or ())), asked.unknown.value
    refuse_unknown(kept, source)
    alike = _find_alike(rule, source) if asked.engine == "duckdb" and rule.columns else None
    layout = _Layout(rule, kept, asked)
    yield layout.begin
    start, notes = 0, Unseen(rule)
    n_skipped, first_skipped, gaps = 0, 0, Counter[str]()
    columns = list(dict.fromkeys([*kept, *rule.columns]))
    is_read_again = kept and source.dialect is not None and not source.dialect.decimals.is_plain
    written = source.as_written.parts(columns=columns) if is_read_again else repeat(None)
    for part, plain in zip(source.parts(columns=columns), written, strict=False):
        read = {name: rule.encoding.read(part, name, start) for name in rule.columns}
        group, rows = np.arange(len(part)), read or part
        if alike is not None and len(part):
            group, first = alike(part, read)
            rows = {name: rule.encoding.read(part.iloc[first], name) for name in rule.columns}
        try:
            degrees = rule.degrees(rows, first_row=start, unknown=unknown)
        except EncodingError:
            rule.degrees(read or part, first_row=start, unknown=unknown)  # which names the row
            raise
        if unknown == "false":
            gaps.update(rule.encoding.count_newly_missing(read, rule.columns))
        if (is_skipped := (degrees[:, 0] != degrees[:, 0])[group]).any():
            first_skipped = first_skipped if n_skipped else start + int(is_skipped.argmax())
            n_skipped += int(is_skipped.sum())
        if len(part):
            cells = part if plain is None else plain
            decided = None if rule.classes is None else rule.class_index(rows, degrees)
            told = _told(rule, rows, degrees, unknown, layout.truths if asked.risk else None)
            told += _reasons(rule, rows, unknown, asked.reasons, layout.cell) if asked.reasons else []
            yield layout.lines(start, told, decided, [_written(cells[name]) for name in kept], group)
        start += len(part)
        show_notes(notes.find(read))
    yield layout.end
    _tell_unknown(rule, n_skipped, first_skipped, gaps)


def _find_alike(rule: Model, source: TableFile) -> Callable[..., tuple[Array, Array]]:
    """What gives for a part of a table the group of each row, and the place of the first row of each group."""
    try:
        import duckdb
    except ImportError:
        refuse(ExportError, "the engine duckdb is not there; install it with: pip install duckdb")
    types = {name: family_of(each) for name, each in zip(source.columns, source.types, strict=False)}
    odd = [types[name] for name in rule.columns if types.get(name, "text") not in ("number", "text", "bool", "null")]
    odd += ["degrees"] * (rule.rounding > 0) + [source.kind] * (not source.is_parquet and source.dialect is None)
    refuse_first(ExportError, {f"the engine duckdb does not judge {each}. {DEFAULT}": True for each in odd})
    lake = duckdb.connect(config={"enable_external_access": False})
    lake.execute("SET enable_progress_bar = false")
    query = cache(lambda kinds: facts_query(rule, "part", dict(kinds)))

    def alike(part: Any, read: Mapping[str, Any]) -> tuple[Array, Array]:
        kinds = {name: "text" if source.dialect else SQL_TYPES.get(str(part[name].dtype)) for name in rule.columns}
        texts = {name: read[name].different[0] for name, kind in kinds.items() if kind == "text"}
        odd = [name for name, each in texts.items() if any(str(x).strip() != str(x).strip(" ") for x in each)]
        try:  # SQL takes spaces alone from the ends of a text
            lake.register("part", part[list(rule.columns)].assign(**{name: part[name].str.strip() for name in odd}))
            words = lake.execute(query(tuple(each for each in kinds.items() if each[1]))).fetchnumpy()
        except duckdb.Error as error:
            refuse(ExportError, f"{source.path}: DuckDB cannot judge this ({error_line(error)}). {DEFAULT}")
        codes = np.zeros(len(part), np.int64)
        for word in words.values():
            codes = pd.factorize(codes + len(part) * pd.factorize(word)[0])[0]
        return codes, np.unique(codes, return_index=True)[1]

    return alike


def _tell_unknown(rule: Model, n_skipped: int, first: int, gaps: Mapping[str, int]) -> None:
    """Says how many rows have no prediction and which is the first, and how many numbers were taken as unknown."""
    if n_skipped:
        have, why = count(n_skipped, "row has", "rows have"), "because a value is missing or no number"
        show_notes([f"{have} no prediction, {why}; the first is row {first}."])
    told = (name for name in gaps if not rule.encoding.by_name[name].known)  # of those that have values, `Unseen` tells
    show_notes(newly_missing_words(name, gaps[name]) for name in told)


def _told(rule: Model, rows: Any, degrees: Any, unknown: Unknown, truths: tuple[str, str] | None) -> Texts:
    """Columns of texts: degrees and, given what false and true are called, what the risk tells; None if skipped."""
    texts = [_texts(column) for column in degrees.T]
    if truths is None:
        return texts
    scores = rule.scores(rows, unknown=unknown)
    likely, known = rule.likelihoods(scores), _texts(scores[:, 0])
    points = [score and score.removesuffix(".0") for score in known]  # points of facts are whole
    texts += [_texts(column) for column in likely.T] if rule.chain else [points, _texts(likely[:, 1])]
    if rule.band is not None:
        asked = rule.band.asks(likely.max(axis=1) if rule.chain else scores[:, 0]).tolist()
        texts.append([score and truths[ask] for score, ask in zip(known, asked, strict=True)])
    return texts


def _texts(column: Any) -> list[str | None]:
    texts: list[str | None] = list(map(repr, column.tolist()))
    return [None if text == "nan" else text for text in texts] if (column != column).any() else texts


def _reasons(rule: Model, rows: Any, unknown: Unknown, n_reasons: int, cell: Callable[[str], str]) -> Texts:
    """Columns of reasons, the first reason of every row first; None where a row has no more."""
    found = reasons(rule, rows, n_reasons, unknown=unknown)
    texts = {reason: cell(str(reason)) for reason in set().union(*set(found))}
    return [[texts[each[place]] if place < len(each) else None for each in found] for place in range(n_reasons)]


def _written(cells: Any) -> list[str | None]:
    """Cells as they stand in the table; None where there is nothing."""
    return [None if nothing else str(cell) or None for cell, nothing in zip(cells, cells.isna(), strict=True)]


def _name_columns(rule: Model, kept: Sequence[str], asked: Asked) -> list[str]:
    """Names of the columns of predictions: row, columns to keep, target, degrees, risk, reasons; no two are one.

    Columns to keep are called what they are called. Of the others no two differ in capitals alone, which databases do
    not tell apart: the target comes after `predicted` where its name is taken or empty, all others get a number.
    """
    written: Callable[[str], str] = str if asked.json else harmless_cell
    named = list(map(written, kept))  # what is done to formulas can make two names one
    named = named if len(set(named)) == len(named) else free_names(named)
    (row,) = free_names(["row"], named)
    taken = {name.casefold() for name in ("", row, *named)}
    target = f"predicted {rule.target}".rstrip() if written(rule.target).casefold() in taken else rule.target
    spoken_for = () if rule.classes is None else rule.classes[-len(rule.formulas) :]
    score, ask = () if rule.chain else ("score",), () if rule.band is None else ("ask",)
    risk = (*score, *(f"probability of {label}" for label in spoken_for), *ask) if asked.risk else ()
    told = (target, *(f"degree of {label}" for label in spoken_for), *risk)
    found = free_names(map(written, (*told, *(f"reason {n + 1}" for n in range(asked.reasons)))), [row, *named])
    return [row, *named, *found]


class _Layout:
    """How rows are written: as lines of CSV, or as JSON with a line for each."""

    def __init__(self, rule: Model, kept: Sequence[str], asked: Asked) -> None:
        as_json = self._is_json = asked.json
        self.cell: Callable[[Any], str] = json_text if as_json else csv_cell
        self.nothing = "null" if as_json else ""
        self.truths = ("false", "true") if as_json else ("False", "True")  # as classes that are truth values
        heads = list(map(self.cell, _name_columns(rule, kept, asked)))
        self.begin, self.end = ("[", "\n]\n") if as_json else (",".join(heads) + "\n", "")
        named = [f"{head.replace('%', '%%')}: %s" for head in heads]
        n_first = 1 + len(kept)
        first, rest = "{" + ", ".join([*named[:n_first], "%s"]), ", ".join(named[n_first:]) + "}"
        self._line: Callable[[tuple[str, ...]], str] = first.__mod__ if as_json else ",".join
        self._tail: Callable[[tuple[str, ...]], str] = rest.__mod__ if as_json else ",".join
        labels = (json_text(label) if as_json else csv_cell(str(label)) for label in rule.classes or ())
        self._labels = [*labels, self.nothing]  # no class is the last one

    def lines(self, start: int, told: Texts, decided: Any, kept: Sequence[Any], group: Array) -> str:
        """Rows that begin with this number; what is told of each group of them, None for nothing."""
        numbers = map(str, range(start, start + len(group)))
        texts = ([self.nothing if cell is None else self.cell(cell) for cell in column] for column in kept)
        classes = () if decided is None else (map(self._labels.__getitem__, decided.tolist()),)
        columns = ([self.nothing if text is None else text for text in column] for column in told)
        tails = list(map(self._tail, zip(*classes, *columns, strict=True)))
        written = map(self._line, zip(numbers, *texts, map(tails.__getitem__, group.tolist()), strict=True))
        if self._is_json:
            return f"{',' if start else ''}\n" + ",\n".join(written)
        return "\n".join(written) + "\n"
