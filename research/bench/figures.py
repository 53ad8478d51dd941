"""Accuracy against size, table by table."""

from collections.abc import Mapping
from pathlib import Path

from research.bench.page import TITLES, initials
from research.bench.peers import OURS, PEERS
from research.bench.run import by_cell
from research.bench.standing import have_run, mean
from research.bench.tables import TABLES
from research.study import Job, Record
from research.study.drawing import BLUE, GREY, LIGHT, ORANGE, drawing, save


def draw_comparison(found: Mapping[Job, Record], folder: Path) -> list[Path]:
    """A panel for each table: literals on a logarithmic scale against mean accuracy."""
    cells = by_cell(found)
    tables = [name for name in TABLES if any(data == name for data, _ in cells)]
    with drawing() as plt:
        n_rows = -(-len(tables) // 5)
        figure, panels = plt.subplots(n_rows, min(5, len(tables)), figsize=(11, 2.7 * n_rows), squeeze=False)
        for axes in panels.flat[len(tables) :]:
            axes.set_visible(False)
        for axes, name in zip(panels.flat, tables, strict=False):
            for learner, peer in PEERS.items():
                records = cells.get((name, learner), [])
                if not records or not have_run(records):
                    continue
                x, y = max(0.7, mean(records, "literals")), mean(records, "accuracy")
                if learner == OURS:
                    axes.axhline(y, color=LIGHT, lw=1, zorder=0)
                    axes.plot(x, y, "D", color=ORANGE, ms=8, zorder=3, label="Crystalogic")
                    continue
                colour = BLUE if peer.is_rule else GREY
                axes.plot(x, y, "o", color=colour, ms=4.5, label="rule learners" if peer.is_rule else "others")
                axes.annotate(
                    initials(learner), (x, y), xytext=(3, 3), textcoords="offset points", size=6.5, color=colour
                )
            axes.set_title(TITLES[name], loc="left", fontweight="bold")
            axes.set_xscale("log")
            axes.margins(x=0.12, y=0.12)
            axes.grid(axis="y")
        for axes in panels[-1]:
            axes.set_xlabel("literals")
        for axes in panels[:, 0]:
            axes.set_ylabel("accuracy")
        handles, texts = panels[0, 0].get_legend_handles_labels()
        unique = dict(zip(texts, handles, strict=True))
        figure.legend(unique.values(), unique.keys(), loc="outside upper center", ncols=3)
        return save(figure, folder, "comparison")
