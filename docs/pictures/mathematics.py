"""Draw the pictures of docs/mathematics.md; every curve and surface is computed by the library, none is sketched.

python -m docs.pictures.mathematics
"""

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

import crystalogic as cl
from research.study.drawing import BLUE, GREEN, GREY, INK, LIGHT, ORANGE, PURPLE, drawing

FOLDER = Path(__file__).parent
STEPS = 60  # few: what is shown is a training that ends before it has arrived
UNIT = np.linspace(0, 1, 41)


def psi(x: Any) -> Any:
    """The clamp."""
    return np.clip(x, 0, 1)


def clamp(plt: Any) -> Any:
    figure, axes = plt.subplots(figsize=(6.4, 2.7))
    x = np.linspace(-1.5, 2.5, 401)
    axes.axvspan(-1.5, 0, color=LIGHT, alpha=0.45, lw=0)
    axes.axvspan(1, 2.5, color=LIGHT, alpha=0.45, lw=0)
    axes.plot(x, psi(x), color=BLUE, lw=2.4)
    for place, text in ((-0.75, "false enough:\nstays 0"), (0.5, "a degree"), (1.75, "true enough:\nstays 1")):
        axes.text(place, 0.5 if place != 0.5 else 0.12, text, ha="center", va="center")
    axes.set(xlabel="x = Σ wᵢxᵢ + b", ylabel="ψ(x)", xlim=(-1.5, 2.5), ylim=(-0.06, 1.08), yticks=[0, 0.5, 1])
    return figure


def connectives(plt: Any) -> Any:
    titles = {"a ⊗ b": "strong and", "a ⊕ b": "strong or", "a → b": "implies", "a ∧ b": "weak and (minimum)"}
    figure, panels = plt.subplots(2, 2, figsize=(6.4, 5.8))
    a, b = np.meshgrid(UNIT, UNIT)
    for axes, (text, name) in zip(panels.flat, titles.items(), strict=True):
        degrees = cl.parse(text).evaluate({"a": a, "b": b})
        shown = axes.contourf(a, b, degrees, levels=np.linspace(0, 1, 11), cmap="Blues", vmin=-0.1, vmax=2)
        axes.contour(a, b, degrees, levels=[0.25, 0.5, 0.75], colors=INK, linewidths=0.7)
        for x, y in ((0, 0), (0, 1), (1, 0), (1, 1)):
            value = int(cl.parse(text).evaluate({"a": x, "b": y}))
            axes.text(0.07 + 0.86 * x, 0.07 + 0.86 * y, str(value), ha="center", va="center", weight="bold")
        half = cl.parse(text).evaluate({"a": 0.5, "b": 0.5})
        axes.plot(0.5, 0.5, "o", ms=4, color=ORANGE)
        axes.text(0.55, 0.56, "½" if half == 0.5 else f"{half:g}", color=ORANGE, weight="bold")
        axes.set(title=f"{text}, {name}", xlabel="a", ylabel="b", aspect="equal")
        axes.set_xticks([0, 0.5, 1], ["0", "½", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    bar = figure.colorbar(shown, ax=panels, shrink=0.6, ticks=[0, 0.5, 1])
    bar.set_label("degree")
    return figure


def at_least(plt: Any) -> Any:
    figure, axes = plt.subplots(figsize=(6.4, 3.0))
    names = {1: "k = 1: at least 1 of 3, the ⊕", 2: "k = 2: at least 2 of 3", 3: "k = 3: at least 3 of 3, the ⊗"}
    total = np.linspace(0, 3, 301)
    for (k, name), color in zip(names.items(), (GREEN, BLUE, PURPLE), strict=True):
        formula = cl.AtLeast(k, *cl.variables("a b c"))
        degree = formula.evaluate(dict.fromkeys("abc", total / 3))
        axes.plot(total, degree + 0.012 * (2 - k), color=color, lw=2.2, label=name)
        whole = [formula.evaluate(dict(zip("abc", [1] * n + [0] * (3 - n), strict=True))) for n in range(4)]
        axes.plot(range(4), np.array([float(value) for value in whole]) + 0.012 * (2 - k), "o", color=color, ms=6)
    axes.set(xlabel="how much is true: the sum of the three degrees", ylabel="degree", xticks=range(4))
    axes.set(yticks=[0, 0.5, 1], ylim=(-0.06, 1.1))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def neuron(plt: Any) -> Any:
    """A neuron as it is computed, and the same neuron as it is read."""
    crystal = cl.Crystal(["fever", "cough", "vaccinated"], [cl.Neuron([0, 1, 2], [1, 1, -1], 0)], [3])
    reading = str(cl.extract(crystal).formula)
    figure, axes = plt.subplots(figsize=(7.6, 2.5))
    axes.axis("off")
    axes.set(xlim=(0, 10), ylim=(0, 3.2))
    for row, (name, weight) in enumerate((("fever", "+1"), ("cough", "+1"), ("vaccinated", "−1"))):
        height, color = 2.6 - row, BLUE if row < 2 else ORANGE
        axes.text(0.1, height, name, va="center")
        axes.plot([1.55, 3.0], [height, 1.6], color=color, lw=1.8)
        axes.text(2.2, (height + 1.6) / 2 + 0.25, weight, color=color, ha="center", va="center")
    axes.add_patch(plt.Circle((3.3, 1.6), 0.42, fc="white", ec=INK, lw=1.6))
    axes.text(3.3, 1.6, "ψ", ha="center", va="center", size=14)
    axes.text(3.3, 0.85, "bias 0", ha="center", color=GREY)
    axes.annotate("", (4.5, 1.6), (3.8, 1.6), arrowprops={"arrowstyle": "->", "color": INK, "lw": 1.4})
    lines = (
        ("the network", "ψ(fever + cough − vaccinated)"),
        ("−x is (1 − x) − 1", "ψ(fever + cough + ¬vaccinated − 1)"),
        ("counted", reading),
    )
    for row, (label, text) in enumerate(lines):
        height = 2.75 - row * 1.05
        axes.text(4.75, height + 0.18, label, color=GREY, va="center", size=8.5)
        axes.text(4.75, height - 0.24, text, va="center", weight="bold" if row == 2 else "normal", size=10.5)
    return figure


def lattice(plt: Any) -> Any:
    """Two weights of ψ(w₁a + w₂b) against a ⊗ ¬b: a path of floats that is rounded, and moves on the lattice."""
    a, b = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 1, 11)))
    target = cl.parse("a ⊗ ¬b").evaluate({"a": a, "b": b})

    def error(first: Any, second: Any) -> Any:
        return np.abs(psi(np.multiply.outer(first, a) + np.multiply.outer(second, b)) - target).mean(axis=-1)

    def slope(point: np.ndarray) -> np.ndarray:
        total = point[0] * a + point[1] * b
        pull = (psi(total) - target) * ((total > 0) & (total < 1))
        return np.array([(pull * a).mean(), (pull * b).mean()])

    path = [np.array([0.6, 1.1])]
    for _ in range(STEPS):
        path.append(path[-1] - 0.4 * slope(path[-1]))
    floats = np.array(path)
    moves = [(1, 1)]
    while True:
        near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if abs(i - moves[-1][0]) + abs(j - moves[-1][1]) == 1]
        best = min(near, key=lambda point: float(error(*point)))
        if error(*best) >= error(*moves[-1]):
            break
        moves.append(best)
    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    first, second = np.meshgrid(np.linspace(-1.4, 1.8, 65), np.linspace(-1.4, 1.4, 57))
    shown = axes.contourf(first, second, error(first, second), levels=12, cmap="Blues_r", alpha=0.75)
    figure.colorbar(shown, label="mean error").ax.yaxis.set_major_formatter("{x:.2f}")
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            crystal = cl.Crystal(["a", "b"], [cl.Neuron([0, 1], [i, j], 0)], [2])
            axes.plot(i, j, "o", ms=7, mfc="white", mec=INK)
            text = str(cl.simplify(cl.extract(crystal).formula))
            axes.text(
                i + 0.08, j + 0.11, text, weight="bold", bbox={"fc": "white", "ec": "none", "alpha": 0.75, "pad": 1}
            )
    axes.plot(*floats.T, color=ORANGE, lw=1.8, label="gradient steps between the formulas")
    axes.plot(*floats[-1], "x", color=ORANGE, ms=8, mew=2)
    axes.plot(*np.transpose([floats[-1], np.round(floats[-1])]), ":", color=ORANGE, lw=1.8, label="rounding at the end")
    for start, end in pairwise(moves):
        axes.annotate(
            "", end, start, arrowprops={"arrowstyle": "->", "color": GREEN, "lw": 2.2, "shrinkA": 5, "shrinkB": 5}
        )
    axes.plot([], [], color=GREEN, lw=2.2, label="search moves, one weight at a time")
    axes.set(xlabel="weight of a", ylabel="weight of b", xticks=[-1, 0, 1], yticks=[-1, 0, 1], aspect="equal")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=1)
    return figure


