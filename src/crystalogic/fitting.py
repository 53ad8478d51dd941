"""From a table to a model: encode the columns, learn a crystal, read it, certify it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    from crystalogic.search import Features

LATTICE = "annealing"


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
    forbidden: Sequence[str] = ()
    required: Sequence[str] = ()
    start: Formula | None = None
    class_weight: Any = None
    seed: int = 0
    time_budget: float | None = None
    callback: Callable[[Any], Any] | None = None

    def but(self, **changes: Any) -> "Request":
        """The same request with some fields changed."""
        return replace(self, **changes)


def fit_model(rows: Any, y: Any, target: str, request: Request, sample_weight: Any = None) -> Model:
    """The model of a table (a frame or a mapping of columns) and its target."""
    numbers: Any = request.numbers
    if numbers == "auto":
        numbers = "both" if request.degrees or len(set(y)) <= 2 else "degrees"
    encoding = fit_encoding(rows, request.kinds, numbers=numbers, n_cuts=request.n_cuts, weight=sample_weight)
    if (isinstance(request.strategy, str) and request.strategy != LATTICE) or _is_float_strategy(request.strategy):
        return _trained(encoding, encoding.transform(rows), y, target, request, sample_weight)
    return _searched(encoding, features_of(encoding, rows), y, target, request, sample_weight)


def features_of(encoding: Encoding, rows: Any) -> "Features":
    """All truth values of a table, packed."""
    from crystalogic.search import Features

    truths = encoding.truths(rows)
    return Features.of((truth for _, truth in truths), encoding.names, n_rows(rows))


def _is_float_strategy(strategy: Any) -> bool:
    if isinstance(strategy, str):
        return False
    from crystalogic.search import Annealing

    return not isinstance(strategy, Annealing)


def _searched(encoding: Encoding, X: "Features", y: Any, target: str, request: Request, sample_weight: Any) -> Model:
    from crystalogic.search import Annealing, Knowledge, search

    signs, against_order = _directions(encoding, request.monotone)
    knowledge = Knowledge(
        monotone=signs,
        forbidden=[*_literals_of(encoding, request.forbidden), *against_order],
        required=_one_literal_each(encoding, request.required),
        start=None if request.start is None else encode(request.start),
    )
    found = search(
        X,
        y,
        encoding.names,
        Annealing() if request.strategy == LATTICE else request.strategy,
        degrees=request.degrees,
        knowledge=knowledge,
        seed=request.seed,
        sample_weight=sample_weight,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
    )
    fronts = tuple(
        tuple(
            FrontRow(
                each.n_literals,
                each.n_neurons,
                each.training,
                each.cross_validated,
                each.standard_error,
                str(readable(each.crystal, encoding)[0]),
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
        "n_rows": X.n_rows,
        "data": fingerprint_of(X.row_blocks(), y),
        "library": __version__,
    }
    chosen = tuple(front.chosen_index for front in found.fronts)
    return finished(target, found.classes, found.order, encoding, found.crystal, fronts, chosen, notes)


def _trained(encoding: Encoding, X: Any, y: Any, target: str, request: Request, sample_weight: Any) -> Model:
    import numpy as np

    from crystalogic.train import train

    if request.monotone or request.forbidden or request.required or request.start is not None:
        message = "constraints and a first formula go with strategy='annealing', which keeps them in every move."
        raise TrainingDataError(message)
    labels = np.asarray(y)
    classes, codes = (None, labels) if request.degrees else np.unique(labels, return_inverse=True)
    if classes is not None and len(classes) != 2:
        message = f"the strategy {request.strategy!r} learns two classes, got {len(classes)}; use 'annealing'."
        raise TrainingDataError(message)
    run = train(
        None,
        X,
        codes,
        request.strategy,
        seed=request.seed,
        sample_weight=sample_weight,
        names=encoding.names,
        callback=request.callback,
        time_budget=request.time_budget,
    )
    known = None if classes is None else tuple(label.item() for label in classes)
    counts = np.bincount(codes.astype(int)) if classes is not None else np.zeros(1)
    order = tuple(int(index) for index in np.argsort(-counts, kind="stable")) if classes is not None else ()
    notes = {
        "strategy": type(run.strategy).__name__,
        "seed": request.seed,
        "stop": run.stop.value,
        "n_rows": len(X),
        "data": fingerprint_of([X], y),
        "library": __version__,
    }
    formula, _ = readable(run.crystal, encoding)
    row = FrontRow(formula.size, len(run.crystal.live), run.best.accuracy_after, None, None, str(formula))
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
) -> Model:
    """The model of a crystal over the encoding's truth values, with its formulas and certificate."""
    part = crystal.narrowed()
    formulas, certificate = readable_all(part, encoding)
    return Model(target, classes, order, encoding, part, formulas, certificate, fronts, chosen, notes or {})


def model_of(formulas: Sequence[Formula], encoding: Encoding, target: str, classes: Sequence[Any] | None) -> Model:
    """A person's own formulas as a model, kept as they are written; of two classes, the formula of the second."""
    crystal = encode(formulas)
    order = tuple(range(len(classes or ())))
    known = None if classes is None else tuple(classes)
    return Model(target, known, order, encoding, crystal, tuple(formulas), certify(crystal, formulas))


def readable(crystal: Crystal, encoding: Encoding) -> tuple[Formula, Certificate]:
    """The shortest certified formula of a crystal with one output."""
    formulas, certificate = readable_all(crystal.narrowed(), encoding)
    return formulas[0], certificate


def readable_all(crystal: Crystal, encoding: Encoding) -> tuple[tuple[Formula, ...], Certificate]:
    """Formulas simplified on the encoding's domain where that can be certified, as extracted otherwise."""
    plain = extract(crystal).formulas
    domain = encoding.domain.restricted(crystal.inputs)
    simple = tuple(simplify(formula, domain) for formula in plain)
    try:
        return simple, certify(crystal, simple, domain)
    except CertificateError:
        return plain, certify(crystal, plain)


def _literals_of(encoding: Encoding, names: Sequence[str]) -> list[str]:
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


def _one_literal_each(encoding: Encoding, names: Sequence[str]) -> list[str]:
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
