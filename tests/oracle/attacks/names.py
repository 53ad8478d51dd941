"""Names are data: columns, levels, classes and targets that look like code, in every language that is run."""

import csv
import io
import subprocess
import sys
import tokenize
from dataclasses import replace
from random import Random
from typing import Any

from crystalogic.encoding import Cut, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.errors import ExportError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model.record import Record
from oracle.case import Case
from oracle.cells import NoNumber, double, meaning
from oracle.commands import command, strict_json
from oracle.draws import Drawn, Table, braced, draw_table
from oracle.engines import ENGINES, NO_DECISION
from oracle.files import write_lines, write_parquet
from oracle.judge import FORMULAS, bare, expected_rows, judge_command, judge_decision
from oracle.rules import rule_of

PIECES = (
    *("coding:utf_7 +AAo-print('PWNED')+AAo-#", "coding: utf_7", "coding=latin-1", "ICD coding: correct"),
    *("vim: set fileencoding=x :", '*/ puts("PWNED"); /*', "*/", "/*", "//", "\\", "\\n", "\n", "\r\n", "\n99", "'''"),
    *("\nprint('PWNED')\n", '"""', "'", '"', "`", "${print('PWNED')}", "</script><script>", "-->", "<!--", "--", ";"),
    *('; DROP TABLE "the rows"; --', "=cmd|' /C calc'!A0", "=1+1", "+1", "-1", "@sum", "＝1", "\t=1", " =1", "%s", "%"),
    *("{}", "{x}", "row", "degree of yes", "file_row_number", "#!/bin/sh", "#", "\u2028", "\u202e", "\x1b[2J", "\x0c"),
    *("\x85", "é", "名前", "😀", "a", "b", "x y", " ", "1", "007", "True", "null", "NaN", "None", "__import__('os')"),
    *("??/", "\\u000a", "$$", "[a]", "decide", "function", "return", "class", "lambda", "constructor", "__proto__"),
)


def draw_name(draw: Random) -> str:
    """One to three pieces of what looks like code, never blank."""
    while True:
        name = "".join(draw.choice(PIECES) for _ in range(draw.choice([1, 1, 2, 3])))
        if name.strip():
            return name


def attack(case: Case) -> None:
    """A model whose every name is hostile, exported, run, and used for predictions."""
    drawn = hostile(case)
    if drawn is None:
        return
    table = draw_table(drawn, case.draw, 5, mixed=False, refusals=0.0)
    how = case.draw.choice(["module", "module", "engine", "predictions", "predictions", "texts"])
    if how == "module":
        module(case, drawn)
    elif how == "engine":
        engine(case, drawn, table)
    elif how == "texts":
        texts(case, drawn)
    else:
        predictions(case, drawn, table)


def hostile(case: Case) -> Drawn | None:
    """A rule with invented names everywhere; None where the names are no model's."""
    draw = case.draw
    column, other, target = (draw_name(draw) for _ in range(3))
    levels = sorted({draw_name(draw).strip() for _ in range(3)})
    different = {meaning(level, frozenset()) for level in levels}
    if len(different) < len(levels) or len({column, other, target}) < 3:
        return None
    words = Column(column, "category", (*(Is(column, level) for level in levels), Missing(column)), tuple(levels), True)
    number = Column(other, "number", (Cut(other, 5.0), Missing(other)), (), True)
    encoding = Encoding((words, number))
    classes: Any = draw.choice(
        [("no", "yes"), (draw_name(draw), draw_name(draw)), tuple(draw_name(draw) for _ in range(3))]
    )
    if len({bare(str(label)) for label in classes}) < len(classes) or len(encoding.literals) < len(levels) + 3:
        return None
    named = [braced(name) for name in encoding.names]
    formulas = [
        f"{draw.choice(named)} ⊕ ({named[-2]} ∧ {draw.choice(named)})" for _ in range(1 if len(classes) == 2 else 3)
    ]
    model = model_of([parse(text) for text in formulas], encoding, target, classes)
    record = Record(units={column: draw_name(draw)}, more={"note": draw_name(draw)})
    model = replace(model, record=record)
    path = case.folder / "model.json"
    model.save(path)
    return Drawn(model, rule_of(path.read_text(encoding="utf-8")), path)


def module(case: Case, drawn: Drawn) -> None:
    """The Python module as a file: which encoding it declares, what runs when it is loaded, what it decides."""
    said = command("export", str(drawn.path), "python", "--output", "rule.py")
    if said.code:
        case.expect("ExportError" in said.err, f"export python: {said.err[:200]}")
        return
    source = (case.folder / "rule.py").read_bytes()
    what = f"module of {drawn.model.target!r}, {drawn.model.classes}, {drawn.model.encoding.names}"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        encoding = str(error)
    case.same(encoding, "utf-8", f"{what}: encoding")
    heard: list[Any] = []
    scope: dict[str, Any] = {"print": heard.append}
    try:
        exec(compile(source, "rule.py", "exec"), scope)
    except Exception as error:
        case.expect(False, f"{what}: {error!r}")
        return
    case.same(heard, [], f"{what}: code ran")
    table = draw_table(drawn, case.draw, 6, refusals=0.0)
    for place, each in enumerate(expected_rows(drawn.rule, table)):
        if each.degrees is not None:
            decided = scope["decide"](table.row(place))["decision"]
            judge_decision(case, decided, each, f"{what}: {table.row(place)}", exactly=False)
    if case.draw.random() < 0.1:
        run = [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, '.'); import rule; print('loaded')"]
        done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=case.folder)
        case.same((done.stdout, done.returncode), ("loaded\n", 0), f"{what}: imported, {done.stderr[-300:]}")


