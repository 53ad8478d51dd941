"""How SQL asks a column: as a number, as a text, whether it is missing, whether it is a given value.

Of a column whose type is not known anything may come: it is cast, trimmed and tested. Where the type is stated the
column is compared as it is, which costs a fraction of that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crystalogic.errors import ExportError, refuse
from crystalogic.export.program import Input, Value
from crystalogic.export.quoting import SqlDialect, exact_number, known_name, quote_name, quote_text

ANY = "any"
# whole numbers, double precision, texts, which may write numbers, and truth values: TRUE is the category True or TRUE
TYPES = ("integer", "number", "text", "boolean", ANY)


@dataclass(frozen=True)
class SqlColumn:
    """One column of a table in one dialect; `kind` is one of TYPES."""

    input: Input
    kind: str
    dialect: SqlDialect

    @property
    def column(self) -> str:
        return quote_name(self.input.column, self.dialect)

    def number(self, text: str) -> str:
        """The column as a number, NULL where it is missing or no finite one; rows that are refused may have any."""
        raw = self._raw_number
        return f"CASE WHEN NOT {self.missing(text)} THEN {raw} END" if self.input.hides_numbers else raw

    @property
    def _raw_number(self) -> str:
        """The column as a number, those that stand for missing too."""
        if self.kind == "integer":
            return self.column
        if self.kind == "number":
            may_differ = self.input.may_be_missing or self.input.hides_numbers  # or else what is not finite is refused
            return f"CASE WHEN {self._say('is_finite')} THEN {self.column} END" if may_differ else self.column
        return self._say("number")

    def _say(self, what: str, **known: object) -> str:
        """What the dialect has for a question about the column, such as "is_finite"."""
        return str(getattr(self.dialect, what).format(x=self.column, **known))

    @property
    def text(self) -> str:
        """The column as a text without spaces around it."""
        text = self.dialect.trim.format(x=self.column if self.kind == "text" else self._say("text"))
        is_told = self.kind == "text" and not self.dialect.empty_text  # NULL is asked for
        return text if is_told else f"COALESCE({text}, {quote_text('', self.dialect)})"

    def missing(self, text: str) -> str:
        """The condition that there is no value, given what the text was called; in brackets where it needs them."""
        found = [] if self.kind == ANY else [f"{self.column} IS NULL"]
        if self.kind == "number" and self.dialect.is_nan:
            found.append(self._say("is_nan"))
        if self.kind in ("text", ANY):
            found.append(self._among(self.input.missing_texts, text))
        if self.kind == ANY and self.dialect.is_no_text and not {"nan", "NaN"} <= self.input.words:
            found.append(f"({self._say('is_no_text')} AND {self._among(('nan', 'NaN'), text)})")
        words = (each for word in self.input.missing_numbers for each in self.equals(word, self._raw_number, text))
        found += [self.dialect.or_false.format(x=each) if self.kind in ("text", ANY) else each for each in words]
        return f"({' OR '.join(found)})" if len(found) > 1 else found[0]

    def _among(self, texts: Sequence[str], text: str) -> str:
        return str(self.dialect.among.format(x=text, texts=", ".join(quote_text(each, self.dialect) for each in texts)))

    def refused(self, number: str, text: str) -> str:
        """The condition under which a row gets no decision, or nothing; given what number and text were called."""
        if not self.input.needs_number:
            return "" if self.input.may_be_missing else self.missing(text)
        if self.input.may_be_missing:
            return "" if self.kind == "integer" else f"({number} IS NULL AND NOT {self.missing(text)})"
        if self.kind == "number" and not self.input.hides_numbers:
            return f"{self.column} IS NULL OR NOT {self._say('is_finite')}"
        return f"{number} IS NULL"

    def equals(self, value: Value, number: str, text: str) -> list[str]:
        """The conditions of which one must hold, given what number and text were called."""
        if self.kind == "boolean":
            word = {"TRUE": self.dialect.true, "FALSE": self.dialect.false}.get(value.text.upper())
            return [f"{self.column} = {word}"] if word else []
        if self.kind == "integer" and value.is_beyond:
            is_held = self.dialect.has_wide_integers or abs(value.number or 0) < 2**63
            return [f"{self.column} = {value.number}"] if is_held else []
        if self.kind in ("integer", "number"):
            return [] if value.double is None else [f"{self.column} = {exact_number(value.double, self.dialect)}"]
        if value.number is None:
            return self._is_text(value.text, text)
        return self._writes(value, number, text)

    def _writes(self, value: Value, number: str, text: str) -> list[str]:
        """How a text, or a column that may hold any, writes a number."""
        known = {"x": self.column, "number": number, "text": text}
        if value.double is not None:
            known["value"] = exact_number(value.double, self.dialect)
        digits, wanted = self.dialect.digits.format(**known), quote_text(value.text, self.dialect)
        if not self.dialect.is_whole and (self.kind == "text" or not self.input.is_number or value.is_beyond):
            decimals = quote_text(value.text + "." * isinstance(value.number, int), self.dialect)
            return [f"{digits} = {wanted}", f"RTRIM({digits}, '0') = {decimals}"][: 1 if "e" in value.text else 2]
        if not value.is_beyond:
            return [self.dialect.equals.format(**known)]
        if value.double is None:
            return [f"{digits} = {wanted}"]
        is_whole, equals = self.dialect.is_whole.format(digits=digits), self.dialect.equals.format(**known)
        return [self.dialect.either.format(x=is_whole, yes=f"{digits} = {wanted}", no=equals)]

    def _is_text(self, wanted: str, text: str) -> list[str]:
        """A Boolean column shows its values in lower case; a text in lower case is no Boolean, nor is nan a NaN."""
        found = [f"{text} = {quote_text(wanted, self.dialect)}"]
        if self.kind != ANY or wanted.lower() not in ("true", "false", "nan"):
            return found
        if wanted not in ("True", "False"):
            return [f"{found[0]} AND NOT {self._say('is_no_text')}"] if self.dialect.is_no_text else found
        known = {"x": self.column, "text": text, "word": wanted.lower(), "digit": int(wanted == "True")}
        patterns = [self.dialect.is_truth, self.dialect.is_digit if self.input.is_truth else ""]
        return found + [f"({pattern.format(**known)})" for pattern in patterns if pattern]

    def as_double(self, number: str) -> str:
        """The number for arithmetic, which whole numbers would do without fractions."""
        return f"CAST({number} AS {self.dialect.double_type})" if self.kind == "integer" else number


def sql_columns(inputs: tuple[Input, ...], types: Mapping[str, str], dialect: SqlDialect) -> dict[str, SqlColumn]:
    """Every column by its name; an ExportError for a type that there is not, or for names that are one in SQL."""
    for column, kind in types.items():
        if kind not in TYPES:
            refuse(ExportError, f"there is no type {kind!r} for {column!r}; there are {', '.join(TYPES)}.")
    names: dict[bytes, str] = {}
    for each in inputs:
        if each.needs_number and types.get(each.column) == "boolean":
            refuse(ExportError, f"the rule compares {each.column!r} with a number; its type cannot be boolean.")
        if (other := names.setdefault(known_name(each.column, dialect), each.column)) != each.column:
            problem = f"{dialect.name} cannot tell the columns {other!r} and {each.column!r} apart"
            refuse(ExportError, f"{problem}; rename one of them.")
    return {each.column: SqlColumn(each, types.get(each.column, ANY), dialect) for each in inputs}
