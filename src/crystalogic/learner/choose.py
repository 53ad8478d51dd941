"""Which size and which shape: each is judged on rows that its rule, and the teacher of its rule, did not see."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.candidates import Candidate, Front, mean_and_error
from crystalogic.learner.checklist import grow_checklists
from crystalogic.learner.crystals import Honest, calibrate, fit_factor, odds_of, to_crystal
from crystalogic.learner.formula import ROWS_FOR_NEURONS, grow_formula, regrow_formula, shorten, spell_out
from crystalogic.learner.grow import grow_facts, to_rule
from crystalogic.learner.lists import RuleList
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import EVERY, MOST_FACTS, MOST_POINTS, WORTH, Kind, Likelihood, Shape, sizes_up_to
from crystalogic.learner.study import Goals, Study
from crystalogic.learner.task import Task, coarsen, log_loss, spread_evenly

Found = Rule | RuleList
MEANS, ROWS = ("size", "idle"), ("odds", "losses", "hits")  # of what was judged
ROWS_TO_JUDGE = 1500  # are enough to see whether there are any
LONG = 8  # literals of a checklist; with more, points are as plain
SLIGHTLY = 0.01  # what loss counts beside decisions
N_DRAWS = 200  # of rows, to see how lucky a choice is
HARMLESS = 0.001  # of the rows, decided wrongly for the sake of a score that ranks them
BY_RISK = "its risks fit held-out rows best (least log loss), and nothing plainer is as good"
NO_TIME = "no time to judge sizes on held-out rows"


Sort = tuple[Kind, Found]  # a rule with its kind


@dataclass(frozen=True)
class Judged:
    """How rules of a kind did on rows held out: their mean size, each row's log odds, its loss, whether it was right.

    `idle` is the share of those that could not change a decision. Lists of rules have an `order` of the classes, and
    log odds for each rule (rows × rules).
    """

    size: float
    idle: float
    odds: Array
    losses: Array
    hits: Array
    order: tuple[int, ...] = ()

    def error(self, weight: Array) -> float:
        """The share of rows held out that were told the wrong class."""
        return float(weight @ ~self.hits / weight.sum())

    def score(self, weight: Array) -> tuple[float, float]:
        """The share of rows that were told the right class, and its standard error."""
        means, errors = mean_and_error(self.hits[:, None].astype(np.float64), weight)
        return float(means[0]), float(errors[0])


def rules_of(task: Task, shapes: Sequence[Shape], settings: Likelihood, *, is_last: bool = False) -> dict[Kind, Rule]:
    """The rule of every kind for a task.

    Formulas that are judged no more but used (`is_last`) are looked at more closely.
    """
    most, found = settings.most_literals, dict[Kind, Rule]()
    path = grow_facts(task, most) if set(shapes) - {Shape.FORMULA} else []
    if Shape.POINTS in shapes:
        for size in sizes_up_to(most):
            grown = [each for each in path if each.size <= size or each is path[0]][-1]
            found[Kind(Shape.POINTS, size)] = to_rule(grown, task, MOST_POINTS)
    if Shape.CHECKLIST in shapes:
        limit = settings.max_literals or MOST_FACTS
        longest = limit if settings.width > 1 else min(limit, LONG)  # with points at hand, long ones are no plainer
        lists, rule = grow_checklists(task, longest, path[-1].items, settings.width), to_rule(path[0], task, 1)
        for size in sizes_up_to(longest):
            rule = lists[size].with_map(task) if size in lists and lists[size].items else rule
            found[Kind(Shape.CHECKLIST, size)] = rule
    if Shape.FORMULA in shapes:
        some = task.take(spread_evenly(task.n_rows, ROWS_FOR_NEURONS if is_last else ROWS_TO_JUDGE))
        formula = grow_formula(some, most)
        formula = regrow_formula(formula, some, most) if is_last else formula
        to_whole = cache(lambda grown: spell_out(to_rule(grown.over(task), task, MOST_POINTS), task))
        for size, (grown,) in shorten([formula], [some], sizes_up_to(most)):
            found[Kind(Shape.FORMULA, size)] = to_whole(grown)
    return found


def price_of(found: Found, task: Task) -> float:
    """Twice the loss and the price of the literals, by Schwarz's criterion."""
    return float(coarsen(2 * found.loss(task) + float(np.log(task.weight.sum())) * found.size))


