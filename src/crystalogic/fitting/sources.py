"""Where the rows of a table come from: memory, files, or the workers of a cluster. All of them are tables in parts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from crystalogic.cluster import ClusterFiles, ClusterParts, connect, is_cluster_frame
from crystalogic.files import TableFile
from crystalogic.files.columns import refuse_target
from crystalogic.fitting.targets import Target
from crystalogic.parts import FileParts, MemoryParts, Parts
from crystalogic.request import Request


@contextmanager
def open_source(source: Any, target: str, request: Request) -> Iterator[tuple[Parts, Target | None]]:
    """The rows of a source, and how the cells of its target were read; None where it came as classes or degrees.

    A source is a table in files (`files.open_table`), a frame of pandas or Dask, or a table in parts.
    """
    read = Target(target, request.degrees, request.missing_words)
    if isinstance(source, TableFile):
        refuse_target(source, target)
        known = source.where(target, read.is_known) if request.skip_unknown else source
        files = FileParts(known, target, read.read)
        if request.scheduler is None:
            yield files, read
            return
        with connect(request.scheduler):
            yield ClusterFiles(files), read
    elif is_cluster_frame(source):
        yield ClusterParts(source.drop(columns=target), source[target]), None
    elif hasattr(source, "columns"):
        known = source[read.is_known(source[target])] if request.skip_unknown else source
        yield MemoryParts(known.drop(columns=target), read.read(known[target]), None, request.n_threads), read
    else:
        yield replace(source, n_threads=request.n_threads) if isinstance(source, MemoryParts) else source, None
