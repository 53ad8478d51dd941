"""scikit-learn's own checks of estimators, all of them: none skipped, none expected to fail."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import crystalogic
from sklearn.utils.estimator_checks import check_estimator
strategies = {
    "LukasiewiczClassifier": crystalogic.Likelihood("points", max_literals=4, folds=2),
    "LukasiewiczRegressor": crystalogic.Annealing(effort=0.01, max_literals=4, folds=2, repeats=1),
}
estimator = getattr(crystalogic, sys.argv[1])(strategy=strategies[sys.argv[1]])
results = check_estimator(estimator, on_fail=None, on_skip=None)
print(json.dumps([[each["check_name"], each["status"], str(each["exception"])] for each in results]))
"""


@pytest.mark.parametrize("name", ["LukasiewiczClassifier", "LukasiewiczRegressor"])
def test_every_check_of_scikit_learn_passes(name):
    """With little effort in each search, for speed; `make check-estimators` runs them with the defaults."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, name],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},  # without it, scikit-learn skips the check of array API inputs
    )
    results = json.loads(done.stdout.splitlines()[-1])
    assert len(results) > 50
    assert [each for each in results if each[1] != "passed"] == []
