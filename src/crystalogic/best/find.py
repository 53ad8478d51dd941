"""From a table to the best rules over its facts; and what a smaller gap between groups costs in errors, proved."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.best.rules import BestRules, Rules
from crystalogic.counts import count
from crystalogic.encoding.encoding import read_column
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.evaluation.judging import group_levels
from crystalogic.features import Features
from crystalogic.fitting.learning import Problem
from crystalogic.fitting.pipeline import WHOLE, open_source
from crystalogic.model import Model
from crystalogic.optimal import ERRORS, Needs, Objective, Optimum, compile_kernels, count_rows, solve
from crystalogic.optimal.gaps import Front, Point, find_front, places_of_rate
from crystalogic.progress import Callback, Clock
from crystalogic.request import Request
from crystalogic.words.models import rule_text
from crystalogic.words.tables import fill_macro

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
        refuse(TrainingDataError, f"the best rule is proved for tables of at most {WHOLE:,} rows, and of at least one.")
    if read is not None:
        read.refuse(Counter(table.target.tolist()))
    classes, codes = table.classes()
    if len(classes) != 2:
        refuse(TrainingDataError, f"the best rule is proved for two classes, got {len(classes)}.")
    problem = Problem.of(target, classes, request)
    encoding, yes = problem.encode(table.rows, None), 0 if problem.is_negated else 1
    features, known = encoding.features(table.rows), problem.knowledge(encoding)
    signs = {name: -way if problem.is_negated else way for name, way in known.monotone.items()}
    needs = Needs(tuple(known.required), tuple(known.forbidden), signs)
    names = str(classes[1 - yes].item()), str(classes[yes].item())
    labels = codes == yes
    return Posed(target, names, encoding, count_rows(features, labels), table.rows, labels, features, needs)


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


MOST_GROUPS, MOST_SHOWN = 12, 4  # in all, and with their rates in the table


@dataclass(frozen=True)
class Price(Rules):
    """The least gap for each number of errors, the largest difference of a rate between any two groups of rows."""

    by: str  # the column that tells the groups
    kind: str  # the rate: "selection", "misses" or "false-alarms"
    groups: tuple[str | None, ...]  # the values of the column, in the order of the rates of each point; None is missing
    front: Front  # the rules, from the fewest errors to the smallest gap, and what is proved of them
    limits: str  # what was asked of a rule, in words
    has_limit: bool  # whether a gap was given that is small enough

    @property
    def chosen(self) -> Point | None:
        """The most accurate rule that keeps the limits."""
        return self.front.within if self.has_limit else next(iter(self.front.points), None)

    def model(self, point: Point | None = None) -> Model:
        """A rule of the front, by default the chosen one, as a model with its certificate."""
        return self.model_of((point or self.chosen or refuse(TrainingDataError, self.verdict)).rule)

    @property
    def verdict(self) -> str:
        """What is known of rules that keep the limits: that there is none, the best of them, or how far it is open."""
        return self._write("verdict")

    def __str__(self) -> str:
        return self._write("everything")

    def _write(self, text: str) -> str:
        names = ["missing" if name is None else name for name in self.groups]
        values = {"found": self, "front": self.front, "points": _points, "fraction": Fraction, "rule_text": rule_text}
        values["share"] = lambda share: f"{float(100 * share):.1f} %"
        values["shown"] = names if len(names) <= MOST_SHOWN else []
        values["is_read"] = any(literal.column == self.by for literal in self.encoding.literals.values())
        return fill_macro("best", "price.txt", text, **values)

    def content(self) -> dict[str, Any]:
        """All of it as plain JSON data; gaps and rates are exact, as fractions."""
        told = [
            {"errors": each.errors, "gap": str(each.gap), "rates": list(map(str, each.rates))}
            | {"formula": str(self.formula(each.rule)), "is_proved": self.front.is_proved(each)}
            for each in self.front.points
        ]
        chosen = None if self.chosen is None else str(self.formula(self.chosen.rule))
        known = {"verdict": self.verdict, "n_rows": self.n_rows, "formula": chosen, "front": told}
        known |= {"gap_by": self.by, "gap": self.kind, "groups": self.groups}
        return {**known, "bound": self.front.bound, "is_complete": self.front.is_whole}


def find_price(
    source: Any,
    target: str,
    by: str,
    size: int = 3,
    *,
    gap: str = "selection",
    at_most: float | Fraction | None = None,
    accuracy: float | Fraction | None = None,
    request: Request | None = None,
    **how: Any,
) -> Price:
    """What a smaller gap between groups costs in errors, over all rules of at most `size` facts of a table, with proof.

    Parameters:
        source: a table, as `find_best` takes it.
        target: the column that is to be told.
        by: the column that tells the groups. It is left out of the facts, unless the request tells its kind.
        size: the most facts that a rule reads, up to 8; with points up to 5.
        gap: the rate that may differ: "selection", the share of rows that are told the class; "misses", of the rows of
            the class those that are told the other; "false-alarms", of the others those that are told the class.
        at_most: the gap that is small enough, such as 0.03 for 3 points; without it the front goes down to no gap.
        accuracy: rules that are right less often do not count.
        request: how columns are read, which class is meant, what is forbidden, and directions; as for a fit.
        how: `shape`, `seconds`, `callback` and `n_threads`, as `find_best` takes them.
    """
    request = request or Request()
    posed = pose(source, target, replace(request, kinds={by: "ignore", **request.kinds}))
    by_level = group_levels(by, read_column(posed.rows, by, words=request.missing_words).texts, are_numbers=False)
    codes, names = by_level.codes, [*by_level.names, None]
    if not 1 < len(groups := np.unique(codes[places_of_rate(posed.labels, gap)])) <= MOST_GROUPS:
        about = {"misses": f" with rows of {posed.classes[1]}", "false-alarms": f" with rows of {posed.classes[0]}"}
        found = f"{by!r} has {count(len(groups), 'group')}{about.get(gap, '')}, and a gap needs 2 to {MOST_GROUPS}."
        refuse(TrainingDataError, f"{found} Choose another column, or make one that puts values together.")
    limit, least = (None if each is None else Fraction(str(each)) for each in (at_most, accuracy))
    limits = [] if least is None else [f"an accuracy of at least {float(100 * least):g} %"]
    limits += [] if limit is None else [f"a gap of at most {float(100 * limit):g} points"]
    how |= {"most_errors": None if least is None else (1 - least) * len(codes) // 1, "needs": posed.needs}
    compile_kernels()
    front = find_front(posed.counted, posed.features, posed.labels, codes, size, kind=gap, at_most=limit or 0, **how)
    asked = f" with {' and '.join(limits)}" if limits else ""
    where = target, posed.classes, posed.encoding, posed.counted, by, gap, tuple(names[code] for code in groups)
    return Price(*where, front, asked, limit is not None)


def _points(gap: Fraction) -> str:
    """A difference of shares; a small one with more digits.

    >>> _points(Fraction(3, 100)), _points(Fraction(1, 3000))
    ('3.0 points', '0.03 points')
    """
    return f"{float(100 * gap):.{1 + (0 < gap < Fraction(1, 1000))}f} points"
