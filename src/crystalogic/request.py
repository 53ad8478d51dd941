"""What a user asks of a fit, besides the data."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import inf
from numbers import Integral, Real
from types import NoneType
from typing import Any

from crystalogic.annealing import Annealing
from crystalogic.cells import MISSING_WORDS, levels_of
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.learner.limits import Limits
from crystalogic.learner.settings import Likelihood
from crystalogic.logic.formula import Formula
from crystalogic.operating import Aim

AUTO = "auto"
LATTICE = "annealing"
LIKELIHOOD = "likelihood"
SEARCHES = {LATTICE: Annealing, LIKELIHOOD: Likelihood}
NAMES: dict[type, str] = {each: name for name, each in SEARCHES.items()}
MOST_CLASSES = 100
LARGEST_SEED = 2**32 - 1  # as numpy has it
TINY = 5e-324  # the least number above 0


@dataclass(frozen=True)
class Request:
    """What a user asks of a fit, besides the data.

    The strategy "auto" is "likelihood", which learns facts; it is "annealing" where degrees are to be learned or read,
    or a formula is given to start from. `numbers` "auto" are cuts; for other strategies cuts and degrees.
    """

    strategy: Any = AUTO
    options: Mapping[str, Any] = field(default_factory=dict)  # of its settings, such as max_literals; None for none
    kinds: Mapping[str, Any] = field(default_factory=dict)
    protect: Collection[str] = ()  # columns that the rule must not read, and by which it is measured
    missing: Collection[Any] | None = None  # the words that stand for no value; None for the usual ones
    numbers: str = "auto"
    n_cuts: int | None = None  # None leaves it to the strategy
    degrees: bool = False
    ordered: Any = False  # whether classes are grades: True for numbers, or the classes from the least on
    positive: Any = None  # of two classes, the one that the rule speaks for; None is the second
    skip_unknown: bool = False  # leave out rows whose target is missing
    monotone: Mapping[str, int] = field(default_factory=dict)
    forbidden: Collection[str] = ()
    required: Collection[str] = ()
    start: Formula | None = None
    class_weight: Any = None
    aim: Aim | None = None  # the operating point; None is where both classes are as likely
    limits: Limits | None = None  # on what the rule does to groups, and on what it costs to ask
    seed: int = 0
    time_budget: float | None = None
    prove: float | None = None  # so many seconds to prove how much better checklists of each size can be, and to mend
    size: int | None = None  # adopt the formula with at most so many literals; None for the choice of the search
    n_splits: int = 0  # so often the whole fit is repeated without a fifth of the rows, to measure it on them
    units: Mapping[str, str] = field(default_factory=dict)  # of columns, to be remembered
    scheduler: str | None = None  # the address of a Dask scheduler whose workers read the files
    callback: Callable[[Any], Any] | None = None
    prepare: Callable[[], None] | None = None  # is called before the search, when all is found in order; takes no time
    keep: Callable[[Any], None] | None = None  # is given the model before it is measured, so that nothing is lost

    @cached_property
    def settings(self) -> Any:
        """The settings of the strategy: `Likelihood`, `Annealing`, or the fields of one that trains float networks."""
        is_graded = self.degrees or self.start is not None or self.numbers in ("degrees", "both")
        named = (LATTICE if is_graded else LIKELIHOOD) if self.strategy == AUTO else self.strategy
        settled: Any = SEARCHES[named]() if isinstance(named, str) and named in SEARCHES else named
        is_search = isinstance(settled, (Annealing, Likelihood))
        known = {each.name for each in fields(settled)} if is_search else {"n_threads"}  # no use to others, and no harm
        given = {name: limit for name, limit in self.options.items() if limit is not None}
        strange = next((name for name in given if name not in known), None)
        keeper = LIKELIHOOD if strange == "shape" else LATTICE
        message = f"{strange!r} goes with strategy={keeper!r}, which keeps it. Got {settled!r} instead."
        refuse_first(TrainingDataError, {message: strange is not None})
        if is_search:
            return replace(settled, **given)
        from crystalogic.train import STRATEGIES, Strategy, strategy_named

        settled = strategy_named(settled) if isinstance(settled, str) and settled in STRATEGIES else settled
        names = ", ".join([AUTO, LIKELIHOOD, LATTICE, *STRATEGIES])
        message = f"there is no strategy {self.strategy!r}; there are {names}, and objects with their own fields."
        refuse_first(TrainingDataError, {message: not isinstance(settled, Strategy)})
        return settled

    @property
    def is_likelihood(self) -> bool:
        """Whether points and neurons are chosen by their likelihood."""
        return isinstance(self.settings, Likelihood)

    @property
    def is_trained(self) -> bool:
        """Whether a float network is trained, rather than the integer network searched directly."""
        return not isinstance(self.settings, (Annealing, Likelihood))

    @property
    def most_literals(self) -> int:
        """What no formula of a search exceeds."""
        return int(self.settings.most_literals if self.is_likelihood else self.settings.max_literals)

    @property
    def n_threads(self) -> int:
        """How many things are done side by side."""
        return getattr(self.settings, "n_threads", 1)

    @property
    def strategy_name(self) -> str:
        """What the strategy is called in a model."""
        return NAMES.get(type(self.settings), type(self.settings).__name__)

    @property
    def missing_words(self) -> frozenset[str]:
        return MISSING_WORDS if self.missing is None else levels_of(self.missing)

    @property
    def target_words(self) -> frozenset[str]:
        """The words that mean missing in the target, where none is a class unless it is named."""
        return MISSING_WORDS - {"none", "None"} if self.missing is None else self.missing_words

    @property
    def read_kinds(self) -> Mapping[str, Any]:
        """How columns are read; those that are protected are not."""
        ignored, by = dict.fromkeys(self.protect, "ignore"), self.gap_by
        if not (ignored or by) or not isinstance(self.kinds, Mapping):
            return self.kinds
        return {**({by: "ignore"} if by else {}), **self.kinds, **ignored}

    @property
    def gap_by(self) -> str | None:
        """The column whose groups are compared; it is not read, unless its kind is given."""
        return None if self.limits is None else self.limits.gap_by

    @property
    def read_numbers(self) -> Any:
        return self.numbers if self.numbers != "auto" else "cuts" if self.is_likelihood else "both"

    def __post_init__(self) -> None:
        """Refuses what nothing could be done with, before the table is looked at."""
        one_way, order, weights = self.monotone, self.ordered, "a mapping from classes to weights"
        is_one_way = isinstance(one_way, Mapping) and all(sign in (1, -1) for sign in one_way.values())
        grades, seconds = "a list of the classes from the least to the greatest", "a positive number of seconds"
        needed = {
            "monotone": (is_one_way, "a mapping from columns to 1 or -1"),
            "forbidden": (_are_names(self.forbidden), "a list of columns or truth values"),
            "protect": (_are_names(self.protect), "a list of columns"),
            "required": (_are_names(self.required), "a list of truth values"),
            "ordered": (isinstance(order, bool) or _is_list(order), f"True, False or {grades}"),
            "seed": (_is_number(self.seed, Integral, 0, LARGEST_SEED), f"a whole number from 0 to {LARGEST_SEED}"),
            "class_weight": (isinstance(self.class_weight, (str, Mapping, NoneType)), f"None, 'balanced' or {weights}"),
        }
        optional = {
            "missing": (_is_list(self.missing), "a list of words"),
            "n_cuts": (_is_number(self.n_cuts, Integral, 0), "a whole number from 0 on"),
            "size": (_is_number(self.size, Integral, 0), "a whole number from 0 on"),
            "time_budget": (_is_number(self.time_budget, Real, TINY), seconds),
            "prove": (_is_number(self.prove, Real, TINY), seconds),
            "limits": (isinstance(self.limits, Limits), "limits, such as cl.Limits()"),
            "callback": (callable(self.callback), "a function"),
            "start": (isinstance(self.start, Formula), "a formula"),
        }
        for name, (holds, what) in optional.items():
            needed[name] = holds or getattr(self, name) is None, f"None or {what}"
        for name, what in ((name, what) for name, (holds, what) in needed.items() if not holds):
            refuse(TrainingDataError, f"the {name!r} parameter must be {what}. Got {getattr(self, name)!r} instead.")
        goes_alone = not self.is_likelihood or self.class_weight is not None
        alone = "without class weights" if self.is_likelihood else "with strategy='likelihood', which learns {}"
        leave, limited = "Leave one of them out.", self.limits is not None
        in_order = "an order of the classes goes with strategy='likelihood', which learns one score for all of them."
        other = next((name for name in ("aim", "size", "prove") if getattr(self, name) is not None), "")
        problems = {
            f"an operating point goes {alone.format('a risk')}. {leave}": goes_alone and self.aim is not None,
            f"proofs about the front go {alone.format('facts')}. {leave}": goes_alone and self.prove is not None,
            in_order: not (self.is_likelihood or order is False),
            f"limits go {alone.format('rules by what they do')}. {leave}": goes_alone and limited,
            f"{other!r} would be another choice than that of the limits. {leave}": bool(other) and limited,
        }
        refuse_first(TrainingDataError, problems)


def _is_list(given: object) -> bool:
    return isinstance(given, Collection) and not isinstance(given, str)


def _are_names(given: Collection[object]) -> bool:
    return _is_list(given) and all(isinstance(name, str) for name in given)


def _is_number(given: Any, kind: type, least: float, most: float = inf) -> bool:
    is_one = isinstance(given, kind) and not isinstance(given, bool)
    return is_one and bool(least <= given <= most)
