.DEFAULT_GOAL := help
GO ?= go
GOTEST = $(GO) test
# Compilers run a fifth faster when they collect garbage less often.
QUICKGO = GOGC=400 $(GO)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PREFIX ?= /usr/local
LDFLAGS := -s -w -X main.version=$(VERSION)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## schedule a post and watch it being published
	@$(GO) run ./scripts/demo bin/schedctl

build: ## build bin/schedctl
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/schedctl ./cmd/schedctl

install: build ## install the program, manual and completions below PREFIX (/usr/local)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d)
	install -m 755 bin/schedctl $(DESTDIR)$(PREFIX)/bin/schedctl
	install -m 644 completions/schedctl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/schedctl
	install -m 644 completions/_schedctl $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_schedctl
	install -m 644 completions/schedctl.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/schedctl.fish
	bin/schedctl man $(DESTDIR)$(PREFIX)/share/man

uninstall: ## remove the installed files from PREFIX
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/schedctl share/bash-completion/completions/schedctl share/zsh/site-functions/_schedctl share/fish/vendor_completions.d/schedctl.fish)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/,man1/schedctl.1 man1/schedctl-*.1 man7/schedctl-*.7)

# A slow or busy machine needs more than the default limit of 10 minutes for a package.
TESTFLAGS = -timeout 30m

# "make check" has already run go vet. It runs more packages and tests in parallel than
# there are processors, because many of them wait for real servers. The slowest packages
# come first. Test programs collect garbage as often as they do for users.
check-code: GOTEST = $(QUICKGO) test -exec 'env -u GOGC'
check-code: TESTFLAGS = -vet=off -timeout 30m -p 4 -parallel 4 ./cmd/schedctl ./storage/postgres

test: ## run all tests, slow ones in their small forms
	$(GOTEST) $(TESTFLAGS) ./...

# Package scripts/testsize has the two sizes of a test. Everything in common with "make
# test" comes from the cache of go test.
full: ## run all tests, slow ones in their full forms (part of torture)
	SCHEDCTL_FULL=1 $(GOTEST) $(TESTFLAGS) -timeout 2h ./...

# The tests of scripts and daemon/api/openapi only start other programs, which the race
# detector does not see. Random tests are shorter than in "make test". -short skips tests
# that are not about goroutines: what one request or one file costs, plans of PostgreSQL, the
# comparison of HTTP exchanges with the API document, and commands that other tests
# start, too. The race detector needs cgo.
race: ## run all tests of Go code under the race detector
	CGO_ENABLED=1 RAPID_CHECKS=20 $(GOTEST) -race -short $(TESTFLAGS) $$($(GO) list ./... | grep -Ev '/scripts/|/daemon/api/openapi$$')

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(QUICKGO) vet ./...
	$(QUICKGO) build -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	GOGC=400 bin/staticcheck ./...

generate: ## update generated files (shell completions, pictures, docs/reliability.md)
	$(GO) generate ./...

pictures: ## update the pictures of docs/review.md, with the browser that its tests use
	$(GO) test ./daemon/api/openapi -count=1 -run TestPagesInABrowser -update

bench: build ## compare the speed with minimal baselines (2 minutes, on a quiet machine)
	$(GO) run ./bench -daemon bin/schedctl

bench-quick: build ## make bench with a tenth of the posts (at most 25 seconds)
	$(GO) run ./bench -daemon bin/schedctl -quick -o bin/bench-quick.json

torture: build full model worst ## cause every failure that the daemon promises to survive (an hour)
	$(GO) run ./bench/torture -daemon bin/schedctl

# "make test" uses the same seeds in every run. A failure prints its seed, and
# RAPID_SEED=N go test repeats it.
MODELCHECKS ?= 300
MODELTESTS = ./storage/bolt ./storage/storagetest ./daemon/api ./daemon/deliver ./daemon/schedule ./daemon/webhook ./client/when ./client/postfile
model: ## run the random tests with new seeds, MODELCHECKS cases each (part of torture)
	RAPID_SEED=0 RAPID_CHECKS=$(MODELCHECKS) $(GO) test -count=1 -timeout 2h -run 'Model|Random|GoesWrong|Weather|Any' $(MODELTESTS)

worst: ## compare the cost of worst media files of 10 MB with ordinary ones (part of torture)
	WORST_BYTES=10000000 $(GO) test -count=1 -timeout 1h -run WorstFiles ./daemon/media

torture-quick: build ## a shorter torture with a fixed seed (below 3 minutes)
	$(GO) run ./bench/torture -daemon bin/schedctl -quick -seed 1 -o bin/torture-quick.json

fuzz: ## fuzz every parser of outside input: 3 minutes in total, or FUZZTIME=5m each
	@GO=$(GO) scripts/fuzz/run $(FUZZTIME)

check: check-code torture-quick ## everything that CI runs except fuzz

check-code: lint test race demo ## make check without torture-quick

.PHONY: help demo build install uninstall test full race lint generate pictures bench bench-quick model worst torture torture-quick fuzz check check-code
