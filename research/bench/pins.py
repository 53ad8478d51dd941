"""Prints the packages of the suite as pip takes them: `python -m research.bench.pins`."""

import sys

from research.bench.suite import read_suite

if __name__ == "__main__":
    sys.stdout.write("\n".join(f"{name}=={version}" for name, version in read_suite().packages.items()) + "\n")
