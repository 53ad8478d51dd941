# Every target sets up what it needs; a fresh machine has only python3.11 (with pip and venv), gcc, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types format bench-exact bench-exports bench-audit clean

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

bench-exact: $(READY) ## the exact half in figures
	$(BIN)/python benchmarks/exact.py

bench-exports: $(READY) ## every export against the library on 100,000 rows
	PYTHONPATH=tests $(BIN)/python benchmarks/exports.py

bench-audit: $(READY) ## every question on the default models of the six data sets
	$(BIN)/python benchmarks/audit.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
