"""Searching tables: what is found, what is chosen, what is respected, and when it stops."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.pruning import prune
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import CrystalogicError, TrainingDataError
from crystalogic.logic.parse import parse
from crystalogic.progress import Stop
from crystalogic.search import Annealing, Knowledge, polish, search
from crystalogic.search.engine import size_of
from crystalogic.search.learn import choose
from crystalogic.symbolic.extract import encode

QUICK = Annealing(folds=3, repeats=1, effort=0.3, max_literals=12)
NAMES = list("abcdefgh")


def table(rule, n_rows=200, n_features=8, noise=0.0, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (n_rows, n_features)).astype(float)
    y = rule(X.astype(bool)).astype(int)
    return X, y ^ (generator.random(n_rows) < noise)


def everywhere(n=8):
    return np.array(list(itertools.product((0.0, 1.0), repeat=n)))


def test_a_planted_disjunction_is_found_exactly():
    rule = lambda X: (X[:, 0] & ~X[:, 1]) | (X[:, 2] & X[:, 3] & X[:, 4])  # noqa: E731
    result = search(*table(rule), NAMES, QUICK, seed=1)
    rows = everywhere()
    assert (result.predict(rows) == rule(rows.astype(bool))).all()
    assert result.front.chosen.n_literals == result.formula.size == 5
    assert result.stop is Stop.DONE


def test_exactly_two_of_five_is_found_exactly():
    rule = lambda X: X[:, :5].sum(axis=1) == 2  # noqa: E731
    result = search(*table(rule, 300), NAMES, QUICK, seed=1)
    assert (result.predict(everywhere()) == rule(everywhere().astype(bool))).all()
    assert result.front.chosen.n_literals == 10


def test_noise_is_not_learned_by_heart():
    rule = lambda X: X[:, 0] | X[:, 1]  # noqa: E731
    result = search(*table(rule, 300, noise=0.1), NAMES, QUICK)
    assert result.front.candidates[-1].n_literals > 2
    assert str(result.formula) == "a ⊕ b"


def test_labels_without_a_rule_give_the_constant():
    generator = np.random.default_rng(0)
    X = generator.integers(0, 2, (400, 6)).astype(float)
    result = search(X, generator.random(400) < 0.2, NAMES[:6], QUICK)
    assert result.formula.size == 0
    assert "constant" in result.front.reason
    assert [each.n_literals for each in result.front.candidates].count(0) == 1  # it was printed twice
    assert result.front.chosen.cross_validated == pytest.approx(0.8, abs=0.05)
    unjudged = search(X, generator.random(400) < 0.02, NAMES[:6], Annealing(effort=0.3, repeats=0))
    assert unjudged.formula.size == 0
    assert unjudged.front.reason.startswith("no cross-validation")


def test_each_formula_of_the_front_is_longer_and_better():
    result = search(*table(lambda X: X[:, :5].sum(axis=1) >= 3, noise=0.15), NAMES, QUICK)
    sizes = [each.n_literals for each in result.front.candidates]
    scores = [each.training for each in result.front.candidates]
    assert sizes == sorted(set(sizes))
    assert scores == sorted(set(scores))
    assert all(size_of(each.crystal) == each.n_literals for each in result.front.candidates)


def test_the_limits_hold_for_the_whole_front():
    X, y = table(lambda X: X[:, :6].sum(axis=1) % 2 == 1)
    front = search(X, y, NAMES, Annealing(max_literals=6, max_neurons=2, folds=2, repeats=1, effort=0.3)).front
    assert max(each.n_literals for each in front.candidates) <= 6
    assert max(each.n_neurons for each in front.candidates) <= 2


def test_the_seed_decides_and_the_threads_do_not():
    X, y = table(lambda X: X[:, :5].sum(axis=1) >= 3, noise=0.1)
    results = [
        search(X, y, NAMES, Annealing(folds=3, repeats=1, effort=0.2, n_threads=n), seed=5) for n in (1, 2, 4, 1)
    ]
    assert len({result.crystal.fingerprint for result in results}) == 1
    assert len({result.front for result in results}) == 1


def test_selection_does_not_see_the_rows_it_is_judged_on():
    """Labels drawn at random: if the folds leaked, long formulas would look better than chance."""
    generator = np.random.default_rng(3)
    X = generator.integers(0, 2, (120, 8)).astype(float)
    front = search(X, generator.random(120) < 0.5, NAMES, QUICK).front
    longest = front.candidates[-1]
    assert longest.training > 0.68
    assert longest.cross_validated is None or longest.cross_validated < 0.62


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_formula_has_more_neurons_than_asked_for(most):
    """From formulas on bits, degrees were annealed with two spare neurons beyond the limit."""
    X = np.random.default_rng(0).random((120, 4))
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.3) | (X[:, 2] > 0.7) & (X[:, 3] < 0.5)
    both = np.hstack([X, X > 0.5])
    limited = Annealing(folds=2, repeats=1, effort=0.3, max_literals=10, max_neurons=most)
    for table_ in (both, X > 0.5):
        found = search(table_, y, [f"x{i}" for i in range(table_.shape[1])], limited)
        assert max(each.n_neurons for each in found.front.candidates) <= most


def test_a_start_that_breaks_a_constraint_is_refused():
    """It was offered to the front as it was, and a formula with a forbidden feature was the result."""
    X, y = table(lambda X: (X[:, 0] == 1) & (X[:, 1] == 1))
    start = encode(parse("a ⊗ b"))
    for knowledge, what in (
        (Knowledge(forbidden=["a"], start=start), "'a' is not used"),
        (Knowledge(monotone={"b": -1}, start=start), "'b' may only lower the output"),
    ):
        with pytest.raises(TrainingDataError, match=f"goes against a constraint: {what}"):
            search(X, y, NAMES, QUICK, knowledge=knowledge)
        with pytest.raises(TrainingDataError, match=f"goes against a constraint: {what}"):
            polish(start, X, y, NAMES, QUICK, knowledge=replace(knowledge, start=None))
    missing = search(X, y, NAMES, QUICK, knowledge=Knowledge(required=["d"], start=start))
    assert all("d" in each.formula.variables for each in missing.front.candidates if each.n_literals)


@pytest.mark.parametrize("scale", [1e-320, 1e-9, 7.0, 1e17, 1e30, 1e306])
def test_the_scale_of_weights_says_nothing(scale):
    """Whole weights are counts, and those of 10³⁰ rows were negative ones: the formula came out inverted."""
    X, y = table(lambda X: X[:, 0] == 1, noise=0.1)
    plain, weighted = (search(X, y, NAMES, QUICK, sample_weight=w) for w in (None, np.full(len(y), scale)))
    assert weighted.crystal == plain.crystal
    assert weighted.front == plain.front


def test_one_weight_beyond_all_counts_is_a_weight():
    X, y = table(lambda X: X[:, 0] == 1, noise=0.1)
    weight = np.ones(len(y))
    weight[0] = 1e30
    found = search(X, y, NAMES, QUICK, sample_weight=weight)
    assert found.front.chosen.training > 0.99
    assert found.predict(X[:1])[0] == y[0]


def test_weights_move_the_choice():
    X = np.repeat([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    y = np.repeat([1, 0, 0, 0], 20)
    y[:12] = 0
    heavy = search(X, y, ["a", "b"], QUICK, class_weight={1: 5.0})
    assert str(heavy.formula) == "a ⊗ ¬b"
    light = search(X, y, ["a", "b"], QUICK, sample_weight=np.where(y == 1, 0.1, 1.0))
    assert light.formula.size == 0 or not light.predict(X).any()


def test_more_than_two_classes_are_refused():
    with pytest.raises(TrainingDataError, match=r"the search learns two classes, one for each row; got 3 in the shape"):
        search(np.eye(3), ["low", "middle", "high"], ["l", "m", "h"], QUICK)


def test_truth_degrees_are_learned():
    generator = np.random.default_rng(0)
    X = generator.integers(0, 5, (200, 4)) / 4
    y = np.clip(X[:, 0] - X[:, 2] + 1, 0, 1) * 1.0
    result = search(X, y, NAMES[:4], QUICK, degrees=True)
    assert np.abs(result.predict(X) - y).max() < 1e-6
    assert result.formula.size == 2


def test_numbers_between_zero_and_one_are_searched_with_the_boolean_ones():
    generator = np.random.default_rng(1)
    X = np.column_stack([generator.uniform(0, 1, 300), generator.integers(0, 2, (300, 3))])
    y = (X[:, 0] >= 0.5) & (X[:, 1] == 1)
    result = search(X, y, NAMES[:4], QUICK)
    assert (result.predict(X) == y).mean() > 0.99
    assert set(result.formula.variables) == {"a", "b"}


@pytest.mark.parametrize("graded", [False, True])
def test_knowledge_is_respected_by_every_formula_of_the_front(graded):
    X, y = table(lambda X: (~X[:, 0] & X[:, 1]) | X[:, 2], noise=0.05)
    if graded:
        X = np.column_stack([X[:, :7], np.linspace(0, 1, len(X))])
    knowledge = Knowledge(monotone={"a": 1, "b": 1}, forbidden=["c"], required=["d"])
    result = search(X, y, NAMES, QUICK, knowledge=knowledge)
    rows = everywhere()
    for each in result.front.candidates:
        assert "c" not in each.formula.variables
        assert "d" in each.formula.variables
        for column in (0, 1):
            low, high = rows.copy(), rows.copy()
            low[:, column], high[:, column] = 0, 1
            assert (each.crystal.run_rows(low) <= each.crystal.run_rows(high)).all()
    assert "'c' is not used" in str(result.knowledge)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("graded", [False, True])
def test_directions_against_the_data_are_kept(seed, graded):
    """A rule that rises with a feature was found although the feature may only lower the output."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (150, 5)).astype(float)
    if graded:
        X[:, 3] = rng.random(150)
    signs = rng.choice([-1, 1], 5)
    y = np.where(signs > 0, 1 - X, X)[:, rng.permutation(5)[:3]].sum(axis=1) >= 2
    known = Knowledge(monotone=dict(zip("abcde", signs.tolist(), strict=True)))
    result = search(X, y, NAMES[:5], QUICK, knowledge=known)
    rows = np.array(list(itertools.product((0, 0.25, 0.5, 1) if graded else (0, 1), repeat=5)))
    for each in result.front.candidates:
        for column, sign in enumerate(signs):
            low, high = rows.copy(), rows.copy()
            low[:, column], high[:, column] = 0, 1
            least, between, most = (each.crystal.run_rows(given) * sign for given in (low, rows, high))
            assert (least <= between).all()
            assert (between <= most).all()


