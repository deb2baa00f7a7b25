# Two commands: `make serve` starts the laboratory, `make test` proves it.
# The first `make` of any kind makes .venv and installs what its target needs; the next reinstalls
# nothing until pyproject.toml or constraints.txt changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip compiles on one core what compileall does on all of them.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true  # some packages carry old code
# Where it is set every one of some hundred programs of the tests compiles the sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve play test test-slow test-kaggle chromium check format lint type layers bench docs release clean

help:
	@echo "make serve    the web laboratory in the browser"
	@echo "make play     a game in the terminal"
	@echo "make test     every test (test-slow: the long ones too; test-kaggle: Kaggle's runner, 1.6 GB)"
	@echo "make check    format, lint, types, layers"
	@echo "make bench    the speed of this machine, side by side with the peers that are installed"
	@echo "make docs     the documentation in site/"
	@echo "make release  wheel and sdist, tried in an empty environment (DEEP=1: with torch)"

# .venv/.has-EXTRA stands for "the package with this extra is installed".
$(BIN)/python:
	@$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info[:2] <= (3, 13)' 2>/dev/null || \
		{ echo "fourlab needs Python 3.11 to 3.13; name one: make PYTHON=python3.12 ..."; exit 2; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "install venv for $(PYTHON) first (Debian: apt-get install python3-venv)"; exit 2; }

$(VENV)/.has-%: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing fourlab[$*] into $(VENV)"
	@$(PIP) -e '.[$*]'
	@$(COMPILE)
	@touch $@

$(VENV)/.has-core: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing fourlab into $(VENV)"
	@$(PIP) -e .
	@$(COMPILE)
	@touch $@

serve: $(VENV)/.has-web
	$(BIN)/fourlab serve

play: $(VENV)/.has-core
	$(BIN)/fourlab play

test: $(VENV)/.has-dev chromium
	$(BIN)/python -m pytest

test-slow: $(VENV)/.has-dev chromium
	$(BIN)/python -m pytest -m "not kaggle"

test-kaggle: $(VENV)/.has-dev $(VENV)/.has-kaggle
	$(BIN)/python -m pytest -m kaggle

# The pages are tested in a real browser; without one those tests are skipped, and say so.
chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "installing Chromium for the tests of the pages"; \
			apt-get install -y -qq --no-install-recommends chromium >/dev/null || \
			{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }; \
		else echo "no Chromium: the tests of the pages are skipped (Debian: apt-get install chromium)"; fi

check: lint type layers

format: $(VENV)/.has-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.has-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

type: $(VENV)/.has-dev
	$(BIN)/mypy

layers: $(VENV)/.has-dev
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.has-core
	$(BIN)/fourlab bench

docs: $(VENV)/.has-docs
	$(BIN)/mkdocs build --strict

# Nothing is uploaded: it says what could be.
release: $(VENV)/.has-core
	$(BIN)/python .ci/release.py $(if $(DEEP),--deep)

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
