# Almanac. `make help` lists the targets. All of them may be run again: what is there already is left alone.

.DELETE_ON_ERROR:
.SUFFIXES:
.NOTPARALLEL:

# The one folder outside the project that is written to.
CACHE := $(if $(ALMANAC_CACHE),$(ALMANAC_CACHE),$(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/almanac)
export ALMANAC_ORACLES ?= $(CACHE)/oracles/bin/python
PACKAGES := $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/almanac/data-packages
export ALMANAC_SOURCES ?= $(PACKAGES)

# MODEL: what `make model` brings (default: the default model and the embedding). DEMO_MODEL and SMOKE_MODEL: what the
# demo and the smoke comparison run on.
MODEL ?=
DEMO_MODEL ?= qwen2.5-coder:1.5b
SMOKE_MODEL ?= qwen2.5-coder:0.5b
VERSION := $(or $(shell git describe --tags --abbrev=0 2>/dev/null),0.1.0-dev)
LDFLAGS = -s -w -X almanac/internal/cli.Version=$(VERSION) -X almanac/internal/cli.Commit=$(COMMIT)
RUN := runs/demo-$(shell date +%Y%m%d-%H%M%S)

# The commit that runs are marked with; "+changes" where files that are in it were changed since.
COMMIT = $(shell git rev-parse --short=12 HEAD 2>/dev/null)$(shell git diff --quiet HEAD -- 2>/dev/null || echo +changes)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## set-up, then the main job: does a team of agents beat one on this machine?
	@bin/setup model $(DEMO_MODEL)
	bin/setup serve -- bin/almanac compare --suite demo --setups search,squad,single --model ollama:$(DEMO_MODEL) --out $(RUN)
	@echo
	@echo "The report: $(CURDIR)/$(RUN)/report.html"

.PHONY: test
test: lint build cross oracles data-check test-scripts test-unit test-audit test-model test-smoke ## set-up, then every test (what CI runs)
	@echo "all tests passed"

.PHONY: test-unit
test-unit:
	go test -race -shuffle=on -tags oracles -timeout 20m ./...

# The adapters' conformance suite, against the real server and a real model.
.PHONY: test-model
test-model: bin/setup
	@bin/setup model $(SMOKE_MODEL)
	bin/setup serve -- sh -c 'ALMANAC_TEST_OLLAMA=$$OLLAMA_HOST ALMANAC_TEST_MODEL=$(SMOKE_MODEL) exec go test -count=1 -tags realmodel -run RealModel ./agents/llm'

.PHONY: test-scripts
test-scripts:
	python3 -m unittest discover -s scripts/tests

.PHONY: test-audit
test-audit: build
	for suite in starter demo core irrelevant; do bin/almanac tasks validate --suite $$suite && bin/almanac tasks audit --suite $$suite || exit 1; done

.PHONY: test-smoke
test-smoke: build
	bin/setup serve -- scripts/smoke --model ollama:$(SMOKE_MODEL)

# The report in a real browser: accessibility, layout on a phone, its script, how fast it opens.
AXE := $(CACHE)/axe/node_modules/axe-core/axe.min.js

$(AXE):
	npm install --silent --no-audit --no-fund --prefix "$(CACHE)/axe" axe-core@4.14.1

.PHONY: test-browser
test-browser: ## look at a report in a browser (wants chromium and npm)
	@command -v npm >/dev/null || { echo "npm is missing: apt-get install npm, or bin/setup apt npm"; exit 1; }
	@$(MAKE) --no-print-directory "$(AXE)"
	ALMANAC_AXE="$(AXE)" go test -tags browser -count=1 -run 'Accessibility|Phone|Script|OpensIn' ./eval/report

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt is wanted for:"; echo "$$out"; exit 1; fi
	go vet -tags oracles,realmodel,browser ./...
	go tool staticcheck -tags oracles,realmodel,browser ./...

.PHONY: build
build: bin/setup ## bin/almanac, a static binary
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o bin/almanac ./cmd/almanac

.PHONY: bin/setup
bin/setup:
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/setup ./scripts/setup

.PHONY: cross
cross: ## compile for macOS (arm64) and Windows
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o bin/almanac-darwin-arm64 ./cmd/almanac
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o bin/almanac-windows-amd64.exe ./cmd/almanac

.PHONY: model
model: bin/setup ## a model server and weights; MODEL="NAME NAME" for others than the default
	@bin/setup model $(MODEL)

.PHONY: oracles
oracles: bin/setup ## the Python environment that tools and tasks are checked against
	@scripts/install-oracles "$(ALMANAC_ORACLES)"

.PHONY: data-packages
data-packages: oracles
	@command -v npm >/dev/null || bin/setup apt npm
	@test -e "$(PACKAGES)/ferret-datasets/VERSION" || bin/setup apt-lists

.PHONY: data
data: data-packages ## build the data sets of scenarios/data from their packages
	"$(ALMANAC_ORACLES)" scripts/data/build.py

.PHONY: data-check
data-check: data-packages
	"$(ALMANAC_ORACLES)" scripts/data/build.py --check

# TIME: for how long a round of each figure takes. One part alone: make bench BENCH="-only search".
TIME ?= 0.2s
BENCH ?=

.PHONY: bench
bench: build oracles ## one table: what is measured, its limit, and what peers take in the same run
	@cd bench && go build -mod=mod -o ../bin/bench .
	bin/bench -time $(TIME) -almanac bin/almanac -python "$(ALMANAC_ORACLES)" -root . $(BENCH)

.PHONY: bench-memory
bench-memory: bin/setup ## how often the right tool is found, by words and by meaning
	@bin/setup model all-minilm
	@cd bench && go build -mod=mod -o ../bin/bench .
	bin/setup serve -- bin/bench -time $(TIME) -root . -only selection
