"""Tables in several files: which files a folder or a pattern means, and that their columns go together."""

import os
import re
from collections.abc import Sequence
from glob import glob, has_magic
from typing import TYPE_CHECKING

from crystalogic.errors import TableError, refuse_first
from crystalogic.files.source import Source, find_source, is_named

if TYPE_CHECKING:
    from crystalogic.files.table import TableFile

PARQUET = (".parquet", ".pq")
ENDINGS = (*PARQUET, ".csv", ".tsv", ".tab", ".jsonl", ".ndjson")  # no .txt, folders have notes


def sources_of(path: str) -> tuple[bool, list[Source]]:
    """Whether a path is a folder or a pattern, and the files that it means, in order; empty files have no rows."""
    paths = files_of(path)
    if paths is None:
        return False, [find_source(path)]
    found = [each for each in map(find_source, paths) if each.n_bytes or is_named(each.name, *PARQUET)]
    refuse_first(TableError, {f"{path}: every file is empty.": not found})
    return True, found


def files_of(path: str) -> list[str] | None:
    """The files of a folder or a pattern such as `rows/*.parquet`, by name, 9 before 10; None if it is neither."""
    with Source(path, path).reading():
        if is_folder := os.path.isdir(path):
            names = (name for name in os.listdir(path) if name[0] not in "._" and is_named(name, *ENDINGS))
            found = [os.path.join(path, name) for name in names]
        elif has_magic(path) and not os.path.exists(path):
            found = glob(path, recursive=True)
        else:
            return None
        files = sorted(filter(os.path.isfile, found), key=_natural_key)
    example = os.path.join(path, "**", "*.parquet")
    advice = f"Give a folder with Parquet or CSV files, or a pattern such as {example!r}."
    problem = f"this is a folder without tables. {advice}" if is_folder else "there is no such file."
    refuse_first(TableError, {f"{path}: {problem}": not files})
    return files


def _natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people count: numbers in them by their size."""
    return [(int(each), "") if each.isdecimal() else (0, each) for each in re.split(r"([0-9]+)", name)]


def refuse_others(files: Sequence["TableFile"]) -> None:
    """A TableError for the first file whose columns, or their types, are not those of the files before it."""
    first, *rest = files
    for file in rest:
        message = f"{file.path}: this is {file.kind}, {first.path} is {first.kind}. Give files of one kind."
        refuse_first(TableError, {message: file.kind != first.kind})
        lacking, added = _without(first.columns, file.columns), _without(file.columns, first.columns)
        if lacking or added:
            what = f"has no column {lacking[0]!r}" if lacking else f"has a column {added[0]!r}"
            has = "one" if lacking else "none"
            message = f"{file.path}: this file {what}, {first.path} has {has}. Give all files the same columns."
            raise TableError(message)
    _refuse_types(files)


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    return [name for name in names if name not in known]


def _refuse_types(files: Sequence["TableFile"]) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for file in files:
        for name, written in zip(file.columns, file.types, strict=False):
            if written == "null":  # a column without any value
                continue
            path, before = seen.setdefault(name, (file.path, written))
            unlike = f"the column {name!r} is {written}, in {path} it is {before}"
            message = f"{file.path}: {unlike}. Write all files with the same types."
            refuse_first(TableError, {message: _family(written) != _family(before)})


def _family(written: str) -> str:
    """Types whose values are alike, as pyarrow writes them: whole and other numbers, texts whatever they are kept in.

    >>> _family("int64") == _family("double"), _family("dictionary<values=string, indices=int32, ordered=0>")
    (True, 'text')
    """
    if written.startswith("dictionary<values="):
        written = written.removeprefix("dictionary<values=").partition(",")[0]
    if written.startswith(("int", "uint", "float", "double", "halffloat", "decimal")):
        return "number"
    if written in ("string", "large_string", "string_view"):
        return "text"
    return written.partition("[")[0]
