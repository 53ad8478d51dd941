"""Columns about people: which look protected, what a rule does to groups by them, and whether its facts stand in."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.encoding.encoding import Column, raw_column
from crystalogic.encoding.values import Values
from crystalogic.errors import TableError, refuse_first
from crystalogic.evaluation.judging import MOST_SHOWN, Grouping, group_levels
from crystalogic.evaluation.scores import measure_auc
from crystalogic.fitting.remark import WORDS, LooksProtected, StandsFor
from crystalogic.intervals import FEWEST, Rates
from crystalogic.model import Group, Model
from crystalogic.words.literals import literal_words

MOST_GROUPS = 100  # of a protected column
CLEARLY = 0.7  # the AUC from which on facts stand in for a group
DEPTH, FOLDS = 3, 5  # of a small tree, judged on rows not seen
MOST_ROWS = 10_000  # enough to tell 97 % from 70 %
NAMES, OTHERWISE, LEVELS = (WORDS[name] for name in ("names", "otherwise", "levels"))


def what_protected(column: Column) -> str | None:
    """What people must not be judged by, if the name or the values of a column look like it.

    >>> [what_protected(Column(name, "number")) for name in ("applicant_race", "race_time", "page")]
    ['race or ethnicity', None, None]
    """
    words = _words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name))
    listed = [(what, name) for what, names in NAMES.items() for name in names.split()]
    for what, name in listed:
        is_named = f" {name.replace('+', ' ')} " in f" {' '.join(words)} "
        if is_named and set(words).isdisjoint(OTHERWISE.get(name, "").split()):
            return what
    known = {"-".join(_words(level)) for level in column.known}
    if {"m", "f"} <= known and len(known) <= 4:
        return "sex or gender"
    return next((what for what, levels in LEVELS.items() if len(known & set(levels.split())) > 1), None)


def _words(text: str) -> list[str]:
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.findall(r"[^\W\d_]+", plain.lower())


def find_protected(model: Model) -> Iterator[LooksProtected]:
    """The columns that the rule reads and that look protected."""
    found = ((name, what_protected(model.encoding.by_name[name])) for name in model.columns)
    return (LooksProtected(name, what) for name, what in found if what)


def group_protected(rows: Any, names: Collection[str], words: frozenset[str]) -> list[Grouping]:
    """The rows by each protected column; a TableError for one with too many values to be about groups."""
    found = []
    for name in names:
        grouping = group_levels(name, Values(name, raw_column(rows, name), 0, words).texts, are_numbers=True)
        what = f"{name!r} is protected and has {len(grouping.names):,} values; there can be {MOST_GROUPS} groups"
        message = f"{what}. Leave it out with --ignore (kind 'ignore'), or put its values together."
        refuse_first(TableError, {message: len(grouping.names) > MOST_GROUPS})
        found.append(grouping)
    return found


def count_groups(groupings: Sequence[Grouping], classes: Any, labels: Array, decided: Array) -> tuple[Group, ...]:
    """The rates of each group among the rows that were judged, None for those that were not; none of more classes."""
    if classes is None or len(classes) != 2:
        return ()
    judged = np.array([each is not None for each in decided])
    kinds = 2 * (labels == classes[1]) + (decided == classes[1])
    found = []
    for grouping in groupings:
        for place, value in enumerate([*grouping.names, None]):
            counts = np.bincount(kinds[judged & (grouping.codes == place)].astype(np.intp), minlength=4).tolist()
            if sum(counts):
                found.append(Group(grouping.column, value, Rates.of(*counts)))
    return tuple(found)


def find_stand_ins(model: Model, rows: Any) -> Iterator[StandsFor]:
    """The protected columns of which the facts of the rule tell a group, each once, by the group told best."""
    if not (names := model.names) or not model.record.protected:
        return
    truths = model.encoding.transform(rows, names, dtype="float64", refuse_missing=False)
    truths = truths[some := np.random.default_rng(0).permutation(len(truths))[:MOST_ROWS]]
    for grouping in group_protected(rows, model.record.protected, model.encoding.columns[0].missing_words):
        told = []
        for place in np.argsort(-np.bincount(grouping.codes, minlength=len(grouping.names)))[:MOST_SHOWN].tolist():
            is_in = grouping.codes[some] == place
            if place < len(grouping.names) and min(is_in.sum(), (~is_in).sum()) >= FEWEST:
                ranked = ask_tree(truths, is_in, "predict_proba")[:, 1]
                told.append((_auc(is_in, ranked), grouping.names[place], is_in))
        auc, value, is_in = max(told, key=lambda each: each[0], default=(0.0, "", None))
        if auc >= CLEARLY:
            alone = [_auc(is_in, column) for column in truths.T]
            best = max(range(len(names)), key=lambda place: max(alone[place], 1 - alone[place]))
            fact = literal_words(model.encoding.literals[names[best]], gaps=model.encoding.gaps)
            yield StandsFor(grouping.column, value, auc, fact, max(alone[best], 1 - alone[best]))


def ask_tree(known: Array, truth: Array, method: str = "predict") -> Array:
    """What a tree of three questions says of rows that it has not seen: cheap, and most of what a short rule finds."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=FOLDS, random_state=0)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(tree, known, truth, cv=folds, method=method))


def _auc(is_in: Any, scores: Array) -> float:
    found = measure_auc(np.asarray(is_in), scores)
    return 0.5 if found is None else found.value
