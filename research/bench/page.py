"""The comparison as a Markdown page: where we are behind first."""

from collections.abc import Mapping, Sequence
from typing import Any

from crystalogic import __version__
from research.bench.jobs import DEFAULT, TUNED, headline
from research.bench.page_tables import (
    describe_peers,
    describe_tables,
    list_problems,
    measure_means,
    show_accuracies,
    show_duels,
    show_facts,
)
from research.bench.peers import N_SETTINGS, OURS, PEERS, SIZES
from research.bench.suite import Table, read_suite
from research.bench.summary import Cells, Duel, Ranking, compare_at_size, duel, rank_learners
from research.study.markdown import table

RANKED = tuple(PEERS)


def present(cells: Cells, learner: str, variant: str = DEFAULT) -> bool:
    """Whether a learner has any result of this round."""
    return any(
        name == learner and kind == variant and any("problem" not in record for record in records.values())
        for (_, name, kind), records in cells.items()
    )


def write_page(cells: Cells, pictures: Sequence[str] = (), again: Mapping[str, Any] | None = None) -> str:
    """The whole page, from what there is."""
    if not cells:
        return _empty_page()
    peers = [name for name in PEERS if present(cells, name)]
    ran = {name: sum((name, peer, DEFAULT) in cells for peer in peers) for name, _, _ in cells}
    begun = [each for each in read_suite().tables.values() if each.name in ran]
    tables = [each for each in begun if 2 * ran[each.name] >= max(ran.values())]
    new, old = headline(tables), [each for each in tables if each.developed]
    n_records = sum(len(records) for records in cells.values())
    parts = [
        "# Comparison with other learners",
        f"Written by `make bench`, version {__version__}, from {n_records:,} jobs: {len(peers)} learners on "
        f"{len(tables)} tables of the frozen suite. {len(new)} of the tables were not used while the learner was made. "
        "All figures are of these; the others have a section of their own. Every learner sees the same training rows "
        "and is judged on the same test rows. Nothing was chosen on test rows."
        + (
            f" Tables that most learners did not reach yet are left out: {len(begun) - len(tables)}."
            * (begun != tables)
        ),
        *_behind(cells, new, peers),
        *_standing(cells, new, peers),
        *_sizes(cells, new, pictures),
        *_tuned(cells, new, peers),
        "## Every measure",
        "Means over the new tables with two classes on which each learner ran; columns in common: how alike the "
        "columns are that models of different splits read; text: the share of test rows that the printed text decides "
        "as the model does. Seconds are those of one fit, first and second in a process; CPU time is more telling, "
        "because other work shared the machine. MB is what the fit added.",
        measure_means(cells, [each.name for each in new if each.classes == 2], peers),
        "## Accuracy, table by table",
        show_accuracies(cells, new, peers),
        "## Can it be proved monotone?",
        show_facts(peers),
        "## How each learner was used",
        describe_peers(),
        "## The tables",
        describe_tables(tables),
        "## Tables used in development",
        "Ours had been seen at work on these, so they say less about new tables.",
        show_accuracies(cells, old, peers),
        *_repeated(again),
    ]
    problems = list_problems(cells)
    if problems:
        parts += ["## What could not run", problems]
    return "\n\n".join(part for part in parts if part) + "\n"


def _empty_page() -> str:
    tables = list(read_suite().tables.values())
    parts = [
        "# Comparison with other learners",
        f"Nothing has run yet: `make bench` sets {len(PEERS)} learners beside each other on {len(tables)} tables, and "
        "writes this page.",
        "## How each learner is used",
        describe_peers(),
        "## The tables",
        describe_tables(tables),
    ]
    return "\n\n".join(parts) + "\n"


def _duels(cells: Cells, tables: Sequence[Table], peers: Sequence[str], measure: str, variant: str) -> list[Duel]:
    names = [each.name for each in tables]
    found = [duel(cells, names, name, measure, variant) for name in peers if name != OURS]
    return [each for each in found if each is not None]


def _behind(cells: Cells, tables: Sequence[Table], peers: Sequence[str]) -> list[str]:
    duels = _duels(cells, tables, peers, "accuracy", DEFAULT)
    if not duels:
        return ["## Where we are behind", "There is nothing to compare yet: ours and another on two tables at least."]
    behind = sorted((each for each in duels if each.gap.mean < 0), key=lambda each: each.gap.mean)
    lines = [
        f"* {each.peer}: {-100 * each.gap.mean:.1f} points more accuracy on average over {each.n_tables} tables "
        f"(95 % interval {-100 * each.gap.high:.1f} to {-100 * each.gap.low:.1f}), ahead beyond noise on "
        f"{len(each.behind)}" + (f": {', '.join(each.behind)}" if each.behind else "") + "."
        for each in behind
    ]
    worst = _worst(cells, tables, peers)
    return [
        "## Where we are behind",
        "\n".join(lines)
        if lines
        else "No learner has a higher mean accuracy than ours on the tables that both ran on.",
        *([f"The three tables with the largest gap to the best rule learner: {worst}."] if worst else []),
    ]


