"""From a table to a model: encode the columns, learn a crystal, read it, certify it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from crystalogic import __version__
from crystalogic.crystal import Crystal
from crystalogic.document import fingerprint
from crystalogic.encoding import Cut, Degree, Encoding, Is, Reaches, fit_encoding
from crystalogic.encoding.encoding import Column, n_rows
from crystalogic.errors import CertificateError, TrainingDataError
from crystalogic.logic.formula import Formula
from crystalogic.logic.simplify import simplify
from crystalogic.model import FrontRow, Model
from crystalogic.symbolic.encode import encode
from crystalogic.symbolic.extract import extract
from crystalogic.verify.certificate import Certificate
from crystalogic.verify.check import certify

if TYPE_CHECKING:
    from crystalogic.scale.overview import Overview
    from crystalogic.scale.parts import Parts
    from crystalogic.search import Annealing, Features, Knowledge, SearchResult
    from crystalogic.train import Strategy, Task

LATTICE = "annealing"
WHOLE = 50_000  # up to so many rows a table is searched whole, with cross-validation


@dataclass(frozen=True)
class Request:
    """What a user asks of a fit, besides the data.

    `numbers` "auto" reads numbers as degrees and cuts, or as degrees alone for more than two classes: there the
    largest degree decides, and a cut is 0 or 1.
    """

    strategy: Any = LATTICE
    kinds: Mapping[str, Any] = field(default_factory=dict)
    numbers: str = "auto"
    n_cuts: int = 5
    degrees: bool = False
    monotone: Mapping[str, int] = field(default_factory=dict)
    forbidden: Collection[str] = ()
    required: Collection[str] = ()
    start: Formula | None = None
    class_weight: Any = None
    seed: int = 0
    time_budget: float | None = None
    callback: Callable[[Any], Any] | None = None
    announce: Callable[[Any], None] | None = None  # is told the plan for a long table

    @property
    def is_lattice(self) -> bool:
        """Whether the integer network is searched directly, rather than trained as a float network."""
        if isinstance(self.strategy, str):
            return self.strategy == LATTICE
        from crystalogic.search import Annealing

        return isinstance(self.strategy, Annealing)

    @property
    def lattice(self) -> "Annealing":
        """The settings of the lattice search."""
        from crystalogic.search import Annealing

        return self.strategy if isinstance(self.strategy, Annealing) else Annealing()

    @property
    def trained(self) -> "Strategy":
        """The fields of a float strategy."""
        from crystalogic.train import Strategy, strategy_named

        return self.strategy if isinstance(self.strategy, Strategy) else strategy_named(self.strategy)

    def numbers_for(self, n_classes: int) -> Any:
        """How numbers are read where there are so many classes."""
        return self.numbers if self.numbers != "auto" else "both" if n_classes <= 2 else "degrees"

    def __post_init__(self) -> None:
        """Refuses what nothing could be done with, before the table is looked at."""
        wanted = {
            "monotone": (
                isinstance(self.monotone, Mapping) and all(sign in (1, -1) for sign in self.monotone.values()),
                "a mapping from columns to 1 or -1",
            ),
            "forbidden": (_are_names(self.forbidden), "a list of columns or truth values"),
            "required": (_are_names(self.required), "a list of truth values"),
            "n_cuts": (_is_number(self.n_cuts, Integral) and self.n_cuts >= 0, "a whole number from 0 on"),
            "time_budget": (
                self.time_budget is None or (_is_number(self.time_budget, Real) and self.time_budget > 0),
                "None or a positive number of seconds",
            ),
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
        if isinstance(self.strategy, str) and self.strategy != LATTICE:
            _ = self.trained  # refuses a name that there is not

    def but(self, **changes: Any) -> "Request":
        """The same request with some fields changed."""
        return replace(self, **changes)


def _are_names(given: object) -> bool:
    return isinstance(given, Collection) and not isinstance(given, str) and all(isinstance(name, str) for name in given)


def _is_number(given: object, kind: type) -> bool:
    return isinstance(given, kind) and not isinstance(given, bool)


def fit_model(rows: Any, y: Any, target: str, request: Request, sample_weight: Any = None) -> Model:
    """The model of a table (a frame or a mapping of columns) and its target."""
    import numpy as np

    y = np.asarray(y)
    if len(y) > WHOLE:
        from crystalogic.scale.parts import MemoryParts

        return fit_parts(MemoryParts(rows, y, sample_weight, request.lattice.n_threads), target, request)
    n_classes = 2 if request.degrees else len(np.unique(y))
    if not request.is_lattice:
        _refuse_untrainable(request, n_classes)
    numbers = request.numbers_for(n_classes)
    encoding = fit_encoding(rows, request.kinds, numbers=numbers, n_cuts=request.n_cuts, weight=sample_weight)
    if request.is_lattice:
        return _searched(encoding, features_of(encoding, rows), y, target, request, sample_weight)
    return _trained_whole(encoding, encoding.transform(rows), y, target, request, sample_weight)


def fit_parts(parts: "Parts", target: str, request: Request, overview: "Overview | None" = None) -> Model:
    """The model of a table in parts, on one machine or a cluster; a short table is learned whole."""
    from crystalogic.scale.learn import Wish, learn_in_parts
    from crystalogic.scale.overview import look_over
    from crystalogic.scale.parts import gathered

    overview = overview or look_over(parts, degrees=request.degrees)
    if overview.n_rows <= WHOLE:
        rows, y, weight = gathered(parts)
        return fit_model(rows, y, target, request, weight)
    n_classes = 2 if request.degrees else len(overview.counts)
    numbers = request.numbers_for(n_classes)

    def encode_sample(rows: Any, survey: Any, weight: Any) -> Encoding:
        return fit_encoding(rows, request.kinds, numbers=numbers, n_cuts=request.n_cuts, weight=weight, survey=survey)

    about = {"n_rows": overview.n_rows}
    if not request.is_lattice:
        from crystalogic.scale.blocks import blocks_of, encoder_of, training_plan
        from crystalogic.train import Task

        _refuse_untrainable(request, n_classes)
        encoder = encoder_of(parts, overview, encode_sample, request.class_weight, request.seed)
        if request.announce:
            request.announce(training_plan(parts, overview, encoder, request.trained))
        task = Task(blocks_of(parts, encoder, overview.n_rows))
        return _trained(target, encoder.encoding, task, overview.classes, overview.order, request, about)
    wish = Wish(
        encode=encode_sample,
        knowledge=lambda encoding: _knowledge(encoding, request),
        settings=request.lattice,
        degrees=request.degrees,
        seed=request.seed,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
        announce=request.announce,
    )
    learned = learn_in_parts(parts, overview, wish)
    return _found(target, learned.encoding, learned.result, request, {**about, "judged": learned.judged})


def features_of(encoding: Encoding, rows: Any) -> "Features":
    """All truth values of a table, packed."""
    from crystalogic.search import Features

    return Features.of((truth for _, truth in encoding.truths(rows)), encoding.names, n_rows(rows))


def _searched(encoding: Encoding, X: "Features", y: Any, target: str, request: Request, sample_weight: Any) -> Model:
    from crystalogic.search import search

    found = search(
        X,
        y,
        encoding.names,
        request.lattice,
        degrees=request.degrees,
        knowledge=_knowledge(encoding, request),
        seed=request.seed,
        sample_weight=sample_weight,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
    )
    about = {"n_rows": X.n_rows, "data": fingerprint_of(X.row_blocks(), y)}
    return _found(target, encoding, found, request, about)


def _knowledge(encoding: Encoding, request: Request) -> "Knowledge":
    """The constraints of the request as the search keeps them, truth value by truth value."""
    from crystalogic.search import Knowledge

    signs, against_order = _directions(encoding, request.monotone)
    return Knowledge(
        monotone=signs,
        forbidden=[*_literals_of(encoding, request.forbidden), *against_order],
        required=_one_literal_each(encoding, request.required),
        start=None if request.start is None else encode(request.start),
    )


def _found(target: str, encoding: Encoding, found: "SearchResult", request: Request, about: Mapping[str, Any]) -> Model:
    """The model of what a search found."""
    fronts = tuple(
        tuple(
            FrontRow(
                each.n_literals,
                each.n_neurons,
                each.training,
                each.cross_validated,
                each.standard_error,
                str(readable(each.crystal, encoding, request.required)[0]),
            )
            for each in front.candidates
        )
        for front in found.fronts
    )
    notes = {
        "strategy": "annealing",
        "seed": request.seed,
        "stop": found.stop.value,
        "knowledge": str(found.knowledge),
        "choice": [front.reason for front in found.fronts],
        **about,
        "library": __version__,
    }
    chosen = tuple(front.chosen_index for front in found.fronts)
    kept = request.required
    return finished(target, found.classes, found.order, encoding, found.crystal, fronts, chosen, notes, kept)


def _refuse_untrainable(request: Request, n_classes: int) -> None:
    """A TrainingDataError for what the float strategies cannot learn."""
    if request.monotone or request.forbidden or request.required or request.start is not None:
        message = "constraints and a first formula go with strategy='annealing', which keeps them in every move."
        raise TrainingDataError(message)
    if n_classes != 2:
        message = f"the strategy {request.strategy!r} learns two classes, got {n_classes}; use 'annealing'."
        raise TrainingDataError(message)


def _trained_whole(encoding: Encoding, X: Any, y: Any, target: str, request: Request, sample_weight: Any) -> Model:
    """The model that a float strategy learns from a table in memory."""
    import numpy as np

    from crystalogic.train import make_task

    classes, codes = (None, y) if request.degrees else np.unique(y, return_inverse=True)
    order: tuple[int, ...] = ()
    weight = sample_weight
    if classes is not None:
        order = tuple(np.argsort(-np.bincount(codes), kind="stable").tolist())
        if request.class_weight is not None:
            from crystalogic.search.learn import class_weights

            mass = np.bincount(codes, weights=sample_weight)
            weight = class_weights(classes, mass, request.class_weight)[codes]
            weight = weight if sample_weight is None else weight * sample_weight
    about = {"n_rows": len(X), "data": fingerprint_of([X], y)}
    return _trained(target, encoding, make_task(X, codes, weight), classes, order, request, about)


def _trained(
    target: str,
    encoding: Encoding,
    task: "Task",
    classes: Any,
    order: tuple[int, ...],
    request: Request,
    about: Mapping[str, Any],
) -> Model:
    """The model that a float strategy learns."""
    from crystalogic.train import train_task

    run = train_task(
        None,
        task,
        request.trained,
        seed=request.seed,
        names=encoding.names,
        callback=request.callback,
        time_budget=request.time_budget,
    )
    notes = {
        "strategy": type(run.strategy).__name__,
        "seed": request.seed,
        "stop": run.stop.value,
        **about,
        "library": __version__,
    }
    formula, _ = readable(run.crystal, encoding)
    row = FrontRow(formula.size, len(run.crystal.live), run.best.accuracy_after, None, None, str(formula))
    known = None if classes is None else tuple(classes.tolist())
    return finished(target, known, order, encoding, run.crystal, ((row,),), (0,), notes)


def finished(
    target: str,
    classes: Any,
    order: tuple[int, ...],
    encoding: Encoding,
    crystal: Crystal,
    fronts: tuple[tuple[FrontRow, ...], ...] = (),
    chosen: tuple[int, ...] = (),
    notes: Mapping[str, Any] | None = None,
    required: Collection[str] = (),
) -> Model:
    """The model of a crystal over the encoding's truth values, with its formulas and certificate."""
    part = crystal.narrowed()
    formulas, certificate = readable_all(part, encoding, required)
    return Model(target, classes, order, encoding, part, formulas, certificate, fronts, chosen, notes or {})


