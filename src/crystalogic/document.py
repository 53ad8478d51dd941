"""Versioned JSON documents sealed with a fingerprint: how crystals, certificates and models are kept.

A document is data, never code. Its fingerprint is the SHA-256 of its canonical text, so a number that was
changed after writing is noticed on reading. It is no signature: whoever writes a document can seal it, so a document
from elsewhere is read within limits (`untrusted`), and what it says is checked.
"""

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from crystalogic.errors import DocumentError, refuse
from crystalogic.untrusted import json_data, shorten

Body = Mapping[str, Any]
PARTIAL = ".partial"  # how the file that is being written ends


def fingerprint(body: object) -> str:
    """The SHA-256 of the canonical JSON text of `body`, in hexadecimal."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def sealed_fingerprint(kind: str, version: int, body: Body) -> str:
    """The fingerprint of a document of this kind, version and body."""
    return fingerprint(_label(kind, version, body))


def seal(kind: str, version: int, body: Body, *, indent: int | None = None) -> str:
    """The text of a document: what it is, its version, its body, its fingerprint."""
    try:
        content = {**_label(kind, version, body), "fingerprint": sealed_fingerprint(kind, version, body)}
        return json.dumps(content, indent=indent, allow_nan=False)
    except (TypeError, ValueError) as error:
        is_number = isinstance(error, ValueError)
        what = "NaN or an infinite number" if is_number else "what is no text, number or truth value"
        refuse(DocumentError, f"this {kind} cannot be written: it holds {what} ({error}).")


def unseal(text: str, kind: str, version: int) -> dict[str, Any]:
    """The body of a document of this kind and version, or a DocumentError that says what is wrong with it."""
    content = json_data(text, kind)
    body: dict[str, Any] = content if isinstance(content, dict) else {}
    if (found := body.pop("format", None)) != f"crystalogic {kind}":
        refuse(DocumentError, f"not a {kind}: its format is {shorten(found)}, expected 'crystalogic {kind}'.")
    if (written := body.pop("version", None)) != version:
        problem = f"this {kind} has version {shorten(written)}, this library reads version {version}."
        refuse(DocumentError, f"{problem} Use the library version that wrote it, or write it again.")
    if body.pop("fingerprint", None) != sealed_fingerprint(kind, version, body):
        message = f"this {kind} was changed after it was written: its fingerprint does not match its content."
        raise DocumentError(message)
    return body


def _label(kind: str, version: int, body: Body) -> dict[str, Any]:
    return {"format": f"crystalogic {kind}", "version": version, **body}


def write_atomically(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Writes a file, or a text in pieces, completely or not at all, and an older one stays until then."""
    target = Path(os.path.realpath(path))  # a link stays a link
    given = [content] if isinstance(content, (str, bytes)) else content
    pieces = (each.encode("utf-8") if isinstance(each, str) else each for each in given)
    try:
        if _is_device(path):
            with path.open("wb") as device:
                device.writelines(pieces)
            return
        with _partial(target) as temporary:
            with os.fdopen(_create(temporary), "wb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, target)
    except OSError as error:
        raise DocumentError(_unwritable(path, error)) from None


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A new name for what will become the target. A file made under it is removed, unless it was moved. The name is
    there before the file, so that a signal always finds what to remove. What killed writers left is removed, too."""
    prefix = f".{target.name[:40]}."
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if name.startswith(prefix) and name.endswith(PARTIAL):
                _remove_if_unlocked(target.parent / name)
    path = target.parent / f"{prefix}{secrets.token_hex(8)}{PARTIAL}"
    try:
        yield path
    finally:
        try:
            _remove(path)
        finally:  # a signal may have come in the middle
            _remove(path)


def _create(path: Path) -> int:
    """Makes a file, locked as long as it is open: one that is not locked was abandoned."""
    while True:
        path.touch(mode=0o600, exist_ok=False)
        with suppress(FileNotFoundError):  # another writer may take it for abandoned before it is locked
            descriptor = os.open(path, os.O_WRONLY)
            _lock(descriptor, wait=True)
            if path.exists():
                return descriptor
            os.close(descriptor)


def _remove_if_unlocked(path: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            if _lock(descriptor, wait=False):
                _remove(path)
        finally:
            os.close(descriptor)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Whether this process now holds the file alone."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # a system or a disk without such locks, or another process holds it
        return False
    return True


def refuse_unwritable(path: Path) -> None:
    """A DocumentError if this file could not be written now: worth asking before a long piece of work."""
    if path.is_dir():
        refuse(DocumentError, f"{path}: this is a folder. Add the name of a file, such as {path / 'model.json'}.")
    if _is_device(path):
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        refuse(DocumentError, f"{path}: there is no folder {folder}. Make it first, or choose another.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DocumentError(_unwritable(path, error)) from None


def _is_device(path: Path) -> bool:
    """Whether it is something like /dev/stdout, which is written to and never replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _unwritable(path: Path, error: OSError) -> str:
    return f"{path}: cannot be written ({error.strerror}). Choose another folder, or free some space."
