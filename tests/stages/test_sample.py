"""Samples that do not depend on how a table was cut, and scores of all rows."""

import math

import numpy as np
import pytest

from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import fit_encoding
from crystalogic.parts import Part, fold, join_parts, join_rows, take_rows
from crystalogic.stages import Judge, draw, keys_of, score, sizes_of

N = 20_000


class Cut:
    """A table cut into parts of given sizes, some of them empty."""

    def __init__(self, rows, target, sizes, weight=None):
        self.rows, self.target, self.weight = rows, target, weight
        self.bounds = np.minimum(np.cumsum([0, *sizes]), len(target))

    def each(self, function, columns=None):
        found = []
        for first, last in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            part = {name: values[first:last] for name, values in self.rows.items()}
            weight = None if self.weight is None else self.weight[first:last]
            found.append(function(Part(part, self.target[first:last], weight, int(first))))
        return found

    def fold(self, function, join, columns=None):
        return fold(join, self.each(function))


def table(seed=0, rare=0.3):
    generator = np.random.default_rng(seed)
    rows = {name: generator.integers(0, 2, N) for name in "abcd"} | {"e": generator.uniform(0, 1, N)}
    return rows, np.where(generator.random(N) < rare, "yes", "no")


CUTS = [[N], [1000] * 20, [7, 0, 12_345, 1, 0, N]]
CLASSES = np.array(["no", "yes"])


def test_keys_depend_on_the_row_and_the_seed_alone():
    whole = keys_of(0, 100, 5)
    assert (np.concatenate([keys_of(0, 30, 5), keys_of(30, 70, 5)]) == whole).all()
    assert len(set(whole.tolist()) | set(keys_of(0, 100, 6).tolist())) == 200
    assert abs(keys_of(0, 100_000, 0).astype(float).mean() / 2**63 - 1) < 0.01


def test_a_sample_is_the_same_however_the_table_was_cut():
    rows, target = table()
    counts = [int((target == label).sum()) for label in CLASSES]
    drawn = [draw(Cut(rows, target, sizes), counts, 9000, 3, CLASSES) for sizes in CUTS]
    for other in drawn[1:]:
        assert (other.key == drawn[0].key).all()
        assert all((other.rows[name] == drawn[0].rows[name]).all() for name in rows)
        assert (other.last == drawn[0].last).all()


def test_a_sample_has_the_classes_in_their_shares_and_a_smaller_one_is_its_beginning():
    rows, target = table()
    counts = [int((target == label).sum()) for label in CLASSES]
    sample = draw(Cut(rows, target, [N]), counts, 9000, 3, CLASSES)
    assert np.bincount(sample.code).tolist() == sizes_of(counts, 9000)
    is_in_smaller = sample.key <= sample.last_of(0.6)[sample.code]
    for code in (0, 1):
        of_class = sample.key[sample.code == code]
        smaller = sample.key[is_in_smaller & (sample.code == code)]
        assert len(smaller) == math.ceil(0.6 * len(of_class))
        assert (smaller == of_class[: len(smaller)]).all()


def test_a_rare_class_is_drawn_more_densely_and_counts_for_what_it_is():
    rows, target = table(rare=0.02)
    counts = [int((target == label).sum()) for label in CLASSES]
    sample = draw(Cut(rows, target, [N]), counts, 9000, 0, CLASSES)
    assert (sample.code == 1).sum() == counts[1] // 2
    weight = sample.table_weight
    assert np.bincount(sample.code, weight) == pytest.approx(counts)


def test_a_row_knows_whether_it_was_drawn():
    rows, target = table()
    counts = [int((target == label).sum()) for label in CLASSES]
    sample = draw(Cut(rows, target, [N]), counts, 9000, 0, CLASSES)
    inside = keys_of(0, N, 0) <= sample.last[(target == "yes").astype(int)]
    assert inside.sum() == len(sample.key)


def test_scores_of_parts_are_the_scores_of_the_table():
    rows, target = table()
    counts = [int((target == label).sum()) for label in CLASSES]
    encoding = fit_encoding(rows)
    crystals = [
        Crystal(["a=1", "e"], [Neuron([0, 1], [1, 1], -1)], [2]),
        Crystal(["b=1"], [Neuron([0], [-1], 1)], [1]),
    ]
    sample = draw(Cut(rows, target, [N]), counts, 9000, 0, CLASSES)
    goal = target == "yes"
    degrees = [crystal.run_rows(encoding.transform(rows, crystal.inputs))[:, 0] for crystal in crystals]
    losses = np.array([((each >= 0.5) != goal) * np.where(goal, 2.0, 1.0) for each in degrees])
    unseen = keys_of(0, N, 0) > sample.last[goal.astype(int)]
    shares = [unseen[goal == each].mean() / unseen.mean() for each in (False, True)]  # near 1
    judged = losses[:, unseen] / np.array(shares)[goal[unseen].astype(int)]
    weight, before = np.array([1.0, 2.0]), None
    for sizes in CUTS:
        found = score(Cut(rows, target, sizes), Judge(encoding, crystals, CLASSES, (), sample.last, 0))
        (training, scores), (_, error) = found.scores(weight)
        assert (training == 1 - losses.sum(axis=1) / N).all()
        assert found.n[1].sum() == unseen.sum()
        assert scores == pytest.approx(1 - judged.mean(axis=1))
        assert error == pytest.approx(judged.std(axis=1) / unseen.sum() ** 0.5)
        assert before is None or (scores.tolist(), error.tolist()) == before
        before = scores.tolist(), error.tolist()


def test_rows_of_every_kind_are_taken_and_joined():
    import pandas as pd
    import polars as pl
    from scipy.sparse import csr_array

    from crystalogic.encoding.values import SparseColumns

    columns = {"x0": np.arange(6), "x1": np.arange(6) % 2}
    sparse = SparseColumns(csr_array(np.array(list(columns.values())).T))
    for rows in (columns, pd.DataFrame(columns), pl.DataFrame(columns), sparse):
        parts = [
            take_rows(rows, np.array([4, 1])),
            take_rows(rows, np.array([], int)),
            take_rows(rows, np.arange(2, 4)),
        ]
        joined = join_rows(parts)
        assert type(joined) is type(rows)
        assert np.asarray(joined["x0"]).tolist() == [4, 1, 2, 3]
        assert np.asarray(joined["x1"]).tolist() == [0, 1, 0, 1]


def test_a_short_table_is_gathered_from_its_parts():
    rows, target = table()
    weight = np.arange(float(N))
    found = join_parts(Cut(rows, target, CUTS[2], weight).each(lambda part: part))
    again, labels, weights = found.rows, found.target, found.weight
    assert all((again[name] == rows[name]).all() for name in rows)
    assert (labels == target).all()
    assert (weights == weight).all()
