# nftbench: `make demo` shows it at work, `make test` checks it. Both start from a bare clone with Python 3.11 or 3.12.
# PYTHON=... names the interpreter; without it the first fitting one of these is taken.
CANDIDATES := $(or $(PYTHON),python3.12 python3.11 python3 python)
VENV := .venv
PY := $(VENV)/bin/python
PIP = $(PY) -m pip install -qq --disable-pip-version-check
WORKERS ?= 2

# The versions and hashes of all that is installed from an index; `make LOCKED=` takes the newest ones that fit instead.
LOCKED ?= requirements.lock

# What the installed package was made from. Python sources are not in it: the install is an editable one.
INSTALL_INPUTS := pyproject.toml hatch_build.py requirements.lock contracts/src $(wildcard contracts/*.json contracts/*.cjs contracts/src/*.sol contracts/licenses/*)

.PHONY: demo test lint test-slow test-browser test-servers test-ecosystem bench soak docs docs-tools anvil install clean

demo: install
	@rm -rf runs/demo
	@$(VENV)/bin/nftbench evaluate --tier synthetic --agent reference --out runs/demo

test: lint anvil
	@$(PY) -m pytest -q -n $(WORKERS) -m "not slow and not servers and not browser"

lint: install
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check .
	@$(PY) -m mypy --no-error-summary

test-slow: anvil docs-tools
	@$(PY) -m pytest -q -n $(WORKERS) -m "slow and not servers and not browser"

test-browser: install
	@$(PY) -m pytest -q -m browser tests/browser

test-servers: install
	@$(PY) -m pytest -q -m servers

# The adapters, and the examples of training, each in an environment of its own below build/ecosystem: what they are for pins what
# the others can't have.
ADAPTERS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/ecosystem/*/test_*.py)))))

test-ecosystem: $(addprefix test-ecosystem-,$(ADAPTERS))

test-ecosystem-%: build/ecosystem/%/installed
	@build/ecosystem/$*/bin/python -m pytest -q --show-capture=stderr $(if $(shell command -v chromium),,-m "not browser") tests/ecosystem/$*
	@$(if $(wildcard src/nftbench/adapters/$*),$(PY) -m mypy --no-error-summary --cache-dir build/ecosystem/$*/mypy --python-executable build/ecosystem/$*/bin/python src/nftbench/adapters/$*)

.PRECIOUS: build/ecosystem/%/installed
build/ecosystem/%/installed: EXTRA = $(if $(wildcard src/nftbench/adapters/$*),[$*])
build/ecosystem/%/installed: $(VENV)/installed
	@echo "Installing nftbench$(EXTRA) into build/ecosystem/$*"
	@$(PY) -m venv --clear build/ecosystem/$*
	@build/ecosystem/$*/bin/python -m pip install -qq --disable-pip-version-check -e ".$(EXTRA)" pytest $(addprefix -r ,$(wildcard tests/ecosystem/$*/requirements.txt))
	@touch $@

bench: anvil
	@for script in benchmarks/bench_*.py; do \
	  name=$$(basename $$script .py); echo "== $$name"; $(PY) -m benchmarks.$$name || exit 1; \
	done

soak: install
	@$(PY) -m benchmarks.soak

# The documentation site, in build/site. It opens from disk (its search wants a server: python -m http.server -d build/site), and asks
# no other host for anything.
docs: docs-tools
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs --quiet build --strict
	@echo "build/site/index.html"

docs-tools: $(VENV)/docs-installed

$(VENV)/docs-installed: $(VENV)/installed docs/requirements.lock
	@if [ -n "$(LOCKED)" ]; then $(PIP) --require-hashes --no-deps -r docs/requirements.lock; else $(PIP) -e ".[docs]"; fi
	@touch $@

anvil: install
	@$(PY) hatch_build.py anvil > /dev/null

install: $(VENV)/installed

$(VENV)/installed: $(INSTALL_INPUTS)
	@python=; found=; \
	for candidate in $(CANDIDATES); do \
	  version=$$($$candidate -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2> /dev/null) || continue; \
	  case $$version in 3.11.*|3.12.*) python=$$candidate; break;; esac; \
	  found="$${found:+$$found and }Python $$version"; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "nftbench needs Python 3.11 or 3.12, and $${found:-no Python} was found as $(CANDIDATES); name the right one with PYTHON=..." >&2; \
	  exit 1; \
	fi; \
	$$python src/nftbench/chain/platforms.py || exit 1; \
	echo "Installing nftbench into $(VENV) with Python $$version (its contracts are compiled the first time)"; \
	{ $(PY) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2> /dev/null \
	  || $$python -m venv --clear $(VENV); } && \
	if [ -n "$(LOCKED)" ]; then \
	  $(PIP) --require-hashes --no-deps -r $(LOCKED) && $(PIP) --no-deps --no-build-isolation -e .; \
	else \
	  $(PIP) -e ".[dev]"; \
	fi
	@touch $@

clean:
	@rm -rf $(VENV) build dist src/nftbench/artifacts .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
