# Every target sets up what it needs; a fresh machine has only python3.11 (with pip and venv), gcc, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready

.PHONY: demo test browser lint types format check-estimators bench-exact bench-exports bench-audit clean

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(INSTALLED) ## from nothing to the Heart Disease rule on the screen
	$(BIN)/python examples/demo.py

test: lint types browser ## everything that must hold before a change lands
	$(BIN)/pytest

browser: ## Chromium for the tests of the report page, installed where that is allowed
	@command -v chromium >/dev/null || { command -v apt-get >/dev/null && test "$$(id -u)" = 0 && { \
	  export DEBIAN_FRONTEND=noninteractive; \
	  said=$$({ apt-get install -y chromium || { apt-get update && apt-get install -y chromium; }; } 2>&1) || \
	  { echo "$$said"; false; }; }; } || \
	  echo "There is no chromium: the browser tests of the report page are skipped (with CI=true they fail)."

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check-estimators: $(READY) ## scikit-learn's checks with the default search, in minutes
	SCIPY_ARRAY_API=1 $(BIN)/python -W ignore benchmarks/check_estimators.py

bench-exact: $(READY) ## the exact half in figures
	$(BIN)/python benchmarks/exact.py

bench-exports: $(READY) ## every export against the library on 100,000 rows
	PYTHONPATH=tests $(BIN)/python benchmarks/exports.py

bench-audit: $(READY) ## every question on the default models of the six data sets
	$(BIN)/python benchmarks/audit.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