def test_what_is_required_is_read_where_no_formula_beats_a_constant():
    """On noise the constant was chosen, and said to have what is required."""
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 2, (90, 4)), rng.integers(0, 2, 90)
    result = search(X, y, NAMES[:4], QUICK, knowledge=Knowledge(required=["b", "d"]))
    for front in result.fronts:
        assert all({"b", "d"} <= set(each.formula.variables) for each in front.candidates)
    with pytest.raises(TrainingDataError, match=r"2 truth values are required, more than .* \(max_literals = 1\)"):
        search(X, y, NAMES[:4], Annealing(max_literals=1), knowledge=Knowledge(required=["b", "d"]))


def test_more_may_be_required_than_there_are_neurons():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (100, 6))
    small = Annealing(max_neurons=2, max_literals=8, folds=3, repeats=1, effort=0.3)
    result = search(X, X[:, 0] | X[:, 1], NAMES[:6], small, knowledge=Knowledge(required=list("abcde")))
    assert set("abcde") <= set(result.formula.variables)
    assert len(result.crystal.live) <= 2


def test_a_formula_to_start_from_is_a_candidate_whatever_the_time():
    X, y = table(lambda X: (X[:, 0] & X[:, 1]) | X[:, 2])
    exact = encode(parse("(a ⊗ b) ⊕ c"))
    assert search(X, y, NAMES, QUICK, knowledge=Knowledge(start=exact), time_budget=1e-9).front.chosen.training == 1


