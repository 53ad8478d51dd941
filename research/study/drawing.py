"""One look for all figures: colours that stay apart in grey and for colour-blind readers, no needless ink."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from research.errors import StudyError

INK, GREY, LIGHT = "#222222", "#8a8f98", "#d9dce1"
BLUE, ORANGE, GREEN, PURPLE = "#2b6cb0", "#c05621", "#2f855a", "#6b46c1"


@contextmanager
def drawing() -> Iterator[Any]:
    """matplotlib.pyplot in the house style, without a window, bytes depending on the data alone."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure  # noqa: F401
    except ImportError:
        message = "figures need matplotlib, which is not installed. Install crystalogic[figures], or pass --no-figures."
        raise StudyError(message) from None
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    style: Any = {
        "svg.hashsalt": "crystalogic",
        "font.size": 9.5,
        "axes.titlesize": 10,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": LIGHT,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
    }
    with mpl.rc_context(style):
        yield plt
        plt.close("all")


def save(figure: Any, folder: Path, name: str) -> list[Path]:
    """Writes a figure as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], dpi=150, metadata={"Software": None})
    return paths
