"""Rules as crystals: a neuron for several facts that no literal says together, and one that adds up the points."""

from collections.abc import Callable, Sequence

from crystalogic.candidates.front import Odds
from crystalogic.crystal import Crystal, Neuron
from crystalogic.learner.calibrate import Honest
from crystalogic.learner.rule import Item, Rule

NameGroup = Callable[[Sequence[str]], str]  # from the names of facts to the literal that says them together


def to_crystal(
    rule: Rule, names: Sequence[str], name_group: NameGroup = " or ".join, *, is_other: bool = False
) -> Crystal:
    """The crystal that says yes where the rule does; with `is_other`, where it does not."""
    grouped = [item for item in rule.items if item.is_group or item.is_ladder]
    groups = {item: len(names) + place for place, item in enumerate(grouped)}
    names = [*names, *(name_group([names[place] for place in item.places]) for item in grouped)]
    threshold = rule.threshold
    if threshold is None:
        says_yes = rule.says_yes != is_other
        return Crystal(names, [Neuron([], [], int(says_yes))], [len(names)])
    turn = -1 if is_other else 1
    neurons: list[Neuron] = []
    weights: dict[int, int] = {}
    bias = 1 - threshold if not is_other else threshold
    for item, points in zip(rule.items, rule.points, strict=True):
        source, sign = item.facts[0], 1
        if item in groups:
            source = groups[item] if source >= 0 else ~groups[item]
        elif not item.is_fact:
            source = len(names) + len(neurons)
            neurons.append(_count(item))
        if source < 0:  # a fact that is to be false
            source, sign = ~source, -1
            bias += turn * points * item.most
        weights[source] = weights.get(source, 0) + turn * sign * points * item.most
    neurons.append(Neuron(list(weights), list(weights.values()), bias))
    return Crystal(names, neurons, [len(names) + len(neurons) - 1])


def odds_of(honest: Honest, *, is_other: bool = False) -> Odds:
    """The odds of that crystal's formula."""
    rule = honest.rule
    slope, threshold = (0.0, 0) if rule.threshold is None else (rule.slope, rule.threshold)
    least, most = (None if end is None else end - threshold for end in (rule.least, rule.most))
    seen = tuple((score - threshold, n, yes) for score, n, yes in honest.seen)
    odds = Odds(slope, slope * threshold + rule.intercept, least, most, seen)
    return odds.negate() if is_other else odds


def _count(item: Item) -> Neuron:
    """Whether at least so many of the facts hold."""
    negated = sum(fact < 0 for fact in item.facts)
    sources = [fact if fact >= 0 else ~fact for fact in item.facts]
    return Neuron(sources, [1 if fact >= 0 else -1 for fact in item.facts], negated - item.least + 1)
