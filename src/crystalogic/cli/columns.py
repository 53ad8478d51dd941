"""Columns that a command names, and what may have been meant where a table does not have them."""

from collections.abc import Iterable

from crystalogic.errors import TableError
from crystalogic.files import TableFile
from crystalogic.logic.names import closest


def refuse_unknown(names: Iterable[str], source: TableFile) -> None:
    """A TableError for the first name that no column of the table has."""
    known = set(source.columns)
    for name in names:
        if name not in known:
            message = (
                f"{source.path}: there is no column {name!r}{_meant(name, known)}; the columns are {source.listed}."
            )
            raise TableError(message)


def _meant(name: str, known: set[str]) -> str:
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and known.issuperset(parts):
        return " (write the option once for each column)"
    meant = closest(name, known)
    return f" (did you mean {meant!r}?)" if meant else ""
