"""Names that hypothesis invents, most of them hostile, and models in which everything has such a name.

Code in a name tries to leave a canary: a file, a global or a symbol called `canary`, or a table that is gone.
"""

import os
import sys
from collections import Counter
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st

from crystalogic.cells import level_of, number_of
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Variable
from crystalogic.model import Model, Risk
from crystalogic.model.risk import Band

FRAGMENTS = (
    # Python: encodings of files, ends of texts and lines
    "coding:utf_7 +AAo-open('canary','w')+AAo-#", "coding: utf-16", "-*- coding: correct -*-", "coding=utf_7",
    "+AAo-", "#!/bin/sh", '"""', "'''", "\\", "\\N{DASH}", "\nopen('canary','w')\n", "\ropen('canary','w')\r", "\x0c",
    "'+str(open('canary','w'))+'", "vim: set ft=c:", "# type: ignore",
    # C: comments, trigraphs, digraphs, continued lines, escapes
    "*/ int canary = 1; /*", "*\\\n/ int canary = 1; /*", "*??/\n/ int canary = 1; /*", "??/", "//", "\\\n", "<:", "%>",
    '"; int canary = 1; char *y = "', "\\x22", "\\u0022", "\n#error canary\n", "??=error canary", "%d%n",
    # JavaScript
    "*/ globalThis.canary = 1; /*", "\u2028globalThis.canary = 1;\u2028", "\u2029globalThis.canary = 1;",
    "\rcanary = 1;",
    '"+(globalThis.canary=1)+"', "`${globalThis.canary=1}`", "</script><script>canary=1</script>", "<!--", "-->", "]]>",
    "# sourceMappingURL=http://x.invalid/",
    # SQL
    "'; DROP TABLE canary; --", '"; DROP TABLE canary; --', "`; DROP TABLE canary; --", "\\'; DROP TABLE canary; --",
    "\nDROP TABLE canary;\n", "*/ DROP TABLE canary; /*", "/*!", "--", "$$", "$1", "?", ":x", "@x", "E'", "{x}", "%s",
    # cells and formulas of spreadsheets
    "=1+1", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", ";=1", ",=1", '",=1', "\ufeff=1", "\u200b=1", "＝1",
    "'=1", "\x0b=1", "\x85-x", "-1", ",", ";", '"', "\n", "\r\n", " ",
    # LaTeX, Markdown, HTML, templates
    "\\input{x}", "\\write18{touch canary}", "^^5cinput", "^^M", "$x_1$", "\\]", "\\end{itemize}", "%", "{", "}",
    "~&#1",
    "[x](javascript:canary=1)", "![x](x)", "**", "__", "`", "\n# x", "\n\n", "|", "<http://x.invalid>", "&lt;", "&#60;",
    "http://x.invalid", "www.x.invalid", "- [x] ", "1. ", "_x_", "<b>", "<img src=x onerror=canary=1>",
    '" onmouseover="canary=1', "' autofocus onfocus='canary=1", "javascript:canary=1", "{{ 7*7 }}", "{% raw %}",
    # terminals and letters
    "\x1b[2J", "\u202e", "\x9b", "\x7f", "é", "e\u0301", "İ", "ß", "\u212a", "🦀", "\ufffe", "\x00", "\ud800", "\udfff",
)  # fmt: skip
OWN_NAMES = (  # words that a target, an engine or an export of ours gives a meaning
    "row", "Row", "row 2", "predicted row", "target", "degree", "degree of ", "degree 1", "predicted ", "fact ", "t",
    "crystalogic n1", "crystalogic t1", "crystalogic f1", "crystalogic s1", "crystalogic_degrees", "crystalogic row",
    "crystalogic_rows", "rowid", "_rowid_", "oid", "ctid", "xmin", "tableoid", "file_row_number", "file_index",
    "filename", "number", "decision", "d1", "SELECT", "select", "NULL", "null", "TRUE", "user", "current_date", "order",
    "missing", "same", "reaches", "between", "unread", "least", "greatest", "alike", "at_least_0", "at_most_1", "equal",
    "spaces", "is_text", "missing_text", "missing_number", "MISSING", "NAN", "decide", "degrees", "v1", "n1", "f1",
    "s1",
    "module", "index", "label", "column", "column_1", "column_2", "best", "__proto__", "constructor", "hasOwnProperty",
    "toString", "class", "int", "float", "str", "type", "abs", "max", "None", "True", "Abs", "Symbol", "Integer",
    "score", "Score", "ask", "probability", "probability of ", "crystalogic score", "crystalogic_scores", "decide_risk",
    "PROBABILITIES", "told",
)  # fmt: skip
NAMES_OF_A_CASE = 25
N_ROWS = 6
LONGEST = 900  # characters of a name: strict compilers of C take no text beyond 4,095 bytes
WANTED = int(os.environ.get("CRYSTALOGIC_NAMES", "0"))  # names for each language; few in the usual tests

pieces = st.one_of(
    st.sampled_from(FRAGMENTS),
    st.sampled_from(OWN_NAMES),
    st.text(st.characters(exclude_categories=()), min_size=1, max_size=4),
    st.text("=+-@;,'\"`\\/*?<>&#%$_^~{}[]() \t\r\n\x00\u2028axc:", min_size=1, max_size=8),
)
any_name = st.one_of(
    st.sampled_from(OWN_NAMES),
    st.lists(pieces, min_size=1, max_size=4).map("".join),
    st.tuples(pieces, st.integers(20, 400)).map(lambda drawn: (drawn[0] * drawn[1])[:LONGEST]),
)


