"""Tables too long to be read whole: learned part by part, here or on a cluster."""

from contextlib import ExitStack
from typing import Any

from crystalogic.cli.output import show
from crystalogic.cli.progress import progress_bar, ready_kernels
from crystalogic.cli.targets import class_texts, degree_numbers, refuse_classes
from crystalogic.files import TableFile
from crystalogic.fitting import WHOLE


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


def fitted_in_parts(source: TableFile, target: str, request: Any, scheduler: str | None) -> Any:
    """The model of a long table."""
    from crystalogic.fitting import fit_parts
    from crystalogic.scale.overview import look_over
    from crystalogic.scale.parts import FileParts

    labels = degree_numbers if request.degrees else class_texts
    parts: Any = FileParts(source, target, labels, request.lattice.n_threads)
    if request.is_lattice:
        ready_kernels()
    with ExitStack() as stack:
        if scheduler is not None:
            from crystalogic.scale.cluster import ClusterFiles, connected

            stack.enter_context(connected(scheduler))
            parts = ClusterFiles(parts)
        with progress_bar("searching") as callback:
            overview = look_over(parts, degrees=request.degrees)
            if not request.degrees:
                refuse_classes(target, overview.counts)
            return fit_parts(parts, target, request.but(callback=callback), overview)


def announce(plan: Any) -> None:
    """The plan of a search in stages, on standard error."""
    show(f"plan: {plan}", to_errors=True)
