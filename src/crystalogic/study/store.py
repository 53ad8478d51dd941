"""Finished experiments on disk: one JSON line each, written as it ends.

A line is appended with one write and flushed to the disk before the next experiment is counted, so a process that is
killed loses only what it had not finished. A last line that was cut short is dropped on reading. One process at a time
may write; a lock says so to the next one.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from crystalogic import __version__
from crystalogic.errors import StudyError
from crystalogic.study.job import Job, Record

# What presents results does not decide them: a change there repeats no experiment.
_PRESENTING = ("study", "cli", "export", "report", "presentation.py", "wording.py")


def code_version(*rooms: str) -> str:
    """The library's version and a fingerprint of its source, so that changed code computes its results anew.

    `rooms` are those of the studies, of which only the named ones count.
    """
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] in _PRESENTING or (parts[0] in ("paper", "bench") and "/".join(parts) not in rooms):
            continue
        digest.update("/".join(parts).encode())
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"


class Store:
    """The results of one version of the code, by job; a context manager that holds the file's lock.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "trials.jsonl"
    >>> with Store(path, "1") as store:
    ...     store.add(Job("paper", "heart", "proximal"), {"accuracy": 0.6})
    >>> with Store(path, "1") as store:
    ...     store.get(Job("paper", "heart", "proximal"))
    {'accuracy': 0.6}
    """

    def __init__(self, path: Path, version: str) -> None:
        self._path, self._version = path, version
        self._records: dict[str, Record] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            message = f"{self._path}: cannot be written ({error.strerror}). Choose another folder with --output."
            raise StudyError(message) from None
        _lock(self._file, self._path)
        self._file.seek(0)
        whole = self._file.read()
        end = whole.rfind(b"\n") + 1
        if end < len(whole):  # the line that a kill cut short
            self._file.truncate(end)
        for number, line in enumerate(whole[:end].splitlines(), 1):
            self._read(line, number)
        return self

    def _read(self, line: bytes, number: int) -> None:
        try:
            content = json.loads(line)
            key, version, record = content["job"], content["version"], content["record"]
        except (ValueError, KeyError, TypeError):
            message = f"{self._path}: line {number} is not a finished experiment. Move the file away to start anew."
            raise StudyError(message) from None
        if version == self._version:
            self._records[key] = record

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def get(self, job: Job) -> Record | None:
        """The result of a job that is finished, else None."""
        return self._records.get(job.key)

    def missing(self, jobs: Iterable[Job]) -> list[Job]:
        """The jobs that are still to do."""
        return [job for job in jobs if job.key not in self._records]

    def add(self, job: Job, record: Record) -> None:
        """Keeps the result of a job; when this returns it is on the disk."""
        if self._file is None:
            message = f"{self._path}: the store is closed."
            raise StudyError(message)
        content: dict[str, Any] = {"job": job.key, "version": self._version, "record": record}
        self._file.write(json.dumps(content, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._records[job.key] = record


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        message = f"{path}: another run is writing to it. Wait for it, or choose another folder with --output."
        raise StudyError(message) from None