def model_of(formulas: Sequence[Formula], encoding: Encoding, target: str, classes: Sequence[Any] | None) -> Model:
    """A person's own formulas as a model, kept as they are written; of two classes, the formula of the second."""
    crystal = encode(formulas)
    order = tuple(range(len(classes or ())))
    known = None if classes is None else tuple(classes)
    return Model(target, known, order, encoding, crystal, tuple(formulas), certify(crystal, formulas))


def readable(crystal: Crystal, encoding: Encoding, required: Collection[str] = ()) -> tuple[Formula, Certificate]:
    """The shortest certified formula of a crystal with one output."""
    formulas, certificate = readable_all(crystal.narrowed(), encoding, required)
    return formulas[0], certificate


def readable_all(
    crystal: Crystal, encoding: Encoding, required: Collection[str] = ()
) -> tuple[tuple[Formula, ...], Certificate]:
    """Formulas simplified on the encoding's domain, or as extracted where that cannot be certified.

    A truth value that is required stays, also where it changes nothing.
    """
    plain = extract(crystal).formulas
    domain = encoding.domain.restricted(crystal.inputs)
    simple = tuple(simplify(formula, domain) for formula in plain)
    left, before = ({name for formula in each for name in formula.variables} for each in (simple, plain))
    if before.intersection(required) - left:
        return plain, certify(crystal, plain)
    try:
        return simple, certify(crystal, simple, domain)
    except CertificateError:
        return plain, certify(crystal, plain)


