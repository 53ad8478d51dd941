"""Draw the pictures of docs/search.md; curves and counts are computed by the learner, from tables of the package.

python -m docs.pictures.learner
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import crystalogic as cl
from crystalogic.encoding import fit_encoding
from crystalogic.encoding.fit import short_between
from crystalogic.fitting.reach import measure_reach
from crystalogic.learner.rule import fit_maps
from crystalogic.learner.task import Task, logistic
from crystalogic.learner.teacher import choose_teacher, soften, teach
from crystalogic.logic.score import score_of
from research.study.drawing import BLUE, GREEN, GREY, INK, LIGHT, ORANGE, PURPLE, drawing

FOLDER = Path(__file__).parent
PALE_BLUE, PALE_ORANGE = "#dbe8f6", "#f8e3d6"
N_INVENTED = 100  # tables


def _box(axes: Any, at: tuple[float, float], size: tuple[float, float], title: str, text: str, color: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.12"
    axes.add_patch(FancyBboxPatch(at, *size, boxstyle=style, fc="white", ec=color, lw=1.6))
    axes.text(at[0] + size[0] / 2, at[1] + size[1] - 0.27, title, ha="center", va="center", weight="bold", color=color)
    axes.text(at[0] + size[0] / 2, at[1] + (size[1] - 0.42) / 2, text, ha="center", va="center", size=8.6)


def path(plt: Any) -> Any:
    """The steps from a table to a rule, and what each hands on."""
    steps = (
        ("table", "rows, columns,\ntwo classes", INK),
        ("facts", "values, groups,\n40 cuts a number", BLUE),
        ("soft targets", "a teacher takes\nnoise out of labels", BLUE),
        ("rules", "of every size,\nin three shapes", BLUE),
        ("crystal", "formula, risk,\ncertificate", INK),
        ("honest risk", "its slope fitted to\nrows held out", GREEN),
        ("finish", "cuts shifted,\npoints made small", GREEN),
        ("choice", "held-out rows judge\nsizes and shapes", GREEN),
    )
    figure, axes = plt.subplots(figsize=(7.6, 3.0))
    axes.axis("off")
    axes.set(xlim=(-0.05, 10.45), ylim=(-0.05, 3.55))
    arrow = {"arrowstyle": "->", "color": GREY, "lw": 1.5}
    for place, (title, text, color) in enumerate(steps):
        left, low = (place % 4) * 2.75, 2.1 if place < 4 else 0.0
        _box(axes, (left, low), (2.15, 1.35), title, text, color)
    for left in (2.15, 4.9, 7.65):
        axes.annotate("", (left + 0.6, 2.78), (left, 2.78), arrowprops=arrow)
        axes.annotate("", (left, 0.68), (left + 0.6, 0.68), arrowprops=arrow)
    axes.annotate("", (9.32, 1.35), (9.32, 2.1), arrowprops=arrow)
    return figure


def family(plt: Any) -> Any:
    """A checklist, points and a formula: what their output neuron adds up."""
    shapes = (
        ("checklist", "at least 2 of these 3", [("cp is 4", "1"), ("ca is not 0", "1"), ("thal is not 3", "1")], 0),
        ("points", "at least 5 points", [("cp is 4", "3"), ("ca is not 0", "3"), ("slope is not 1", "2")], 0),
        ("formula", "at least 3 points", [("chol ≥ 229", "1"), ("oldpeak ≥ 0.8", "1")], 3),
    )
    figure, panels = plt.subplots(1, 3, figsize=(7.8, 2.8))
    for axes, (name, decision, facts, neuron), color in zip(panels, shapes, (BLUE, GREEN, PURPLE), strict=True):
        axes.axis("off")
        axes.set(xlim=(0, 6), ylim=(-0.7, 4.3))
        axes.set_title(name, color=color, weight="bold")
        rows: list[tuple[float, str, str]] = [(3.6 - 1.3 * i, text, points) for i, (text, points) in enumerate(facts)]
        if neuron:
            rows = [(3.9, *facts[0]), (3.0, *facts[1])]
            for i, text in enumerate(("cp is 4", "ca is not 0", "thal is not 3")):
                axes.text(0.0, 1.95 - 0.72 * i, text, va="center", size=8.4)
                axes.plot([1.9, 2.55], [1.95 - 0.72 * i, 1.23], color=GREY, lw=1.1)
            axes.add_patch(plt.Circle((2.95, 1.23), 0.42, fc="white", ec=color, lw=1.5))
            axes.text(2.95, 1.23, "≥ 2", ha="center", va="center", size=8.4)
            axes.plot([3.37, 4.5], [1.23, 1.9], color=color, lw=1.8)
            axes.text(3.85, 1.15, str(neuron), color=color, weight="bold", ha="center")
        for height, text, points in rows:
            axes.text(0.0, height, text, va="center", size=8.8)
            axes.plot([2.35, 4.5], [height, 2.2 if not neuron else 2.1], color=color, lw=1.8)
            middle = (height + (2.2 if not neuron else 2.1)) / 2
            axes.text(3.3, middle + 0.2, points, color=color, weight="bold", ha="center")
        axes.add_patch(plt.Circle((4.95, 2.1), 0.5, fc="white", ec=INK, lw=1.6))
        axes.text(4.95, 2.1, "+", ha="center", va="center", size=14)
        axes.text(3.0, -0.35, decision, ha="center", va="center", size=9.2)
    return figure


def _invent(seed: int, n_rows: int = 200) -> tuple[Task, Any]:
    """A table of six numbers, four of which matter, and how likely yes is for each row in truth."""
    random = np.random.default_rng(seed)
    numbers = random.uniform(-1, 1, (n_rows, 6)).round(2)
    chance = logistic(1.6 * numbers[:, :4].sum(axis=1))
    labels = (random.random(n_rows) < chance).astype(np.float64)
    frame = {f"x{place}": column for place, column in enumerate(numbers.T)}
    encoding = fit_encoding(frame, numbers="cuts", n_cuts=40, are_spread=True)
    features = encoding.features(frame)
    truths = features.dense(np.arange(len(features))).T
    task = Task(truths, labels, np.ones(n_rows), measure_reach(encoding, features), np.zeros(truths.shape[1]))
    return task, chance


def soft_targets(plt: Any) -> Any:
    """What a teacher tells of invented rows, and how good a fact is chosen by labels and by soft targets."""
    lost: dict[str, list[float]] = {"labels": [], "soft targets": []}
    for seed in range(N_INVENTED):
        task, chance = _invent(seed)
        told = teach(task, choose_teacher(task))
        scores = task.truths.T.astype(np.int64)
        true = fit_maps(scores, chance, task.weight).loss
        for name, goal in zip(lost, (task.goal, soften(task.goal, told)), strict=True):
            chosen = int(fit_maps(scores, goal, task.weight).loss.argmin())
            lost[name].append(float(true[chosen] - true.min()))
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), width_ratios=(1, 1))
    left.plot([0, 1], [0, 1], color=LIGHT, lw=1.5)
    for label, color in ((0, BLUE), (1, ORANGE)):
        own = task.goal == label
        left.plot(chance[own], told[own], "o", ms=3, color=color, label="labelled yes" if label else "labelled no")
    left.set(xlabel="how likely yes is in truth", ylabel="what the other rows say", xlim=(0, 1), ylim=(0, 1))
    left.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], title="one invented table of 200 rows")
    left.legend(loc="upper left", fontsize=8.6, handletextpad=0.2)
    means = [float(np.mean(each)) for each in lost.values()]
    errors = [float(np.std(each) / np.sqrt(len(each))) for each in lost.values()]
    right.barh(list(lost), means, xerr=errors, color=[GREY, GREEN], height=0.5, error_kw={"lw": 1.2, "ecolor": INK})
    for place, mean in enumerate(means):
        right.text(0.08, place, f"{mean:.1f}", va="center", color="white", weight="bold")
    right.set(xlabel="loss above that of the best fact", ylim=(1.6, -0.6))
    right.set(title=f"mean of {N_INVENTED} such tables")
    return figure


def _heart_facts(names: tuple[str, ...], n: int) -> tuple[Any, Any]:
    """Whether these facts of Heart hold for some of its complete rows, and their labels."""
    heart = cl.datasets.load("heart")
    heart = heart.take([i for i, row in enumerate(heart.rows) if "?" not in row][:: 297 // n][:n])
    truths = fit_encoding(heart.frame(), {"ca": "code", "thal": "code", "cp": "code"}, numbers="cuts", n_cuts=5)
    known = {name: place for place, name in enumerate(truths.names)}
    table = np.asarray(truths.transform(heart.frame()))
    columns = [
        1 - table[:, known[name.removeprefix("¬")]] if name.startswith("¬") else table[:, known[name]] for name in names
    ]
    return np.rint(np.column_stack(columns)).astype(int), np.asarray(heart.labels)


def neighbours(plt: Any) -> Any:
    """Rows by count times rows by fact: for each count how many rows each further fact would move up."""
    facts = ("¬thal=3", "exang=1", "sex=1", "¬slope=1")
    held, labels = _heart_facts(("cp=4", "¬ca=0", *facts), 12)
    order = np.argsort(held[:, :2].sum(axis=1), kind="stable")
    held, labels = held[order], labels[order]
    counts, others = held[:, :2].sum(axis=1), held[:, 2:]
    one_hot = (counts == np.arange(3)[:, None]).astype(int)
    moved, ill = one_hot @ others, (one_hot * labels) @ others
    figure, axes = plt.subplots(figsize=(7.8, 3.9))
    axes.axis("off")
    axes.set(xlim=(-2.2, 26.4), ylim=(-2.9, 13.4), aspect="equal")

    def cell(x: float, y: float, color: str, text: str = "") -> None:
        axes.add_patch(plt.Rectangle((x, y), 1, 1, fc=color, ec=GREY, lw=0.5))
        axes.text(x + 0.5, y + 0.47, text, ha="center", va="center", size=8)

    for count in range(3):
        for row in range(12):
            color = PALE_ORANGE if labels[row] else PALE_BLUE
            cell(row, 7 - count, color if one_hot[count, row] else "white", "1" if one_hot[count, row] else "")
        axes.text(-0.3, 7.5 - count, f"count {count}", ha="right", va="center", size=8.4)
    axes.text(6, 8.5, "rows by count (12 patients)", ha="center", weight="bold", size=9)
    axes.text(13.0, 6.5, "×", ha="center", va="center", size=15)
    for row in range(12):
        for fact in range(4):
            color = PALE_ORANGE if labels[row] else PALE_BLUE
            cell(14 + fact, 11 - row, color if others[row, fact] else "white", "1" if others[row, fact] else "")
    axes.text(16, 12.5, "rows by fact", ha="center", weight="bold", size=9)
    axes.text(19.0, 6.5, "=", ha="center", va="center", size=15)
    for count in range(3):
        for fact in range(4):
            text = f"{moved[count, fact]}\n{ill[count, fact]} ill"
            axes.add_patch(plt.Rectangle((20 + 1.55 * fact, 8 - 1.7 * count), 1.55, 1.7, fc="white", ec=GREY, lw=0.6))
            axes.text(20.78 + 1.55 * fact, 8.85 - 1.7 * count, text, ha="center", va="center", size=7.6)
    axes.text(23.1, 10.2, "rows that move up", ha="center", weight="bold", size=9)
    for fact, name in enumerate(("thal≠3", "exang=1", "sex=1", "slope≠1")):
        axes.text(14.6 + fact, -0.25, name, ha="right", va="top", rotation=40, size=8, rotation_mode="anchor")
        axes.text(20.9 + 1.55 * fact, 4.35, name, ha="right", va="top", rotation=40, size=8, rotation_mode="anchor")
    axes.text(6, 3.6, "the checklist so far: cp is 4, ca is not 0", ha="center", size=8.6)
    axes.text(6, 2.6, "orange: ill, blue: not ill", ha="center", size=8.6, color=GREY)
    return figure


def risk(plt: Any) -> Any:
    """The risk of each score of the default rule of Heart, and how many rows have each score."""
    heart = cl.datasets.load("heart")
    model = cl.LukasiewiczClassifier().fit(heart.frame(), heart.labels).model_
    scores = model.scores(heart.frame())[:, 0].astype(int)
    shares = np.array(model.risk.shares) / 100
    threshold = score_of(model.formulas[0]).threshold
    n_scores = len(shares)
    rows = np.bincount(scores, minlength=n_scores)
    ill = np.bincount(scores, heart.labels, n_scores).astype(int)
    figure, (axes, table) = plt.subplots(2, 1, figsize=(7.6, 3.9), height_ratios=(4, 1), sharex=True)
    axes.axvspan(threshold - 0.5, n_scores - 0.5, color=PALE_ORANGE, lw=0)
    axes.text(n_scores - 0.7, 6, f"at least {threshold} points: yes", ha="right", color=ORANGE)
    seen = rows > 0
    axes.scatter(
        np.flatnonzero(seen),
        100 * ill[seen] / rows[seen],
        s=12 + 5 * rows[seen],
        fc="none",
        ec=GREY,
        label="share of ill among the rows of the table, larger circles for more rows",
    )
    axes.plot(range(n_scores), shares, "o-", color=BLUE, ms=4, lw=1.8, label="risk, as the model has it")
    axes.set(ylabel="% ill", ylim=(-6, 108), yticks=[0, 25, 50, 75, 100])
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8.6)
    table.axis("off")
    table.set(xlim=(-2.2, n_scores - 0.4), ylim=(0, 3))
    for height, name, values in (
        (2.4, "points", range(n_scores)),
        (1.5, "rows", rows),
        (0.6, "ill", ill),
    ):
        table.text(-0.75, height, name, ha="right", va="center", size=8.6, color=GREY)
        for place, value in enumerate(values):
            weight = "bold" if name == "points" else "normal"
            table.text(place, height, str(value), ha="center", va="center", size=8.6, weight=weight)
    axes.tick_params(labelbottom=False)
    axes.set_xticks(range(n_scores))
    return figure


def cuts(plt: Any) -> Any:
    """The loss of one fact for every gap of a number, the cuts that are tried first, and where the cut ends."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True)
    column = "mean concave points"
    number, y = table.data[column].to_numpy(), 1.0 - table.target.to_numpy()
    known = fit_encoding({column: number}, numbers="cuts", n_cuts=40, are_spread=True)
    first = np.array([literal.at for literal in known.columns[0].literals])
    different = np.unique(number)
    gaps = np.array([short_between(low, high) for low, high in pairwise(different.tolist())])

    def losses(places: Any) -> Any:
        return fit_maps((number >= places[:, None]).astype(np.int64), y, np.ones(len(y))).loss

    all_losses, first_losses = losses(gaps), losses(first)
    start = int(first_losses.argmin())
    near = np.flatnonzero((gaps > first[start - 1]) & (gaps < first[start + 1]))
    best = near[int(all_losses[near].argmin())]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.8, 2.9), width_ratios=(3, 2))
    left.plot(gaps, all_losses, color=LIGHT, lw=2.2)
    left.plot(first, first_losses, "o", color=BLUE, ms=3.5)
    left.axvspan(first[start - 1], first[start + 1], color=PALE_ORANGE, lw=0)
    left.set(xlabel=column, ylabel="loss of this one fact", title="40 cuts are tried first")
    left.locator_params(axis="x", nbins=5)
    right.plot(gaps[near], all_losses[near], ".-", color=GREY, lw=1.2, ms=5)
    right.plot(first[start], first_losses[start], "o", color=BLUE, ms=6)
    right.plot(gaps[best], all_losses[best], "o", color=ORANGE, ms=7)
    right.set_facecolor("#fdf6f1")
    spread = all_losses[near].max() - all_losses[near].min()
    right.set(
        xlabel=column,
        title="then every gap nearby",
        ylim=(all_losses[near].min() - 0.3 * spread, all_losses[near].max() + 0.12 * spread),
    )
    text = f"≥ {gaps[best]:g}, between\n{different[best]:g} and {different[best + 1]:g}"
    right.text(0.04, 0.06, text, transform=right.transAxes, size=8.6, color=ORANGE)
    right.locator_params(axis="x", nbins=4)
    return figure


def main() -> None:
    for draw in (path, family, soft_targets, neighbours, risk, cuts):
        with drawing() as plt:
            draw(plt).savefig(FOLDER / f"{draw.__name__.replace('_', '-')}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
