"""From rows to a model, the one place where a search begins: encode columns, learn a crystal, read it, certify it."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from crystalogic import __version__
from crystalogic.arrays import np
from crystalogic.candidates import NOTHING, Candidate, Front, Knowledge, SearchResult, class_weights, settled_weight
from crystalogic.counts import count
from crystalogic.document import fingerprint
from crystalogic.encoding import Encoding, fit_encoding
from crystalogic.encoding.encoding import column_names, n_rows
from crystalogic.encoding.own import include_facts
from crystalogic.encoding.survey import Survey
from crystalogic.errors import RiskError, TrainingDataError, refuse_first
from crystalogic.evaluation.judging import Grouping
from crystalogic.fitting.promises import AtMost, add_own_facts, knowledge_of, promises_of, refuse_broken
from crystalogic.fitting.reading import certify_model, read_formulas, risk_of
from crystalogic.fitting.remarks import group_protected, rate_groups
from crystalogic.fitting.targets import Target, grade_classes, is_about_first
from crystalogic.intervals import FEWEST, rows_of_rate
from crystalogic.learner.limits import Bounds, Limits
from crystalogic.logic.formula import Formula
from crystalogic.model import FrontRow, JudgedBy, Limited, Model, Record
from crystalogic.model.profile import profile_of
from crystalogic.operating import Aim, set_point
from crystalogic.parts import MemoryParts, Part, Parts, take_rows
from crystalogic.progress import Stop
from crystalogic.request import LATTICE, Request

DIGITS = 9  # of scores that are kept: the others hang on how a processor rounds
MOST_BUDGETS = 16  # that are tried where columns have to pay
MANY_CUTS = 40  # of a number, for a learner that tells good cuts from chance
FEW_CUTS = 5  # for one that does not
FEWEST_CUTS = 3  # of a wide table
MOST_TRUTHS = 1 << 27  # rows × cuts: a wide table has fewer cuts


@dataclass(frozen=True)
class Problem:
    """What is to be learned: the target, its classes in order (None for truth degrees), and what is asked."""

    target: str
    classes: tuple[Any, ...] | None
    is_negated: bool  # the rule is the negation of what is searched for: it speaks for the first of two classes
    request: Request

    @staticmethod
    def of(target: str, classes: Any, request: Request) -> "Problem":
        """The problem with these classes; a TrainingDataError for one that the strategy cannot learn."""
        known = None if classes is None else tuple(classes.tolist())
        return Problem(target, known, is_about_first(known, request.positive, target), request)

    @property
    def n_classes(self) -> int:
        """How many classes there are; a degree is read like one of two."""
        return 2 if self.classes is None else len(self.classes)

    @property
    def grades(self) -> tuple[int, ...] | None:
        """The places of the classes from the least to the greatest, where more than two are declared to be grades."""
        if self.request.ordered is False or self.classes is None:
            return None
        return grade_classes(self.classes, self.request.ordered) if len(self.classes) > 2 else None

    def encode(self, rows: Any, weight: Any, survey: Survey | None = None) -> Encoding:
        """The encoding of these rows, with the facts that the request names."""
        asked, is_likelihood, n_cuts = self.request, self.request.is_likelihood, self.request.n_cuts
        if n_cuts is None:
            n_cells = max(1, n_rows(rows) * len(column_names(rows)))
            n_cuts = min(max(MOST_TRUTHS // n_cells, FEWEST_CUTS), MANY_CUTS) if is_likelihood else FEW_CUTS
        how: dict[str, Any] = {"weight": weight, "survey": survey, "numbers": asked.read_numbers}
        how |= {"n_cuts": n_cuts, "are_spread": is_likelihood, "missing": asked.missing_words}
        return add_own_facts(fit_encoding(rows, asked.read_kinds, **how), asked)

    def knowledge(self, encoding: Encoding) -> Knowledge:
        """The same as the search keeps it."""
        return knowledge_of(encoding, self.request, is_negated=self.is_negated)

    def learn(
        self, request: Request, encoding: Encoding, rows: Any, y: Any, weight: Any, only_judge: Any = None
    ) -> tuple[Encoding, SearchResult]:
        """What is found in these rows, some of which may only judge, and the encoding with all that it speaks of."""
        if request.is_trained:
            return encoding, self._train(encoding, rows, y, weight)
        features = encoding.features(rows)
        how = {name: getattr(request, name) for name in ("class_weight", "callback", "time_budget")}
        how["knowledge"] = self.knowledge(encoding)
        if request.is_likelihood:
            from crystalogic.fitting import reach
            from crystalogic.learner.learn import learn

            how |= {"reach": reach.measure_reach(encoding, features, weight), "groups": reach.group_values(encoding)}
            how |= {"ladders": reach.find_ladders(encoding), "grades": self.grades}
            how |= {"name_group": lambda names: reach.say_together(encoding, names).name}
            how |= {"sample_weight": weight, "held_out": only_judge, "finer": reach.find_finer_cuts(encoding, rows)}
            if (limits := request.limits) is not None:
                refuse_unread(limits, encoding, rows)
                is_class = np.asarray(y == (self.classes or ())[not self.is_negated])
                how |= {"limits": limits, "bounds": bounds_of(request, limits, rows, is_class)}
                how["column"] = np.array([encoding.literals[name].column for name in features.names])
            found = learn(features, y, request.settings, **how)
            return include_facts(encoding, found.crystal.inputs)[0], found
        from crystalogic.search import search

        if only_judge is not None:
            learned = np.flatnonzero(~only_judge)
            features, y, weight = features.take(learned), y[learned], None if weight is None else weight[learned]
        if request.prepare:
            request.prepare()
        how |= {"degrees": request.degrees, "seed": request.seed, "sample_weight": weight}
        return encoding, search(features, y, encoding.names, request.settings, **how)

    def _train(self, encoding: Encoding, rows: Any, y: Any, weight: Any) -> SearchResult:
        """What a float strategy learns, as a front of one formula."""
        from crystalogic.train import train

        request, order = self.request, ()
        if self.classes is not None:
            labels, y = np.unique(y, return_inverse=True)
            order = tuple(np.argsort(-np.bincount(y), kind="stable").tolist())
            if request.class_weight is not None:
                by_class = class_weights(labels, np.bincount(y, weights=weight), request.class_weight)
                weight = by_class[y] if weight is None else by_class[y] * weight
        how: dict[str, Any] = {"seed": request.seed, "sample_weight": weight, "names": encoding.names}
        how |= {"callback": request.callback, "time_budget": request.time_budget}
        run = train(None, encoding.transform(rows), y, request.settings, **how)
        best = run.best
        only = Candidate(best.crystal, best.n_literals, len(best.crystal.live), best.accuracy_after, None, None)
        return SearchResult(best.crystal, (Front((only,), 0, ""),), self.classes, NOTHING, run.stop, run.seconds, order)

    def __post_init__(self) -> None:
        """Refuses what the strategy cannot learn."""
        asked, many, has_start = self.request, self.n_classes > 2, self.request.start is not None
        unlikely = {
            "the strategy 'likelihood' learns classes, got truth degrees; use 'annealing'.": self.classes is None,
            "directions need two classes or truth degrees: with more classes, no formula alone decides. If the "
            "classes are grades, ordered=True (or --ordered) gives them one score with directions.": many
            and bool(asked.monotone and not asked.ordered),
            "an operating point is the threshold of one score, which two classes have; here are more. When to ask a "
            "person is set afterwards, by a labelled table: crystalogic operate model.json new.csv --abstain 0.1": many
            and asked.aim is not None,
            "proofs about the front are about two classes; here are more.": many and asked.prove is not None,
            "limits are about two classes; here are more.": many and asked.limits is not None,
            "a first formula goes with strategy='annealing', which begins with it.": has_start,
        }
        name = asked.strategy if asked.is_trained else LATTICE
        is_bound = has_start or bool(asked.monotone or asked.forbidden or asked.required)
        others = {
            f"the strategy {name!r} learns two classes, got {self.n_classes}. Leave it out, and what goes with it "
            "alone (degrees of numbers, a first formula): the default learns more classes, as a list of rules.": many,
            "constraints and a first formula go with strategy='annealing', which keeps them in every move.": is_bound
            and asked.is_trained,
            "a size goes with strategy='annealing', which has a front to adopt a formula from.": asked.size is not None
            and asked.is_trained,
        }
        refuse_first(TrainingDataError, unlikely if asked.is_likelihood else others)


def learn_whole(table: Part, target: str, request: Request) -> Model:
    """The model of a table in memory."""
    y = np.asarray(table.target)
    weight = None if table.weight is None else settled_weight(table.weight, len(y))
    once = "count each row once: leave out the weights, or the"
    counting = {"proofs about the front": request.prove, "limits": request.limits}
    problems = {f"{what} {once} {what}.": not (weight is None or each is None) for what, each in counting.items()}
    refuse_first(TrainingDataError, problems)
    problem = Problem.of(target, None if request.degrees else np.unique(y), request)
    encoding = problem.encode(table.rows, weight)
    facts: dict[str, Any] = {}
    if request.limits is None:
        encoding, found = problem.learn(request, encoding, table.rows, y, weight)
    else:
        found, facts["limits"] = learn_within(problem, request.limits, encoding, table)
        encoding = include_facts(encoding, found.crystal.inputs)[0]
    if request.prove is not None and not (found.stop.is_early and found.stop is not Stop.TIME):
        from crystalogic.fitting.proving import prove_front

        labels, known = y == np.unique(y)[-1], problem.knowledge(encoding)
        found, facts["proved"] = prove_front(found, encoding.features(table.rows), labels, known, request)
    model = model_of_search(problem, encoding, found, len(y), None if request.is_trained else JudgedBy.FOLDS)
    model = model.with_facts(data=identity_of(model, table.rows, y), **facts)
    return replace(model, profile=profile_of(model, table.rows, y))


def _group(request: Request, rows: Any) -> Grouping:
    """The rows by the column whose groups are compared; all of them together, if there is none."""
    if request.gap_by is None:
        return Grouping("", np.zeros(n_rows(rows), np.intp), ["all rows"])
    return group_protected(rows, [request.gap_by], request.missing_words)[0]


def bounds_of(request: Request, limits: Limits, rows: Any, is_class: Any) -> Bounds | None:
    """Limits on what a rule does to these rows; None where there are none, an error without two groups to compare."""
    if limits.at_most is None and limits.sensitivity is None:
        return None
    by = _group(request, rows)
    are_judged = np.bincount(by.codes[rows_of_rate(is_class, limits.gap)], minlength=len(by.names) + 1) >= FEWEST
    n_groups = int(are_judged.sum())
    few = f"{by.column!r} has {count(n_groups, 'group')} with {FEWEST} rows or more to judge {limits.gap} by"
    message = f"{few}, and a gap is between two. Choose another column, or put its values together."
    refuse_first(TrainingDataError, {message: limits.at_most is not None and n_groups < 2})
    return Bounds(limits, by.codes, is_class, are_judged)


def refuse_unread(limits: Limits, encoding: Encoding, rows: Any) -> None:
    """A TrainingDataError for limits on columns that the rows do not have, or that no rule reads."""
    read = {literal.column for literal in encoding.literals.values()}
    named = (*limits.prices, *limits.only_with, *limits.only_with.values())
    unread = next((name for name in named if name not in read), None)
    what = "is left out of the facts" if unread in column_names(rows) else f"is not among {', '.join(sorted(read))}"
    refuse_first(TrainingDataError, {f"the limits name the column {unread!r}, which {what}.": unread is not None})


def learn_within(problem: Problem, limits: Limits, encoding: Encoding, table: Part) -> tuple[SearchResult, Limited]:
    """What is learned within limits, of several budgets with the one that pays most; and what was asked and reached."""
    tried = [limits]
    if is_bought := bool(limits.prices) and limits.budget is None:  # columns have to pay
        sets = (some for n in range(len(limits.prices) + 1) for some in combinations(limits.prices, n))
        costs = sorted({limits.cost({*some}) for some in sets})
        many = f"{len(costs)} sums of prices are too many to try, more than {MOST_BUDGETS}"
        refuse_first(TrainingDataError, {f"{many}: give a budget, or fewer prices.": len(costs) > MOST_BUDGETS})
        tried = [replace(limits, budget=float(cost)) for cost in costs]
    asked = (replace(problem.request, limits=each) for each in tried)
    found = [problem.learn(each, encoding, table.rows, np.asarray(table.target), None)[1] for each in asked]

    def score(each: SearchResult) -> float:
        chosen = each.front.chosen
        return chosen.training if chosen.cross_validated is None else chosen.cross_validated

    def worth(each: SearchResult) -> float:
        known = include_facts(encoding, each.crystal.inputs)[0].literals
        read = {known[name].column for name in each.front.chosen.crystal.narrow().inputs}
        return 100 * score(each) - float(limits.cost(read))

    best = max(found, key=worth)
    bought = {f"{each.budget:g}": score(one) for each, one in zip(tried, found, strict=True)} if is_bought else {}
    by = _group(problem.request, table.rows)
    reached = [rate_groups(by, counts) for counts in best.front.reached]
    at_most, least = (None if share is None else float(share) for share in (limits.at_most, limits.sensitivity))
    held_out, learned = reached or ((), ())
    return best, Limited(limits.gap_by, limits.gap, at_most, least, held_out, learned, bought)


def learn_in_parts(parts: Parts, target: str, request: Request, read: Target | None) -> Model:
    """The model of a table in parts, on one machine or a cluster; `read` says how the cells of the target were read."""
    from crystalogic.stages import learn_in_stages, look_over

    if isinstance(parts, MemoryParts) and parts.weight is not None and (parts.weight > 0).any():
        Part(parts.rows, parts.target, parts.weight, 0).refuse_weights()
        parts = replace(parts, weight=settled_weight(parts.weight, len(parts.target)))
    overview = look_over(parts, degrees=request.degrees, kinds=request.read_kinds, missing=request.missing_words)
    if read is not None:
        read.refuse(overview.counts)
    problem = Problem.of(target, overview.classes, request)
    encoding, found, drawn = learn_in_stages(parts, overview, request, problem.encode, problem.learn)
    model = model_of_search(problem, encoding, found, overview.n_rows, JudgedBy.UNSEEN)
    even = np.flatnonzero(drawn.key <= drawn.last[drawn.rate.argmax()])  # no class more densely than another
    return replace(model, profile=profile_of(model, take_rows(drawn.rows, even), drawn.target[even]))


def model_of_search(
    problem: Problem, encoding: Encoding, found: SearchResult, n_rows: int, judged_by: JudgedBy | None
) -> Model:
    """The model of what a search found, proved to keep what was declared."""
    found = _negate(found) if problem.is_negated else found
    promises = () if problem.request.is_trained else promises_of(encoding, problem.request)
    candidates = [each for front in found.fronts for each in front.candidates]
    thin = encoding.thin(name for each in candidates for name in each.crystal.narrow().inputs)
    chosen = tuple(front.chosen_index for front in found.fronts)
    scored = any(each.odds is not None for each in candidates)
    model = certify_model(problem.target, found.classes, found.order, thin, found.crystal, promises, keeps_score=scored)
    read = dict[Candidate, Formula]()
    for each in candidates:
        plain, simple = read_formulas(each.crystal.narrow(), thin, promises, keeps_score=scored)
        read[each] = (simple or plain)[0]  # the chosen ones are certified
    read |= {front.chosen: formula for front, formula in zip(found.fronts, model.written, strict=True)}

    def row_of(each: Candidate) -> FrontRow:
        held_out = each.cross_validated, each.standard_error
        judged, error = (None if score is None else round(float(score), DIGITS) for score in held_out)
        risk = risk_of(each, read[each], is_listed=len(found.fronts) > 1)
        training = round(float(each.training), DIGITS)
        return FrontRow(read[each].size, each.n_neurons, training, judged, error, read[each], risk)

    fronts = tuple(tuple(map(row_of, front.candidates)) for front in found.fronts)
    given = problem.request.class_weight
    by_class = {str(label): float(each) for label, each in given.items()} if isinstance(given, Mapping) else given
    record = Record(
        strategy=problem.request.strategy_name,
        seed=problem.request.seed,
        stop=found.stop,
        promises=tuple(str(each) for each in promises if not isinstance(each, AtMost)),
        class_weight=by_class,
        teacher=found.fronts[0].teacher or {},
        grades=tuple(str((problem.classes or ())[place]) for place in problem.grades or ()),
        choice=tuple(front.reason for front in found.fronts if front.reason),
        judged_by=judged_by,
        n_rows=n_rows,
        library=__version__,
    )
    model = replace(model, fronts=fronts, chosen=chosen, record=record)
    model = model.with_risks([front[place].risk for front, place in zip(fronts, chosen, strict=True)])
    model = model if problem.request.size is None else model.adopt(problem.request.size)
    model = model if problem.request.aim is None else _operate(model, problem.request.aim)
    refuse_broken(model, promises, ((formula, each.crystal) for each, formula in read.items()))
    return model


def _operate(model: Model, aim: Aim) -> Model:
    """The model at an operating point; a longer formula of the front, where the chosen one cannot reach it."""
    try:
        return set_point(model, aim).model
    except RiskError:
        for row in model.fronts[0][model.chosen[0] + 1 :]:
            with suppress(RiskError):
                return set_point(model.adopt(row.size), aim).model
        raise


def _negate(found: SearchResult) -> SearchResult:
    """The same rule as one about the first class: its crystals negated, and the classes the other way round."""

    def turn(each: Candidate) -> Candidate:
        crystal = each.crystal.negate()
        return replace(each, crystal=crystal, n_neurons=len(crystal.live), odds=each.odds and each.odds.negate())

    classes = None if found.classes is None else found.classes[::-1]
    order = tuple(1 - place for place in found.order)
    fronts = tuple(replace(front, candidates=tuple(map(turn, front.candidates))) for front in found.fronts)
    return replace(found, crystal=found.crystal.negate(), fronts=fronts, classes=classes, order=order)


def identity_of(model: Model, rows: Any, y: Any) -> str:
    """What identifies these rows and targets, as the model encodes them."""
    digest = hashlib.sha256()
    for block in model.encoding.features(rows).row_blocks():
        digest.update(np.ascontiguousarray(block).tobytes())
    digest.update(fingerprint([str(label) for label in np.asarray(y).tolist()]).encode())
    return digest.hexdigest()
