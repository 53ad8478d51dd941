"""A crystal as a model: its formulas, as short as can be certified, their certificate, and the risks that they tell."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from crystalogic.candidates import Candidate
from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding
from crystalogic.encoding.own import express
from crystalogic.errors import CertificateError
from crystalogic.fitting.promises import Promise, is_kept
from crystalogic.intervals import Share
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.logic.simplify import simplify
from crystalogic.model import Model
from crystalogic.model.ladders import count_rungs, spell_out
from crystalogic.model.risk import OUT_OF, Risk
from crystalogic.symbolic.extract import encode, extract, read_threshold
from crystalogic.verify.certificate import certify

HALF = OUT_OF // 2  # of a risk, which is a share in whole numbers


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
    plain, simple = read_formulas(part, encoding, promises, keeps_score=keeps_score)
    if simple is not None:
        with suppress(CertificateError):
            certificate = certify(part, simple, encoding.domain.restrict(part.inputs))
            return Model(target, classes, order, encoding, part, simple, certificate)
    return Model(target, classes, order, encoding, part, plain, certify(part, plain))


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


def read_formulas(
    crystal: Crystal, encoding: Encoding, promises: Sequence[Promise] = (), *, keeps_score: bool = False
) -> tuple[tuple[Formula, ...], tuple[Formula, ...] | None]:
    """The formulas as they are read, and simplified on the encoding's domain; None where that would not show what was
    promised: a truth value that is required stays, also where it changes nothing.
    """
    plain = tuple(count_rungs(formula, encoding.literals) for formula in extract(crystal).formulas)
    domain = encoding.domain.restrict(crystal.inputs)
    shorter = ((simplify_parts if keeps_score else simplify)(formula, domain) for formula in plain)
    simple = tuple(count_rungs(formula, encoding.literals) for formula in shorter)
    pairs = zip(simple, (replace(crystal, outputs=(output,)) for output in crystal.outputs), strict=True)
    shown = (is_kept(promise, *each, encoding.literals) for each in pairs for promise in promises)
    return plain, simple if all(shown) else None


def simplify_parts(formula: Formula, domain: Domain) -> Formula:
    """The parts simplified, each by itself: a row is as many points beyond the threshold, or below it, as before."""
    score = score_of(formula)
    parts = ((simplify(part, domain), worth) for part, worth in score.points.items())
    return read_threshold(parts, 1 - score.threshold).formula()


def risk_of(candidate: Candidate, formula: Formula, *, is_listed: bool = False) -> Risk | None:
    """The risk of a formula that is this candidate's; None without odds, or with more scores than there are shares.

    More points are always a larger share. From the threshold on it is above one half, below it under one half, so that
    the class that is decided for is the likelier one; not so for a rule of a list, which can apply where no class has
    one half, nor for a class so rare, or so common, that no score tells otherwise.
    """
    score, odds = score_of(formula), candidate.odds
    if odds is None or score.most >= HALF:
        return None
    # How far the sums of the output neuron can be below and beyond its threshold. Where it only passes on another, the
    # formula counts what that one counts, of which odds know nothing but whether it is enough.
    output = candidate.crystal.neurons[candidate.crystal.outputs[0] - len(candidate.crystal.inputs)]
    low, high = (output.bias - 1 + sum(each for each in output.weights if sign * each > 0) for sign in (-1, 1))
    likely = score.most + 1 if odds.at(high) < 0 else 0 if odds.at(low) > 0 else score.threshold
    turn = None if is_listed else likely  # the first score that is likelier than not
    shares: list[int] = []
    for place in range(score.most + 1):
        told = min(max(odds.at(min(max(place - score.threshold, low), high)), -30.0), 30.0)
        found = round(OUT_OF * (1 / (1 + math.exp(-told))))
        least, most = 1, OUT_OF - 1
        if turn is not None:
            least = max(HALF + 1 + place - turn if place >= turn else 1, shares[-1] + 1 if shares else 1)
            most = OUT_OF - 1 - (score.most - place) if place >= turn else HALF - (turn - place)
        shares.append(min(max(found, least), most))
    counted = [Share(0, 0)] * (score.most + 1)  # rows held out, by the score that tells what they were told
    for beyond, n, yes in odds.seen:
        counted[min(max(score.threshold + beyond, 0), score.most)] += Share(yes, n)
    return Risk(tuple(shares), tuple(counted) if odds.seen else ())