def is_text(name: str) -> bool:
    """Whether every language can hold it: no NUL, no half of a character."""
    return "\0" not in name and not any("\ud800" <= char <= "\udfff" for char in name)


@dataclass(frozen=True)
class Case:
    """A model in which everything is called like one of the names, and rows that it decides."""

    model: Model
    rows: dict[str, list[Any]]
    names: tuple[str, ...]

    @property
    def short(self) -> Model:
        """A rule of whole truth values, short enough to be one expression of SQL, whatever things are called."""
        facts = [Variable(name) for name, each in self.model.encoding.literals.items() if each.is_boolean]
        classes = (self.model.classes or ())[:2]
        return model_of([AtLeast(3, *facts[:6], ~facts[-1])], self.model.encoding, self.model.target, classes)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.rows, cells, strict=True)) for cells in zip(*self.rows.values(), strict=True)]


def _level(name: str, place: int) -> str:
    """The name as a value of a category; another where it means something else as a cell."""
    level = name.strip()
    return level if level_of(level) == level and number_of(level) != number_of(level) else f"level {place}"


def case_of(names: tuple[str, ...], seed: int) -> Case:
    """Target, classes, columns, levels and units with these names, columns of every kind, and rows."""
    draw = Random(seed)
    n_classes = draw.choice([2, 2, 3, 4])
    target, *rest = names
    classes, rest = tuple(rest[:n_classes]), rest[n_classes:]
    columns, rows = [], {}
    for place, (column, second) in enumerate(zip(rest[::2], rest[1::2], strict=False)):
        level = _level(second, place)
        other = _level(rest[-place], -place)
        match place % 4:
            case 0:
                said = Is(column, level), OneOf(column, (level, "c")), Missing(column)
                facts, kind, known = said, "category", (level, "b", "c")
                cells = [level, level, "b", other, None]
            case 1:
                facts, kind, known = (Reaches(column, level, ("low", level)),), "ordinal", ("low", level)
                cells = [level, level, "low", other]
            case 2:
                facts, kind, known = (Degree(column, 0.0, 1.0), Cut(column, 0.5)), "number", ()
                cells = [0.0, 0.25, 0.5, 1.0]
            case 3:
                facts, kind, known = (Is(column, "3"), Missing(column)), "code", ("1", "3")
                cells = [1.0, 3.0, 3.0, float("nan")]
        columns.append(Column(column, kind, facts, known, kind in ("category", "code")))
        rows[column] = [draw.choice(cells) for _ in range(N_ROWS)]
    encoding = Encoding(tuple(columns))
    facts = [Variable(name) for name in encoding.names]
    assume(len(facts) == sum(len(column.literals) for column in columns))  # a fit refuses two truth values of one name
    has_risk = n_classes == 2 and draw.random() < 0.7
    facts = [fact for fact in facts if not has_risk or encoding.literals[fact.name].is_boolean]
    n_formulas = 1 if n_classes == 2 else n_classes
    signed = [[fact if draw.random() < 0.7 else ~fact for fact in facts] for _ in range(n_formulas)]
    formulas = [AtLeast(draw.randint(len(facts) // 3, len(facts) // 2), *each) for each in signed]
    model = model_of(formulas, encoding, target, classes)
    if has_risk:
        shares = tuple(sorted(draw.randint(1, 9_999) for _ in range(len(facts) + 1)))
        model = replace(model, risk=Risk(shares), band=draw.choice([None, Band(3, len(facts) // 2, 500, (20, 20))]))
    units = dict(zip(rows, reversed(names), strict=False))
    return Case(model.with_facts(units=units, source=target, strategy=target, choice=tuple(classes)), rows, names)


def harmless(names: tuple[str, ...]) -> tuple[str, ...]:
    """As many names that mean nothing anywhere."""
    return tuple(f"plain{index}" for index in range(len(names)))


@st.composite
def cases(draw: st.DrawFn, *, texts_only: bool = False) -> tuple[tuple[str, ...], int]:
    """Names and the seed of a case; a case is made of them in the test, so that another can be made beside it."""
    name = any_name.filter(is_text) if texts_only else any_name
    unique = st.lists(
        name,
        min_size=NAMES_OF_A_CASE,
        max_size=NAMES_OF_A_CASE,
        unique_by=lambda each: each.strip().casefold(),
    )
    return tuple(draw(unique)), draw(st.integers(0, 2**32))


TALLY: Counter[str] = Counter()  # names that were tried, by language
_ALL_CHECKS = list(HealthCheck)


def tell(request: pytest.FixtureRequest) -> None:
    """How many names were tried, for a person who asked for many."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    if WANTED and capture is not None:
        with capture.global_and_fixture_disabled():
            sys.stderr.write("".join(f"\n{language}: {n:,} names" for language, n in sorted(TALLY.items())) + "\n")
    TALLY.clear()


def tried(few: int = 3) -> settings:
    """So many cases in the usual tests, and as many as were wanted otherwise, which are not shrunk."""
    if not WANTED:
        return settings(max_examples=few, suppress_health_check=_ALL_CHECKS)
    return settings(
        max_examples=-(-WANTED // NAMES_OF_A_CASE),
        suppress_health_check=_ALL_CHECKS,
        derandomize=False,
        database=None,
        phases=[Phase.generate],
    )


FOCUS = ("tabindex", "role", "aria-describedby", "id")


class Page(HTMLParser):
    """The elements of a page, each with its attributes, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = tuple(name for name, _ in attrs)
        if tag == "span" and dict(attrs).get("class") in ("term", "tip"):  # only the first of equal texts has focus
            names = tuple(name for name in names if name not in FOCUS)
        self.elements[tag, names] += 1

    def handle_data(self, data: str) -> None:
        self.text += data
