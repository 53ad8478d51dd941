"""The tables of the page."""

from collections.abc import Sequence

import numpy as np

from research.bench.peers import OURS, PEERS, installed_version
from research.bench.statistics import Interval
from research.bench.suite import Table, read_suite
from research.bench.summary import Cells, Duel, mean_of, shared_tables, stability
from research.study.markdown import table

_MEASURES = (
    ("accuracy", "accuracy"),
    ("balanced", "balanced"),
    ("auc", "AUC"),
    ("log_loss", "log loss"),
    ("brier", "Brier"),
    ("ece", "ECE"),
    ("size", "size"),
    ("cpu", "CPU s"),
    ("seconds", "clock s"),
    ("second_seconds", "second fit s"),
    ("memory", "MB"),
    ("printed", "text"),
)


def _bold(name: str) -> str:
    return f"**{name}**" if name == OURS else name


def _figure(value: float | None, measure: str = "accuracy") -> str:
    if value is None or np.isnan(value):
        return "–"
    if measure in ("size", "memory"):
        return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
    if measure in ("cpu", "seconds", "second_seconds"):
        return f"{value:.2f}"
    return f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"


def measure_means(cells: Cells, tables: Sequence[str], peers: Sequence[str]) -> str:
    """The mean of every measure, on tables where all learners that seldom fail have an accuracy."""
    n_most = max((len(shared_tables(cells, tables, [name], "accuracy")) for name in peers), default=0)
    usual = [name for name in peers if len(shared_tables(cells, tables, [name], "accuracy")) >= 0.9 * n_most]
    shared = shared_tables(cells, tables, usual, "accuracy")
    rows = []
    for name in peers:
        there = [each for each in shared if mean_of(cells, each, name, "accuracy") is not None]
        row = [_bold(name), str(len(there))]
        for measure, _ in _MEASURES:
            values = [value for each in there if (value := mean_of(cells, each, name, measure)) is not None]
            row.append(_figure(float(np.mean(values)) if values else None, measure))
        alike = [value for each in there if (value := stability(cells, each, name)) is not None]
        rows.append([*row, _figure(float(np.mean(alike)) if alike else None)])
    return table(["", "tables", *(title for _, title in _MEASURES), "columns in common"], rows)


def show_accuracies(cells: Cells, tables: Sequence[Table], peers: Sequence[str]) -> str:
    """Mean accuracy of each learner on each table, the best in bold."""
    rows = []
    for each in tables:
        values = [mean_of(cells, each.name, name, "accuracy") for name in peers]
        best = max((value for value in values if value is not None), default=0)
        told = [f"**{_figure(value)}**" if value == best else _figure(value) for value in values]
        rows.append([each.name, f"{each.rows:,}", str(each.classes), *told])
    return table(["", "rows", "classes", *(_bold(name) for name in peers)], rows) if rows else ""


def show_duels(duels: Sequence[Duel]) -> str:
    """One line for each learner: the mean difference, how sure it is, and on how many tables it is beyond noise."""
    rows = [
        [
            each.peer,
            str(each.n_tables),
            _interval(each.gap),
            f"{each.odds.better:.2f} / {each.odds.level:.2f} / {each.odds.worse:.2f}",
            str(len(each.ahead)),
            str(len(each.behind)),
        ]
        for each in sorted(duels, key=lambda each: each.gap.mean)
    ]
    head = ["", "tables", "mean difference (95 %)", "ours better / within .01 / worse", "ahead beyond noise", "behind"]
    return table(head, rows) if rows else ""


def _interval(gap: Interval) -> str:
    return f"{gap.mean:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})"


def show_facts(peers: Sequence[str]) -> str:
    """Which learners give models that can be proved monotone, and why."""
    return table(["learner", "provable?"], [[_bold(name), PEERS[name].monotone] for name in peers])


def describe_peers() -> str:
    """How each learner was used, and its version."""
    rows = [
        [
            _bold(name),
            f"{peer.package} {installed_version(peer.package) or '(not installed)'}",
            peer.kind,
            peer.note,
            "yes" if peer.sized else "no",
            "two" if peer.two_classes else "any",
        ]
        for name, peer in PEERS.items()
    ]
    return table(["learner", "package", "kind", "used with", "has a size", "classes"], rows)


def describe_tables(tables: Sequence[Table]) -> str:
    """Where each table comes from, and what was left out."""
    packages = read_suite().packages
    rows = [
        [
            each.name,
            each.title,
            f"{each.package} {packages.get(each.package, '')}".strip(),
            ", ".join(each.topics),
            each.source,
            "; ".join(f"{name} ({reason})" for name, reason in each.drop.items() if name != "rownames") or "–",
        ]
        for each in tables
    ]
    return table(["", "what", "package", "about", "source and licence", "left out"], rows)


def list_problems(cells: Cells) -> str:
    """What could not run and why, each reason with its tables."""
    found: dict[tuple[str, str], set[str]] = {}
    for (name, learner, _), records in cells.items():
        for record in records.values():
            if "problem" in record:
                found.setdefault((learner, str(record["problem"])), set()).add(name)
    return "\n".join(
        f"* {learner}: {problem} ({len(names)} tables: {', '.join(sorted(names))})"
        if len(names) < 12
        else f"* {learner}: {problem} ({len(names)} tables)"
        for (learner, problem), names in sorted(found.items())
    )