def test_knowledge_refuses_what_contradicts_itself_or_the_table():
    with pytest.raises(TrainingDataError, match="both forbidden and required"):
        Knowledge(forbidden=["a"], required=["a"])
    with pytest.raises(TrainingDataError, match="direction of 'a'"):
        Knowledge(monotone={"a": 0})
    with pytest.raises(TrainingDataError, match="'z' is not a feature"):
        search([[0, 1], [1, 0]], [0, 1], ["a", "b"], QUICK, knowledge=Knowledge(forbidden=["z"]))


def test_a_search_in_which_everything_is_forbidden_is_refused():
    """It ended in a division by zero where the table has numbers."""
    with pytest.raises(TrainingDataError, match="every feature is forbidden; there is nothing left to learn from"):
        search([[0, 0.5], [1, 0]], [0, 1], ["a", "b"], QUICK, knowledge=Knowledge(forbidden=["a", "b"]))


def test_a_weight_for_a_class_that_does_not_exist_is_refused():
    """A slip such as '1' for 1 left all weights at 1, and nobody was told."""
    with pytest.raises(TrainingDataError, match="class_weight has a weight for '1'; the classes are 0, 1"):
        search([[0, 1], [1, 0]], [0, 1], ["a", "b"], QUICK, class_weight={"1": 5.0})
    search([[0, 1], [1, 0]], [0, 1], ["a", "b"], QUICK, class_weight={0: 1.0, 1: 5.0, 2: 1.0})