def engine(case: Case, drawn: Drawn, table: Table) -> None:
    """The other exports, run."""
    name = case.draw.choice([each for each in sorted(ENGINES) if each != "python"])
    try:
        answers = ENGINES[name](drawn, table, case.folder, case.draw)
    except ExportError:
        case.n_compared += 1
        return
    for place, (answer, each) in enumerate(zip(answers, expected_rows(drawn.rule, table), strict=True)):
        if answer is not None and each.degrees is not None:
            what = f"{name} of {drawn.model.target!r}, {drawn.model.classes}: {table.row(place)}"
            if case.expect(answer[0] != NO_DECISION, f"{what}: no decision"):
                judge_decision(case, answer[0], each, what, exactly=False)


def texts(case: Case, drawn: Drawn) -> None:
    """Exports that are read, not run, and pages: they are written, and no name breaks out of its line."""
    for target in ("latex", "markdown"):
        said = command("export", str(drawn.path), target)
        case.expect(said.code == 0 or "ExportError" in said.err, f"export {target}: {said.code} {said.err[-300:]}")
    said = command("report", str(drawn.path), "--output", "page.html")
    if case.same(said.code, 0, f"report: {said.err[-300:]}: exit code"):
        page = (case.folder / "page.html").read_text(encoding="utf-8")
        case.expect("</script><script>" not in page, "report: a name ends a script")


def predictions(case: Case, drawn: Drawn, table: Table) -> None:
    """Predictions read again by another reader, cell by cell, with a column kept."""
    draw = case.draw
    kept = draw_name(draw)
    if kept.strip() in {name.strip() for name in table.cells} or kept == drawn.rule.target:
        return
    table.cells[kept] = [
        draw.choice([draw_name(draw), draw_name(draw), "NA", "4.0", "", "+5", "007"]) for _ in range(table.n_rows)
    ]
    table.storage[kept] = "text"
    if draw.random() < 0.4:
        write_parquet(table, case.folder / "t.parquet", draw)
        as_json = draw.random() < 0.5
        said = command("predict", str(drawn.path), "t.parquet", *(["--json"] if as_json else []))
        judge_command(case, said, drawn.rule, table, "predict", as_json=as_json)
        return
    write_lines(table, case.folder / "t.jsonl", draw)
    as_json = draw.random() < 0.3
    said = command("predict", str(drawn.path), "t.jsonl", "--keep", kept, *(["--json"] if as_json else []))
    if not case.same(said.code, 0, f"predict --keep {kept!r}: {said.err[-300:]}: exit code"):
        return
    lines = from_json(case, said.out) if as_json else list(csv.reader(io.StringIO(said.out, newline=""), strict=True))
    if lines is None:
        return
    header, *rows = lines
    what = f"predict --keep {kept!r} of {drawn.rule.target!r}"
    case.same(len(rows), table.n_rows, f"{what}: rows of {said.out!r}")
    case.expect(len(set(header)) == len(header), f"{what}: two columns have one name: {header}")
    if not as_json:
        for cell in (cell for line in lines for cell in line):
            case.expect(not is_formula(cell), f"{what}: a spreadsheet computes {cell!r}")
    for place, (row, wanted) in enumerate(zip(rows, expected_rows(drawn.rule, table), strict=False)):
        if case.same(len(row), len(header), f"{what}: cells of {row}"):
            case.same(str(row[0]), str(place), f"{what}: number of the row")
            cell = table.cells[kept][place]
            case.expect(same_text(row[1], cell), f"{what}: kept {row[1]!r}, expected {cell!r}")
            case.expect(same_text(row[2], wanted.decision), f"{what}: {row[2]!r}, expected {wanted.decision!r}")


def same_text(found: Any, expected: Any) -> bool:
    """Whether a cell is what it was, but for apostrophes before what a spreadsheet would compute and white space."""
    return bare("" if found is None else str(found)) == bare(str(expected))


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would compute the cell, or a line of it that another program takes for a row."""
    return any(not _is_number(line) and line.lstrip().startswith(FORMULAS) for line in cell.splitlines())


def _is_number(text: str) -> bool:
    try:
        double(text)
    except NoNumber:
        return False
    return True


def from_json(case: Case, text: str) -> list[list[Any]] | None:
    """Keys and values of an array of objects."""
    try:
        found = strict_json(text)
    except ValueError as error:
        case.expect(False, f"JSON of predictions: {error}: {text[:200]}")
        return None
    return [list(found[0]), *(list(each.values()) for each in found)] if found else None
