# Every target sets up what it needs; a fresh machine has only python3.11 (with pip and venv), gcc, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types format reproduce reproduce-quick bench bench-exact clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(READY) ## from nothing to the Heart Disease rule on the screen
	$(BIN)/python examples/demo.py

test: lint types ## everything that must hold before a change lands
	$(BIN)/pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reproduce: $(READY) ## the paper's experiments and ours, a verdict for every claim; goes on after a kill
	$(BIN)/crystalogic reproduce --output paper/results

reproduce-quick: $(READY) ## the same with two trials each
	$(BIN)/crystalogic reproduce --quick --output paper/quick

# Peers pin old versions, so they live in an environment of their own. One that does not install is reported on the page.
BENCH := .venv-bench
PEERS := interpret wittgenstein imodels gosdt

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --disable-pip-version-check --editable '.[figures]' 'numpy<2.3' 'scikit-learn<1.8' six
	for peer in $(PEERS); do \
	  $(BENCH)/bin/pip install --quiet --disable-pip-version-check $$peer 'numpy<2.3' 'scikit-learn<1.8' || true; \
	done
	$(BENCH)/bin/pip install --quiet --disable-pip-version-check --no-deps fasterrisk || true # its pins are from 2022
	touch $(BENCH)/.ready

bench: $(BENCH)/.ready ## the default learner beside its peers; writes docs/comparison.md
	$(BENCH)/bin/crystalogic bench --output paper/bench --page docs/comparison.md

bench-exact: $(READY) ## the exact half in figures
	$(BIN)/python benchmarks/exact.py

clean:
	rm -rf $(VENV) $(BENCH) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
