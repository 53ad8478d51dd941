"""The six tables are the rows of their donors, split without overlap, encoded from training rows alone."""

from collections import Counter

import numpy as np
import pytest

from crystalogic import datasets
from crystalogic.datasets import NAMES, load, load_test
from crystalogic.errors import TrainingDataError
from research.paper.tables import encode_split, paper_table
from research.splits import Split, split


@pytest.mark.parametrize(
    ("name", "n_rows", "n_columns", "n_true"),
    [
        ("monks-1", 124, 6, 62),
        ("monks-2", 169, 6, 64),
        ("monks-3", 122, 6, 60),
        ("mushroom", 8124, 22, 4208),
        ("heart", 303, 13, 139),
        ("breast-cancer", 286, 9, 85),
    ],
)
def test_a_table_has_the_rows_its_donors_published(name, n_rows, n_columns, n_true):
    table = load(name)
    assert (len(table.rows), len(table.columns), sum(table.labels)) == (n_rows, n_columns, n_true)
    assert {len(row) for row in table.rows} == {n_columns}
    assert table.cite


def test_missing_values_are_where_they_were():
    heart = load("heart")
    assert heart.column("ca").count("?") == 4
    assert heart.column("thal").count("?") == 2
    assert load("mushroom").column("stalk-root").count("?") == 2480
    assert sum("?" in row for row in load("breast-cancer").rows) == 9


def test_monk_training_rows_agree_with_the_concept_except_for_the_noise_of_monk_3():
    wrong = []
    for name in NAMES[:3]:
        domain = load_test(name)
        concept = dict(zip(domain.rows, domain.labels, strict=True))
        assert len(concept) == 432
        table = load(name)
        wrong.append(sum(concept[row] != label for row, label in zip(table.rows, table.labels, strict=True)))
    assert wrong == [0, 0, 6]


def test_a_frame_has_numbers_as_numbers_and_missing_values_as_nan():
    frame = load("heart").frame()
    assert frame["age"].iloc[0] == 63
    assert frame["ca"].isna().sum() == 4


@pytest.mark.parametrize("name", ["heart", "breast-cancer", "mushroom"])
def test_a_split_covers_the_table_without_overlap_and_keeps_the_classes(name):
    parts = split(name, seed=3)
    whole = load(name)
    assert Counter(parts.train.rows) + Counter(parts.test.rows) == Counter(whole.rows)
    assert np.mean(parts.train.labels) == pytest.approx(np.mean(parts.test.labels), abs=0.01)
    assert len(parts.test.rows) == pytest.approx(0.2 * len(whole.rows), abs=1)
    assert split(name, seed=3) == parts
    assert split(name, seed=4) != parts


@pytest.mark.parametrize(
    ("name", "n_inputs"),
    [("monks-1", 17), ("heart", 22), ("breast-cancer", 20), ("mushroom", 117), ("mushroom-enriched", 117)],
)
def test_the_papers_encoding_has_its_inputs_and_stays_in_the_unit_interval(name, n_inputs):
    for part in paper_table(name, seed=1):
        assert part.rows.shape[1] == len(part.names) == len(set(part.names)) == n_inputs
        assert part.rows.min() >= 0
        assert part.rows.max() <= 1


def test_the_enriched_mushrooms_are_the_papers():
    train, test = paper_table("mushroom-enriched")
    rows, target = np.concatenate([train.rows, test.rows]), np.concatenate([train.target, test.target])
    assert len(rows) == 8124 + 4208
    halves = rows.max(axis=1) == 0.5
    assert halves.sum() == 4208
    assert not target[halves].any()


def test_encoding_learns_from_training_rows_only():
    """A test row beyond the training range, or with a code never seen, may not change the encoding."""
    heart = load("heart")
    ages = [float(age) for age in heart.column("age")]
    young, old = [i for i, age in enumerate(ages) if age < 60], [i for i, age in enumerate(ages) if age >= 60]
    train, test = encode_split(Split(heart.take(young), heart.take(old)), n_cuts=3)
    assert train.rows[:, 0].max() == 1
    assert (test.rows[:, 0] == 1).all()
    alone, _ = encode_split(Split(heart.take(young), heart.take(young)), n_cuts=3)
    assert train.names == alone.names
    assert (train.rows == alone.rows).all()


def test_cuts_add_boolean_inputs_with_readable_names():
    train, _ = encode_split(split("heart"), n_cuts=3)
    assert "ca ≥ 1.0" in train.names or "ca ≥ 1" in train.names
    cuts = [index for index, name in enumerate(train.names) if "≥" in name]
    assert set(np.unique(train.rows[:, cuts])) == {0.0, 1.0}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(TrainingDataError, match="monks-1, monks-2, monks-3, mushroom"):
        datasets.load("iris")
