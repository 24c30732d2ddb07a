# Needs Rust and Python 3.11 or newer; everything else is fetched into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml
OUT    ?= out

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help setup test reproduce validate fmt check docs stubs clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "acklab needs Python 3.11 or newer; this is $$($(PYTHON) --version). Set PYTHON=."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# maturin compiles the core and links the package into the environment.
$(VENV)/.core: $(BIN)/python $(CORE)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(VENV)/.core ## Build .venv/bin/acklab

test: $(VENV)/.dev ## Run every test, Rust and Python
	cargo test --locked
	$(BIN)/python -m pytest

reproduce: $(VENV)/.core ## Rebuild the papers' tables and figures; ends with the path of the report
	@$(BIN)/acklab reproduce --out $(OUT)

validate: $(VENV)/.core ## Compare with the Linux kernel and ns-3
	@$(BIN)/acklab validate --out $(OUT)

fmt: $(VENV)/.dev ## Format everything
	cargo fmt --all
	$(BIN)/ruff check --fix-only -q python tests
	$(BIN)/ruff format -q python tests

check: $(VENV)/.dev ## Formatting and lints, Rust and Python
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff check python tests
	$(BIN)/ruff format --check python tests
	$(BIN)/mypy

docs: ## API documentation of the core
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace --document-private-items

stubs: $(VENV)/.dev ## The stub of the compiled module says what the module has
	$(BIN)/python -m mypy.stubtest acklab._core

clean: ## Remove everything that was built
	cargo clean
	rm -rf $(VENV) $(OUT) .pytest_cache .ruff_cache .mypy_cache python/acklab/*.so
