"""Draw docs/pictures/front.svg: accuracy against size on the heart table, with the formula that is chosen."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from crystalogic.datasets import load
from crystalogic.encoding import fit_encoding
from crystalogic.search import search

INK, BLUE, ORANGE = "#222222", "#2b6cb0", "#c05621"


def main():
    table = load("heart")
    complete = table.take([i for i, row in enumerate(table.rows) if "?" not in row])
    encoding = fit_encoding(complete.frame(), numbers="cuts")
    front = search(encoding.transform(complete.frame()), complete.labels, encoding.names).front
    sizes = np.array([each.n_literals for each in front.candidates])
    judged = np.array([each.cross_validated for each in front.candidates])
    error = np.array([each.standard_error for each in front.candidates])
    mpl.rcParams.update({"svg.hashsalt": "front", "font.size": 10, "axes.edgecolor": INK, "text.color": INK})
    figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    training = [each.training for each in front.candidates]
    axes.step(sizes, training, where="post", color=BLUE, label="on the training rows")
    axes.fill_between(sizes, judged - error, judged + error, color=ORANGE, alpha=0.18, lw=0)
    axes.plot(sizes, judged, "o-", color=ORANGE, ms=4, label="cross-validated, ± one standard error")
    chosen = front.chosen
    axes.plot([chosen.n_literals], [chosen.cross_validated], "o", ms=11, mfc="none", mec=INK, mew=1.6)
    axes.annotate(
        str(chosen.formula).replace("{", "").replace("}", ""),
        (chosen.n_literals, chosen.cross_validated),
        xytext=(chosen.n_literals + 0.9, 0.69),
        arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.8, "shrinkB": 7, "relpos": (0, 1)},
    )
    axes.set(xlabel="literals", ylabel="accuracy", xlim=(0, sizes.max() + 1), ylim=(0.65, 1.0))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
