"""scikit-learn's own checks of an estimator, all of them: none skipped, none expected to fail."""

import json
import os
import subprocess
import sys

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


def results_of_checks(name: str) -> list[list[str]]:
    """Name, status and failure of each check, with little effort; `make check-estimators` has the defaults."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, name],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},  # without it, scikit-learn skips the check of array API inputs
    )
    found: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found
