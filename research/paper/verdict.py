"""Verdicts: what a computation says about a claim, and the rules that compare printed numbers with measured ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil, floor, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from research.errors import StudyError
from research.paper.claims import Claim

if TYPE_CHECKING:
    from research.paper.results import Results


class Verdict(Enum):
    """How a claim stands after the run.

    A claim is impossible as printed when a proof, a counterexample or the paper's own numbers contradict it; it differs
    when a measurement does.
    """

    HOLDS = "holds"
    DIFFERS = "differs"
    IMPOSSIBLE = "impossible as printed"


@dataclass(frozen=True)
class Evidence:
    """What the run computed for one claim: the figure under the paper's protocol, ours, and the verdict with reason."""

    verdict: Verdict
    reproduced: str
    reason: str
    ours: str = ""


Check = Callable[[Claim, "Results"], Evidence]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Makes a function known under its name to claims.toml."""
    if function.__name__ in CHECKS:
        message = f"two checks are called {function.__name__!r}."
        raise StudyError(message)
    CHECKS[function.__name__] = function
    return function


def judged(holds: bool, reproduced: str, reason: str, ours: str = "") -> Evidence:
    """A measured claim: it holds or differs."""
    return Evidence(Verdict.HOLDS if holds else Verdict.DIFFERS, reproduced, reason, ours)


def proved(holds: bool, reproduced: str, reason: str, ours: str = "") -> Evidence:
    """A claim of mathematics or arithmetic: it holds, or it is impossible as printed."""
    return Evidence(Verdict.HOLDS if holds else Verdict.IMPOSSIBLE, reproduced, reason, ours)


def mean_text(values: Sequence[float], digits: int = 3) -> str:
    """Mean ± standard deviation.

    >>> mean_text([0.5, 0.7])
    '0.600 ± 0.141'
    """
    return f"{fmean(values):.{digits}f} ± {spread(values):.{digits}f}"


def spread(values: Sequence[float]) -> float:
    """The standard deviation of a sample; 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def agrees(printed: float, printed_spread: float, values: Sequence[float], n_printed: int = 10) -> tuple[bool, str]:
    """Whether two means lie within two standard errors of their difference, and at least 0.005.

    >>> agrees(0.60, 0.1, [0.55, 0.65])[0]
    True
    """
    error = sqrt(printed_spread**2 / n_printed + spread(values) ** 2 / len(values))
    allowed = max(2 * error, 0.005)
    gap = abs(fmean(values) - printed)
    return gap <= allowed, f"the means are {gap:.3f} apart, two standard errors are {allowed:.3f}"


def is_mean_of_counts(printed: float, n_rows: int, n_trials: int = 10, digits: int = 3) -> bool:
    """Whether some number of right answers out of so many rows and trials has this mean accuracy when rounded.

    >>> is_mean_of_counts(0.850, 61, 1), is_mean_of_counts(0.850, 60, 1)
    (False, True)
    """
    whole = n_rows * n_trials
    near = (floor(printed * whole), ceil(printed * whole))
    return any(abs(round(count / whole, digits) - printed) < 10**-digits / 2 for count in near)


def fisher(count: int, of: int, other: int, other_of: int) -> float:
    """The p-value of Fisher's exact test that two counts have the same rate.

    >>> round(fisher(10, 10, 0, 10), 6)
    1.1e-05
    """
    from scipy.stats import fisher_exact

    return float(fisher_exact([[count, of - count], [other, other_of - other]])[1])


def wilcoxon(left: Sequence[float], right: Sequence[float], alternative: str = "two-sided") -> float:
    """The p-value of Wilcoxon's signed-rank test for pairs; 1 where no pair differs.

    >>> wilcoxon([1, 2, 3], [1, 2, 3])
    1.0
    """
    from scipy.stats import wilcoxon as test

    differing = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if not differing:
        return 1.0
    return float(test([a for a, _ in differing], [b for _, b in differing], alternative=alternative).pvalue)


def p_text(p: float) -> str:
    """A p-value as the paper writes it."""
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"


def is_theorem(claim: Any) -> bool:
    """Whether z3 proves a statement for all values of its variables.

    >>> import z3
    >>> x = z3.Real("x")
    >>> is_theorem(x * x >= 0)
    True
    """
    import z3

    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.add(z3.Not(claim))
    return bool(solver.check() == z3.unsat)