def _literals_of(encoding: Encoding, names: Collection[str]) -> list[str]:
    """All truth values of a column, by the column's name, or a single one by its own."""
    found: list[str] = []
    for name in names:
        of_column = [literal.name for literal in encoding.literals.values() if literal.column == name]
        if not of_column and name not in encoding.literals:
            columns = dict.fromkeys(literal.column for literal in encoding.literals.values())
            message = f"{name!r} is no column that is used and no truth value; the columns are {', '.join(columns)}."
            raise TrainingDataError(message)
        found += of_column or [name]
    return found


def _one_literal_each(encoding: Encoding, names: Collection[str]) -> list[str]:
    """Truth values by their own names; a column alone does not say which of its truth values is meant."""
    for name in names:
        if name not in encoding.literals:
            choices = _literals_of(encoding, [name])
            message = f"which truth value of {name!r} is required? It has {', '.join(choices)}."
            raise TrainingDataError(message)
    return list(names)


def _directions(encoding: Encoding, monotone: Mapping[str, int]) -> tuple[dict[str, int], list[str]]:
    """The signs of truth values that make a rule go one way with a column, and those that it must not use for that.

    Degrees, cuts and levels grow with their column, its least value (`ca=0`) goes against it, its greatest with it; a
    value between them does both. That a value is missing has no place in the order, and stays free.
    """
    columns = {column.name: column for column in encoding.columns}
    signs: dict[str, int] = {}
    forbidden: list[str] = []
    for name, sign in monotone.items():
        for each in _literals_of(encoding, [name]):
            literal = encoding.literals[each]
            if name not in columns or isinstance(literal, (Cut, Degree, Reaches)):
                signs[each] = sign
            elif isinstance(literal, Is):
                order = _order_of(columns[name])
                if literal.value in (order[0], order[-1]):
                    signs[each] = sign if literal.value == order[-1] else -sign
                else:
                    forbidden.append(each)
    return signs, forbidden


def _order_of(column: Column) -> tuple[str, ...]:
    """The values of a column from the least on; an error if they have no order."""
    if column.kind == "category" and tuple(map(str.lower, column.known)) != ("false", "true"):
        literal = next(each.name for each in column.literals if isinstance(each, Is))
        message = (
            f"{column.name!r} is a category without an order, so that it has no direction. "
            f"Declare its order as its kind, or give one of its truth values a direction, such as {literal!r}."
        )
        raise TrainingDataError(message)
    return column.known


def fingerprint_of(blocks: Iterable[Any], y: Any) -> str:
    """What identifies the encoded training data: blocks of rows of truth values, and the targets."""
    import hashlib

    import numpy as np

    digest = hashlib.sha256()
    for block in blocks:
        digest.update(np.ascontiguousarray(block).tobytes())
    digest.update(fingerprint([str(label) for label in np.asarray(y).tolist()]).encode())
    return digest.hexdigest()