def test_an_expert_formula_is_kept_where_the_data_agree_and_changed_where_not():
    X, y = table(lambda X: (X[:, 0] & X[:, 1]) | X[:, 2])
    expert = encode(parse("(a ⊗ b) ⊕ d"))
    result = search(X, y, NAMES, QUICK, knowledge=Knowledge(start=expert))
    assert set(result.formula.variables) == {"a", "b", "c"}
    assert result.formula.size == 3
    assert (result.predict(X) == y).all()


def test_polish_improves_a_residual_crystal_and_leaves_no_literal_that_costs_nothing():
    X, y = table(lambda X: (X[:, 0] & X[:, 1]) | X[:, 2])
    inner = [Neuron([0, 1, 5], [1, 1, 1], -2), Neuron([2, 6], [1, -1], 0), Neuron([8, 9, 7], [1, 1, 1], -1)]
    merge = Neuron([10, 8], [1, 1], 0)
    rough = Crystal(NAMES, [*inner, merge], [11])
    before = ((rough.run_rows(X)[:, 0] >= 0.5) == y).mean()
    result = polish(rough, X, y, strategy=QUICK)
    assert before < 0.9
    assert (result.predict(X) == y).all()

    def loss(crystal):
        return float(((crystal.run_rows(X)[:, 0] >= 0.5) != y).sum())

    assert size_of(prune(result.crystal, loss)) == size_of(result.crystal) == 3


def test_prune_drops_what_costs_nothing_and_keeps_the_rest():
    X = everywhere(3)
    crystal = Crystal(list("abc"), [Neuron([0, 1], [1, 1], -1), Neuron([3, 0, 2], [1, 1, 1], 0)], [4])  # a ⊗ b ⊕ a ⊕ c
    truth = crystal.run_rows(X)[:, 0] >= 0.5
    shorter = prune(crystal, lambda c: float(((c.run_rows(X)[:, 0] >= 0.5) != truth).sum()))
    assert ((shorter.run_rows(X)[:, 0] >= 0.5) == truth).all()
    assert size_of(shorter) == 2
    assert size_of(crystal) == 4


def test_a_time_budget_ends_the_search_and_keeps_the_best():
    X, y = table(lambda X: X[:, :6].sum(axis=1) % 2 == 1, 400)
    result = search(X, y, NAMES, Annealing(folds=10, repeats=50), time_budget=0.5)
    assert result.stop is Stop.TIME
    assert result.seconds < 10
    assert result.front.chosen.training > 0.5


def test_a_callback_sees_progress_and_can_stop():
    X, y = table(lambda X: X[:, 0])
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 2

    result = search(X, y, NAMES, QUICK, callback=callback)
    assert result.stop is Stop.CALLBACK
    assert [each.done for each in seen[:2]] == [1, 2]
    assert seen[0].total == 4


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interruption_keeps_the_front(n_threads):
    X, y = table(lambda X: X[:, 0] & X[:, 1])
    calls = []

    def callback(progress):
        calls.append(progress)
        if len(calls) == 2:
            raise KeyboardInterrupt

    result = search(X, y, NAMES, Annealing(folds=3, repeats=1, effort=0.3, n_threads=n_threads), callback=callback)
    assert result.stop is Stop.INTERRUPTED
    assert result.front.chosen.training == 1


