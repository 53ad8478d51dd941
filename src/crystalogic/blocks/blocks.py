"""A table in parts as blocks of encoded rows to train on: encoded once, and kept where the parts are.

A block is a part, whoever holds it. The same parts therefore give the same sums, on one machine or on a cluster.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any

from crystalogic.blocks.packed import Encoder, PackedBlock
from crystalogic.blocks.spill import spilled_blocks
from crystalogic.cluster import Cluster, compute, held, on_worker
from crystalogic.errors import TrainingDataError
from crystalogic.network import Shape
from crystalogic.parts import Parts
from crystalogic.stages.overview import ClassWeight, Overview, weights_of_classes
from crystalogic.stages.plan import Plan
from crystalogic.stages.sample import Encode, encoded_sample
from crystalogic.train import RESTARTS, Block, Blocks, LocalBlocks, Strategy, run_bytes
from crystalogic.train.blocks import Sums, add_up, block_total
from crystalogic.train.task import machine_bytes

TOGETHER = 16  # lists of results that one task adds up


@dataclass(frozen=True)
class TrainingPlan:
    """Where the rows of a table are kept while a network is trained on them, and how much memory that takes."""

    n_rows: int
    n_columns: int
    n_inputs: int
    place: str
    n_bytes: int
    training_bytes: int  # beside the rows

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows × {self.n_columns:,} columns, encoded once as {self.n_inputs:,} truth values: "
            f"about {self.n_bytes / 2**20:,.1f} MiB {self.place}.\n"
            f"Training takes about {self.training_bytes / 2**20:,.0f} MiB beside them; "
            "its scores are those of all rows."
        )


def training_plan(parts: Parts, overview: Overview, encoder: Encoder, strategy: Strategy) -> TrainingPlan:
    """The plan for this table."""
    n_rows, n_inputs = overview.n_rows, len(encoder.is_graded)
    n_bytes = encoder.n_bytes(n_rows)
    here = "on the disk" if _is_large(n_bytes) else "of memory"
    place = "on the workers" if isinstance(parts, Cluster) else here
    beside = run_bytes(Shape(n_inputs, strategy.hidden), n_rows, strategy, RESTARTS)
    return TrainingPlan(n_rows, len(overview.survey.columns), n_inputs, place, n_bytes, beside)


def encoder_of(parts: Parts, overview: Overview, encode: Encode, class_weight: ClassWeight, seed: int) -> Encoder:
    """How the parts of this table are encoded and weighed."""
    _, encoding = encoded_sample(parts, overview, encode, Plan.of(overview).n_sampled, seed)
    return Encoder(encoding, overview.classes, weights_of_classes(overview, class_weight) / overview.n_rows)


def blocks_of(parts: Parts, encoder: Encoder, n_rows: int) -> Blocks:
    """The rows of all parts that weigh something, encoded: on the workers, in memory, or on the disk if many."""
    if isinstance(parts, Cluster):
        return _on_workers(parts, encoder)
    is_large = _is_large(encoder.n_bytes(n_rows))
    found = _drop_empty(spilled_blocks(parts, encoder, n_rows) if is_large else parts.each(encoder.block))
    _refuse_one_target(_summaries(found))
    return LocalBlocks(found)


def _is_large(n_bytes: int) -> bool:
    return n_bytes > machine_bytes() / 4


class ClusterBlocks(Blocks):
    """Blocks in the memory of the workers of a cluster, made again from the parts if a worker dies."""

    def __init__(self, tasks: Sequence[Any], sizes: Sequence[Sequence[int]], n_inputs: int) -> None:
        """`tasks` give lists of blocks, and `sizes` says how many rows each of them has."""
        ends = iter([0, *accumulate(chain.from_iterable(sizes))])
        starts = [[next(ends) for _ in each] for each in sizes]
        self._held = [(task, first) for task, first in zip(tasks, starts, strict=True) if first]
        self.n_rows, self.n_inputs, self.n_outputs = next(ends), n_inputs, 1

    def each(self, function: Callable[..., Any], *arguments: Any) -> Iterable[Any]:
        """Every block where it is."""
        return chain.from_iterable(compute(self._tasks(function, arguments)))

    def total(self, function: Callable[..., Sums], *arguments: Any, part_rows: int) -> Sums:
        """The sum as ever, block after block in their order, but added up on the workers."""
        results = self._tasks(block_total, (function, part_rows, *arguments))
        total = None
        for first in range(0, len(results), TOGETHER):
            total = on_worker(_add, total, results[first : first + TOGETHER])
        return tuple(compute([total])[0])

    def _tasks(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
        shared = on_worker(_itself, arguments)  # travels once, not with every task
        return [on_worker(_call, task, starts, function, shared) for task, starts in self._held]


def _on_workers(parts: Cluster, encoder: Encoder) -> ClusterBlocks:
    tasks = held([on_worker(_drop_empty, task) for task in parts.tasks(encoder.block)])
    summaries = compute([on_worker(_summaries, task) for task in tasks])
    _refuse_one_target(list(chain.from_iterable(summaries)))
    sizes = [[each.n_rows for each in found] for found in summaries]
    return ClusterBlocks(tasks, sizes, len(encoder.encoding.names))


def _drop_empty(blocks: Iterable[PackedBlock]) -> list[PackedBlock]:
    return [block for block in blocks if block.n_rows]


def _call(
    blocks: Sequence[PackedBlock], starts: Sequence[int], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> list[Any]:
    with _threads().limit(limits=1, user_api="blas"):  # a sum that is split over threads is another sum
        placed = (replace(block, start=start) for block, start in zip(blocks, starts, strict=True))
        return [function(block, *arguments) for block in placed]


@lru_cache(1)
def _threads() -> Any:
    """The libraries of this process that have threads; to look for them takes longer than a step."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _add(before: Sums | None, results: Iterable[Iterable[Sums]]) -> Sums:
    return add_up(chain([] if before is None else [before], chain.from_iterable(results)))


def _itself(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class _Summary:
    n_rows: int
    least: float
    most: float


def _summaries(blocks: Sequence[Block]) -> list[_Summary]:
    return [_Summary(each.n_rows, float(each.target.min()), float(each.target.max())) for each in blocks]


def _refuse_one_target(found: Sequence[_Summary]) -> None:
    """An error where all rows that weigh something have the same target."""
    values = {value for each in found for value in (each.least, each.most)}
    if len(values) < 2:
        message = "all rows that weigh something have the same target; there is nothing to learn."
        raise TrainingDataError(message)
