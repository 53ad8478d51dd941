"""The comparison as a Markdown page."""

from collections.abc import Mapping, Sequence
from statistics import stdev

from crystalogic import __version__
from crystalogic.datasets import NAMES
from research.bench.peers import OURS, PEERS
from research.bench.run import by_cell, installed_version
from research.bench.standing import Pairing, Standing, have_run, mean, pairings
from research.bench.tables import TABLES, has_own_test_rows
from research.study import Job, Record
from research.study.markdown import table

TITLES = {
    "monks-1": "MONK-1",
    "monks-2": "MONK-2",
    "monks-3": "MONK-3",
    "mushroom": "Mushroom",
    "heart": "Heart",
    "breast-cancer": "Breast cancer",
    "iris": "Iris",
    "wine": "Wine",
    "wisconsin": "Wisconsin",
    "digits-0-1": "Digits 0/1",
}
Cells = Mapping[tuple[str, str], Sequence[Record]]


def page(found: Mapping[Job, Record], picture: str | None = None) -> str:
    """The whole comparison; `picture` is the path of the figure as the page sees it."""
    cells = by_cell(found)
    tables = [name for name in TABLES if any(data == name for data, _ in cells)]
    learners = [name for name in PEERS if any(learner == name for _, learner in cells)]
    n_splits = max(job.seed for job in found) + 1
    parts = [
        "# Comparison with other learners",
        f"Written by `make bench`, which sets up the peers, version {__version__}: "
        f"{len(learners)} learners, {len(tables)} tables, {n_splits} splits. Every learner sees the same training rows "
        "and is judged on the same test rows: stratified 80/20 splits, or the donors' own split where there is one "
        f"({_named([name for name in tables if has_own_test_rows(name)])}; there only the learner's seed varies). "
        "Nothing was chosen on test rows.",
        "## Accuracy and size",
        "Mean accuracy on test rows; in brackets the literals, the conditions that the printed model has.",
        _overview(cells, tables, learners),
    ]
    if picture:
        short = ", ".join(f"{initials(name)} {name}" for name in learners if initials(name) != name and name != OURS)
        parts.append(f"![accuracy against literals]({picture})\n\nThe diamond is ours; {short}.")
    pairs = pairings(found)
    if pairs:
        parts += ["## Against the rule learners", _standing_text(pairs), _standings(pairs)]
    parts += ["## How each learner was used", _learners(learners), "## Every measure"]
    parts += [f"### {TITLES[name]}\n\n{_detail(cells, name, learners)}" for name in tables]
    problems = _problems(cells, learners)
    if problems:
        parts += ["## What could not run", problems]
    return "\n\n".join(parts) + "\n"


def initials(name: str) -> str:
    """CART, EBM and the like stay; longer names become their initials."""
    return name if name.isupper() else "".join(word[0].upper() for word in name.split())


def _named(names: Sequence[str]) -> str:
    return ", ".join(TITLES[name] for name in names) or "none here"


def _overview(cells: Cells, tables: Sequence[str], learners: Sequence[str]) -> str:
    rows = []
    for learner in learners:
        name = f"**{learner}**" if learner == OURS else learner
        rows.append([name, *(_short(cells.get((data, learner), [])) for data in tables)])
    return table(["", *(TITLES[name] for name in tables)], rows)


def _short(records: Sequence[Record]) -> str:
    if not records or not have_run(records):
        return "–"
    size = mean(records, "literals")
    return (
        f"{_dotted(mean(records, 'accuracy'))} ({size:,.0f})"
        if size >= 100
        else (f"{_dotted(mean(records, 'accuracy'))} ({size:.1f})")
    )


