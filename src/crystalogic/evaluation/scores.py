"""What scores and told risks of two classes are worth: ranking, thresholds, lift, calibration, net benefit, losses."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from crystalogic.arrays import Array, np
from crystalogic.intervals import Estimate, Share, total
from crystalogic.model.risk import OUT_OF

GROUPS = 10  # of the lift, as far as ties allow
LEAST = 1e-15  # the probability that counts where less was told of what happened


@dataclass(frozen=True)
class ScoreLine:
    """The rows with a score: the risk that is told of them, None without a risk, and how many are of the class."""

    score: int
    told: float | None
    observed: Share


@dataclass(frozen=True)
class Threshold:
    """What would follow if the class were decided for from a score on."""

    score: int
    is_own: bool  # whether the model decides so
    judged: Share  # rows with this score or more
    sensitivity: Share
    specificity: Share
    precision: Share  # the positive predictive value

    @property
    def missed(self) -> int:
        """The rows of the class that are not found."""
        return self.sensitivity.n - self.sensitivity.yes

    @property
    def false_alarms(self) -> int:
        """The rows of the other class that are told to be of the class."""
        return self.specificity.n - self.specificity.yes


@dataclass(frozen=True)
class Lift:
    """Rows with neighbouring scores, and how much commoner the class is among them than among all rows."""

    low: int  # the least of the scores
    high: int
    observed: Share
    lift: float | None  # None where no row is of the class
    found: Share  # of all rows of the class, those with these scores or greater ones


@dataclass(frozen=True)
class NetBenefit:
    """Rows rightly judged to be of the class less those wrongly, weighed for a threshold of the risk, for each row.

    At a threshold p, a row judged so for nothing weighs p / (1 - p) of one that is found (Vickers and Elkin, 2006).
    """

    percent: int  # the threshold
    judged: Share  # rows with at least this risk, and those of them that are of the class
    of_model: float
    of_all: float  # if all rows were judged to be of the class


@dataclass(frozen=True)
class Losses:
    """Mean losses of told probabilities; plain ones are those of telling every row how common the classes are here."""

    brier: Estimate  # of two classes that of the second, of more the sum over all
    log_loss: Estimate
    plain_brier: float
    plain_log_loss: float


def count_scores(is_yes: Array, scores: Array, shares: Sequence[int] | None) -> tuple[ScoreLine, ...]:
    """The rows by their scores, in ascending order, given which are of the class and the risk of each score."""
    different, places = np.unique(scores, return_inverse=True)
    n, yes = np.bincount(places), np.bincount(places[is_yes], minlength=len(different))
    told = [None if shares is None else shares[score] / OUT_OF for score in different]
    return tuple(map(ScoreLine, different.tolist(), told, map(Share, yes.tolist(), n.tolist())))


def join_lines(lines: Sequence[ScoreLine]) -> tuple[str, float, Share]:
    """Neighbouring scores as one: their points, such as "3–5", the mean risk told of their rows, and the class."""
    observed = total(line.observed for line in lines)
    told = sum((line.told or 0) * line.observed.n for line in lines) / observed.n
    return range_text(lines[0].score, lines[-1].score), told, observed


def range_text(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def find_thresholds(lines: Sequence[ScoreLine], own: int) -> tuple[Threshold, ...]:
    """Every score that a row has, and one above all, as a threshold; marked is the one that does as the model's own."""
    scores = [*(line.score for line in lines), max(own, lines[-1].score + 1)]
    marked = next(score for score in scores if score >= own)
    observed = [line.observed for line in lines]
    sides = [(total(observed[:place]), total(observed[place:])) for place in range(len(scores))]
    return tuple(judge_threshold(at, *each, is_own=at == marked) for at, each in zip(scores, sides, strict=True))


def judge_threshold(score: int, below: Share, above: Share, *, is_own: bool = False) -> Threshold:
    """What deciding for the class from a score on means, given the rows below it and those from it on."""
    hits = Share(above.yes, above.yes + below.yes)
    spared = Share(below.n - below.yes, below.n + above.n - hits.n)
    return Threshold(score, is_own, Share(above.n, below.n + above.n), hits, spared, above)