def judge_in_turn(
    study: Study, goals: Goals, grow: Callable[[Task], Mapping[Kind, Found]], beat: Array | None = None
) -> dict[Kind, Judged]:
    """Every kind of rule on rows held out in turn, with odds made honest, where each row would cost what it costs then.

    Nothing where time ran out, or hope to cost less than `beat`.
    """
    parts, held = [], []
    places = np.cumsum(study.fold >= 0) - 1  # among the rows that are held out
    for fold in range(study.n_folds):
        inside, outside = study.split(fold)
        parts.append(judge(grow(goals(inside)), study.task.take(outside)))
        held.append(places[outside])
        study.clock.tick(f"fold {fold + 1}")
        if study.clock.is_over():
            return {}
        if beat is None and fold < study.n_folds - 1:
            continue
        rows = np.concatenate(held)
        judged = study.judged.take(np.sort(rows))
        so_far = {kind: stretch(each, judged) for kind, each in _join(parts, np.argsort(rows)).items()}
        least = find_best(so_far, judged.weight)[1].losses
        if beat is not None and coarsen(judged.weight @ least) >= coarsen(judged.weight @ beat[np.sort(rows)]):
            return {}
    return so_far


def judge(rules: Mapping[Kind, Found], held_out: Task) -> dict[Kind, Judged]:
    """Every rule, or list of rules, on rows that it has not seen."""
    known: dict[Found, Judged] = {}
    for found in rules.values():
        if found not in known:
            odds = np.clip(found.log_odds(held_out.truths), -8, 8)
            losses, hits = _losses(odds, held_out, found.order), found.decide(held_out.truths) == held_out.labels
            is_idle = isinstance(found, Rule) and found.is_idle
            known[found] = Judged(found.size, is_idle, odds, losses, hits, found.order)
    return {kind: known[found] for kind, found in rules.items()}


def _join(parts: list[dict[Kind, Judged]], order: Array) -> dict[Kind, Judged]:
    """What several folds found, as one, with their rows in this order."""
    joined = {}
    for kind, first in parts[0].items():
        every = [part[kind] for part in parts]
        fields: dict[str, Any] = {name: float(np.mean([getattr(one, name) for one in every])) for name in MEANS}
        fields |= {name: np.concatenate([getattr(one, name) for one in every])[order] for name in ROWS}
        joined[kind] = replace(first, **fields)
    return joined


def _questions(odds: Array, task: Task, order: tuple[int, ...]) -> Iterator[tuple[Array, Array, Array]]:
    """Of each rule what it tells, which rows it is asked about, and whether these have its class."""
    if not order:
        yield odds, np.ones(task.n_rows, bool), task.goal
        return
    place = np.argsort(order)[task.labels]
    for each, told in enumerate(odds.T):
        yield told, place >= each, (place == each).astype(np.float64)


def _losses(odds: Array, task: Task, order: tuple[int, ...]) -> Array:
    """What each row costs: the sum over the rules that it is asked by."""
    questions = _questions(odds, task, order)
    return sum((asked * log_loss(told, is_class) for told, asked, is_class in questions), np.zeros(task.n_rows))


def stretch(judged: Judged, held_out: Task, goal: Array | None = None) -> Judged:
    """The same with what each row would cost if the odds were honest; `held_out` are the rows.

    With a `goal`, such as soft targets, that is what each row costs by it: labels of few rows are a lottery.
    """
    questions = _questions(judged.odds, held_out, judged.order)
    factors = [fit_factor(told[asked], own[asked], held_out.weight[asked]) for told, asked, own in questions]
    costing = held_out if goal is None else replace(held_out, goal=goal)
    return replace(judged, losses=_losses(judged.odds * factors, costing, judged.order))


