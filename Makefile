# Two commands are enough: `make run` opens the terminal, `make test` proves everything.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
RUNTIME := $(VENV)/.runtime-stamp
TESTING := $(VENV)/.testing-stamp
COLLECTED := $(VENV)/.collected-stamp
PINS := tests/constraints.txt

# Hundreds of programs are started by the tests: none should have to be compiled first.
test check coverage: export PYTHONDONTWRITEBYTECODE =

.PHONY: run test check static style types contracts coverage format bench soak shots shots-draw shots-accept python clean

run: $(RUNTIME)
	@$(BIN)/pmtui

test: static
	$(BIN)/python -m pytest -q -n 3 --dist worksteal

# Each of these uses one core.
static: $(TESTING)
	@$(MAKE) --no-print-directory --jobs=2 types $(COLLECTED) style contracts

# The workers begin together: each would prepare every new test module for itself.
$(COLLECTED): $(TESTING) $(shell find tests -name '*.py')
	@$(BIN)/python -m pytest -q --collect-only > $@.log || { cat $@.log; exit 2; }
	@touch $@

style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

contracts:
	$(BIN)/lint-imports

# Counting branches doubles the time of every test: by itself, not in each run.
coverage: $(TESTING)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal --cov --cov-report=term:skip-covered --cov-fail-under=90

check: static
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m "not slow and not journey"

format: $(TESTING)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(TESTING)
	$(BIN)/python -m tests.bench

soak: $(TESTING)
	PMTUI_EXAMPLES=random $(BIN)/python -m pytest -q -n 3 -m hypothesis
	$(BIN)/python -m tests.bench.soak
	$(BIN)/python -m tests.hostile
	$(BIN)/python -m tests.fuzz --seconds 300

shots: $(TESTING)
	$(BIN)/python -m tests.scenes compare

shots-draw: $(TESTING)
	$(BIN)/python -m tests.scenes draw build/shots

shots-accept: $(TESTING)
	$(BIN)/python -m tests.scenes accept

python:
	@command -v $(PYTHON) >/dev/null || { echo "pmtui needs Python 3.11 or newer, and there is no $(PYTHON)" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)' || { echo "pmtui needs Python 3.11 or newer; this is $$($(PYTHON) -V 2>&1)" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "pmtui needs Python's venv module; on Debian: apt install python3-venv" >&2; exit 2; }

$(BIN)/python: | python
	@$(PYTHON) -m venv $(VENV)

$(RUNTIME): pyproject.toml $(PINS) | $(BIN)/python
	@echo "Installing pmtui into $(VENV) ..."
	@$(PIP) install -q -e . -c $(PINS)
	@touch $@

$(TESTING): pyproject.toml $(PINS) | $(BIN)/python
	@echo "Installing pmtui and its tests into $(VENV) ..."
	@$(PIP) install -q -e '.[test]' -c $(PINS)
	@touch $(RUNTIME) $@

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
