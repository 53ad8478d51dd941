"""Tables too long to be read whole: learned part by part, here or on a cluster."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from crystalogic.cli.output import show
from crystalogic.cli.progress import progress_bar, ready_kernels
from crystalogic.cli.targets import class_texts, degree_numbers, is_class, refuse_classes
from crystalogic.files import TableFile
from crystalogic.fitting import WHOLE
from crystalogic.fitting.positive import named, two_classes


def is_long(source: TableFile) -> bool:
    """Whether a table has more rows than are searched whole."""
    if source.n_rows is not None:
        return source.n_rows > WHOLE
    counted = 0
    for part in source.parts(columns=source.columns[:1]):
        counted += len(part)
        if counted > WHOLE:
            return True
    return False


def fitted_in_parts(
    source: TableFile, target: str, request: Any, scheduler: str | None, positive: str | None = None
) -> Any:
    """The model of a long table."""
    from crystalogic.fitting import fit_parts
    from crystalogic.scale.overview import look_over
    from crystalogic.scale.parts import FileParts

    words = request.missing_words
    labels: Any = partial(degree_numbers if request.degrees else class_texts, words=words)
    files = FileParts(source, target, labels, request.lattice.n_threads)
    with ExitStack() as stack:
        if scheduler is not None:
            from crystalogic.scale.cluster import connected

            stack.enter_context(connected(scheduler))
        parts = _placed(files, scheduler)
        with progress_bar("searching") as callback:
            overview = look_over(parts, degrees=request.degrees, kinds=request.kinds, missing=words)
            if not request.degrees:
                refuse_classes(target, overview.counts)
            wanted = request.but(callback=callback, prepare=ready_kernels)
            if positive is None:
                return fit_parts(parts, target, wanted, overview)
            classes = two_classes(map(str, overview.counts), positive, target)
            parts = _placed(replace(files, labels=partial(is_class, positive=positive, words=words)), scheduler)
            return named(fit_parts(parts, target, wanted, _spoken(overview, positive)), classes, None)


def _placed(files: Any, scheduler: str | None) -> Any:
    """The parts where they will be worked on: here, or on the workers of a cluster."""
    if scheduler is None:
        return files
    from crystalogic.scale.cluster import ClusterFiles

    return ClusterFiles(files)


def _spoken(overview: Any, positive: str) -> Any:
    """The overview of the same rows, of which each has the class or has not."""
    told = {label: label == positive for label in overview.counts}
    counts, mass = (Counter({told[label]: what[label] for label in told}) for what in (overview.counts, overview.mass))
    return replace(overview, counts=counts, mass=mass)


def announce(plan: Any) -> None:
    """The plan of a search in stages, on standard error."""
    show(f"plan: {plan}", to_errors=True)
