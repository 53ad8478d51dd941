"""How SQL asks a column: as a number, as a text, whether it is missing, whether it is a given value.

Of a column whose type is not known anything may come: it is cast, trimmed and tested. Where the type is stated the
column is compared as it is, which costs a fraction of that.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from crystalogic.errors import ExportError
from crystalogic.export.dialects import LARGEST, Dialect, exact_number, quoted_name, quoted_text
from crystalogic.export.program import MISSING_TEXTS, Input, Value

ANY = "any"
TYPES = {
    "integer": "a type of whole numbers",
    "number": "double precision",
    "text": "texts, compared as texts even where they look like numbers",
    "boolean": "truth values; TRUE is the category True, true or TRUE",
    ANY: "not known",
}


@dataclass(frozen=True)
class Asked:
    """One column of a table in one dialect; `kind` is one of TYPES."""

    input: Input
    kind: str
    dialect: Dialect

    @property
    def column(self) -> str:
        """The column as it is."""
        return quoted_name(self.input.column, self.dialect)

    @property
    def has_numbers(self) -> bool:
        """Whether values are compared as numbers."""
        return self.kind in ("integer", "number") or (self.kind == ANY and self.input.is_number)

    @property
    def number(self) -> str:
        """The column as a number, NULL where it is no finite one; rows that are refused may have any."""
        match self.kind:
            case "integer":
                return self.column
            case "number":
                may_differ = self.input.may_be_missing  # or else what is not finite is refused
                return (
                    f"CASE WHEN ABS({self.column}) <= {LARGEST} THEN {self.column} END" if may_differ else self.column
                )
        return self.dialect.number.format(x=self.column)

    @property
    def text(self) -> str:
        """The column as a text without spaces around it."""
        if self.kind == "text":
            return f"TRIM({self.column})"
        return f"COALESCE(TRIM(CAST({self.column} AS {self.dialect.text_type})), '')"

    def missing(self, text: str) -> str:
        """The condition that there is no value, given what the text was called; in brackets where it needs them."""
        if self.kind in ("integer", "boolean") or (self.kind == "number" and not self.dialect.is_nan):
            return f"{self.column} IS NULL"
        if self.kind == "number":
            return f"({self.column} IS NULL OR {self.dialect.is_nan.format(x=self.column)})"
        found = is_missing_text(text, self.dialect)
        return f"({self.column} IS NULL OR {found})" if self.kind == "text" else found

    def refused(self, number: str, text: str) -> str:
        """The condition under which a row gets no decision, or nothing; given what number and text were called."""
        if not self.input.needs_number:
            return "" if self.input.may_be_missing else self.missing(text)
        if self.input.may_be_missing:
            return "" if self.kind == "integer" else f"({number} IS NULL AND NOT {self.missing(text)})"
        if self.kind == "number":  # NaN is greater than all numbers where there is one
            return f"{self.column} IS NULL OR ABS({self.column}) > {LARGEST}"
        return f"{number} IS NULL"

    def equals(self, value: Value, number: str, text: str) -> list[str]:
        """The conditions of which one must hold, given what number and text were called."""
        if self.kind == "boolean":
            word = (value.text or "").upper()
            return [f"{self.column} = {word}"] if word in ("TRUE", "FALSE") else []
        if not self.has_numbers:
            return self._is_text(value, text)
        if value.number is None:
            return []
        wanted = exact_number(value.number, self.dialect)
        if self.kind != ANY:
            return [f"{self.column} = {wanted}"]
        return [self.dialect.equals.format(x=self.column, number=number, value=wanted)]

    def _is_text(self, value: Value, text: str) -> list[str]:
        """A Boolean column shows its values in lower case; a text in lower case is no Boolean."""
        if value.text is None:
            return []
        found = [f"{text} = {quoted_text(value.text, self.dialect)}"]
        if value.tail:
            stripped = self.dialect.strip_zeros.format(x=text)
            found.append(f"{stripped} = {quoted_text(value.text + value.tail.strip('0'), self.dialect)}")
        if value.text in ("True", "False") and self.kind == ANY:
            known = {"x": self.column, "text": text, "word": value.text.lower(), "digit": int(value.text == "True")}
            patterns = [self.dialect.is_truth, self.dialect.is_digit if self.input.is_truth else ""]
            found += [f"({pattern.format(**known)})" for pattern in patterns if pattern]
        return found

    def as_double(self, number: str) -> str:
        """The number for arithmetic, which whole numbers would do without fractions."""
        return f"CAST({number} AS {self.dialect.double_type})" if self.kind == "integer" else number


def is_missing_text(text: str, dialect: Dialect) -> str:
    """The condition that a text, which is not NULL, stands for no value."""
    return dialect.among.format(x=text, texts=", ".join(quoted_text(each, dialect) for each in MISSING_TEXTS))


def asked(inputs: tuple[Input, ...], types: Mapping[str, str], dialect: Dialect) -> dict[str, Asked]:
    """Every column by its name; an ExportError for a type that there is not, or for names that are one in SQL."""
    for column, kind in types.items():
        if kind not in TYPES:
            message = f"there is no type {kind!r} for {column!r}; there are {', '.join(TYPES)}."
            raise ExportError(message)
    names: dict[str, str] = {}
    for each in inputs:
        if each.needs_number and types.get(each.column) == "boolean":
            message = f"the rule compares {each.column!r} with a number; its type cannot be boolean."
            raise ExportError(message)
        other = names.setdefault(each.column if dialect.tells_case else each.column.lower(), each.column)
        if other != each.column:
            message = f"{dialect.name} cannot tell the columns {other!r} and {each.column!r} apart; rename one of them."
            raise ExportError(message)
    return {each.column: Asked(each, types.get(each.column, ANY), dialect) for each in inputs}
