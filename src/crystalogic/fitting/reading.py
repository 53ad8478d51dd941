"""A crystal as a model: its formulas, as short as can be certified, and their certificate."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.errors import CertificateError
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
