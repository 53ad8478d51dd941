"""scikit-learn's own checks of both estimators with default settings; exits with 1 unless every one passes."""

import sys
import time

from sklearn.utils.estimator_checks import check_estimator

import crystalogic as cl


def main():
    failures = 0
    for estimator in (cl.LukasiewiczClassifier(), cl.LukasiewiczRegressor()):
        begin = time.perf_counter()
        results = check_estimator(estimator, on_fail=None, on_skip=None)
        others = [each for each in results if each["status"] != "passed"]
        print(f"{estimator!r}: {len(results) - len(others)} of {len(results)} in {time.perf_counter() - begin:.0f} s")
        for each in others:
            print(f"  {each['status']} {each['check_name']}: {each['exception']}")
        failures += len(others)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
