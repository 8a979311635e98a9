# Everything that people and CI call. The first call sets up .venv, quietly and once.
PYTHON := $(shell sh plugin/bin/find-python.sh 2>/dev/null)
BIN := .venv/bin
# More than cores: tests wait for programs half of the time.
WORKERS ?= 4
# Nothing here writes to Python's log; to look there takes a seventh of the time of a small test.
CACHES := $(CURDIR)/.venv/cache
PYTEST = $(BIN)/pytest -p no:logging -o cache_dir=$(CACHES)/pytest -n $(WORKERS)
# `make unit TESTS=tests/cli` runs a part of them.
TESTS ?=
# Without bytecode every process of the tests compiles the whole program and all tests anew.
unexport PYTHONDONTWRITEBYTECODE
# Bytecode and caches lie in .venv, so that a checkout stays as git made it.
export PYTHONPYCACHEPREFIX := $(CACHES)/bytecode
export HYPOTHESIS_STORAGE_DIRECTORY := $(CACHES)/hypothesis

.PHONY: help demo demo-cluster test lint types layers unit test-slow test-clients test-all attacks honesty mutants row-mutants bench figures figures-sample picture pictures release-check format generate words docs docs-properdocs docs-examples clean

help:
	@echo "make demo          see what ultrawork does, on a throw-away repository"
	@echo "make demo-cluster  a run over three machines: one is killed, and so is the coordinator"
	@echo "make test          lint, types, layers and the fast tests"
	@echo "make test-slow     faults, load and real toolchains"
	@echo "make test-clients  real agent CLIs against a scripted model, each mechanism once"
	@echo "make test-all      everything, with the long runs that are kept for a release"
	@echo "make attacks       every attack and every honest change, with a table: lies let through, honest runs nagged"
	@echo "make honesty       the same lies and honest work in the real Claude Code and Codex, with a table of both"
	@echo "make mutants       whether the tests notice broken code: a score over chosen modules"
	@echo "make row-mutants   whether each row of the conformance page is shown: its behaviour is taken away, its tests are asked"
	@echo "make bench         the benchmarks, as tables"
	@echo "make figures       repeat the oldest runs of the test sets for MINUTES=55 (0: all of them), and write the page and the chart"
	@echo "make picture       record the demo into the picture of the README"
	@echo "make pictures      draw every live screen into docs/pictures"
	@echo "make release-check one version, packages that install and start, a plugin that is valid"
	@echo "make words         every sentence that the program can show, one list per surface, in build/words"
	@echo "make docs          the pages as a site, in build/site"
	@echo "make docs-examples write the output that pages show anew, by running their commands"
	@echo "make format        put the code into shape"
	@echo "make generate      write the files that are made from others: hooks, reference pages, words, prompts"

# A clone that only shows the demo gets no .venv: bytecode of the demo's project stays in it.
demo: export PYTHONPYCACHEPREFIX :=
demo:
	@rm -rf demo && ULTRAWORK_HOME=$(CURDIR)/demo/state plugin/bin/ultrawork demo

# Temporal's dev server and its library come from PyPI, once, into .tools.
demo-cluster: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.cluster_demo demo/cluster

# The type checker keeps one core busy while the tests begin.
test: lint layers
	@$(MAKE) --no-print-directory -j2 types unit

lint: .venv/ready
	@$(BIN)/ruff check -q --cache-dir $(CACHES)/ruff plugin/src tests bench
	@$(BIN)/ruff format -q --cache-dir $(CACHES)/ruff --check plugin/src tests bench

types: .venv/ready
	@$(BIN)/mypy --no-error-summary --cache-dir $(CACHES)/mypy

layers: .venv/ready
	@$(BIN)/lint-imports --no-cache >.venv/layers.log || { cat .venv/layers.log; exit 1; }

# Make's own jobs are nothing to those that tests start. Bytecode of projects that earlier tests made is of no use.
unit: .venv/collected
	@rm -rf $(CACHES)/bytecode/tmp $(CACHES)/bytecode/dev
	@MAKEFLAGS= $(PYTEST) --dist worksteal -o tmp_path_retention_policy=failed $(TESTS)

# Once: four workers that each write the assertions of all tests anew cost as much as a tenth of the tests.
.venv/collected: .venv/ready
	@$(BIN)/pytest -p no:logging -o cache_dir=$(CACHES)/pytest --collect-only >.venv/collected.log || { cat .venv/collected.log; exit 1; }
	@touch $@

