"""Polish: a crystal from a gradient strategy or an expert's formula, improved from where it stands, and pruned."""

from collections.abc import Hashable, Mapping, Sequence

from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.candidates.knowledge import NOTHING, Knowledge
from crystalogic.candidates.result import SearchResult
from crystalogic.crystal import Crystal
from crystalogic.progress import Callback
from crystalogic.search.learn import learn


def polish(
    crystal: Crystal,
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    strategy: Annealing | None = None,
    *,
    degrees: bool = False,
    knowledge: Knowledge = NOTHING,
    seed: int = 0,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Hashable, float] | None = None,
    callback: Callback | None = None,
    time_budget: float | None = None,
) -> SearchResult:
    """The crystal annealed from where it stands, whatever its shape, with the front that it passes through.

    The size is chosen as in `search`: each size is judged by formulas learned anew without the rows they are judged
    on, so that what the crystal already knows of those rows does not count. `names` default to the crystal's inputs.
    `changes(crystal, result.crystal, X)` says what the data changed.
    """
    return learn(
        X,
        y,
        names or crystal.inputs,
        strategy or Annealing(),
        degrees=degrees,
        knowledge=knowledge,
        seed=seed,
        sample_weight=sample_weight,
        class_weight=class_weight,
        callback=callback,
        time_budget=time_budget,
        crystal=crystal,
    )
