"""Compiles what learners compile, once, in the process that all jobs are forked from: it takes some of them minutes."""

import warnings

import numpy as np


def warm_up() -> None:
    """Lets the learners of imodels that compile themselves learn a small table; where it is not there, nothing."""
    numbers = np.random.default_rng(0).random((60, 3))
    labels = (numbers[:, 0] + numbers[:, 1] > 1).astype(int)
    try:
        from imodels import FastRiskScoreClassifier, FastSmallTreeClassifier
    except ImportError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for learner in (FastRiskScoreClassifier(), FastSmallTreeClassifier()):
            learner.fit(numbers, labels).predict(numbers)


warm_up()
