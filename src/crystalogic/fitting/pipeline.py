"""The one way from a table to a model: read it, learn from it whole or in parts, measure, and say what is worth a look.

Commands and estimators say where the rows are and what is asked; all else is decided here.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cluster import Cluster, cluster_files, cluster_parts, connect, is_cluster_frame
from crystalogic.errors import TableError, TrainingDataError, refuse, refuse_first
from crystalogic.evaluation.judging import Grouping
from crystalogic.files.table import TableFile, refuse_target
from crystalogic.fitting.learning import learn_in_parts, learn_whole
from crystalogic.fitting.remarks import Remark, count_groups, group_protected, remarks_on
from crystalogic.fitting.targets import Target
from crystalogic.model import HeldOut, Model
from crystalogic.parts import FileParts, MemoryParts, Part, Parts
from crystalogic.progress import HELD_OUT, Progress
from crystalogic.request import Request

FOLDS = 5  # that a table with protected columns is judged in
WHOLE = 50_000  # up to so many rows a table is searched whole, with cross-validation
Split = tuple[Any, Any]  # the training rows and the held-out rows, by their places
MOST_TRAINED = 1_000_000  # rows that a network is trained on, all of them in memory


@dataclass(frozen=True)
class Fitted:
    """What a fit gives: the model, and the rows it was learned from, where they were few enough to be read whole."""

    model: Model
    table: Part | None
    request: Request

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What is worth a look; a person who knows the table has to judge."""
        if self.table is None:
            return ()
        is_balanced = self.request.class_weight is not None
        return tuple(remarks_on(self.model, self.table.rows, self.table.target, is_balanced=is_balanced))


def fit(source: Any, target: str, request: Request) -> Fitted:
    """The model of a table, proved to keep what was declared, and measured on held-out rows if that is asked.

    The source is a table in files (`crystalogic.files.open_table`), a frame of pandas or Dask, or a table in parts.
    """
    noted: dict[str, Any] = {"units": dict(request.units), "protected": tuple(request.protect)}
    if isinstance(source, TableFile):
        noted |= {"source": Path(source.path).name, "decimal": source.has_decimal_commas and ","}
    noted = {name: fact for name, fact in noted.items() if fact}
    with open_source(source, target, request) as (parts, read):
        if (table := parts.gather(MOST_TRAINED if request.is_trained else WHOLE)) is None:
            _refuse_long(request)
            return Fitted(learn_in_parts(parts, target, request, read).with_facts(**noted), None, request)
    if read is not None:
        read.refuse(Counter(table.target.tolist()))
    elif isinstance(parts, Cluster):
        table.classes(degrees=request.degrees)  # or an error
    table = table.read_once()
    groupings = group_protected(table.rows, request.protect, request.missing_words)
    splits = splits_of(table.target, request.n_splits, degrees=request.degrees, in_turn=bool(groupings))
    model = learn_whole(table, target, request).with_facts(**noted)
    if splits and not model.was_interrupted:
        if request.keep is not None:
            request.keep(model)
        model = model.with_facts(held_out=held_out(table, target, request, splits, groupings))
    return Fitted(model, table, request)


@contextmanager
def open_source(source: Any, target: str, request: Request) -> Iterator[tuple[Parts, Target | None]]:
    """The rows of a source, and how the cells of its target were read; None where it came as classes or degrees."""
    read = Target(target, request.degrees, request.target_words)
    if isinstance(source, TableFile):
        refuse_target(source, target)
        known = source.where(target, read.is_known) if request.skip_unknown else source
        files = FileParts(known, target, read.read)
        if request.scheduler is None:
            yield files, read
            return
        with connect(request.scheduler):
            yield cluster_files(files), read
    elif is_cluster_frame(source):
        yield cluster_parts(source.drop(columns=target), source[target]), None
    elif hasattr(source, "columns"):
        known = source[read.is_known(source[target])] if request.skip_unknown else source
        yield MemoryParts(known.drop(columns=target), read.read(known[target]), None, request.n_threads), read
    else:
        yield replace(source, n_threads=request.n_threads) if isinstance(source, MemoryParts) else source, None


def _refuse_long(request: Request) -> None:
    """A TrainingDataError for what a table that is not read whole cannot have."""
    problems = {
        f"the strategy {request.strategy!r} reads a table whole, and at most {MOST_TRAINED:,} rows. "
        "Leave it out: the default learns from tables of any length.": request.is_trained,
        f"--splits goes with tables of at most {WHOLE:,} rows. "
        "A longer one is judged on rows that nothing was learned from anyway.": request.n_splits > 0,
        f"proofs about the front go with tables of at most {WHOLE:,} rows; here are more.": request.prove is not None,
        f"limits go with tables of at most {WHOLE:,} rows; here are more.": request.limits is not None,
    }
    refuse_first(TrainingDataError, problems)


def splits_of(y: Any, n_splits: int, *, degrees: bool, in_turn: bool = False) -> list[Split]:
    """That many random splits, classes in proportion; in turn, without a number, five that hold out each row once."""
    if not (n_splits or in_turn):
        return []
    from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

    if n_splits:
        splitter = (ShuffleSplit if degrees else StratifiedShuffleSplit)(n_splits, test_size=0.2, random_state=0)
    else:
        splitter = (KFold if degrees else StratifiedKFold)(FOLDS, shuffle=True, random_state=0)
    try:
        return list(splitter.split(np.zeros(len(y)), y))
    except ValueError as error:
        refuse(TableError, f"a fifth of these rows cannot be held out: {error} Leave out --splits and --protect.")


def held_out(table: Part, target: str, request: Request, splits: list[Split], by: Sequence[Grouping]) -> HeldOut | None:
    """The mean score and its spread over the splits, and rates by group; of what was done, where Ctrl-C ended it.

    A score is the share of right classes, or 1 less the mean error.
    """
    scores: list[float] = []
    decided: Array = np.full(len(table), None, object)
    quietly, begin = replace(request, callback=None, prepare=None), time.perf_counter()
    with suppress(KeyboardInterrupt):
        for train, test in splits:
            if (model := learn_whole(table.take(train), target, quietly)).was_interrupted:
                break
            part = table.take(test)
            found = model.predict(part.rows, unknown="skip")
            first = [place for place, row in enumerate(test) if decided[row] is None]
            decided[test[first]] = found[first]
            hits = np.nan_to_num(1 - abs(found - part.target)) if model.classes is None else found == part.target
            scores.append(float(np.mean(hits)))  # a row that the rule refuses to judge counts as wrong
            done = Progress(len(scores), len(splits), HELD_OUT, time.perf_counter() - begin)
            if request.callback and request.callback(done):
                break
    if not scores:
        return None
    groups = count_groups(by, model.classes, table.target, decided)
    return HeldOut(float(np.mean(scores)), float(np.std(scores)), len(scores), groups)
