"""From a table to a model: encode the columns, learn a crystal, read it, certify it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crystalogic import __version__
from crystalogic.document import fingerprint
from crystalogic.encoding import Encoding, fit_encoding
from crystalogic.errors import TrainingDataError
from crystalogic.fitting.constraints import knowledge_of, promises_of, with_own_facts
from crystalogic.fitting.limits import refuse_unreadable
from crystalogic.fitting.promises import AtMost, refuse_broken
from crystalogic.fitting.reading import finished, readable
from crystalogic.fitting.request import Request
from crystalogic.model import FrontRow, Model

if TYPE_CHECKING:
    from crystalogic.scale.overview import Overview
    from crystalogic.scale.parts import Parts
    from crystalogic.search import Features, SearchResult
    from crystalogic.train import Task

WHOLE = 50_000  # up to so many rows a table is searched whole, with cross-validation


def fit_model(rows: Any, y: Any, target: str, request: Request, sample_weight: Any = None) -> Model:
    """The model of a table (a frame or a mapping of columns) and its target."""
    import numpy as np

    y = np.asarray(y)
    if sample_weight is not None:
        from crystalogic.search.rows import settled_weight

        sample_weight = settled_weight(sample_weight, len(y))
    if len(y) > WHOLE:
        from crystalogic.scale.parts import MemoryParts

        return fit_parts(MemoryParts(rows, y, sample_weight, request.lattice.n_threads), target, request)
    n_classes = 2 if request.degrees else len(np.unique(y))
    if not request.is_lattice:
        _refuse_untrainable(request, n_classes)
    encoding = _encoded(rows, n_classes, request, sample_weight)
    if request.is_lattice:
        from crystalogic.scale.features import features_of

        return _searched(encoding, features_of(encoding, rows), y, target, request, sample_weight)
    return _trained_whole(encoding, encoding.transform(rows), y, target, request, sample_weight)


def fit_parts(parts: "Parts", target: str, request: Request, overview: "Overview | None" = None) -> Model:
    """The model of a table in parts, on one machine or a cluster; a short table is learned whole."""
    from crystalogic.scale.learn import Wish, learn_in_parts
    from crystalogic.scale.overview import look_over
    from crystalogic.scale.parts import gathered

    words = request.missing_words
    overview = overview or look_over(parts, degrees=request.degrees, kinds=request.kinds, missing=words)
    if overview.n_rows <= WHOLE:
        rows, y, weight = gathered(parts)
        return fit_model(rows, y, target, request, weight)
    n_classes = 2 if request.degrees else len(overview.counts)

    def encode_sample(rows: Any, survey: Any, weight: Any) -> Encoding:
        return _encoded(rows, n_classes, request, weight, survey)

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
        knowledge=lambda encoding: knowledge_of(encoding, request),
        settings=request.lattice,
        degrees=request.degrees,
        seed=request.seed,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
        announce=request.announce,
        prepare=request.prepare,
    )
    learned = learn_in_parts(parts, overview, wish)
    return _found(target, learned.encoding, learned.result, request, {**about, "judged": learned.judged})


def _encoded(rows: Any, n_classes: int, request: Request, weight: Any, survey: Any = None) -> Encoding:
    """The encoding of these rows, whatever rule of which can be kept in a file."""
    numbers = request.numbers_for(n_classes)
    how: dict[str, Any] = {"numbers": numbers, "n_cuts": request.n_cuts, "missing": request.missing_words}
    encoding = with_own_facts(fit_encoding(rows, request.kinds, weight=weight, survey=survey, **how), request)
    refuse_unreadable(encoding, n_classes, request)
    return encoding


def _searched(encoding: Encoding, X: "Features", y: Any, target: str, request: Request, sample_weight: Any) -> Model:
    from crystalogic.search import search

    knowledge = knowledge_of(encoding, request)
    if request.prepare:
        request.prepare()
    found = search(
        X,
        y,
        encoding.names,
        request.lattice,
        degrees=request.degrees,
        knowledge=knowledge,
        seed=request.seed,
        sample_weight=sample_weight,
        class_weight=request.class_weight,
        callback=request.callback,
        time_budget=request.time_budget,
    )
    model = _found(target, encoding, found, request, {"n_rows": X.n_rows})
    return model.with_notes(data=fingerprint_of(X.only(model.encoding.names).row_blocks(), y))


def _found(target: str, encoding: Encoding, found: "SearchResult", request: Request, about: Mapping[str, Any]) -> Model:
    """The model of what a search found, proved to keep what was declared."""
    promises = promises_of(encoding, request)
    candidates = [each for front in found.fronts for each in front.candidates]
    thin = encoding.thinned(name for each in candidates for name in each.crystal.narrowed().inputs)
    read = {each: readable(each.crystal, thin, promises) for each in candidates}
    fronts = tuple(
        tuple(
            FrontRow(
                each.n_literals,
                each.n_neurons,
                each.training,
                each.cross_validated,
                each.standard_error,
                str(read[each]),
            )
            for each in front.candidates
        )
        for front in found.fronts
    )
    notes = {
        "strategy": "annealing",
        "seed": request.seed,
        "stop": found.stop.value,
        "knowledge": "; ".join(str(each) for each in promises if not isinstance(each, AtMost)) or "no constraint",
        **_weighing(request),
        "choice": [front.reason for front in found.fronts],
        **about,
        "library": __version__,
    }
    chosen = tuple(front.chosen_index for front in found.fronts)
    model = finished(target, found.classes, found.order, thin, found.crystal, fronts, chosen, notes, promises)
    refuse_broken(model, promises, ((formula, each.crystal) for each, formula in read.items()))
    return model


def _weighing(request: Request) -> dict[str, Any]:
    """A note on how classes were weighed, where they were."""
    given = request.class_weight
    if given is None or isinstance(given, str):
        return {} if given is None else {"class_weight": given}
    return {"class_weight": {str(label): float(weight) for label, weight in given.items()}}


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
    model = _trained(target, encoding, make_task(X, codes, weight), classes, order, request, {"n_rows": len(X)})
    place = {name: index for index, name in enumerate(encoding.names)}
    return model.with_notes(data=fingerprint_of([X[:, [place[name] for name in model.encoding.names]]], y))


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
        **_weighing(request),
        **about,
        "library": __version__,
    }
    formula = readable(run.crystal, encoding)
    row = FrontRow(formula.size, len(run.crystal.live), run.best.accuracy_after, None, None, str(formula))
    known = None if classes is None else tuple(classes.tolist())
    thin = encoding.thinned(run.crystal.narrowed().inputs)
    return finished(target, known, order, thin, run.crystal, ((row,),), (0,), notes)


def identity_of(model: Model, rows: Any, y: Any) -> str:
    """What identifies these rows and targets, as the model encodes them."""
    from crystalogic.scale.features import features_of

    return fingerprint_of(features_of(model.encoding, rows).row_blocks(), y)


def fingerprint_of(blocks: Iterable[Any], y: Any) -> str:
    """What identifies the encoded training data: blocks of rows of truth values, and the targets."""
    import hashlib

    import numpy as np

    digest = hashlib.sha256()
    for block in blocks:
        digest.update(np.ascontiguousarray(block).tobytes())
    digest.update(fingerprint([str(label) for label in np.asarray(y).tolist()]).encode())
    return digest.hexdigest()