def _worst(cells: Cells, tables: Sequence[Table], peers: Sequence[str]) -> str:
    from research.bench.summary import mean_of

    gaps = []
    for each in tables:
        ours = mean_of(cells, each.name, OURS, "accuracy")
        rivals = {
            name: value
            for name in peers
            if name != OURS
            and PEERS[name].is_rule
            and (value := mean_of(cells, each.name, name, "accuracy")) is not None
        }
        if ours is not None and rivals:
            best = max(rivals, key=lambda name: rivals[name])
            gaps.append((ours - rivals[best], each.name, best))
    return ", ".join(f"{name} ({-100 * gap:.1f} points to {best})" for gap, name, best in sorted(gaps)[:3] if gap < 0)


def _standing(cells: Cells, tables: Sequence[Table], peers: Sequence[str]) -> list[str]:
    two = [each.name for each in tables if each.classes == 2]
    parts = ["## Ranks"]
    for measure, title in (("accuracy", "accuracy"), ("auc", "AUC"), ("log_loss", "log loss")):
        ranking = rank_learners(cells, two, _complete(cells, two, peers, measure), measure)
        if ranking is not None:
            parts.append(_tell_ranks(ranking, title))
    parts += ["## Ours against each learner", "Accuracy, ours minus theirs, with defaults."]
    parts.append(show_duels(_duels(cells, tables, peers, "accuracy", DEFAULT)))
    parts += ["AUC, ours minus theirs, with defaults.", show_duels(_duels(cells, tables, peers, "auc", DEFAULT))]
    return parts


def _complete(cells: Cells, tables: Sequence[str], peers: Sequence[str], measure: str) -> list[str]:
    """Learners that have the measure on nine of ten tables: one that often fails would leave few to rank on."""
    from research.bench.summary import mean_of

    n_ours = sum(mean_of(cells, name, OURS, measure) is not None for name in tables)
    return [
        peer
        for peer in peers
        if sum(mean_of(cells, name, peer, measure) is not None for name in tables) >= 0.9 * n_ours > 0
    ]


def _tell_ranks(ranking: Ranking, title: str) -> str:
    sign = -1 if ranking.measure in ("log_loss", "brier", "ece") else 1
    ordered = sorted(ranking.ranks.items(), key=lambda pair: sign * pair[1])
    n = len(ordered)
    told = ", ".join(
        f"{'**' if name == OURS else ''}{name}{'**' if name == OURS else ''} {rank if sign > 0 else n + 1 - rank:.1f}"
        for name, rank in ordered
    )
    return (
        f"Mean ranks of {title} on {len(ranking.tables)} tables with two classes (1 is best; ranks nearer than "
        f"{ranking.difference:.1f} do not differ beyond chance, Nemenyi at .05): {told}."
    )


def _sizes(cells: Cells, tables: Sequence[Table], pictures: Sequence[str]) -> list[str]:
    two = [each.name for each in tables if each.classes == 2]
    rows = []
    for size in SIZES:
        found = compare_at_size(cells, two, size)
        if found.n_tables:
            beaten = "; ".join(f"{name} ({', '.join(by)})" for name, by in found.beaten_by.items())
            rows.append([str(size), f"{found.unbeaten} of {found.n_tables}", beaten or "–"])
    parts = ["## Accuracy against size", *(f"![{_alt(path)}]({path})" for path in pictures)]
    if rows:
        parts.append("Tables on which no rule learner of the same size is ahead of ours beyond noise:")
        parts.append(table(["conditions at most", "tables", "ahead of ours"], rows))
    peers = [name for name, peer in PEERS.items() if peer.sized is not None]
    for size in SIZES:
        found_duels = _duels(cells, tables, peers, "accuracy", f"size-{size}")
        if found_duels:
            parts += [f"Accuracy at {size} conditions at most, ours minus theirs.", show_duels(found_duels)]
    scorecards = [name for name in peers if PEERS[name].kind == "scorecard"]
    for size in SIZES:
        found_duels = _duels(cells, tables, scorecards, "auc", f"size-{size}")
        if found_duels:
            parts += [f"AUC at {size} conditions at most, ours minus that of scorecards.", show_duels(found_duels)]
    return parts if len(parts) > 1 else []


def _alt(path: str) -> str:
    return "mean ranks of accuracy" if "ranks" in path else "accuracy against size, a curve for each learner"


def _tuned(cells: Cells, tables: Sequence[Table], peers: Sequence[str]) -> list[str]:
    duels = _duels(cells, tables, [name for name in peers if present(cells, name, TUNED)], "accuracy", TUNED)
    if not duels:
        return []
    text = "Six settings each, ours too, chosen by the accuracy in three folds of the training rows. Ours minus theirs."
    return ["## Tuned", text + _hurried(cells), show_duels(duels)]


def _hurried(cells: Cells) -> str:
    """Who had no time for all settings, and on how many tables."""
    counts: dict[str, int] = {}
    for (_, learner, variant), records in cells.items():
        if variant == TUNED and any(record.get("tried", N_SETTINGS) < N_SETTINGS for record in records.values()):
            counts[learner] = counts.get(learner, 0) + 1
    told = ", ".join(f"{learner} on {count}" for learner, count in counts.items())
    return f" Ten minutes of the processor were not enough for all six: {told} tables." if told else ""


def _repeated(again: Mapping[str, Any] | None) -> list[str]:
    if again is None:
        return []
    other = again["different"]
    text = (
        f"{again['repeated']} jobs, drawn at random, were done a second time: {len(other)} gave another result but for "
    )
    return ["## Once more", text + "times and memory" + (f" ({', '.join(other[:20])})." if other else ".")]
