"""Proofs about a front: how much better any checklist of a size can be on its rows, and better ones in the front.

The learner looks for risks that fit, size by size; the exact solver looks for errors. Where it finds a checklist with
fewer errors than every formula of the front that is as short, the front takes it. Such a rule is judged as others are:
the best of its size, found anew without the rows it is judged on. Which size is chosen does not change, and the chosen
rule gives way only to one that is right about as many rows that were held out.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates import Candidate, Front, Knowledge, Odds, SearchResult, mean_and_error
from crystalogic.crystal import Crystal, Neuron
from crystalogic.features import Features, unpack
from crystalogic.model import Proved
from crystalogic.optimal import Needs, Optimum, compile_kernels, count_rows, solve
from crystalogic.progress import Clock, Stop
from crystalogic.request import Request

LARGEST = 5  # facts
N_FOLDS = 5
STEPS, PRIOR, LEAST_SLOPE = 25, (1.0, 0.5), 0.1  # of the map from points to log odds: a slope and where it begins


def prove_front(
    found: SearchResult, features: Features, labels: Array, knowledge: Knowledge, request: Request
) -> tuple[SearchResult, Proved]:
    """What was found with a mended front, and what is proved of checklists over these facts on these rows."""
    # A ladder is no fact, but its rungs are: what is proved is about checklists that count facts.
    features = features.only([name for name, place in zip(features.names, features.place, strict=True) if place >= 0])
    needs = Needs(tuple(knowledge.required), tuple(knowledge.forbidden), dict(knowledge.monotone))
    how: dict[str, Any] = {"needs": needs, "callback": request.callback, "n_threads": request.n_threads}
    counted, front, answers = count_rows(features, labels), found.front, list[Optimum]()
    compile_kernels()
    clock = Clock((request.prove or 0) / 2)
    for size in range(1, (largest := min(LARGEST, request.most_literals)) + 1):
        answers.append(solve(counted, size, seconds=(clock.left or 0) / (1 if size == largest else 2), **how))
        if answers[-1].stop in (Stop.INTERRUPTED, Stop.CALLBACK):
            break
    better = _find_better(front, answers, len(labels))
    seconds = (request.prove or 0) / 2 / (N_FOLDS * max(1, len(better)))
    rules = [_judge(answer, features, labels, {**how, "seconds": seconds}) for answer in better]
    proved = Proved(len(features), tuple(each.cost for each in answers), tuple(each.bound for each in answers))
    front = _mend(front, [replace(each, crystal=each.crystal.over(found.crystal.inputs)) for each in rules])
    return replace(found, fronts=(front,), crystal=front.chosen.crystal), proved


def _find_better(front: Front, answers: Sequence[Optimum], n_rows: int) -> list[Optimum]:
    """The checklists with fewer errors than all formulas of the front that are as short."""
    errors = [(each.n_literals, round((1 - each.training) * n_rows)) for each in front.candidates]
    better = list[Optimum]()
    for answer in answers:
        size = len(answer.rule.facts)
        if answer.cost < min((wrong for literals, wrong in errors if literals <= size), default=n_rows + 1):
            errors.append((size, answer.cost))
            better.append(answer)
    return better


def _mend(front: Front, rules: Sequence[Candidate]) -> Front:
    """The front with these rules at their sizes; the chosen one stays, unless another is as good on rows held out."""
    by_size, size = {each.n_literals: each for each in front.candidates}, front.chosen.n_literals
    for rule in rules:
        if rule.n_literals != size or (rule.cross_validated or 0) >= (front.chosen.cross_validated or 0):
            by_size[rule.n_literals] = rule
    sizes = sorted(by_size)
    return replace(front, candidates=tuple(by_size[each] for each in sizes), chosen_index=sizes.index(size))


def _judge(answer: Optimum, features: Features, labels: Array, how: dict[str, Any]) -> Candidate:
    """The best rule as a candidate, judged by what the best of its size, found without some rows, says of these."""
    order = np.random.default_rng(0).permutation(len(labels))
    truths, (fold, beyond) = unpack(features.bits[features.place], len(labels)).T, np.empty((2, len(labels)), np.int64)
    fold[order[np.argsort(labels[order], kind="stable")]] = np.arange(len(labels)) % N_FOLDS
    for held in range(N_FOLDS):
        inside = np.flatnonzero(fold != held)
        rule = solve(count_rows(features.take(inside), labels[inside]), answer.question.size, **how).rule
        beyond[fold == held] = rule.score(truths[fold == held]) - (rule.threshold or 0)
    score, error = mean_and_error(((beyond >= 0) == labels)[:, None].astype(float), np.ones(len(labels)))
    figures = 1 - answer.cost / len(labels), float(score[0]), float(error[0])
    facts, weights = answer.rule.facts, [1 if fact >= 0 else -1 for fact in answer.rule.facts]
    counts = Neuron(range(len(facts)), weights, 1 - (answer.rule.threshold or 0) + weights.count(-1))
    crystal = Crystal([features.names[max(fact, ~fact)] for fact in facts], [counts], [len(facts)])
    return Candidate(crystal, len(facts), 1, *figures, _odds(beyond, labels))


def _odds(beyond: Array, labels: Array) -> Odds:
    """The log odds that rows held out had with so many points beyond the threshold, by Newton's method."""
    n_yes, n_no = int(labels.sum()), int((~labels).sum())
    goal = np.where(labels, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))  # no label is quite certain
    known, line = np.column_stack([beyond, np.ones(len(beyond))]), np.array(PRIOR)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(known @ line, -30, 30)))
        bend = (known * (p * (1 - p))[:, None]).T @ known + np.eye(2)
        line = line + np.clip(np.linalg.solve(bend, known.T @ (goal - p) - (line - PRIOR)), -1, 1)
    seen = [(each, beyond == each) for each in np.unique(beyond).tolist()]
    counts = tuple((each, int(own.sum()), int(labels[own].sum())) for each, own in seen)
    return Odds(max(float(line[0]), LEAST_SLOPE), float(line[1]), seen=counts)
