"""From the odds of a rule to its risk: a share for each score, in whole numbers."""

import math

from crystalogic.candidates import Candidate, Odds
from crystalogic.intervals import Share
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import Score, score_of
from crystalogic.model.risk import OUT_OF, Risk

HALF = OUT_OF // 2


def risk_of(candidate: Candidate, formula: Formula, *, is_listed: bool = False) -> Risk | None:
    """The risk of a formula that is this candidate's; None without odds, or with more scores than there are shares.

    More points are always a larger share. From the threshold on it is above one half, below it under one half, so that
    the class that is decided for is the likelier one; not so for a rule of a list, which can apply where no class has
    one half, nor for a class so rare, or so common, that no score tells otherwise.
    """
    score, odds = score_of(formula), candidate.odds
    if odds is None or score.most >= HALF:
        return None
    low, high = _reach(candidate)
    if is_listed:
        turn = None
    else:  # the first score that is likelier than not
        turn = score.most + 1 if odds.at(high) < 0 else 0 if odds.at(low) > 0 else score.threshold
    shares: list[int] = []
    for place in range(score.most + 1):
        told = min(max(odds.at(min(max(place - score.threshold, low), high)), -30.0), 30.0)
        found = round(OUT_OF * (1 / (1 + math.exp(-told))))
        least, most = 1, OUT_OF - 1
        if turn is not None:
            least = max(HALF + 1 + place - turn if place >= turn else 1, shares[-1] + 1 if shares else 1)
            most = OUT_OF - 1 - (score.most - place) if place >= turn else HALF - (turn - place)
        shares.append(min(max(found, least), most))
    return Risk(tuple(shares), _seen(odds, score))


def _seen(odds: Odds, score: Score) -> tuple[Share, ...]:
    """Rows held out, by the score of the formula that tells what they were told."""
    counted = [Share(0, 0)] * (score.most + 1)
    for beyond, n, yes in odds.seen:
        place = min(max(score.threshold + beyond, 0), score.most)
        counted[place] += Share(yes, n)
    return tuple(counted) if odds.seen else ()


def _reach(candidate: Candidate) -> tuple[int, int]:
    """How far the sums of the output neuron can be below and beyond its threshold.

    Where the output only passes on another neuron, the formula counts what that one counts, of which odds know nothing
    but whether it is enough.
    """
    crystal = candidate.crystal
    neuron = crystal.neurons[crystal.outputs[0] - len(crystal.inputs)]
    low = neuron.bias + sum(weight for weight in neuron.weights if weight < 0)
    high = neuron.bias + sum(weight for weight in neuron.weights if weight > 0)
    return low - 1, high - 1
