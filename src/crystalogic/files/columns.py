"""Columns that somebody names, and what may have been meant where a table does not have them."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from glob import has_magic

from crystalogic.errors import TableError, refuse, refuse_first
from crystalogic.files.table import TableFile
from crystalogic.logic.names import closest


def refuse_unknown(names: Iterable[str], source: TableFile) -> None:
    """A TableError for the first name that no column of the table has."""
    known = set(source.columns)
    for name in names:
        if name not in known:
            meant = _meant(name, known)
            refuse(TableError, f"{source.path}: there is no column {name!r}{meant}; the columns are {source.listed}.")


def columns_like(patterns: Iterable[str], source: TableFile, target: str) -> list[str]:
    """The columns with these names, or with names like id_*, each once; a pattern never means the target."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern in source.columns or not has_magic(pattern):
            refuse_unknown([pattern], source)
            found[pattern] = None
            continue
        like = [name for name in source.columns if name != target and fnmatchcase(name, pattern)]
        if not like:
            meant = closest(pattern.translate({ord(mark): None for mark in "*?[]"}), source.columns)
            near = f" (the nearest is {meant!r})" if meant else ""
            refuse(TableError, f"{source.path}: no column is like {pattern!r}{near}; the columns are {source.listed}.")
        found.update(dict.fromkeys(like))
    return list(found)


def refuse_target(source: TableFile, target: str) -> None:
    """A TableError for a target that the table does not have, or has alone."""
    refuse_unknown([target], source)
    message = f"{source.path}: {target!r} is the only column; there is nothing to learn it from."
    refuse_first(TableError, {message: len(source.columns) == 1})


def _meant(name: str, known: set[str]) -> str:
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and known.issuperset(parts):
        return " (write the option once for each column)"
    meant = closest(name, known)
    return f" (did you mean {meant!r}?)" if meant else ""
