"""Tables in several files: which files a folder or a pattern means, and that their columns go together."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic

from crystalogic.errors import TableError
from crystalogic.files.source import Source, find_source, is_named

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


@dataclass(frozen=True)
class FolderLayout:
    """The columns of one file: how it is written, their names and, where files tell, their types."""

    file: str
    kind: str
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()


def refuse_others(layouts: Sequence[FolderLayout]) -> None:
    """A TableError for the first file whose columns, or their types, are not those of the files before it."""
    first, *rest = layouts
    for layout in rest:
        if layout.kind != first.kind:
            message = f"{layout.file}: this is {layout.kind}, {first.file} is {first.kind}. Give files of one kind."
            raise TableError(message)
        lacking, added = _without(first.columns, layout.columns), _without(layout.columns, first.columns)
        if lacking or added:
            what = f"has no column {lacking[0]!r}" if lacking else f"has a column {added[0]!r}"
            has = "one" if lacking else "none"
            message = f"{layout.file}: this file {what}, {first.file} has {has}. Give all files the same columns."
            raise TableError(message)
    _refuse_types(layouts)


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    return [name for name in names if name not in known]


def _refuse_types(layouts: Sequence[FolderLayout]) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for layout in layouts:
        for name, written in _skip_untyped(layout):
            file, before = seen.setdefault(name, (layout.file, written))
            if _family(written) != _family(before):
                message = (
                    f"{layout.file}: the column {name!r} is {written}, in {file} it is {before}. "
                    "Write all files with the same types."
                )
                raise TableError(message)


def _skip_untyped(layout: FolderLayout) -> Iterator[tuple[str, str]]:
    """The columns with a type; one without any value has none."""
    return (each for each in zip(layout.columns, layout.types, strict=False) if each[1] != "null")


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
