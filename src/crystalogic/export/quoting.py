"""How names, texts and remarks are written into other languages: a function for each language and place.

A column, a value, a class or a target may be called anything, and means nothing but itself wherever it is written. What
a language cannot hold is refused with the name. LaTeX is written by `logic.names`, because formulas print themselves.
"""

import builtins
import html
import json
import keyword
import math
import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from itertools import count
from types import SimpleNamespace

from crystalogic.cells import number_of
from crystalogic.errors import ExportError, refuse
from crystalogic.model import Label
from crystalogic.words.tables import package_file

SqlDialect = SimpleNamespace  # the words of one engine: what dialects.toml says of it, and what it says of any
_WORDS = tomllib.loads(package_file("export", "dialects.toml"))
DIALECTS = {name: SqlDialect(name=name, **{**_WORDS["any"], **own}) for name, own in _WORDS.items() if name != "any"}


def exact_number(number: float, dialect: SqlDialect) -> str:
    """A number that the engine reads as exactly this double."""
    number = float(number)
    if number.is_integer() and abs(number) < 2**31:
        return str(int(number))
    text = repr(number) if "e" in repr(number) else f"{number!r}e0"  # or else it would be a decimal, not a double
    digits = text.partition("e")[0].replace(".", "").lstrip("-0")
    if dialect.exact_decimals or (len(digits) <= 15 and 1e-15 < abs(number) < 1e15):
        return text
    top, bottom = number.as_integer_ratio()
    return f"(CAST({top} AS REAL) / {bottom})" if max(abs(top), bottom) < 2**63 else text


LARGEST_DOUBLE = 2**53 - 1  # up to here a double holds every whole number, and JavaScript prints its digits
LARGEST_INTEGER = 2**63 - 1  # of databases
_LINE_ENDS = "\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_CELL_ENDS = re.compile(f"([;{_LINE_ENDS}])")  # where some spreadsheet may begin another cell
_TO_QUOTE = re.compile(f'[",;\\t{_LINE_ENDS}]')
_HARMLESS = re.compile(r"[^\W_][\w .:/-]*")  # most cells, which are spared the rest
_FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # how a cell begins that spreadsheets compute, full width too
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_NOT_MARKDOWN = re.compile(r"[^\w .,;:=≥≤()/%+'⊗⊕¬∧∨→↔…–×±-]|(?<![^\W_])_|_(?![^\W_])|:(?=/)|(?<=www)\.", re.IGNORECASE)
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
PYTHON_WORDS = frozenset((*keyword.kwlist, *vars(builtins)))
python_value = ascii  # a text, number or truth value of Python


def encode_text(text: str) -> bytes:
    """The text in UTF-8, or an ExportError."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        refuse(ExportError, f"{text!r} holds half a character and cannot be written. Rename it and train again.")


def remark(text: str) -> str:
    """A text that can stand in a comment: one line, nothing invisible."""
    return "".join(char if char.isprintable() else " " for char in text)


def remarks(lines: Iterable[str], mark: str) -> str:
    """Lines as comments that end with the line, after a mark such as # or --; no tag of a page can begin in them.

    The space after the mark matters: `//#` and `--+` are orders to a browser and to a database.
    """
    return "\n".join(f"{mark} {remark(line)}".rstrip().replace("<", "‹" if mark == "//" else "<") for line in lines)


def identifier(name: str, words: Collection[str] = ()) -> str:
    """A name for a function that Python, C and JavaScript accept, and none of the words that mean something there."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,40}", name):
        refuse(ExportError, f"a function cannot be called {name!r}; use letters, digits and _, a letter first.")
    if name in words:
        refuse(ExportError, f"a function cannot be called {name!r}, which means something else there; choose another.")
    return name


def strip_texts(code: str) -> str:
    """Code of Python, C or JavaScript whose texts are empty, so that only its own words are left in it."""
    return _QUOTED.sub('""', code)


def exact_labels(labels: Sequence[Label], largest: int) -> tuple[Label, ...]:
    """Classes where numbers are held and printed as they are up to a largest whole one; all as texts where one is not.

    >>> exact_labels((1, 2**53), LARGEST_DOUBLE), exact_labels((-0.0, "a"), LARGEST_DOUBLE), exact_labels((1, 2.5), 9)
    (('1', '9007199254740992'), ('-0.0', 'a'), (1, 2.5))
    """
    largest = min(largest, LARGEST_DOUBLE) if any(isinstance(each, float) for each in labels) else largest
    is_exact = all(
        abs(each) <= largest if isinstance(each, int) else isinstance(each, str) or math.copysign(1, each) > 0 or each
        for each in labels
    )
    return tuple(labels) if is_exact else tuple(map(str, labels))


