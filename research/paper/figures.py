"""The figures of the reproduction."""

from pathlib import Path
from statistics import fmean
from typing import Any

from crystalogic.datasets import NAMES
from research.paper.claims import label, printed
from research.paper.results import Results
from research.paper.settings import DATA, STRATEGIES
from research.paper.summary import accuracy_cells
from research.study.drawing import BLUE, GREEN, GREY, INK, LIGHT, ORANGE, drawing, save

SOURCES = {
    "paper": ("printed in the paper", GREY, "o", "white"),
    "reproduced": ("reproduced", ORANGE, "o", ORANGE),
    "ours": ("same strategy, our defaults", BLUE, "s", BLUE),
    "search": ("lattice search", GREEN, "D", GREEN),
}
COLOURS = dict(zip(STRATEGIES, (ORANGE, BLUE, GREEN), strict=True))


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Every figure as SVG and PNG; returns what was written."""
    figures = {
        "accuracy": accuracy,
        "rounding": rounding,
        "front": front,
        "crystallization": crystallization,
        "blocks": blocks,
        "time": seconds,
    }
    written: list[Path] = []
    with drawing() as plt:
        for name, draw in figures.items():
            written += save(draw(plt, results), folder, name)
    return written


def accuracy(plt: Any, results: Results) -> Any:
    """A panel for each data set, a row for each strategy, a mark for each source."""
    figure, panels = plt.subplots(2, 3, figsize=(9.2, 5.2), sharex=True, sharey=True)
    cells = list(accuracy_cells(results))
    places = {"levenberg_marquardt": 3, "straight_through": 2, "proximal": 1, "annealing": 0}
    lift = {"paper": 0.22, "reproduced": 0.0, "ours": -0.22, "search": 0.0}
    for axes, data in zip(panels.flat, DATA, strict=True):
        for cell in cells:
            if cell.data.removesuffix("-enriched") != data.removesuffix("-enriched"):
                continue
            text, colour, marker, face = SOURCES[cell.source]
            axes.errorbar(
                cell.mean, places[cell.learner] + lift[cell.source], xerr=cell.spread, fmt=marker, color=colour,
                mfc=face, ms=5.5, lw=1.4, capsize=0, label=text,
            )  # fmt: skip
        axes.set_title(label(data), loc="left", fontweight="bold")
        axes.set(xlim=(0.28, 1.03), ylim=(-0.6, 3.6))
        axes.set_yticks(list(places.values()), [label(name) for name in places])
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    figure.supxlabel("accuracy on test rows, mean ± standard deviation", size=9)
    handles, texts = panels[0, 1].get_legend_handles_labels()
    unique = dict(zip(texts, handles, strict=True))
    figure.legend(unique.values(), unique.keys(), loc="outside upper center", ncols=4)
    return figure


def rounding(plt: Any, results: Results) -> Any:
    """Each trial as a line from before to after the final rounding; what falls is lost."""
    figure, panels = plt.subplots(2, 3, figsize=(9.2, 5.0), sharey=True)
    for axes, data in zip(panels.flat, DATA, strict=True):
        for place, name in enumerate(STRATEGIES):
            before, after = (results.paper(data, name, field) for field in ("before", "accuracy"))
            ends = [place - 0.28, place + 0.28]
            for start, end in zip(before, after, strict=True):
                axes.plot(ends, [start, end], color=COLOURS[name], alpha=0.28, lw=1)
            means = [fmean(before), fmean(after)]
            axes.plot(ends, means, "o-", color=COLOURS[name], lw=2.4, ms=5, mec="white", mew=0.8)
            gained = round(100 * (means[1] - means[0]))
            axes.annotate(
                f"{gained:+d}" if gained else "0", (place, 0.235), ha="center", color=COLOURS[name], fontsize=9
            )
        axes.set_title(label(data), loc="left", fontweight="bold")
        axes.set_xticks(range(3), [label(name) for name in STRATEGIES])
        axes.set(ylim=(0.2, 1.02), xlim=(-0.5, 2.5))
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y")
    for axes in panels[:, 0]:
        axes.set_ylabel("accuracy on test rows")
    figure.suptitle(
        "before → after rounding: thin lines are trials, thick lines means, numbers the points gained", size=9
    )
    return figure


def front(plt: Any, results: Results) -> Any:
    """Test accuracy of the best formula of at most each size, mean and spread over the splits, and the choices."""
    import numpy as np

    figure, panels = plt.subplots(2, 3, figsize=(9.2, 5.0))
    for axes, data in zip(panels.flat, NAMES, strict=True):
        fronts = results.values("search", data, "annealing", "front")
        chosen = results.values("search", data, "annealing", "literals")
        scores = results.values("search", data, "annealing", "accuracy")
        sizes = np.arange(1, max(row[0] for each in fronts for row in each) + 1)
        curves = {kind: np.array([_at_most(each, sizes, kind) for each in fronts]) for kind in (1, 3)}
        training, test = curves[1].mean(axis=0), curves[3].mean(axis=0)
        spread = curves[3].std(axis=0)
        axes.plot(sizes, training, color=GREY, lw=1.2, label="training rows")
        axes.fill_between(sizes, test - spread, test + spread, color=BLUE, alpha=0.15, lw=0)
        axes.plot(sizes, test, color=BLUE, lw=1.8, label="test rows ± standard deviation")
        draw = np.random.default_rng(0).uniform(-0.18, 0.18, len(chosen))
        axes.plot(np.array(chosen) + draw, scores, "o", mfc="none", mec=ORANGE, ms=6.5, mew=1.3, label="chosen")
        axes.set_title(label(data), loc="left", fontweight="bold")
        low = min(float((test - spread).min()), min(scores))
        axes.set(ylim=(max(0.0, low - 0.04), 1.02), xlim=(0.4, sizes[-1] + 0.6))
        axes.grid(axis="y")
        axes.xaxis.get_major_locator().set_params(integer=True)
    for axes in panels[1]:
        axes.set_xlabel("literals")
    for axes in panels[:, 0]:
        axes.set_ylabel("accuracy")
    handles, texts = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=3)
    return figure


def _at_most(rows: list[list[float]], sizes: Any, column: int) -> list[float]:
    """The column of the longest formula of at most each size; of the shortest where none is so short."""
    return [([row for row in rows if row[0] <= size] or rows[:1])[-1][column] for size in sizes]


def crystallization(plt: Any, results: Results) -> Any:
    """Printed and measured crystallization, and constant networks."""
    figure, panels = plt.subplots(1, 3, figsize=(9.2, 2.9), sharey=True)
    kinds = {"printed": (LIGHT, -0.27), "Δ < 0.001 before rounding": (BLUE, 0.0), "constant after it": (ORANGE, 0.27)}
    for axes, name in zip(panels, STRATEGIES, strict=True):
        for place, data in enumerate(DATA):
            shares = [
                printed("crystallized", data, name) / 10,
                fmean(results.paper(data, name, "crystallized")),
                fmean(results.paper(data, name, "constant")),
            ]
            for share, (text, (colour, lift)) in zip(shares, kinds.items(), strict=True):
                axes.barh(-place - lift, share, height=0.25, color=colour, label=text if place == 0 else None)
                if share == 0:
                    axes.plot([0], [-place - lift], "|", color=colour, ms=7, mew=2)
        axes.set_title(label(name), loc="left", fontweight="bold")
        axes.set_yticks([-place for place in range(len(DATA))], [label(data) for data in DATA])
        axes.set(xlim=(-0.015, 1.02), xlabel="share of trials")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
    handles, texts = panels[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=3)
    return figure


def blocks(plt: Any, results: Results) -> Any:
    """Residual blocks against crystallization, constants and accuracy."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.1))
    numbers = list(range(5))
    lines = {
        "crystallized before rounding": (left, "crystallized", BLUE),
        "constant after rounding": (left, "constant", ORANGE),
        "before rounding": (right, "before", GREY),
        "after rounding": (right, "accuracy", GREEN),
    }
    for text, (axes, field, colour) in lines.items():
        values = [results.ablation("blocks", f"{n} residual blocks", field) for n in numbers]
        axes.plot(numbers, values, "o-", color=colour, label=text, lw=1.8, ms=5)
    left.set(ylim=(-0.03, 1.03), ylabel="share of networks")
    left.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    right.set(ylabel="accuracy on test rows")
    for axes in (left, right):
        axes.set(xlabel="residual blocks", xticks=numbers)
        axes.grid(axis="y")
        axes.legend(loc="best")
    return figure


def seconds(plt: Any, results: Results) -> Any:
    """Seconds to train one network, printed and here, on a logarithmic scale."""
    figure, panels = plt.subplots(1, 3, figsize=(9.2, 2.7), sharex=True, sharey=True)
    for axes, name in zip(panels, STRATEGIES, strict=True):
        for place, data in enumerate(DATA):
            values = results.paper(data, name, "seconds")
            axes.plot([printed("seconds", data, name), fmean(values)], [-place, -place], color=LIGHT, lw=2, zorder=1)
            axes.plot(values, [-place] * len(values), "|", color=ORANGE, alpha=0.5, ms=7)
            axes.plot(fmean(values), -place, "o", color=ORANGE, ms=6, label="here" if place == 0 else None)
            own = printed("seconds", data, name)
            axes.plot(own, -place, "o", mec=INK, mfc="white", ms=6, label="printed" if place == 0 else None)
        axes.set_title(label(name), loc="left", fontweight="bold")
        axes.set_xscale("log")
        axes.set(xlabel="seconds")
        axes.set_yticks([-place for place in range(len(DATA))], [label(data) for data in DATA])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
    handles, texts = panels[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=2)
    return figure