def make_fronts(
    study: Study, soft: Task, best: dict[int, Sort], chosen: Sort, judged: Mapping[Kind, Judged], luck: float = 0.0
) -> tuple[Front, ...]:
    """For each rule of a list a front of the best of each size, of which one is chosen, less the luck in its score."""
    best[chosen[1].size] = chosen
    sizes = sorted(best)
    place, rows = sizes.index(chosen[1].size), [_candidates(study, *best[size], judged) for size in sizes]
    for index, each in enumerate(rows[place]):
        if each.cross_validated is not None:
            rows[place][index] = replace(each, cross_validated=max(0.0, each.cross_validated - luck))
    reason = BY_RISK if judged else NO_TIME
    teacher = None if soft.teacher is None else asdict(soft.teacher)
    return tuple(Front(column, place, reason, teacher) for column in zip(*rows, strict=True))


def _candidates(study: Study, kind: Kind, found: Found, judged: Mapping[Kind, Judged]) -> list[Candidate]:
    """Rules as crystals, with the scores of all together, and odds that are honest where their kind was judged."""
    if study.only_judge:  # what it was learned from tells nothing of these rows, so it is judged itself
        judged = judge({kind: found}, study.judged)
    weight, held = study.task.weight, study.judged
    training = float(weight @ (found.decide(study.task.truths) == study.task.labels) / weight.sum())
    rules, score, error = [Honest(rule) for rule in found.rules], None, None
    if kind in judged:
        score, error = judged[kind].score(held.weight)
        for place, (told, asked, own) in enumerate(_questions(judged[kind].odds, held, found.order)):
            rules[place] = calibrate(rules[place].rule, told[asked], own[asked], held.weight[asked])
    rules += [Honest(Rule((), (), 0.0, 0.0, cut=0))] if found.order else []  # the last class has what is left
    result = []
    for each in rules:
        crystal = to_crystal(each.rule, study.names, study.name_group, is_other=study.is_other).narrow()
        odds = odds_of(each, is_other=study.is_other)
        result.append(Candidate(crystal, each.rule.size, len(crystal.live), training, score, error, odds))
    return result


def choose(
    judged: Mapping[Kind, Judged], weight: Array, *, is_frugal: bool = True, by_hits: bool = False, tolerance: float = 1
) -> Kind:
    """The kind of least loss, or a plainer one that is as good: it decides as many rows rightly and costs little more.

    Wrong decisions are too few to tell near-ties apart. A literal has a price, for it costs a reader something; where
    none is asked for (not `is_frugal`), no literal is spared, and of two of one size the plainer is taken. A long rule
    that is better than the next shorter and the next longer one is so by luck: it is judged as these are. Where few
    decisions are wrong (`by_hits`), these are counted: sureness beyond that is no reason for more facts. The
    `tolerance` is so many standard errors that a plainer rule may be worse, if it decides no more rows wrongly.
    """
    if by_hits:
        return _rank(judged, weight, _count_misses, 1.0)[1][0]
    level = {kind: replace(each, losses=_level(kind, judged)) for kind, each in judged.items()}
    worth = _worth(judged, weight) if is_frugal else 0.0
    best, near = _rank(level, weight, lambda each: np.asarray(each.losses + worth * each.size), tolerance)
    wrong, size = judged[best].error(weight), 0.0 if is_frugal else judged[best].size - 0.5
    return next(kind for kind in near if judged[kind].error(weight) <= wrong and judged[kind].size >= size)


def _level(kind: Kind, judged: Mapping[Kind, Judged]) -> Array:
    """The losses of a kind; of a long rule together with those of the next sizes of its shape."""
    if kind.shape is Shape.FORMULA or kind.limit <= EVERY:
        return judged[kind].losses
    alike = sorted(each for each in judged if replace(each, limit=kind.limit) == kind)
    place = alike.index(kind)
    return np.asarray(np.mean([judged[each].losses for each in alike[max(place - 1, 0) : place + 2]], axis=0))


def _worth(judged: Mapping[Kind, Judged], weight: Array) -> float:
    """What a literal has to earn for each row: of a rare class there is less to be told."""
    plainest = min(judged.values(), key=lambda each: each.size)
    return float(WORTH * min(1.0, float(weight @ plainest.losses / weight.sum()) / np.log(2)))


