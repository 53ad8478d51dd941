"""A new table beside what a model was learned from: one value with all that changed."""

from dataclasses import dataclass
from typing import Any

from crystalogic.encoding.encoding import column_names, n_rows, raw_column, read_column
from crystalogic.errors import TableError
from crystalogic.model import Model
from crystalogic.model.profile import Profile
from crystalogic.model.profiling import profile_column, profile_of
from crystalogic.watching.compare import compare
from crystalogic.watching.findings import Finding, Kind
from crystalogic.watching.fits import fit_column, skeleton


@dataclass(frozen=True)
class Watch:
    """What a new table has that the table of training had not, or the other way round. `print` shows it as text."""

    target: str
    fingerprint: str  # of the model
    findings: tuple[Finding, ...]  # what to look at, the plainest first; nothing if nothing changed
    n_tests: int
    is_given: bool  # whether the training rows were counted in a reference, rather than when the model was made
    before: Profile
    now: Profile

    def __str__(self) -> str:
        from crystalogic.watching.text import watch_text

        return watch_text(self)

    def content(self) -> dict[str, Any]:
        """The findings and both profiles as plain JSON data."""
        told = [each.content() for each in self.findings]
        return {**vars(self), "findings": told, "before": self.before.content(), "now": self.now.content()}


def watch(model: Model, table: Any, reference: Any = None) -> Watch:
    """What changed in a new table since the rows that a model was learned from, so that it is not scored unawares.

    Columns that are missing, renamed or exchanged, other units and ways to write values, new and vanished values, gaps,
    facts, scores and decisions that moved; where the table has the target, whether accuracy and risks still hold.

    Parameters:
        model: the model, which knows its training rows by counts alone.
        table: the new rows, a frame or a mapping from columns to their values, with the target or without it.
        reference: the training rows, or others to compare with; needed for a model that was made by an earlier version,
            or whose formula was changed afterwards.
    """
    if not n_rows(table):
        message = "the table has no rows; there is nothing to compare."
        raise TableError(message)
    before = model.profile if reference is None else profile_of(model, reference, _labels(model, reference))
    if before is None:
        message = (
            "this model does not know its training rows: an earlier version made it. Give the table that it was "
            "learned from as the reference (--reference train.csv), or fit it again."
        )
        raise TableError(message)
    named, found = _find_columns(model, before, table)
    rows = {name: raw_column(table, there) for name, there in named.items()} or table
    now = profile_of(model, rows, _labels(model, table), like=before)
    changed, n_tests = compare(model, before, now)
    return Watch(model.target, model.fingerprint, (*found, *changed), n_tests, reference is not None, before, now)


def _labels(model: Model, table: Any) -> Any:
    """The classes of a table as they are written, where it has them."""
    is_there = model.target in column_names(table)
    return read_column(table, model.target, 0, model.target_words) if is_there else None


def _find_columns(model: Model, before: Profile, table: Any) -> tuple[dict[str, str], list[Finding]]:
    """Where the columns are that are known, by their names in the table; and what is missing or called otherwise."""
    there, found = column_names(table), []
    named = {name: name for name in (*model.columns, *before.by_name) if name in there and name != model.target}
    strangers = [name for name in there if name not in model.encoding.by_name and name != model.target]
    for name in (name for name in model.columns if name not in there):
        fits, look = [], skeleton(name)
        for stranger in strangers if name in before.by_name else ():
            values = read_column(table, stranger, 0, model.encoding.by_name[name].words)
            fit, other = fit_column(profile_column(values), before.by_name[name]), skeleton(stranger)
            if fit.is_close or other == look:
                fits.append((not (other in look or look in other), fit.distance, stranger))
        kind, about = (Kind.RENAMED, min(fits)[2]) if fits else (Kind.GONE, "")
        found.append(Finding(kind, name, about, effect=1.0))
        if about:
            named[name] = about
            strangers.remove(about)
    return named, found