def find_lifts(lines: Sequence[ScoreLine]) -> tuple[Lift, ...]:
    """Tenths of the rows, from the greatest scores down; rows with one score stay together, so some are larger."""
    everyone = total(line.observed for line in lines)
    groups: dict[int, list[ScoreLine]] = {}
    before = 0
    for line in reversed(lines):
        groups.setdefault(GROUPS * before // everyone.n, []).append(line)
        before += line.observed.n
    found, hits = [], 0
    for group in groups.values():
        some = total(line.observed for line in group)
        hits += some.yes
        lift = some.yes * everyone.n / (some.n * everyone.yes) if everyone.yes else None
        found.append(Lift(group[-1].score, group[0].score, some, lift, Share(hits, everyone.yes)))
    return tuple(found)


def find_benefit(lines: Sequence[ScoreLine], percent: int) -> NetBenefit:
    """The net benefit of judging rows to be of the class from a told risk of so many percent on."""
    judged = total(line.observed for line in lines if round(OUT_OF * (line.told or 0)) >= OUT_OF // 100 * percent)
    everyone = total(line.observed for line in lines)
    weight = percent / (100 - percent)
    worth = [(each.yes - weight * (each.n - each.yes)) / everyone.n for each in (judged, everyone)]
    return NetBenefit(percent, judged, *worth)


def measure_calibration_error(lines: Sequence[ScoreLine]) -> float:
    """The expected calibration error: how far told and observed shares are apart, by score, on average over rows."""
    off = sum(abs((line.told or 0) * line.observed.n - line.observed.yes) for line in lines)
    return off / sum(line.observed.n for line in lines)


def measure_losses(labels: Array, likely: Array) -> Losses:
    """The losses of rows, given the class of each and how likely each class was told to be (rows × classes)."""
    n, n_classes = likely.shape
    told, half = likely[np.arange(n), labels], 2 if n_classes == 2 else 1
    brier = ((likely**2).sum(axis=1) - 2 * told + 1) / half
    shares = (np.bincount(labels, minlength=n_classes) / n).tolist()
    entropy = -sum(share * log(share) for share in shares if share)
    plain = (1 - sum(share**2 for share in shares)) / half
    return Losses(_mean(brier), _mean(-np.log(np.maximum(told, LEAST))), plain, entropy)


def _mean(losses: Array) -> Estimate:
    error = float(losses.std(ddof=1)) / len(losses) ** 0.5 if len(losses) > 1 else 0
    return Estimate(float(losses.mean()), error or None, 0.0)


def measure_auc(is_yes: Array, *scores: Array) -> Estimate | None:
    """Of all pairs of a row of the class and another, the share in which the first has the greater score; ties half.

    Of two kinds of scores, by how much that share is greater for the first. The standard error is that of DeLong and
    others (1988). None where one class has no rows.
    """
    if is_yes.all() or not is_yes.any():
        return None
    placed = _placements(is_yes, scores[0])
    placed = placed - _placements(is_yes, scores[1]) if len(scores) > 1 else placed
    yes, no = placed[is_yes], placed[~is_yes]
    error = float(yes.var(ddof=1) / len(yes) + no.var(ddof=1) / len(no)) ** 0.5 if min(len(yes), len(no)) > 1 else 0.0
    return Estimate(float(yes.mean()), error or None, 0.0 if len(scores) == 1 else -1.0, 1.0)


def _placements(is_yes: Array, scores: Array) -> Array:
    """For each row the share of the rows of the other kind that it is ranked rightly against."""
    different, places = np.unique(scores, return_inverse=True)
    yes, no = (np.bincount(places[rows], minlength=len(different)) for rows in (is_yes, ~is_yes))
    over_no = (np.cumsum(no) - no / 2) / no.sum()
    under_yes = (yes.sum() - np.cumsum(yes) + yes / 2) / yes.sum()
    return np.asarray(np.where(is_yes, over_no[places], under_yes[places]))