# Every worker reads all tests that it is given: here only files that name the mark, which tests/conftest.py holds.
test-slow: .venv/ready
	@$(PYTEST) -m "slow and not release" --dist worksteal $$(grep -rlw --include='test_*.py' slow tests)

test-clients: .venv/ready
	@$(PYTEST) -m "client and not release" --dist worksteal $$(grep -rlw --include='test_*.py' client tests)

test-all: lint types layers
	@$(PYTEST) -m "" --dist worksteal

attacks: .venv/ready
	@$(PYTEST) -m "" tests/attacks tests/honest --dist loadgroup

honesty: .venv/ready
	@$(PYTEST) -m client tests/clients/test_codex_honesty.py tests/clients/test_ulw_lies.py tests/clients/test_ulw_honest.py --dist worksteal

# They compile mutants beside their source, in copies of the checkout.
mutants row-mutants: export PYTHONPYCACHEPREFIX :=

mutants: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.mutants --workers $(WORKERS)

row-mutants: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.row_mutants

BENCHES = engine flows gates hooks ideal mcp proof sessions sight store swarm
bench: .venv/ready
	@for name in $(BENCHES); do $(BIN)/python bench/$$name.py || exit 1; done

# The oldest runs of each set, then the page and the chart. `make figures MINUTES=0` repeats every run.
# `make figures-sample` plays a small part and writes neither.
MINUTES = 55
figures: .venv/ready
	@$(BIN)/python bench/figures.py --run --minutes $(MINUTES)

figures-sample: .venv/ready
	@$(BIN)/python bench/figures.py --sample

# One version, packages that start, a valid plugin. The client comes from npm, once, into .tools.
release-check: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.release

# Records the demo again, into docs/pictures/demo.svg.
picture: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.recorder

# Draws the live screens of the docs. The page needs a Chromium, which comes into .tools where there is none.
pictures: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.pictures

format: .venv/ready
	@$(BIN)/ruff check -q --cache-dir $(CACHES)/ruff --fix plugin/src tests bench
	@$(BIN)/ruff format -q --cache-dir $(CACHES)/ruff plugin/src tests bench

generate: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.hook_files && PYTHONPATH=tests $(BIN)/python -m support.hooks_page
	@PYTHONPATH=tests $(BIN)/python -m support.cli_page && PYTHONPATH=tests $(BIN)/python -m support.toolchain_table && PYTHONPATH=tests $(BIN)/python -m support.eval_files
	@PYTHONPATH=tests $(BIN)/python -m support.conformance && PYTHONPATH=tests $(BIN)/python -m support.clients_page
	@PYTHONPATH=tests $(BIN)/python -m support.hot && PYTHONPATH=tests $(BIN)/python -m support.house_page
	@PYTHONPATH=tests $(BIN)/python -m support.judging_page && PYTHONPATH=tests $(BIN)/python -m support.word_modules && PYTHONPATH=tests $(BIN)/python -m support.messages_page
	@$(BIN)/python bench/figures.py
	@PYTHONPATH=tests $(BIN)/python -m support.prompts

words: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.catalogue

# A site generator has an environment of its own: nothing else needs it. Both read mkdocs.yml.
ZENSICAL = .tools/zensical
PROPERDOCS = .tools/properdocs
docs: $(ZENSICAL)/ready
	@rm -rf build/site && $(ZENSICAL)/bin/zensical build --strict

docs-properdocs: $(PROPERDOCS)/ready
	@$(PROPERDOCS)/bin/properdocs build --quiet --strict -f mkdocs.yml -t mkdocs -d build/properdocs

$(ZENSICAL)/ready: PACKAGES = zensical==0.0.73
$(PROPERDOCS)/ready: PACKAGES = properdocs properdocs-theme-mkdocs
.tools/%/ready:
	@echo "setting up $* (once)"
	@rm -rf $(@D) && "$(PYTHON)" -m venv $(@D)
	@$(@D)/bin/pip install -q --disable-pip-version-check $(PACKAGES) && touch $@

docs-examples: .venv/ready
	@PYTHONPATH=tests $(BIN)/python -m support.page_blocks

clean:
	@rm -rf .venv .tools demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { sh plugin/bin/find-python.sh; exit 1; }
	@echo "setting up .venv (once)"
	@rm -rf .venv && "$(PYTHON)" -m venv .venv
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]' >.venv/setup.log 2>&1 || { cat .venv/setup.log; exit 1; }
	@touch $@
