"""Draw docs/pictures/front.svg: accuracy against size on the Heart table, with the rule that is chosen.

python -m docs.pictures.front
"""

from pathlib import Path
from typing import Any

import numpy as np

import crystalogic as cl
from research.study.drawing import BLUE, GREY, INK, ORANGE, drawing


def front(plt: Any) -> Any:
    heart = cl.datasets.load("heart")
    learner = cl.LukasiewiczClassifier().fit(heart.frame(), heart.labels)
    rows, chosen = learner.front_, learner.front_[learner.model_.chosen[0]]
    sizes = np.array([row.size for row in rows])
    judged, error = (np.array([getattr(row, name) for row in rows]) for name in ("validated", "standard_error"))
    figure, axes = plt.subplots(figsize=(7.2, 3.6))
    axes.plot(sizes, [row.training for row in rows], "o-", color=BLUE, ms=3, lw=1.6, label="on the rows learned from")
    axes.fill_between(sizes, judged - error, judged + error, color=ORANGE, alpha=0.18, lw=0)
    axes.plot(sizes, judged, "o-", color=ORANGE, ms=4, lw=1.6, label="on rows held out, ± one standard error")
    axes.plot([chosen.size], [chosen.validated], "o", ms=12, mfc="none", mec=INK, mew=1.6)
    short = next(row for row in rows if row.size == 3)
    line = {"arrowstyle": "-", "color": GREY, "lw": 0.9, "shrinkB": 7}
    for row, text, at in (
        (chosen, f"the choice:\n{chosen.size} facts with points", (chosen.size, 0.73)),
        (short, f"with max_literals=3:\n{short.formula}".replace("{", "").replace("}", ""), (3.2, 0.63)),
    ):
        axes.annotate(text, (row.size, row.validated), at, arrowprops={**line, "relpos": (0, 1)}, size=9)
    axes.set(xlabel="literals", ylabel="accuracy", xlim=(-0.3, sizes.max() + 0.5), ylim=(0.5, 0.95))
    axes.legend(loc="lower right")
    return figure


def main() -> None:
    with drawing() as plt:
        front(plt).savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
