"""From a table to the best rules over its facts."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from crystalogic.arrays import Array
from crystalogic.best.rules import BestRules, Rules
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features
from crystalogic.fitting.learning import Problem
from crystalogic.fitting.pipeline import WHOLE, open_source
from crystalogic.optimal import ERRORS, Needs, Objective, Optimum, compile_kernels, count_rows, solve
from crystalogic.progress import Callback, Clock
from crystalogic.request import Request

MOST_LISTED = 100_000  # rules


@dataclass(frozen=True)
class Posed(Rules):
    """A table as the exact solver wants it: also row by row, with which rows are of the class, and what is needed."""

    rows: Any
    labels: Array
    features: Features
    needs: Needs


def pose(source: Any, target: str, request: Request) -> Posed:
    """The rows of a table of two classes, read as for a fit and counted."""
    with open_source(source, target, request) as (parts, read):
        table = parts.gather(WHOLE)
    if table is None:
        message = f"the best rule is proved for tables of at most {WHOLE:,} rows, and of at least one."
        raise TrainingDataError(message)
    if read is not None:
        read.refuse(Counter(table.target.tolist()))
    classes, codes = table.classes()
    if len(classes) != 2:
        message = f"the best rule is proved for two classes, got {len(classes)}."
        raise TrainingDataError(message)
    problem = Problem.of(target, classes, request)
    encoding, yes = problem.encode(table.rows, None), 0 if problem.is_negated else 1
    features, known = encoding.features(table.rows), problem.knowledge(encoding)
    signs = {name: -way if problem.is_negated else way for name, way in known.monotone.items()}
    needs = Needs(tuple(known.required), tuple(known.forbidden), signs)
    names = str(classes[1 - yes].item()), str(classes[yes].item())
    counted = count_rows(features, codes == yes)
    return Posed(target, names, encoding, counted, table.rows, codes == yes, features, needs)


def all_rules(source: Any, target: str, *, within: float = 0.01, size: int = 4, **how: Any) -> BestRules:
    """Every rule of at most `size` facts whose errors are within a share of the rows of the best.

    Parameters:
        source: a table, as `find_best` takes it.
        target: the column that is to be told.
        within: the share of all rows that a rule may get wrong beyond the best.
        size: the most facts that a rule reads.
        how: all else that `find_best` takes.
    """
    return find_best(source, target, size, within=within, **how)


def find_best(
    source: Any,
    target: str,
    size: int = 3,
    *,
    shape: str = "checklist",
    within: float = 0.0,
    objective: Objective = ERRORS,
    request: Request | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
    n_threads: int | None = None,
) -> BestRules:
    """The best rules of at most 1, 2, … `size` facts of a table, with proof, and all that are nearly as good.

    Parameters:
        source: a table of at most 50,000 rows and two classes: in a file (`crystalogic.files.open_table`), or a frame.
        target: the column that is to be told.
        size: the most facts that a rule reads, up to 8; with points up to 5.
        shape: "checklist", at least k of m facts, or "points", any whole points.
        within: the share of all rows that a rule may get wrong beyond the best, to be listed.
        objective: what each kind of error costs.
        request: how columns are read, which class is meant, what is forbidden, and directions; as for a fit.
        seconds: the time allowed. What is not proved by then has a bound that is.
        callback: is told of progress, and may stop the search.
        n_threads: how many threads work on it; all cores by default. The answer does not depend on it.
    """
    posed = pose(source, target, request or Request())
    counted, encoding, needs = posed.counted, posed.encoding, posed.needs
    compile_kernels()
    clock = Clock(seconds)

    def search(most_facts: int, needs: Needs, margin: int = 0, listed: int = 0, part: float = 1.0) -> Optimum:
        how: dict[str, Any] = {"seconds": None if clock.left is None else clock.left * part, "n_threads": n_threads}
        how |= {"within": margin, "most": listed, "callback": callback, "needs": needs}
        return solve(counted, most_facts, shape, objective, **how)

    answers = [search(each, needs, 0, MOST_LISTED, 0.5) for each in range(1, size)]
    answers.append(search(size, needs, int(within * len(posed.labels)), MOST_LISTED, 0.75))
    rules = BestRules(target, posed.classes, encoding, counted, tuple(answers), {})
    if answers[-1].stop.is_early:
        return rules
    literals, without = encoding.literals, dict[str, Optimum]()
    for column in sorted(rules.columns_of(answers[-1].rule)):
        unused = tuple(name for name in encoding.names if literals[name].column == column)
        if not set(unused) & set(needs.used):
            without[column] = search(size, replace(needs, unused=(*needs.unused, *unused)))
    return replace(rules, without=without)