def test_no_time_at_all_still_gives_the_best_single_literal():
    """Once, a budget that ended before the first move gave the constant, whatever the table held."""
    X = [[0, 1, 0.2], [1, 1, 0.9], [0, 0, 0.4], [1, 0, 0.7]] * 10
    y = [not a for a, _, _ in X]
    assert str(search(X, y, NAMES[:3], time_budget=1e-9).formula) == "¬a"
    lowered = Knowledge(forbidden=["a"], monotone={"c": -1})
    assert str(search(X, y, NAMES[:3], knowledge=lowered, time_budget=1e-9).formula) == "¬c"
    needed = Knowledge(required=["b", "c"], monotone={"c": 1})
    found = search(X, y, NAMES[:3], knowledge=needed, time_budget=1e-9)
    assert str(found.formula) in ("b ⊕ c", "b ⊗ c", "¬b ⊕ c", "¬b ⊗ c")
    rare = [index == 0 for index in range(40)]
    assert search(X, rare, NAMES[:3], time_budget=1e-9).formula.size == 0


def test_the_constant_stands_once_in_the_front_and_has_its_own_score():
    """Once, the front had the constant twice, and the one that was chosen had no cross-validated score."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (120, 3))
    front = search(X, rng.random(120) < 0.1, NAMES[:3], Annealing(folds=3, repeats=1, effort=0.3)).front
    assert [each.n_literals for each in front.candidates].count(0) == 1
    assert front.chosen.n_literals == 0
    assert front.chosen.cross_validated == pytest.approx(front.chosen.training)
    assert 0 < front.chosen.standard_error < 0.05


def test_the_rule_prefers_the_shorter_formula_unless_the_longer_is_clearly_better():
    equal = np.array([[0, 0], [1, 0], [0, 1], [0, 0], [1, 1], [0, 0]])
    assert choose(equal, np.ones(6)) == 0
    better = np.array([[1, 0]] * 4 + [[0, 0]] * 20)
    assert choose(better, np.ones(24)) == 1
    assert choose(better, np.ones(24), standard_errors=5) == 0
    # the shorter one is no better than the constant
    assert choose(better, np.ones(24), standard_errors=5, constant=0.1) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([[0.0, 2.0], [1.0, 0.0]], [1, 0]), "'x2' is"),
        (([[0.0, 1.0], [1.0, 0.0]], [1, 1]), "the search learns two classes, one for each row; got 1"),
        (([[0.0, 1.0], [1.0, 0.0]], [1, 0], ["a"]), "as many different names"),
    ],
)
def test_tables_that_cannot_be_searched_are_refused(arguments, complaint):
    with pytest.raises(CrystalogicError, match=complaint):
        search(*arguments)


def test_settings_are_checked():
    with pytest.raises(
        TrainingDataError, match="'max_literals' parameter of Annealing must be a whole number from 1 on"
    ):
        Annealing(max_literals=0)


def test_rows_that_occur_a_thousand_times_are_merged_and_judged_as_a_thousand():
    """Holding out all rows of one pattern at once would leave only its mislabelled ones to learn from."""
    generator = np.random.default_rng(0)
    X = generator.integers(0, 2, (4000, 3))
    y = (X[:, 0] & X[:, 1]) ^ (generator.random(4000) < 0.1)
    found = search(X, y, ["a", "b", "c"])
    assert str(found.formula) == "a ⊗ b"
    assert found.front.chosen.cross_validated == pytest.approx(found.front.chosen.training)
    assert found.front.chosen.standard_error == pytest.approx((0.9 * 0.1 / 4000) ** 0.5, rel=0.1)


def test_a_rule_among_many_columns_is_found():
    names = [f"f{index}" for index in range(1500)]
    X = np.random.default_rng(0).random((500, len(names))) < 0.5
    y = X[:, 700] & (X[:, 1100] | ~X[:, 1400])
    result = search(X.astype(float), y, names, QUICK)
    assert (result.predict(X.astype(float)) == y).all()
    assert set(result.formula.variables) == {"f700", "f1100", "f1400"}
    assert result.front.chosen.cross_validated == 1.0
