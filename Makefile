# Everything that is built lies in $(VENV) and .cache; `make test` needs Python 3.9 or newer and git.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: install lint typecheck validate test e2e bench simulation captures sessions clean

install: $(VENV)/tests.done $(VENV)/tools.done

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 9) and "Python 3.9 or newer is needed")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/tests.done: Makefile | $(BIN)/python
	$(PIP) 'pytest>=8' 'hypothesis>=6' 'setuptools>=77'
	touch $@

$(VENV)/tools.done: Makefile | $(BIN)/python
	$(PIP) 'ruff>=0.12' 'mypy>=1.15' 'build>=1'
	touch $@

lint: $(VENV)/tools.done
	$(BIN)/ruff check .

typecheck: $(VENV)/tests.done $(VENV)/tools.done
	$(BIN)/mypy

validate: $(VENV)/tests.done
	$(BIN)/python -m tests.e2e.driver plugin validate . --profile directory --strict

test: $(VENV)/tests.done
	$(BIN)/python -m pytest $(ARGS)

e2e: $(VENV)/tests.done
	$(BIN)/python -m pytest -m e2e tests/e2e

bench: $(VENV)/tests.done
	$(BIN)/python -m tests.bench

simulation: $(VENV)/tests.done
	$(BIN)/python -m tests.simulation

# make captures FAMILY=go CASE=two-runs DIR=/path/to/project COMMAND='go test ./...'
captures: $(VENV)/tests.done
	$(BIN)/python -m tests.capture "$(FAMILY)" "$(CASE)" "$(DIR)" "$$COMMAND"
captures: export COMMAND := $(COMMAND)

# make sessions NAMES="flake-go flake-jest"
sessions: $(VENV)/tests.done
	$(BIN)/python -m tests.record $(NAMES)

clean:
	rm -rf $(VENV) .cache build dist *.egg-info .hypothesis .pytest_cache .mypy_cache .ruff_cache
