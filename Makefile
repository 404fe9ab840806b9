# The two commands of the README are `make demo` and `make test`. `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/sh
# uv where it runs already, else one of our own beside the checkout's environment.
UV := $(shell uv --version >/dev/null 2>&1 && echo uv || echo .tools/bin/uv)
RUN := .venv/bin/
# tests at a time: one more than processors, for many wait for other programs
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
FOLDER ?= .
BPMN_JS := 18.31.1
# Compiled modules are kept, whatever the shell says: a command then starts in a third of the time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: bench-live bench-board help install demo test check audit lock fmt clean shots fire bench-log bench-worker bench-bpmn bench-layout

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

.tools/bin/uv:
	@python3 -m venv .tools && .tools/bin/python -m pip install --quiet --disable-pip-version-check uv

.venv/installed: requirements.lock .python-version $(filter .tools/bin/uv,$(UV))
	@test -x .venv/bin/python || $(UV) venv --quiet .venv
	@$(UV) pip sync --quiet --compile-bytecode --python .venv/bin/python requirements.lock
	@touch $@

# bpmn.io's modeler, which the tests open our BPMN files with, and with it the OMG's schema
.tools/npm/bpmn-js-$(BPMN_JS):
	@if command -v npm >/dev/null; then mkdir -p .tools/npm && \
	  npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix .tools/npm bpmn-js@$(BPMN_JS) && touch $@; \
	elif [ -n "$$CI" ]; then echo "npm is not installed" >&2; exit 1; \
	else echo "npm is not installed: opening BPMN files in bpmn.io's modeler is left out"; fi

install: .venv/installed ## the environment in .venv, exactly as requirements.lock says

demo: .venv/installed ## a fresh store, a board on http://127.0.0.1:8000 and a worker, with a story to sign off
	@$(RUN)python manage.py demo

test: .venv/installed .tools/npm/bpmn-js-$(BPMN_JS) check audit ## everything CI runs: the checks, then every test
	@$(RUN)python -m pytest -n $(JOBS) tests

shots: .venv/installed ## pictures of the main pages in var/shots, for a person to look at
	@$(RUN)python -m tests.browser.shots var/shots

check: .venv/installed ## ruff, djlint, mypy, import-linter, and vulture for code that nothing uses
	@$(RUN)ruff check .
	@$(RUN)ruff format --check .
	@$(RUN)djlint --quiet --lint templates
	@$(RUN)mypy
	@$(RUN)lint-imports
	@$(RUN)python -m tests.dead_code

audit: .venv/installed ## bandit over the code, and known vulnerabilities of what requirements.lock names
	@$(RUN)bandit --quiet --configfile pyproject.toml --recursive board worker jobs deploy manage.py
	@$(RUN)python -m tests.audit requirements.lock

fmt: .venv/installed ## format the code
	@$(RUN)ruff check --fix . && $(RUN)ruff format .

bench-log: .venv/installed ## the event log: appending and cold start, each beside a floor measured in the same run
	@$(RUN)python -m tests.bench.bench_log

bench-bpmn: .venv/installed ## what becomes of every BPMN file below FOLDER=path: totals, remarks, the slowest
	@$(RUN)python -m tests.bench.bench_bpmn $(FOLDER)

bench-layout: .venv/installed ## crossings and time of the picture, beside Graphviz' dot on the same graphs
	@$(RUN)python -m tests.bench.bench_layout

bench-worker: .venv/installed ## what a script costs the worker, beside xargs in the same run; and with 10,000 elements
	@$(RUN)python -m tests.bench.bench_worker

bench-live: .venv/installed ## 500 people watching one board: how late they see what others do, what it costs beside a bare server
	@$(RUN)python -m tests.bench.bench_live

bench-board: .venv/installed ## pages, filters and fragments of the board at 48, 568 and 8,460 rows
	@$(RUN)python -m tests.bench.bench_board

fire: .venv/installed ## worker and board under attack, the long version: a hundred kills, floods of gigabytes, slow clients
	@FIRE=long $(RUN)python -m pytest -n $(JOBS) -s tests/faults tests/deploy/test_slow.py \
	  tests/log/test_hostile.py tests/log/test_disk.py tests/log/test_read_errors.py tests/services/test_backup_damage.py

lock: $(filter .tools/bin/uv,$(UV)) ## work out requirements.lock anew from pyproject.toml
	@$(UV) pip compile pyproject.toml --group dev --universal --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --quiet -o requirements.lock

clean: ## remove what the demo and the tests left behind
	@rm -rf var .venv .tools staticfiles