def _dotted(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


MARKS = {
    Standing.AHEAD: "▲",
    Standing.EQUAL: "=",
    Standing.SHORTER: "≈",
    Standing.LONGER: "~",
    Standing.BEHIND: "▼",
}


def _standing_text(pairs: Sequence[Pairing]) -> str:
    counts = {standing: sum(pair.standing is standing for pair in pairs) for standing in Standing}
    listed = "; ".join(f"{MARKS[standing]} {standing.value}: {count}" for standing, count in counts.items() if count)
    n_clearly = sum(pair.standing is Standing.AHEAD and pair.gap > pair.standard_error for pair in pairs)
    return (
        f"Ours against each rule learner on each table, {len(pairs)} pairs. {listed}. The numbers are the mean "
        "difference of the accuracies and its standard error on the same splits; on a fixed split with learners that "
        "do not depend on their seed it is 0. Ahead is a higher mean, however little: "
        f"{n_clearly} of the {counts[Standing.AHEAD]} by more than one standard error."
    )


def _standings(pairs: Sequence[Pairing]) -> str:
    """A line for each table and a column for each rule learner."""
    found = {(pair.table, pair.peer): pair for pair in pairs}
    peers = [name for name in PEERS if any(peer == name for _, peer in found)]
    rows = []
    for name in TABLES:
        if any(data == name for data, _ in found):
            mark = "" if name in NAMES else " (scikit-learn)"
            rows.append([f"{TITLES[name]}{mark}", *(_standing(found.get((name, peer))) for peer in peers)])
    return table(["", *peers], rows)


def _standing(pair: Pairing | None) -> str:
    if pair is None:
        return "–"
    return f"{MARKS[pair.standing]} {_signed(pair.gap)} ± {_dotted(pair.standard_error)}"


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "-") + _dotted(abs(value))


def _learners(learners: Sequence[str]) -> str:
    rows = []
    for name in learners:
        peer = PEERS[name]
        version = installed_version(peer.package) or "not installed"
        rows.append([name, f"{peer.package} {version}", "rules" if peer.is_rule else "no rules", peer.note])
    note = (
        "Literals: for a tree its splits, for a list or a set of rules the conditions of all rules, for a scorecard "
        "its features with points, for a linear model its non-zero weights, for an additive model its terms, for a "
        "forest or boosting the splits of all trees, for a formula its literals, those of all classes together. Ours "
        "and RIPPER read the raw columns. The others get one input for each category and numbers scaled to [0,1], "
        "missing values in the middle; the scorecard gets numbers as cuts at five quantiles of the training rows."
    )
    return f"{table(['learner', 'package', 'kind', 'used with'], rows)}\n\n{note}"


def _detail(cells: Cells, name: str, learners: Sequence[str]) -> str:
    head = ["", "accuracy", "balanced accuracy", "F₁", "literals", "fit, CPU s", "predict, CPU ms"]
    rows = []
    for learner in learners:
        records = cells.get((name, learner), [])
        shown = f"**{learner}**" if learner == OURS else learner
        if not records or not have_run(records):
            rows.append([shown, *["–"] * 6])
            continue
        values = [record["accuracy"] for record in records]
        spread = stdev(values) if len(values) > 1 else 0.0
        rows.append(
            [
                shown,
                f"{_dotted(mean(records, 'accuracy'))} ± {_dotted(spread)}",
                _dotted(mean(records, "balanced")),
                _dotted(mean(records, "f1")),
                f"{mean(records, 'literals'):,.1f}",
                f"{mean(records, 'fit_seconds'):.2f}",
                f"{1000 * mean(records, 'predict_seconds'):.1f}",
            ]
        )
    return table(head, rows)


def _problems(cells: Cells, learners: Sequence[str]) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for (data, learner), records in cells.items():
        for problem in dict.fromkeys(record["problem"] for record in records if "problem" in record):
            found.setdefault((learner, problem.split(",")[0]), []).append(TITLES[data])
    lines = [
        f"* {learner}: {problem} ({', '.join(dict.fromkeys(where))})" for (learner, problem), where in found.items()
    ]
    return "\n".join(lines)
