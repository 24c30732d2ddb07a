# Needs Rust and Python 3.11 or newer; everything else is fetched into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
OUT    ?= out
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -q
CORE   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

# One Python for cargo and for maturin, which pip must find.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup fast test web webtest wheel sdist reproduce validate picture fmt check docs site stubs notebooks nostd asserted audit fuzz clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "acklab needs Python 3.11 or newer, this is $$($(PYTHON) --version): set PYTHON=..."; exit 1; }
	@command -v cargo >/dev/null \
	  || { echo "acklab needs Rust (cargo): see rustup.rs"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'maturin>=1.13.1,<2'
	@touch $@

# maturin compiles the core and links the package into the environment.
$(VENV)/.core: $(VENV)/.made $(CORE)
	@echo "compiling the core and fetching what it needs: a few minutes, once"
	$(PIP) --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

setup: $(VENV)/.core ## Build .venv/bin/acklab

# Needs the profile tools of the compiler: `rustup component add llvm-tools`.
fast: $(VENV)/.core ## Compile the core again, guided by a profile: faster, results the same
	@echo "compiling twice more: instrumented, and with what the gallery of scenarios counted"
	$(BIN)/maturin develop --pgo --skip-install
	@touch $(VENV)/.core

test: $(VENV)/.dev ## Run every test, Rust and Python
	cargo test --locked --workspace --exclude acklab-py
	$(BIN)/python -m pytest -n auto --dist loadfile

web/node_modules/.made: web/package-lock.json
	npm ci --prefix web --no-audit --no-fund --silent
	@touch $@

# Into the package: `make wheel` then puts it into the wheel.
web: web/node_modules/.made ## Build the page of `acklab bench`
	web/compile.sh
	npm run --prefix web --silent check
	npm run --prefix web --silent build -- --logLevel warn

webtest: web $(VENV)/.core ## Test the page, and that it has the native tool's numbers
	npm run --prefix web --silent test

reproduce: $(VENV)/.core ## Make the papers' tables and figures; ends with the path of the report
	@$(BIN)/acklab reproduce --out $(OUT)

notebooks: $(VENV)/.core ## Run the notebooks again and keep their outputs in them
	$(BIN)/python docs/notebooks.py

wheel: $(VENV)/.made ## Build the wheel into OUT, install it elsewhere, walk the first page there
	KEEP=$(abspath $(OUT)) MATURIN=$(abspath $(BIN))/maturin PYTHON=$(abspath $(BIN))/python tests/wheel.sh

# The source says of which commit it is, since it leaves git behind.
CODE := crates python/acklab Cargo.toml Cargo.lock pyproject.toml
sdist: $(VENV)/.made ## Pack the source, from which a wheel can be built
	@echo "$$(git rev-parse HEAD)$$(test -z "$$(git status --porcelain -- $(CODE))" || echo +modified)" >crates/acklab-py/COMMIT
	$(BIN)/maturin sdist --out $(OUT); status=$$?; rm -f crates/acklab-py/COMMIT; exit $$status

validate: $(VENV)/.core ## Compare with the Linux kernel and ns-3
	@$(BIN)/acklab validate --out $(OUT)

picture: $(VENV)/.core ## Draw the picture of the README anew
	$(BIN)/python docs/picture.py

fmt: $(VENV)/.dev ## Format everything
	cargo fmt --all
	$(BIN)/ruff check --fix-only -q python tests docs
	$(BIN)/ruff format -q python tests docs

check: $(VENV)/.dev ## Formatting, lints and types, Rust and Python
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff check python tests docs
	$(BIN)/ruff format --check python tests docs
	$(BIN)/mypy

docs: $(VENV)/.made ## API documentation of the core
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --locked --no-deps --workspace --document-private-items

$(VENV)/.docs: $(VENV)/.core
	$(PIP) --no-build-isolation -e '.[docs]'
	@touch $@

# The environment variables keep advertisements of the generator's successors out of the output.
site: $(VENV)/.docs ## Documentation as a web site, in site/
	@if web/tools.sh; then $(MAKE) web; else echo "warning: without the page of the bench the site has no live figures" >&2; fi
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build -q
	@echo 'site/index.html; with search: python3 -m http.server -d site'

stubs: $(VENV)/.dev ## Does the stub of the compiled module say what the module has?
	$(BIN)/python -m mypy.stubtest acklab._core

nostd: ## Do the protocol and the path do without an operating system?
	cargo build --quiet --locked --target-dir target/nostd --manifest-path tests/nostd/Cargo.toml

asserted: $(VENV)/.dev ## Run random scenarios with debug assertions and overflow checks
	$(BIN)/python tests/asserted.py

audit: ## Licences, sources and known flaws of everything that is compiled in; needs cargo-deny
	cargo deny --locked check

SECONDS_EACH ?= 5
fuzz: ## Run each fuzz target for SECONDS_EACH (5) seconds
	fuzz/run.sh $(SECONDS_EACH)

clean: ## Remove everything that was built
	cargo clean
	rm -rf $(VENV) $(OUT) site web/made web/node_modules python/acklab/data/bench .pytest_cache .ruff_cache .mypy_cache python/acklab/*.so
