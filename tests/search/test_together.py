"""The formulas of several classes are chosen together."""

import numpy as np
import pytest

from crystalogic.search import search
from crystalogic.search.together import ALWAYS, NEVER, Choice, Degrees, Held, Jury, choose_together


def held(labels, degrees):
    each = tuple(Degrees(np.array(each, float), np.zeros(len(each[0]))) for each in degrees)
    return Held(np.arange(len(labels)), np.ones(len(labels), int), each)


def test_a_class_that_needs_no_formula_is_otherwise():
    """Two formulas name two classes without error; the third class is what is left."""
    labels = np.array([0, 0, 1, 1, 2, 2])
    never = [[0, 0]] * 6
    first, second = [[0, float(label == 0)] for label in labels], [[0, float(label == 1)] for label in labels]
    jury = Jury([held(labels, [first, second, never])], labels, np.ones(6), 0)
    choice = choose_together(jury, [[1], [1], [1]], Choice((1, 1, 1), (0, 1, 2)), 1.0)
    assert choice.n_literals == 2
    assert choice.sizes[2] in (ALWAYS, NEVER)
    assert jury.mean(choice) == 0


def test_a_longer_choice_must_be_clearly_better():
    labels = np.array([0, 1, 2] * 10)
    exact = [[[0, float(label == c)] for label in labels] for c in range(3)]
    jury = Jury([held(labels, exact)], labels, np.ones(30), 0)
    best = choose_together(jury, [[1]] * 3, Choice((NEVER,) * 3, (0, 1, 2)), 1.0)
    assert jury.mean(best) == 0
    assert choose_together(jury, [[1]] * 3, Choice((NEVER,) * 3, (0, 1, 2)), 100.0).n_literals == 0


@pytest.mark.parametrize("n_classes", [3, 6])
def test_many_classes_are_told_apart(n_classes):
    X = np.repeat(np.eye(n_classes), 12, axis=0)
    y = np.repeat(np.arange(n_classes), 12)
    found = search(X, y)
    assert (found.predict(X) == y).all()
    assert sum(formula.size for formula in found.formulas) <= n_classes
    assert sorted(found.order) == list(range(n_classes))
