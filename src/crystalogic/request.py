"""What a user asks of a fit, besides the data."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from crystalogic.annealing import Annealing
from crystalogic.cells import MISSING_WORDS, levels_of
from crystalogic.errors import TrainingDataError
from crystalogic.learner.settings import Likelihood
from crystalogic.logic.formula import Formula

if TYPE_CHECKING:
    from crystalogic.operating import Aim

AUTO = "auto"
LATTICE = "annealing"
LIKELIHOOD = "likelihood"
LARGEST_SEED = 2**32 - 1  # as numpy has it; the kernels multiply seeds in 64 bits


@dataclass(frozen=True)
class Request:
    """What a user asks of a fit, besides the data.

    The strategy "auto" is "likelihood", which learns facts; it is "annealing" where degrees are to be learned or read,
    or a formula is given to start from. `numbers` "auto" are cuts; for other strategies cuts and degrees.
    """

    strategy: Any = AUTO
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
    aim: "Aim | None" = None  # the operating point; None is where both classes are as likely
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
        is_graded = are_graded(degrees=self.degrees, start=self.start, numbers=self.numbers)
        settled = settle_strategy(self.strategy, is_graded=is_graded)
        if isinstance(settled, (Annealing, Likelihood)):
            return settled
        from crystalogic.train import STRATEGIES, Strategy, strategy_named

        settled = strategy_named(settled) if isinstance(settled, str) and settled in STRATEGIES else settled
        if not isinstance(settled, Strategy):
            names = ", ".join([AUTO, LIKELIHOOD, LATTICE, *STRATEGIES])
            message = f"there is no strategy {self.strategy!r}; there are {names}, and objects with their own fields."
            raise TrainingDataError(message)
        return settled

    @property
    def is_lattice(self) -> bool:
        """Whether the integer network is searched directly, rather than trained as a float network."""
        return isinstance(self.settings, Annealing)

    @property
    def is_likelihood(self) -> bool:
        """Whether points and neurons are chosen by their likelihood."""
        return isinstance(self.settings, Likelihood)

    @property
    def is_trained(self) -> bool:
        return not (self.is_lattice or self.is_likelihood)

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
        return LIKELIHOOD if self.is_likelihood else LATTICE if self.is_lattice else type(self.settings).__name__

    @property
    def missing_words(self) -> frozenset[str]:
        return MISSING_WORDS if self.missing is None else levels_of(self.missing)

    @property
    def read_kinds(self) -> Mapping[str, Any]:
        """How columns are read; those that are protected are not."""
        ignored = dict.fromkeys(self.protect, "ignore")
        return {**self.kinds, **ignored} if ignored and isinstance(self.kinds, Mapping) else self.kinds

    @property
    def read_numbers(self) -> Any:
        if self.numbers != "auto":
            return self.numbers
        return "cuts" if self.is_likelihood else "both"

    def __post_init__(self) -> None:
        """Refuses what nothing could be done with, before the table is looked at."""
        wanted = {
            "monotone": (
                isinstance(self.monotone, Mapping) and all(sign in (1, -1) for sign in self.monotone.values()),
                "a mapping from columns to 1 or -1",
            ),
            "forbidden": (_are_names(self.forbidden), "a list of columns or truth values"),
            "protect": (_are_names(self.protect), "a list of columns"),
            "required": (_are_names(self.required), "a list of truth values"),
            "missing": (self.missing is None or _is_list(self.missing), "None or a list of words"),
            "ordered": (
                isinstance(self.ordered, bool) or _is_list(self.ordered),
                "True, False or a list of the classes from the least to the greatest",
            ),
            "n_cuts": (self.n_cuts is None or _is_whole(self.n_cuts), "None or a whole number from 0 on"),
            "size": (self.size is None or _is_whole(self.size), "None or a whole number from 0 on"),
            **{
                name: (given is None or (_is_number(given, Real) and given > 0), "None or a positive number of seconds")
                for name, given in (("time_budget", self.time_budget), ("prove", self.prove))
            },
            "seed": (_is_whole(self.seed, LARGEST_SEED), f"a whole number from 0 to {LARGEST_SEED}"),
            "callback": (self.callback is None or callable(self.callback), "None or a function"),
            "start": (self.start is None or isinstance(self.start, Formula), "None or a formula"),
            "class_weight": (
                self.class_weight is None or isinstance(self.class_weight, (str, Mapping)),
                "None, 'balanced' or a mapping from classes to weights",
            ),
        }
        for name, (holds, what) in wanted.items():
            if not holds:
                message = f"the {name!r} parameter must be {what}. Got {getattr(self, name)!r} instead."
                raise TrainingDataError(message)
        if self.aim is not None and (not self.is_likelihood or self.class_weight is not None):
            other = "without class weights" if self.is_likelihood else "with strategy='likelihood', which learns a risk"
            message = f"an operating point goes {other}. Leave one of them out."
            raise TrainingDataError(message)
        if self.prove is not None and (not self.is_likelihood or self.class_weight is not None):
            other = "without class weights" if self.is_likelihood else "with strategy='likelihood', which learns facts"
            message = f"proofs about the front go {other}. Leave one of them out."
            raise TrainingDataError(message)
        if self.ordered is not False and not self.is_likelihood:
            message = "an order of the classes goes with strategy='likelihood', which learns one score for all of them."
            raise TrainingDataError(message)


def are_graded(*, degrees: bool, start: object, numbers: str) -> bool:
    """Whether what is asked goes beyond facts: degrees that are learned or read, or a formula to start from."""
    return degrees or start is not None or numbers in ("degrees", "both")


def settle_strategy(strategy: Any, *, is_graded: bool) -> Any:
    """The settings that a name stands for: "auto" is annealing where that is graded, and likelihood otherwise.

    Settings stay as they are, and so do the names of strategies that train float networks.
    """
    if not isinstance(strategy, str):
        return strategy
    name = (LATTICE if is_graded else LIKELIHOOD) if strategy == AUTO else strategy
    return {LATTICE: Annealing(), LIKELIHOOD: Likelihood()}.get(name, strategy)


def limit_strategy(strategy: Any, *, is_graded: bool = False, **limits: Any) -> Any:
    """The strategy with these limits, None for none; a TrainingDataError for one that would not keep them."""
    strategy = settle_strategy(strategy, is_graded=is_graded)
    given = {name: limit for name, limit in limits.items() if limit is not None}
    is_search = isinstance(strategy, (Annealing, Likelihood))
    if not is_search:
        given.pop("n_threads", None)  # of no use to others, and no harm
    known = {each.name for each in fields(strategy)} if is_search else set()
    strange = [name for name in given if name not in known]
    if strange:
        keeper = LIKELIHOOD if strange[0] == "shape" else LATTICE
        message = f"{strange[0]!r} goes with strategy={keeper!r}, which keeps it. Got {strategy!r} instead."
        raise TrainingDataError(message)
    return replace(strategy, **given) if given else strategy


def _is_list(given: object) -> bool:
    return isinstance(given, Collection) and not isinstance(given, str)


def _are_names(given: Collection[object]) -> bool:
    return _is_list(given) and all(isinstance(name, str) for name in given)


def _is_whole(given: Any, most: float = inf) -> bool:
    return _is_number(given, Integral) and 0 <= given <= most


def _is_number(given: object, kind: type) -> bool:
    return isinstance(given, kind) and not isinstance(given, bool)
