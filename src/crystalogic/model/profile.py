"""Profiles: what the columns, facts, scores and classes of a table were, counted, to set a later table beside it.

No row is kept. Numbers are told by quantiles, which show their unit; values, facts and scores by how many have them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from crystalogic.arrays import Array, np
from crystalogic.cells import level_of
from crystalogic.encoding.encoding import column_names, n_rows
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, refuse, refuse_first
from crystalogic.logic.score import score_of
from crystalogic.model.rows import class_naming, take_cells
from crystalogic.untrusted import each, named, number, read_fields, table, text, whole

if TYPE_CHECKING:
    from crystalogic.model.model import Model

VERSION = 1
QUANTILES = 50  # cells of a column of numbers
MOST_LEVELS = 200  # of a column that are counted one by one, the commonest first
ROUNDING = 1e-9  # by which a number that was turned into another unit may be off
MOST_DIFFERENT = 5000  # values of a column that can be levels at all
Count = Annotated[int, whole]  # what is known, and how it is read from JSON
Counts = Annotated[tuple[int, ...], partial(each, whole)]
NamedCounts = Annotated[Mapping[str, int], partial(named, whole)]
Numbers = Annotated[tuple[float, ...], partial(each, number)]


@dataclass(frozen=True)
class ColumnProfile:
    """One column. A cell of `counts` holds the numbers above the edge before it, up to its own.

    >>> ages = ColumnProfile("age", 10, 2, (20, 40, 60), (1, 4, 3))
    >>> ages.quantile(0.5), ages.share_up_to([19, 40, 50]).tolist()
    (40.0, [0.0, 0.625, 0.8125])
    """

    name: Annotated[str, text]
    n_rows: Count
    n_missing: Count
    edges: Numbers = ()  # the least number, quantiles, the greatest; nothing for codes and categories
    counts: Counts = ()
    levels: NamedCounts = field(default_factory=dict)  # rows with each value; the commonest, where there are many

    def __post_init__(self) -> None:
        is_ascending = all(low < high for low, high in pairwise(self.edges))
        n_other = self.n_present - max(sum(self.counts), sum(self.levels.values()))
        is_counted = min(self.n_missing, *self.counts, *self.levels.values(), n_other) >= 0
        message = f"the profile of {self.name!r} needs edges that ascend, a count for each, and counts of rows."
        is_complete = len(self.edges) == len(self.counts)
        refuse_first(DocumentError, {message: not is_ascending or not is_counted or not is_complete})

    @property
    def n_present(self) -> int:
        return self.n_rows - self.n_missing

    @cached_property
    def shares(self) -> Array:
        """The share of the numbers up to each edge."""
        return np.cumsum(self.counts) / max(1, sum(self.counts))

    def quantile(self, share: float) -> float:
        """The edge at which this share of the numbers is reached."""
        return float(self.edges[int(np.searchsorted(self.shares, min(share, self.shares[-1])))])

    def share_up_to(self, numbers: Sequence[float] | Array) -> Array:
        """The share of the numbers up to each of these; between edges they are taken to be spread evenly."""
        return np.asarray(np.interp(numbers, self.edges, self.shares, left=0.0))

    def bound_share(self, numbers: Array) -> tuple[Array, Array]:
        """The least and the greatest share of the numbers that can be up to each of these: within a cell any can be."""
        slack, known = ROUNDING * np.abs(numbers), np.append(self.shares, 1.0)
        reached, next_one = (np.searchsorted(self.edges, numbers + turn * slack, "right") for turn in (1, -1))
        is_between = (reached == next_one) & (reached > 0)
        low = np.where(reached > 0, known[reached - 1], 0.0)
        return low, np.where(is_between, known[reached], low)

    def share_of(self, level: str) -> float:
        """The share of the rows with a value that have this one."""
        return self.levels.get(level, 0) / max(1, self.n_present)


@dataclass(frozen=True)
class Profile:
    """A table as a model sees it."""

    n_rows: Count
    n_judged: Count  # those that the rule can judge
    columns: Annotated[tuple[ColumnProfile, ...], partial(each, partial(read_fields, ColumnProfile))]  # and the target
    facts: NamedCounts = field(default_factory=dict)  # of the rows judged, those of which each fact is true
    scores: Counts = ()  # the rows judged with each score, where one score decides
    decided: Counts = ()  # the rows judged to be of each class
    confusion: Annotated[tuple[tuple[int, ...], ...], partial(each, partial(each, whole))] = ()  # as in `Figures`
    told: Numbers = ()  # what the told risks of each class add up to, over the rows whose class is known

    @cached_property
    def by_name(self) -> dict[str, ColumnProfile]:
        return {column.name: column for column in self.columns}

    @property
    def n_right(self) -> int:
        """How many rows got their own class."""
        return sum(row[place] for place, row in enumerate(self.confusion))

    @property
    def n_labelled(self) -> int:
        """How many of the rows judged have a known class."""
        return sum(map(sum, self.confusion))

    def without_decisions(self) -> "Profile":
        """The same for a model with other formulas, of which columns and facts alone are known."""
        return replace(self, scores=(), decided=(), confusion=(), told=())

    def fits(self, model: "Model") -> bool:
        """Whether it counts rows of columns, facts and classes that the model has."""
        n, by_class = len(model.classes or ()), [self.decided, self.confusion, self.told, *self.confusion]
        counts = [*self.facts.values(), *self.scores, *self.decided, *(n for row in self.confusion for n in row)]
        return (
            {*self.by_name} <= {*model.encoding.by_name, model.target}
            and {*self.facts} <= {*model.encoding.names}
            and all(len(each) in (0, n) for each in by_class)
            and 0 <= min(counts, default=0) <= max(counts, default=0) <= self.n_judged <= self.n_rows
        )

    def content(self) -> dict[str, Any]:
        return {"version": VERSION, **asdict(self)}


def read_profile(value: Any, what: str) -> Profile:
    if whole(table(value, what).get("version"), f"{what}, the version") != VERSION:
        refuse(DocumentError, f"{what} has the version {value['version']}; this library reads {VERSION}.")
    return read_fields(Profile, value, what)


def profile_of(model: "Model", rows: Any, labels: Any = None, like: Profile | None = None) -> Profile:
    """The profile of rows, a frame or a mapping of columns, and of their classes, or the `Values` of them, where known.
    The edges of one that it is to be `like` are counted too, and all columns both as numbers and as values."""
    n, there, encoding = n_rows(rows), set(column_names(rows)), model.encoding
    edges = {} if like is None else {each.name: each.edges for each in like.columns}
    known = [column for column in encoding.columns if column.literals and column.name in there]
    read: Any = {column.name: encoding.read(rows, column.name) for column in known}
    columns = []
    for column in known:
        kinds = {} if like else {"numbers": column.kind == "number", "levels": column.kind != "number"}
        columns.append(profile_column(read[column.name], edges.get(column.name, ()), **kinds))
    codes = np.full(n, -1)
    if labels is not None and model.classes is not None:
        different, places = labels.different if isinstance(labels, Values) else np.unique(labels, return_inverse=True)
        levels = _levels(different, places, model.target_words)
        columns.append(ColumnProfile(model.target, n, n - sum(levels.values()), levels=levels))
        name = class_naming(model)
        place = {name(label): place for place, label in enumerate(model.classes)}
        codes = np.array([place.get(name(value), -1) for value in different])[places]
    if not set(model.columns) <= there:
        return Profile(n, n, tuple(columns))
    rows = read or {"": np.zeros(n)}  # a rule may read no column
    judged = np.flatnonzero(~encoding.find_refused(rows, model.names))
    rows = rows if len(judged) == n else {name: take_cells(values, judged) for name, values in rows.items()}
    fronts = () if like else (row.formula.variables for front in model.fronts for row in front)
    names = dict.fromkeys([*model.names, *(name for variables in fronts for name in variables)])
    facts = [name for name in names if encoding.literals[name].is_boolean]
    counted = {name: int(truth.sum()) for name, truth in encoding.truths(rows, facts, refuse_missing=False)}
    profile = Profile(n, len(judged), tuple(columns), counted)
    return profile if model.classes is None else _judge(model, profile, rows, codes[judged])


def profile_column(
    values: Values, edges: Sequence[float] = (), *, numbers: bool = True, levels: bool = True
) -> ColumnProfile:
    """One column: its numbers, if it has any, with quantiles and these edges; its values, if they are not too many."""
    found = np.sort(values.parsed[np.isfinite(values.parsed)] + 0.0) if numbers else np.empty(0)  # -0.0 is 0.0
    ends: list[float] = []
    if len(found):
        quantiles = found[np.linspace(0, len(found) - 1, QUANTILES + 1).astype(np.intp)].tolist()
        ends = sorted({*quantiles, *(edge for edge in edges if found[0] < edge < found[-1])})
    counts = tuple(np.diff(np.searchsorted(found, ends, side="right"), prepend=0).tolist())
    counted = _levels(*values.different, values.words) if levels else {}
    return ColumnProfile(values.name, len(values), int(values.is_missing.sum()), tuple(ends), counts, counted)


def _levels(different: Any, codes: Array, words: frozenset[str]) -> dict[str, int]:
    """How many rows have each value, the commonest first; nothing where the values are far too many."""
    levels: Counter[str] = Counter()
    if 0 < len(different) <= MOST_DIFFERENT:
        counts = np.bincount(codes % len(different), minlength=len(different)).tolist()
        for value, n in zip(different, counts, strict=True):
            level = level_of(value, words)
            levels.update({level: n} if level is not None and n else {})
    return dict(sorted(levels.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LEVELS])


def _judge(model: "Model", profile: Profile, rows: Any, labels: Array) -> Profile:
    """The profile with decisions and scores, and with what is known of the classes of the rows (-1 for unknown)."""
    k, is_known = len(model.classes or ()), labels >= 0
    decided = model.class_index(rows, model.degrees(rows, unknown="false"))
    facts: dict[str, Any] = {"decided": tuple(np.bincount(decided, minlength=k).tolist())}
    if is_known.any():
        counts = np.bincount(labels[is_known] * k + decided[is_known], minlength=k * k).reshape(k, k)
        facts["confusion"] = tuple(map(tuple, counts.tolist()))
    scores = None if model.rounding else model.scores(rows, unknown="false")
    if scores is not None and (len(model.formulas) == 1 or model.is_ordered):
        place = model.order[0] if model.is_ordered else 0
        n_scores = score_of(model.formulas[place]).most + 1
        facts["scores"] = tuple(np.bincount(scores[:, place].astype(np.intp), minlength=n_scores).tolist())
    if scores is not None and model.has_risk and is_known.any():
        facts["told"] = tuple(round(each, 6) for each in (is_known @ model.likelihoods(scores)).tolist())
    return replace(profile, **facts)