def points(plt: Any) -> Any:
    """At least 5 points of three facts worth 3, 3 and 2: the score of each combination, and what ψ makes of it."""
    worths = {"a": 3, "b": 3, "c": 2}
    formula = cl.AtLeast(5, *(cl.parse(name) for name, worth in worths.items() for _ in range(worth)))
    figure, axes = plt.subplots(figsize=(7.2, 3.0))
    total = np.linspace(0, 8, 321)
    axes.axvspan(5, 8.4, color=LIGHT, alpha=0.45, lw=0)
    axes.plot(total, psi(total - 4), color=BLUE, lw=2.2)
    held: dict[int, list[str]] = {}
    for facts in product((1, 0), repeat=3):
        row = dict(zip(worths, facts, strict=True))
        score = sum(worth * row[name] for name, worth in worths.items())
        axes.plot(score, float(formula.evaluate(row)), "o", color=BLUE, ms=7)
        held.setdefault(score, []).append(" ".join(name for name in worths if row[name]) or "none")
    for score, names in held.items():
        is_yes = score >= 5
        text, height = "\nor ".join(names), 0.88 if is_yes else 0.12
        axes.text(score + 0.35 * (score == 5), height, text, ha="center", va="top" if is_yes else "bottom")
    axes.text(6.7, 0.12, "at least 5 points: yes", ha="center", color=GREY)
    axes.set(xlabel="score: 3·a + 3·b + 2·c", ylabel="ψ(score − 4)", xlim=(-0.4, 8.4), ylim=(-0.08, 1.1))
    axes.set(xticks=range(9), yticks=[0, 0.5, 1])
    return figure


def main() -> None:
    for draw in (clamp, connectives, at_least, neuron, points, lattice):
        with drawing() as plt:
            draw(plt).savefig(FOLDER / f"{draw.__name__.replace('_', '-')}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
