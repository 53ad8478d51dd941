"""A crystal as a model: its formulas, as short as can be certified, and their certificate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.encoding.own import speaking
from crystalogic.errors import CertificateError
from crystalogic.fitting.promises import Promise, is_kept
from crystalogic.logic.formula import Formula
from crystalogic.logic.simplify import simplify
from crystalogic.model import FrontRow, Model
from crystalogic.symbolic.encode import encode
from crystalogic.symbolic.extract import extract
from crystalogic.verify.certificate import Certificate
from crystalogic.verify.check import certify


def finished(
    target: str,
    classes: Any,
    order: tuple[int, ...],
    encoding: Encoding,
    crystal: Crystal,
    fronts: tuple[tuple[FrontRow, ...], ...] = (),
    chosen: tuple[int, ...] = (),
    notes: Mapping[str, Any] | None = None,
    promises: Sequence[Promise] = (),
) -> Model:
    """The model of a crystal over the encoding's truth values, with its formulas and certificate."""
    part = crystal.narrowed()
    formulas, certificate = readable_all(part, encoding, promises)
    return Model(target, classes, order, encoding, part, formulas, certificate, fronts, chosen, notes or {})


def model_of(formulas: Sequence[Formula], encoding: Encoding, target: str, classes: Sequence[Any] | None) -> Model:
    """A person's own formulas as a model, kept as they are written; of two classes, the formula of the second.

    They may speak of facts that the encoding does not have: any cut of a number, any value of a category.
    """
    formulas, encoding = speaking(formulas, encoding)
    crystal = encode(formulas)
    order = tuple(range(len(classes or ())))
    known = None if classes is None else tuple(classes)
    return Model(target, known, order, encoding, crystal, formulas, certify(crystal, formulas))


def readable(crystal: Crystal, encoding: Encoding, promises: Sequence[Promise] = ()) -> Formula:
    """The shortest certified formula of a crystal with one output."""
    return readable_all(crystal.narrowed(), encoding, promises)[0][0]


def readable_all(
    crystal: Crystal, encoding: Encoding, promises: Sequence[Promise] = ()
) -> tuple[tuple[Formula, ...], Certificate]:
    """Formulas simplified on the encoding's domain, or as extracted where that cannot be certified.

    They also stay as extracted where a simpler form does not show what was promised: a truth value that is required
    stays, also where it changes nothing.
    """
    plain = extract(crystal).formulas
    domain = encoding.domain.restricted(crystal.inputs)
    simple = tuple(simplify(formula, domain) for formula in plain)
    parts = [replace(crystal, outputs=(output,)) for output in crystal.outputs]
    shown = (is_kept(promise, *each) for each in zip(simple, parts, strict=True) for promise in promises)
    if not all(shown):
        return plain, certify(crystal, plain)
    try:
        return simple, certify(crystal, simple, domain)
    except CertificateError:
        return plain, certify(crystal, plain)
