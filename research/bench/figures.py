"""Two pictures: accuracy against size with a curve for each learner, and mean ranks with their critical difference."""

from itertools import cycle
from pathlib import Path
from typing import Any

from research.bench.jobs import headline
from research.bench.page import RANKED, present
from research.bench.peers import OURS, PEERS
from research.bench.suite import read_suite
from research.bench.summary import Cells, Ranking, curve, mean_of, rank_learners
from research.study.drawing import BLUE, GREY, INK, ORANGE, drawing

COLOURS = (BLUE, "#2f855a", "#6b46c1", "#b7791f", "#319795", "#d53f8c", "#718096", "#9b2c2c", "#4a5568", "#1a202c")


def draw_curves(cells: Cells, folder: Path) -> Path | None:
    """Mean accuracy against mean size at 3, 5, 8 and 12, over the new tables on which every curve is whole."""
    tables = [table.name for table in headline(list(read_suite().tables.values())) if table.classes == 2]
    learners = [name for name, peer in PEERS.items() if peer.sized is not None and present(cells, name, "size-3")]
    whole = [table for table in tables if all(len(curve(cells, [table], name)) == 4 for name in learners)]
    if not whole or not learners:
        return None
    with drawing() as plt:
        figure, axes = plt.subplots(figsize=(7.2, 4.6))
        others = cycle(COLOURS)
        for name in learners:
            sizes, values = zip(*curve(cells, whole, name), strict=True)
            is_ours = name == OURS
            style: dict[str, Any] = (
                {"color": ORANGE, "lw": 2.6, "zorder": 3} if is_ours else {"color": next(others), "lw": 1.2}
            )
            axes.plot(sizes, values, "D-" if is_ours else "o-", ms=6 if is_ours else 4, label=name, **style)
        for name, peer in PEERS.items():
            means = [mean_of(cells, table, name, "accuracy") for table in whole]
            if peer.sized is None and not peer.is_rule and None not in means:
                level = sum(each for each in means if each is not None) / len(means)
                axes.axhline(level, color=GREY, lw=0.7, ls=":")
                axes.annotate(
                    name, (1, level), xycoords=("axes fraction", "data"), size=7, color=GREY, va="bottom", ha="right"
                )
        axes.set_xlabel("conditions that a person reads")
        axes.set_ylabel(f"mean accuracy on {len(whole)} tables")
        axes.grid(axis="y")
        axes.legend(fontsize=7.5, ncols=2)
        return _save(figure, folder, "comparison")


def draw_ranks(cells: Cells, folder: Path) -> Path | None:
    """Mean ranks of accuracy on a line; learners closer than the bar do not differ beyond chance."""
    tables = [table.name for table in headline(list(read_suite().tables.values())) if table.classes == 2]
    ranking = rank_learners(cells, tables, [name for name in RANKED if present(cells, name)], "accuracy")
    if ranking is None or OURS not in ranking.ranks:  # the picture is about ours
        return None
    with drawing() as plt:
        figure, axes = plt.subplots(figsize=(7.2, 0.24 * len(ranking.ranks) + 1))
        _draw_ranking(axes, ranking)
        return _save(figure, folder, "comparison-ranks")


def _draw_ranking(axes: Any, ranking: Ranking) -> None:
    ordered = sorted(ranking.ranks.items(), key=lambda pair: pair[1])
    for place, (name, rank) in enumerate(ordered):
        colour = ORANGE if name == OURS else BLUE if PEERS[name].is_rule else GREY
        axes.plot([rank], [-place], "D" if name == OURS else "o", color=colour, ms=6)
        axes.annotate(
            f"{name} {rank:.1f}", (rank, -place), xytext=(7, 0), textcoords="offset points", va="center", size=8
        )
    ours = ranking.ranks[OURS]
    axes.axvspan(ours - ranking.difference, ours + ranking.difference, color=ORANGE, alpha=0.12, lw=0)
    axes.set_xlabel(f"mean rank of accuracy on {len(ranking.tables)} tables; in the band: not told apart from ours")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.12)
    axes.tick_params(colors=INK)


def _save(figure: Any, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    return path
