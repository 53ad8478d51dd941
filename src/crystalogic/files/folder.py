"""Tables in several files: which files a folder or a pattern means, and that their columns go together."""

import os
import re
from collections.abc import Sequence
from glob import glob, has_magic
from typing import TYPE_CHECKING

from crystalogic.errors import TableError
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
    if not found:
        message = f"{path}: every file is empty."
        raise TableError(message)
    return True, found


def files_of(path: str) -> list[str] | None:
    """The files of a folder or a pattern such as `rows/*.parquet`, by name, 9 before 10; None if it is neither."""
    with Source(path, path).reading():
        if os.path.isdir(path):
            return _tables(path)
        if has_magic(path) and not os.path.exists(path):
            return _match_files(path)
    return None


def _tables(folder: str) -> list[str]:
    names = [
        name
        for name in sorted(os.listdir(folder), key=_natural_key)
        if name[0] not in "._" and is_named(name, *ENDINGS)
    ]
    files = [each for each in (os.path.join(folder, name) for name in names) if os.path.isfile(each)]
    if not files:
        message = (
            f"{folder}: this is a folder without tables. Give a folder with Parquet or CSV files, "
            f"or a pattern such as {os.path.join(folder, '**', '*.parquet')!r}."
        )
        raise TableError(message)
    return files


def _natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people count: numbers in them by their size."""
    return [(int(each), "") if each.isdecimal() else (0, each) for each in re.split(r"([0-9]+)", name)]


def _match_files(pattern: str) -> list[str]:
    files = sorted((each for each in glob(pattern, recursive=True) if os.path.isfile(each)), key=_natural_key)
    if not files:
        message = f"{pattern}: there is no such file."
        raise TableError(message)
    return files


def refuse_others(files: Sequence["TableFile"]) -> None:
    """A TableError for the first file whose columns, or their types, are not those of the files before it."""
    first, *rest = files
    for file in rest:
        if file.kind != first.kind:
            message = f"{file.path}: this is {file.kind}, {first.path} is {first.kind}. Give files of one kind."
            raise TableError(message)
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
            if _family(written) != _family(before):
                message = (
                    f"{file.path}: the column {name!r} is {written}, in {path} it is {before}. "
                    "Write all files with the same types."
                )
                raise TableError(message)


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
