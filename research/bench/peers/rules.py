"""Lists, sets and sums of rules: RIPPER, BRCG, RuleFit, boosted rules, CORELS."""

from typing import Any

import numpy as np

from research.bench.peers.base import (
    Fitted,
    Peer,
    columns_of,
    count_splits,
    on_numbers,
    split_places,
    vary,
)
from research.bench.peers.texts import decide_by_ruleset
from research.bench.tables import Half, Halves


def _ripper(data: Halves, seed: int, **settings: Any) -> Fitted:
    import wittgenstein

    model = wittgenstein.RIPPER(random_state=seed, **settings)
    model.fit(_filled(data.train.frame), data.train.labels, pos_class=1)
    text = str(model.ruleset_)
    names = {str(condition.feature) for rule in model.ruleset_.rules for condition in rule.conds}
    return Fitted(
        lambda half: np.asarray(model.predict(_filled(half.frame))).astype(int),
        int(model.ruleset_.count_conds()),
        lambda half: np.asarray(model.predict_proba(_filled(half.frame)))[:, 1],
        frozenset(names),
        lambda half: decide_by_ruleset(text, _filled(half.frame)),
    )


def _filled(frame: Any) -> Any:
    """RIPPER compares values as they stand: a missing text is a value of its own, a missing number the median's."""
    import pandas as pd

    found = frame.copy()
    for name in found.columns[found.isna().any()]:
        is_number = pd.api.types.is_numeric_dtype(found[name])
        found[name] = found[name].fillna(found[name].median() if is_number else "missing")
    return found


def _brcg(data: Halves, seed: int, **settings: Any) -> Fitted:
    """The column generation of aix360 on cuts and categories, each also denied, as its own binarizer makes them."""
    from aix360.algorithms.rbm.boolean_rule_cg import BooleanRuleCG

    model = BooleanRuleCG(silent=True, **settings)
    model.fit(_denied(data, data.train), data.train.labels)
    chosen = np.flatnonzero(model.w)
    literals = model.z.iloc[:, chosen]
    names = {
        str(name) for name, holds in zip(literals.index.get_level_values(0), literals.any(axis=1), strict=True) if holds
    }
    return Fitted(
        lambda half: np.asarray(model.predict(_denied(data, half))).astype(int),
        int(literals.to_numpy().sum()),
        None,
        frozenset(names),
    )


def _denied(data: Halves, half: Half) -> Any:
    import pandas as pd

    opposite = {">=": "<", "=": "!="}
    pairs = [(each, each.relation, half.booleans[:, place]) for place, each in enumerate(data.booleans)]
    pairs += [(each, opposite[relation], 1 - values) for each, relation, values in pairs]
    names = pd.MultiIndex.from_tuples([(each.column, relation, each.value) for each, relation, _ in pairs])
    return pd.DataFrame(np.array([values for _, _, values in pairs], dtype=int).T, columns=names)


def _rulefit(data: Halves, seed: int, **settings: Any) -> Fitted:
    from imodels import RuleFitClassifier

    model = RuleFitClassifier(random_state=seed, **settings).fit(data.train.numbers, data.train.labels)
    table = model._get_rules()
    used = table[table["coef"] != 0]
    rules = used[used["type"] == "rule"]["rule"].astype(str)
    places = {int(found) for text in used["rule"].astype(str) for found in _places(text)}
    n_conditions = sum(rule.count(" and ") + 1 for rule in rules) + int((used["type"] != "rule").sum())
    return on_numbers(model, n_conditions, columns_of(data.numbers, places))


def _places(text: str) -> list[str]:
    import re

    return re.findall(r"\bX_?(\d+)\b", text)


def _boosted(data: Halves, seed: int, **settings: Any) -> Fitted:
    from imodels import BoostedRulesClassifier

    model = BoostedRulesClassifier(random_state=seed, **settings).fit(data.train.numbers, data.train.labels)
    places = set().union(*(split_places(tree.tree_) for tree in model.estimators_))
    splits = sum(count_splits(tree.tree_) for tree in model.estimators_)
    return on_numbers(model, splits, columns_of(data.numbers, places))


def _corels(data: Halves, seed: int, **settings: Any) -> Fitted:
    from corels import CorelsClassifier

    model = CorelsClassifier(verbosity=[], **{"max_card": 2, "c": 0.001, "n_iter": 100_000, **settings})
    model.fit(
        data.train.booleans.astype(int),
        data.train.labels,
        features=[f"b{place}" for place in range(len(data.booleans))],
    )
    conditions = [place for rule in model.rl().rules for place in rule["antecedents"] if place != 0]
    return Fitted(
        lambda half: np.asarray(model.predict(half.booleans.astype(int))).astype(int),
        len(conditions),
        None,
        columns_of(data.booleans, {abs(place) - 1 for place in conditions}),
    )


RIPPER = Peer(
    "RIPPER",
    "wittgenstein",
    "rules",
    _ripper,
    "`RIPPER()` on the raw columns",
    vary(k=[1, 3], prune_size=[0.2, 0.5], dl_allowance=[32]),
    sized=lambda size: {"max_total_conds": size},
    two_classes=True,
)
BRCG = Peer(
    "BRCG",
    "aix360",
    "rules",
    _brcg,
    "`BooleanRuleCG()` on cuts at quantiles and categories, each also denied",
    ({}, *({"lambda0": penalty, "lambda1": penalty} for penalty in (0.0001, 0.0003, 0.003, 0.01)), {"CNF": True}),
    two_classes=True,
)
RULEFIT = Peer(
    "RuleFit",
    "imodels",
    "rules",
    _rulefit,
    "`RuleFitClassifier()`, at most 30 rules",
    vary(max_rules=[10, 20, 60], tree_size=[3], include_linear=[False]),
    two_classes=True,
)
BOOSTED_RULES = Peer(
    "Boosted rules",
    "imodels",
    "rules",
    _boosted,
    "`BoostedRulesClassifier()`, 15 stumps",
    vary(n_estimators=[5, 10, 30, 60], learning_rate=[0.5]),
    sized=lambda size: {"n_estimators": size},
    two_classes=True,
)
CORELS = Peer(
    "CORELS",
    "corels",
    "rules",
    _corels,
    "on cuts at quantiles and categories, two conditions a rule at most",
    vary(c=[0.0003, 0.003, 0.01], max_card=[1], n_iter=[10_000]),
    two_classes=True,
)
