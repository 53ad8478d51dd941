"""Finished experiments on disk: one JSON line each, written as it ends.

A line is appended with one write and flushed to the disk before the next experiment is counted, so a process that is
killed loses only what it had not finished. A last line that was cut short is dropped on reading. One process at a time
may write; a lock says so to the next one.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import crystalogic
from research.errors import StudyError
from research.study.job import Job, Record

# What runs studies or presents results does not decide them: a change there repeats no experiment.
_OTHER_ROOMS = {
    *(
        "audit",
        "choosing",
        "cli",
        "evaluation",
        "export",
        "files",
        "readback",
        "report",
        "service",
        "watching",
        "words",
    ),
    *("__main__.py", "operating.py"),
}
_PACKAGE = Path(crystalogic.__file__).parent
_RESEARCH = Path(__file__).parent.parent


def learning_rooms() -> tuple[str, ...]:
    """The rooms of the package whose code decides what is learnt."""
    rooms = (path.name for path in _PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py")
    return tuple(sorted(room for room in rooms if room not in _OTHER_ROOMS and room != "__pycache__"))


def code_version(*rooms: str) -> str:
    """The library's version and a fingerprint of the source of these rooms or files; changed code computes anew.

    What begins with `research/` stands beside the package, everything else in it.
    """
    digest = hashlib.sha256()
    for room in rooms:
        root = _RESEARCH.parent if room.startswith("research/") else _PACKAGE
        path = root / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(file.read_bytes())
    return f"{crystalogic.__version__}+{digest.hexdigest()[:12]}"


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
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, version: str | Callable[[str], str]) -> None:
        """`version` may depend on the kind of job: what other code decides, other changes outdate."""
        self._path = path
        self._version: Callable[[str], str] = version if callable(version) else lambda kind: version
        self._records: dict[str, Record] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            message = f"{self._path}: cannot be written ({error.strerror}). Choose another folder with --output."
            raise StudyError(message) from None
        try:
            _lock(self._file, self._path)
            self._load()
        except StudyError:
            self._file.close()
            raise
        return self

    def _load(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        whole = self._file.read()
        end = whole.rfind(b"\n") + 1
        if end < len(whole):  # the line that a kill cut short
            self._file.truncate(end)
        for number, line in enumerate(whole[:end].splitlines(), 1):
            self._read(line, number)

    def _read(self, line: bytes, number: int) -> None:
        try:
            content = json.loads(line)
            key, version, record = content["job"], content["version"], content["record"]
        except (ValueError, KeyError, TypeError):
            message = f"{self._path}: line {number} is not a finished experiment. Move the file away to start anew."
            raise StudyError(message) from None
        if version == self._version(key.partition("/")[0]):
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
        content: dict[str, Any] = {"job": job.key, "version": self._version(job.kind), "record": record}
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
        message = f"{path}: another run is writing to it. Wait for it, or choose another folder with --output."
        raise StudyError(message) from None
