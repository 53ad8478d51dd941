"""A crystal as a model: its formulas, as short as can be certified, and their certificate."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.encoding.own import express
from crystalogic.errors import CertificateError
from crystalogic.fitting.promises import Promise, is_kept
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.logic.simplify import simplify
from crystalogic.model import Model
from crystalogic.model.ladders import count_rungs, spell_out
from crystalogic.symbolic.extract import encode, extract, read_threshold
from crystalogic.verify.certificate import certify


def certify_model(
    target: str,
    classes: Any,
    order: tuple[int, ...],
    encoding: Encoding,
    crystal: Crystal,
    promises: Sequence[Promise] = (),
    *,
    keeps_score: bool = False,
) -> Model:
    """The model of a crystal over the encoding's truth values, with its formulas and certificate.

    With `keeps_score` formulas count the points that the output neurons count, also where fewer would do to decide.
    """
    part = crystal.narrow()
    plain = formulas = _read(part, encoding)
    certificate = None
    simple = _simplify(plain, part, encoding, promises, keeps_score=keeps_score)
    if simple is not None:
        with suppress(CertificateError):
            formulas, certificate = simple, certify(part, simple, encoding.domain.restrict(part.inputs))
    return Model(target, classes, order, encoding, part, formulas, certificate or certify(part, formulas))


def model_of(formulas: Sequence[Formula], encoding: Encoding, target: str, classes: Sequence[Any] | None) -> Model:
    """A person's own formulas as a model, kept as they are written; of two classes, the formula of the second.

    They may speak of facts that the encoding does not have: any cut of a number, any value of a category.
    """
    formulas, encoding = express(formulas, encoding)
    crystal = encode(formulas)
    order = tuple(range(len(classes or ())))
    known = None if classes is None else tuple(classes)
    for formula in formulas:
        spell_out(formula, encoding.literals)  # or refuse it
    return Model(target, known, order, encoding, crystal, formulas, certify(crystal, formulas))


def read_formula(
    crystal: Crystal, encoding: Encoding, promises: Sequence[Promise] = (), *, keeps_score: bool = False
) -> Formula:
    """The shortest formula of a crystal with one output, which is certified when a model is made of it."""
    part = crystal.narrow()
    plain = _read(part, encoding)
    return (_simplify(plain, part, encoding, promises, keeps_score=keeps_score) or plain)[0]


def _read(crystal: Crystal, encoding: Encoding) -> tuple[Formula, ...]:
    return tuple(count_rungs(formula, encoding.literals) for formula in extract(crystal).formulas)


def _simplify(
    plain: tuple[Formula, ...], crystal: Crystal, encoding: Encoding, promises: Sequence[Promise], *, keeps_score: bool
) -> tuple[Formula, ...] | None:
    """The formulas simplified on the encoding's domain; None where that would not show what was promised.

    A truth value that is required stays, also where it changes nothing.
    """
    domain = encoding.domain.restrict(crystal.inputs)
    shorter = ((simplify_parts if keeps_score else simplify)(formula, domain) for formula in plain)
    simple = tuple(count_rungs(formula, encoding.literals) for formula in shorter)
    parts = [replace(crystal, outputs=(output,)) for output in crystal.outputs]
    pairs = zip(simple, parts, strict=True)
    shown = (is_kept(promise, *each, encoding.literals) for each in pairs for promise in promises)
    return simple if all(shown) else None


def simplify_parts(formula: Formula, domain: Domain) -> Formula:
    """The parts simplified, each by itself: a row is as many points beyond the threshold, or below it, as before."""
    score = score_of(formula)
    parts = ((simplify(part, domain), worth) for part, worth in score.points.items())
    return read_threshold(parts, 1 - score.threshold).formula()
