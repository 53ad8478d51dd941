"""The frozen suite: what its file promises."""

from collections import Counter

import numpy as np
import pytest

from crystalogic.datasets import NAMES
from research.bench.reading import find_file, make_frame, read_keel, read_table
from research.bench.suite import read_suite
from research.bench.tables import halves, load_table, seeds_of, split_frame
from research.errors import StudyError

SUITE = read_suite()
HERE = [name for name, table in SUITE.tables.items() if table.package in ("crystalogic", "scikit-learn")]
USED_IN_DEVELOPMENT = {
    *NAMES,
    *"australian bupa german haberman ionosphere mammographic pima saheart vehicle0 wdbc".split(),
    *"contraceptive dermatology glass hayes-roth led7digit newthyroid iris wine digits wisconsin penguins".split(),
}


def test_the_suite_is_large_and_mostly_new():
    assert len(SUITE.tables) >= 36
    assert sum(not table.developed for table in SUITE.tables.values()) >= 22


def test_tables_used_in_development_are_marked():
    for name, table in SUITE.tables.items():
        assert table.developed == (name in USED_IN_DEVELOPMENT), name


def test_every_table_says_where_it_is_from_and_why_columns_are_left_out():
    for table in SUITE.tables.values():
        assert table.source
        assert table.topics
        assert all(table.drop.values())
        assert table.package in {*SUITE.packages, "crystalogic", "scikit-learn"}
        assert table.rows >= 100
        assert len(table.seeds) == (3 if table.rows >= 50_000 else 5)


def test_the_suite_covers_what_matters():
    topics = Counter(topic for table in SUITE.tables.values() for topic in table.topics if not table.developed)
    wanted = "medicine credit churn fairness logic physics imbalance".split()
    for topic in (*wanted, "several classes", "missing values", "text categories"):
        assert topics[topic] >= 2, topic


@pytest.mark.parametrize("name", [name for name in HERE if name != "mushroom"])
def test_tables_that_are_here_give_rows_of_all_shapes(name):
    frame, codes = load_table(name)
    assert (len(frame), len(np.unique(codes))) == (SUITE.tables[name].rows, SUITE.tables[name].classes)
    data = halves(name, 1)
    for half in (data.train, data.test):
        assert len(half.frame) == len(half.numbers) == len(half.booleans) == len(half.labels)
        assert np.isin(half.booleans, (0, 1)).all()
        assert half.numbers.min() >= 0
        assert half.numbers.max() <= 1
    assert len(data.numbers) == data.train.numbers.shape[1]
    assert len(data.booleans) == data.train.booleans.shape[1]
    assert set(data.test.labels) == set(data.train.labels)
    assert (halves(name, 1).test.numbers == data.test.numbers).all()


def test_scales_and_cuts_come_from_training_rows():
    data = halves("wine", 0)
    assert (data.train.numbers.min(axis=0) == 0).all()
    assert (data.train.numbers.max(axis=0) == 1).all()
    assert data.test.numbers.min(axis=0).max() > 0


def test_a_rare_yes_is_a_cut_too():
    """Quantiles of a column that is nearly always 0 were all 0, and learners of Boolean columns did not see it."""
    import pandas as pd

    frame = pd.DataFrame({"rare": [1.0] * 10 + [0.0] * 190, "other": range(200)})
    data = split_frame(frame, np.array(["a", "b"] * 100), 0)
    assert data.booleans[0].text == "rare >= 1.0"


def test_monk_has_one_split():
    assert seeds_of("monks-1") == (0,)
    assert seeds_of("heart") == (0, 1, 2, 3, 4)


def test_a_missing_package_is_one_sentence():
    with pytest.raises(StudyError, match="no-such-package is not installed"):
        find_file("no-such-package", "x")


def test_gaps_and_lines_of_another_length_are_noticed():
    frame = make_frame(*read_keel("@attribute a real\n@attribute b {x,y}\n@DATA\n1.5, x\n?, y\n1, 2, 3\n"))
    assert frame["a"].isna().tolist() == [False, True]
    assert frame["b"].tolist() == ["x", "y"]


def test_left_out_columns_are_not_there():
    heart = SUITE.tables["heart"]
    frame, classes = read_table(heart, SUITE.least_rows)
    assert heart.target not in frame
    assert set(classes) == {"0", "1"}
