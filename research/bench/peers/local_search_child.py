"""Runs in the environment of boolxai: reads rows, prints the rule and what it predicts as one line of JSON."""

import json
import sys
import warnings

import numpy as np


def main(path: str, options: str) -> None:
    """Fits a rule classifier with these options on the rows of a file."""
    from boolxai import BoolXAI  # type: ignore[import-not-found,unused-ignore]

    warnings.simplefilter("ignore")
    rows = np.load(path)
    X, y = rows["X"], rows["y"]
    model = BoolXAI.RuleClassifier(num_jobs=1, **json.loads(options)).fit(X, y)
    answer = {"rule": str(model.best_rule_), "predicted": [int(each) for each in model.predict(X)]}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