def javascript_value(value: object) -> str:
    """A value or list of values that is safe in a script and in a page: ASCII, and no tag can begin in it."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def c_text(text: str) -> str:
    """A C text in UTF-8; all that is not plain is written as octal digits, trigraphs and line ends too."""
    if "\0" in text:
        refuse(ExportError, f"C texts end at the first NUL, which {text!r} holds. Rename that value and train again.")
    plain = set(range(32, 127)) - set(b'"\\?%')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in encode_text(text)) + '"'


def xml_text(value: object) -> str:
    """A value as XML between tags or quotes; what XML 1.0 cannot hold is refused."""
    text = "true" if value is True else "false" if value is False else str(value)
    if found := _NOT_XML.search(text):
        refuse(ExportError, f"{text!r} holds {found[0]!r}, which XML cannot hold. Rename it and train again.")
    return re.sub(r"[\n\r\t]", lambda space: f"&#{ord(space[0])};", html.escape(text))


def c_comment(text: str) -> str:
    """A text that cannot end or change the comment that it stands in."""
    return re.sub(r"\?(?=\?)|\*(?=/)|/(?=\*)", r"\g<0> ", remark(text)).rstrip()


def quote_name(name: str, dialect: SqlDialect) -> str:
    _refuse_in_sql(name)
    if not name:
        refuse(ExportError, "SQL has no columns or tables without a name. Rename the column and train again.")
    if dialect.longest_name and (len(name) > dialect.longest_name or dialect.never_in_names in name):
        problem = f"has at most {dialect.longest_name} characters and no {dialect.never_in_names!r}"
        refuse(ExportError, f"a name of {dialect.name} {problem}, {name!r} is none. Rename it and train again.")
    first, last = dialect.identifier_quote[0], dialect.identifier_quote[-1]
    return f"{first}{_escape(name, last, dialect) if dialect.escapes_all else name.replace(last, last * 2)}{last}"


def known_name(name: str, dialect: SqlDialect) -> bytes:
    """What the engine knows a column by: names for which it is the same are one there."""
    return encode_text(name if dialect.tells_case else name.lower())[: dialect.name_bytes or None]


def quote_text(text: str, dialect: SqlDialect) -> str:
    _refuse_in_sql(text)
    text = text or dialect.empty_text
    text = _escape(text, "'", dialect) if dialect.backslash_escapes else text.replace("'", "''")
    return f"{dialect.text_mark}'{text}'"


def _escape(text: str, quote: str, dialect: SqlDialect) -> str:
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return "".join(f"\\U{ord(c):08x}" if dialect.escapes_all and not c.isprintable() else c for c in text)


def _refuse_in_sql(text: str) -> None:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        why = f"{text!r} holds NUL or half a character, which SQL cannot hold"
        refuse(ExportError, f"{why}. Rename it and train again.")


def pattern_text(text: str) -> str:
    """A text as a regular expression (RE2) that matches it alone."""
    return "".join(char if char.isalnum() and char.isascii() else f"\\x{{{ord(char):x}}}" for char in text)


def markdown_text(text: str) -> str:
    """A text that Markdown and HTML show as it is: every character that could have a meaning is an entity."""
    return _NOT_MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", text)


def harmless_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, nor what follows a line end or semicolon in it; numbers are none.

    >>> harmless_cell("=1+1"), harmless_cell("-1.5"), harmless_cell("a; @b"), harmless_cell("a=b")
    ("'=1+1", '-1.5', "a;' @b", 'a=b')
    """
    cell = "".join(f"'{piece}" if _is_formula(piece) else piece for piece in _CELL_ENDS.split(text))
    return f"'{cell}" if _is_formula(cell) else cell  # it may begin with a number that goes on in another line


def _is_formula(piece: str) -> bool:
    first = next((char for char in piece if char.isprintable() and not char.isspace()), "")
    return first in _FORMULAS and math.isnan(number_of(piece))


def csv_cell(text: str) -> str:
    """A harmless cell of a comma-separated file, in quotes where it holds what separates cells or lines."""
    if _HARMLESS.fullmatch(text):
        return text
    cell = encode_text(harmless_cell(text)).decode()
    return '"' + cell.replace('"', '""') + '"' if _TO_QUOTE.search(cell) else cell


def free_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names of columns that differ from each other and from those taken, capitals apart, by a number behind.

    >>> free_names(["row", "Row", "degree"], taken=["degree"])
    ['row', 'Row 2', 'degree 2']
    """
    known, found = {name.casefold() for name in taken}, list[str]()
    for name in names:
        ways = (name if n == 1 else f"{name} {n}" for n in count(1))
        found.append(next(each for each in ways if each.casefold() not in known))
        known.add(found[-1].casefold())
    return found
