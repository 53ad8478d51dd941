"""What is worth a look after a fit: facts that may give the answer away, columns about people, stand-ins for no value.

None of it is an error, and all of it is measured on the training rows; a person who knows the table has to judge. The
kinds of remarks, their facts and sentences stand in `remarks.txt`.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import number_text
from crystalogic.decision import THRESHOLD
from crystalogic.encoding.encoding import Column, Encoding, raw_column
from crystalogic.encoding.unusable import LEFT_OUT, MOST_NAMED, identifier_note, unit_of
from crystalogic.encoding.values import Values
from crystalogic.errors import TableError, refuse_first
from crystalogic.evaluation.judging import MOST_SHOWN, Grouping, group_levels
from crystalogic.evaluation.scores import measure_auc
from crystalogic.intervals import FEWEST, Rates
from crystalogic.model import Group, Model
from crystalogic.model.ladders import spell_out
from crystalogic.words.literals import literal_words
from crystalogic.words.tables import fill_macro, package_file

WORDS: dict[str, dict[str, str]] = tomllib.loads(package_file("fitting", "protected.toml"))
NAMES, OTHERWISE, LEVELS = WORDS.values()
FEW_ROWS = 50
RARE = 0.2  # of the rows
MOST_ERRORS = 0.005  # of the rows that a fact gets wrong which gives the answer away
FAR_FEWER = 7  # times as many errors are left by all other columns together
FEWEST_ERRORS = 10  # rows that these get wrong; fewer could be chance
LARGEST = 3e38  # trees compute with single precision; a missing number is below all others
MOST_GROUPS = 100  # of a protected column
CLEARLY = 0.7  # the AUC from which on facts stand in for a group
DEPTH, FOLDS = 3, 5  # of a small tree, judged on rows not seen
MOST_ROWS = 10_000  # enough to tell 97 % from 70 %


@dataclass(frozen=True)
class Remark:
    """Something worth a look: the macro of `remarks.txt` that tells it, and the facts it tells; `str` fills it in."""

    kind: str
    facts: Mapping[str, Any]

    def __str__(self) -> str:
        return fill_macro("fitting", "remarks.txt", self.kind, **self.facts, number_text=number_text)


def remarks_on(model: Model, rows: Any, y: Any, *, is_balanced: bool) -> list[Remark]:
    """What is worth a look; `rows` and `y` are the training rows and their classes."""
    encoding = model.encoding
    left_out = [each for each in encoding.columns if each.note.startswith((LEFT_OUT, identifier_note(each.name)))]
    looks = ((name, what_protected(encoding.by_name[name])) for name in model.columns)
    categories = (each for each in encoding.columns if each.kind == "category" and len(each.known) > 2)
    found: list[Remark] = [Remark("LooksProtected", {"column": name, "what": what}) for name, what in looks if what]
    found += _find_proxies(model, rows)
    found += [Remark("IsLeftOut", {"column": each.name, "note": each.note}) for each in left_out[:MOST_NAMED]]
    units = ((each.name, unit_of(each.known)) for each in categories)
    found += [Remark("HasUnit", {"column": name, "unit": unit}) for name, unit in units if unit]
    found += _find_placeholders(encoding, rows)
    levels = {each.name: each.known for each in encoding.columns if each.kind != "left out"}
    for name, known in {model.target: tuple(map(str, model.classes or ())), **levels}.items():
        found += [Remark("IsSpelled", {"column": name, "ways": ways}) for ways in group_spellings(known)]
    if model.classes is not None:
        counts = Counter(map(str, y))
        found = [*_giveaways(model, rows, y, counts), *found]
        if not is_balanced:
            found += _find_overlooked(model, rows, y, counts)
    if len(y) < FEW_ROWS:
        found.append(Remark("FewRows", {"n_rows": len(y)}))
    return found


def group_spellings(levels: Sequence[str]) -> list[list[str]]:
    """Levels that are the same but for case and spaces.

    >>> group_spellings(["yes", "No", "YES", "no answer", "no  Answer"])
    [['yes', 'YES'], ['no answer', 'no  Answer']]
    """
    ways: dict[str, list[str]] = {}
    for level in levels:
        ways.setdefault(" ".join(level.casefold().split()), []).append(level)
    return [each for each in ways.values() if len(each) > 1]


def _giveaways(model: Model, rows: Any, y: Any, counts: Counter[str]) -> Iterator[Remark]:
    """Single facts that all but decide the class, or tell it far better than all other columns; each column once."""
    said, n_rows = set[str](), counts.total()
    for label, front in zip(list(model.classes or ())[-len(model.fronts) :], model.fronts, strict=True):
        is_class = np.fromiter((str(each) == str(label) for each in y), bool, n_rows)
        fewest = min(is_class.sum(), n_rows - is_class.sum())
        for formula in (spell_out(row.formula, model.encoding.literals) for row in front if row.size == 1):
            truths = model.encoding.transform(rows, formula.variables, dtype="float64")
            decided = np.asarray(formula.evaluate(dict(zip(formula.variables, truths.T, strict=True)))) >= THRESHOLD
            agrees = ((truths >= THRESHOLD) == decided[:, None]).mean(axis=0)  # of a ladder one cut decides
            place = int(abs(agrees - 0.5).argmax())
            literal = model.encoding.literals[formula.variables[place]]
            words = literal_words(literal, negated=bool(agrees[place] < 0.5), gaps=model.encoding.gaps)
            if (column := literal.column) in said:
                continue
            n_wrong = int(np.sum(decided != is_class))
            others = None
            if n_wrong > min(MOST_ERRORS * n_rows, fewest / 10):
                if FAR_FEWER * n_wrong > fewest:
                    continue
                others = measure_others(model.encoding, rows, is_class, column)
                if others is None or n_rows * (1 - others) < max(FEWEST_ERRORS, FAR_FEWER * n_wrong):
                    continue
            said.add(column)
            told = {"column": column, "fact": words, "target": model.target, "label": str(label)}
            yield Remark("GivesAway", {**told, "share": 1 - n_wrong / n_rows, "others": others})


def _find_placeholders(encoding: Encoding, rows: Any) -> Iterator[Remark]:
    """Numbers such as 999 that lie far from all others: they may stand for a missing value."""
    for column in encoding.columns:
        if column.kind not in ("number", "code"):
            continue
        numbers = encoding.read(rows, column.name).numbers
        found, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        for far, rest in ((found[-1], found[:-1]), (found[0], found[1:])) if len(found) > 2 else ():
            distance = min(abs(far - rest[0]), abs(far - rest[-1]))
            digits = number_text(abs(float(far))).replace(".", "")
            fewest = 1 if column.kind == "code" or far < 0 else 2  # 99, 999, -9; a code also 9
            if len(digits) >= fewest and set(digits) in ({"9"}, {"8"}) and distance > rest[-1] - rest[0]:
                told = {"column": column.name, "value": float(far), "n_rows": int(counts[found == far][0])}
                yield Remark("StandsIn", {**told, "low": float(rest[0]), "high": float(rest[-1])})


def _find_overlooked(model: Model, rows: Any, y: Any, counts: Counter[str]) -> Iterator[Remark]:
    """The rarest class, if the rule overlooks most of its rows."""
    label, n = min(counts.items(), key=lambda each: each[1])
    if n >= RARE * counts.total():
        return
    decided = [str(each) for each in model.predict(rows)]
    hits = sum(truth == guess == label for truth, guess in zip(map(str, y), decided, strict=True))
    if 2 * hits < n:
        told = {"target": model.target, "label": label, "n_rows": n, "n_all": counts.total(), "n_found": hits}
        yield Remark("Overlooks", told)


def measure_others(encoding: Encoding, rows: Any, is_class: Array, column: str) -> float | None:
    """The share of rows of which all other columns tell whether they have the class; None if there are too few."""
    n_rows = len(is_class)
    some = np.arange(n_rows) if n_rows <= MOST_ROWS else np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS]
    truth = np.asarray(is_class)[some]
    constant = max(truth.mean(), 1 - truth.mean())
    found = [each[some] for each in _numbers(encoding, rows, column)]
    if min(truth.sum(), len(truth) - truth.sum()) < FOLDS:
        return None
    if not found:
        return float(constant)
    return float(max(constant, (ask_tree(np.column_stack(found), truth) == truth).mean()))


def _numbers(encoding: Encoding, rows: Any, column: str) -> Iterator[Array]:
    """The other columns as numbers that a tree can ask about."""
    for each in encoding.columns:
        if each.kind == "left out" or each.name == column:
            continue
        values = encoding.read(rows, each.name)
        if each.kind in ("number", "code"):
            yield np.nan_to_num(values.parsed, nan=-LARGEST).clip(-LARGEST, LARGEST)
        elif each.kind == "ordinal":
            place = {level: index for index, level in enumerate(each.known)}
            yield np.array([place.get(text, -1) for text in values.texts], float)
        else:
            yield from (values.equal(value).astype(float) for value in each.known)


def what_protected(column: Column) -> str | None:
    """What people must not be judged by, if the name or the values of a column look like it.

    >>> [what_protected(Column(name, "number")) for name in ("applicant_race", "race_time", "page")]
    ['race or ethnicity', None, None]
    """
    words = _words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name))
    for what, name in ((what, name) for what, names in NAMES.items() for name in names.split()):
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


def group_protected(rows: Any, names: Collection[str], words: frozenset[str]) -> list[Grouping]:
    """The rows by each protected column; a TableError for one with too many values to be about groups."""
    found = []
    for name in names:
        grouping = group_levels(name, Values(name, raw_column(rows, name), 0, words).texts, are_numbers=True)
        what = f"{name!r} is to tell groups and has {len(grouping.names):,} values; there can be {MOST_GROUPS} groups"
        message = f"{what}. Leave it out with --ignore (kind 'ignore'), or put its values together."
        refuse_first(TableError, {message: len(grouping.names) > MOST_GROUPS})
        found.append(grouping)
    return found


def count_groups(groupings: Sequence[Grouping], classes: Any, labels: Array, decided: Array) -> tuple[Group, ...]:
    """The rates of each group among the rows that were judged, None for those that were not; none of more classes."""
    if classes is None or len(classes) != 2:
        return ()
    judged = np.array([each is not None for each in decided])
    kinds = (2 * (labels == classes[1]) + (decided == classes[1])).astype(np.intp)
    found: list[Group] = []
    for by in groupings:
        counts = np.bincount((4 * by.codes + kinds)[judged], minlength=4 * len(by.names) + 4)
        found += rate_groups(by, counts.reshape(-1, 4).tolist())
    return tuple(found)


def rate_groups(by: Grouping, counts: Sequence[Sequence[int]]) -> tuple[Group, ...]:
    """The rates of each group that has rows, given how many there are of each of the four kinds."""
    pairs = zip([*by.names, None], counts, strict=False)
    return tuple(Group(by.column, value, Rates.of(*each)) for value, each in pairs if sum(each))


def _find_proxies(model: Model, rows: Any) -> Iterator[Remark]:
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
                told.append((_auc(is_in, ask_tree(truths, is_in, "predict_proba")[:, 1]), grouping.names[place], is_in))
        auc, value, is_in = max(told, key=lambda each: each[0], default=(0.0, "", None))
        if auc >= CLEARLY:
            alone = [_auc(is_in, column) for column in truths.T]
            best = max(range(len(names)), key=lambda place: max(alone[place], 1 - alone[place]))
            fact = literal_words(model.encoding.literals[names[best]], gaps=model.encoding.gaps)
            facts = {"column": grouping.column, "value": value, "auc": auc, "fact": fact}
            yield Remark("StandsFor", {**facts, "alone": max(alone[best], 1 - alone[best])})


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
