"""Do two models ever disagree? A proof that they do not, or a row with the fewest facts that make them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import z3

from crystalogic.audit.scope import Scope, plain, refuse_no_model, scope_of
from crystalogic.audit.search import SECONDS, Search, UnknownRow, ask_in_time, find_fewest_facts, run
from crystalogic.audit.statements import NO_ROW, Finding, labels_text, row_text
from crystalogic.deadline import TimeUp
from crystalogic.encoding.encoding import raw_column
from crystalogic.errors import DomainError, refuse, refuse_first
from crystalogic.model import Explanation, Model, class_naming
from crystalogic.verify.questions import Verdict

MOST_LISTED = 5  # data rows on which two models differ that are named


def diff(old: Model, new: Model, rows: Any = None, *, scope: Scope | None = None, seconds: float = SECONDS) -> Finding:
    """Whether two models say the same of every row that can occur.

    The answer is refuted with a row and the fewest of its facts that alone make the models disagree, whatever the rest
    (`facts["facts"]`). Models without classes disagree where their degrees do.

    Parameters:
        old: one model.
        new: the other.
        rows: a table, whole or in parts, of whose rows those are counted on which the models differ
            (`facts["n_different"]`).
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    refuse_no_model(old, new)
    message = "one of the models decides for classes and the other gives degrees; they cannot be compared."
    refuse_first(DomainError, {message: (old.classes is None) != (new.classes is None)})
    name = class_naming(old, new)
    if old.classes and new.classes and set(map(name, old.classes)).isdisjoint(map(name, new.classes)):
        problem = f"the models have no class in common: {old.target!r} is {labels_text(old)},"
        refuse(DomainError, f"{problem} {new.target!r} is {labels_text(new)}. Compare models of one target.")
    within = (scope or scope_of([old, new])).only(dict.fromkeys([*old.columns, *new.columns]))
    claim = f"both models say the same of {old.target}" + (f" and {new.target}" if new.target != old.target else "")
    claim += ", leaving aside when a person is asked" if old.band != new.band else ""
    parts = [rows] if hasattr(rows, "columns") or isinstance(rows, Mapping) else rows
    counted = {} if rows is None else data_difference(old, new, parts)

    def ask(search: Search) -> Finding:
        row = search.row()
        runs, apart = [(old, row), (new, row)], _apart(search, old, new, row)
        if (found := search.find(runs, [apart], _differ)) is None:
            return Finding(claim, within, Verdict.PROVED, _with_share(NO_ROW, counted), None, (), counted)
        values, facts = within.read(found[0].row), None
        with suppress(TimeUp):
            fewest = find_fewest_facts(search, runs, values, z3.Not(apart), lambda one, other: not _differ(one, other))
            facts = {column: values[column] for column in fewest}
        reason = f"they differ whenever {row_text(facts) or 'a row occurs'}" if facts is not None else "they differ"
        more = {**counted, **({} if facts is None else {"facts": {c: plain(v) for c, v in facts.items()}})}
        reason = _with_share(reason, counted) + ":"
        return Finding(claim, within, Verdict.REFUTED, reason, found[0].row, found, more, ("old", "new"))

    return ask_in_time(claim, within, seconds, ask)


def data_difference(old: Model, new: Model, parts: Iterable[Any]) -> dict[str, Any]:
    """On how many rows of a table in parts two models differ, and the first of them; rounding is no difference."""
    n_rows, n_different, listed, name = 0, 0, list[int](), class_naming(old, new)
    for part in parts:
        left, right = old.degrees(part), new.degrees(part)
        if old.classes is None:
            columns = {column: raw_column(part, column) for column in (*old.columns, *new.columns)}
            cells = {column: getattr(values, "iloc", values) for column, values in columns.items()}
            is_close = abs(left[:, 0] - right[:, 0]) <= float(old.rounding + new.rounding)
            apart = (left[:, 0] != right[:, 0]).nonzero()[0].tolist()
            rows = ((index, {column: cells[column][index] for column in cells}) for index in apart)
            apart = [index for index, row in rows if not is_close[index] or _differ(run(old, row), run(new, row))]
        else:
            here, there = (list(map(name, model.classes or ())) for model in (old, new))
            places = zip(old.class_index(part, left).tolist(), new.class_index(part, right).tolist(), strict=True)
            apart = [index for index, (one, other) in enumerate(places) if here[one] != there[other]]
        listed += [n_rows + index for index in apart[: MOST_LISTED - len(listed)]]
        n_rows, n_different = n_rows + len(left), n_different + len(apart)
    return {"n_rows": n_rows, "n_different": n_different, "different_rows": listed}


def _with_share(reason: str, counted: dict[str, Any]) -> str:
    if not counted:
        return reason
    n, total = counted["n_different"], counted["n_rows"]
    if not n:
        return f"none of {total} data rows differs\n{reason}"
    rows = ", ".join(map(str, counted["different_rows"])) + ", …" * (n > MOST_LISTED)
    return f"{n} of {total} data rows differ ({n / total:.1%}): {rows}\n{reason}"


def _differ(first: Explanation, second: Explanation) -> bool:
    if first.model.classes is None:
        return first.degrees != second.degrees
    name = class_naming(first.model, second.model)
    return name(first.decision) != name(second.decision)


def _apart(search: Search, old: Model, new: Model, row: UnknownRow) -> Any:
    if old.classes is None or new.classes is None:
        return search.degrees(old, row)[0] != search.degrees(new, row)[0]
    name = class_naming(old, new)
    here, there = (dict(zip(map(name, m.classes or ()), search.classes(m, row), strict=True)) for m in (old, new))
    return z3.Not(z3.Or([z3.And(here[label], there[label]) for label in here if label in there]))