def find_best(judged: Mapping[Kind, Judged], weight: Array) -> tuple[Kind, Judged]:
    """What costs least on rows held out."""
    return min(judged.items(), key=lambda each: (coarsen(weight @ each[1].losses), each[0]))


def is_clear(gains: Array, weight: Array, errors: float = 1.0) -> bool:
    """Whether what rows gain is beyond so many standard errors."""
    mean, error = mean_and_error(gains[:, None], weight)
    return bool(mean[0] > errors * error[0])


def estimate_luck(judged: Mapping[Kind, Judged], weight: Array) -> float:
    """By how much the share of right decisions of the kind that is best on some rows is too good for others.

    Kinds are chosen on rows drawn with replacement, and judged on those that were not drawn (Tsamardinos, Greasidou and
    Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation, 2018). Which
    of two classes is the commoner one is a choice, too.
    """
    known = list(leave_out_idle(judged, weight).values())
    for constant in [each for each in known if each.size == 0 and 0 < each.hits.mean() < 1][:1]:
        right, wrong = constant.losses[constant.hits].mean(), constant.losses[~constant.hits].mean()
        known.append(replace(constant, hits=~constant.hits, losses=np.where(constant.hits, wrong, right)))
    if len(known) < 2:
        return 0.0
    hits = np.array([each.hits for each in known], np.float64).T
    worth = _worth(judged, weight)
    costs = np.array([each.losses + worth * each.size for each in known]).T
    n_rows = len(weight)
    drawn = np.random.default_rng(0).multinomial(n_rows, np.full(n_rows, 1 / n_rows), N_DRAWS)
    drawn = drawn[(drawn == 0) @ weight > 0]  # of two or three rows, all may be drawn
    inside, outside = drawn * weight, (drawn == 0) * weight
    best = (inside @ costs / inside.sum(axis=1, keepdims=True)).argmin(axis=1)
    draws = np.arange(len(drawn))
    told, found = ((rows @ hits)[draws, best] / rows.sum(axis=1) for rows in (inside, outside))
    return max(0.0, float(np.mean(told - found)))


def rank_by_hits(judged: Mapping[Kind, Judged], weight: Array, tolerance: float) -> list[Kind]:
    """The kinds with not many more wrong decisions than the best, from the smallest on, one of each size."""
    found: dict[float, Kind] = {}
    for kind in _rank(judged, weight, _count_misses, tolerance)[1]:
        found.setdefault(round(judged[kind].size), kind)
    return list(found.values())


def leave_out_idle(judged: Mapping[Kind, Judged], weight: Array) -> dict[Kind, Judged]:
    """Without the kinds that make no class likely and say yes all the same, which is more often wrong.

    The class is told from the largest score on. Of a long rule hardly a row has it: then the score ranks rows, which a
    rare class needs, and no decision is lost.
    """
    known = {kind: each for kind, each in judged.items() if each.idle <= 0.5}
    fewest = min((each.error(weight) for each in known.values()), default=1.0)
    return {kind: each for kind, each in judged.items() if kind in known or each.error(weight) <= fewest + HARMLESS}


def _count_misses(judged: Judged) -> Array:
    return np.asarray(~judged.hits + SLIGHTLY * judged.losses)


def _rank(
    judged: Mapping[Kind, Judged], weight: Array, cost_of: Callable[[Judged], Array], tolerance: float
) -> tuple[Kind, list[Kind]]:
    """The kind of least cost, and all that cost as much but for standard errors, the smallest and plainest first."""
    costs = {kind: cost_of(each) for kind, each in leave_out_idle(judged, weight).items()}
    total = weight.sum()
    means = {kind: float(coarsen(weight @ cost / total)) for kind, cost in costs.items()}
    best = min(means, key=lambda kind: (means[kind], kind))

    def is_near(kind: Kind) -> bool:
        more = costs[kind] - costs[best]
        error = np.sqrt(weight @ (more - more.mean()) ** 2 / total / len(more))
        return bool(means[kind] - means[best] <= tolerance * error + 1e-12)

    plainness = {kind: (round(judged[kind].size, 6), kind.shape != Shape.CHECKLIST, kind) for kind in costs}
    return best, sorted(filter(is_near, costs), key=plainness.__getitem__)
