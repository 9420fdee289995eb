.DEFAULT_GOAL := help
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PREFIX ?= /usr/local
LDFLAGS := -s -w -X main.version=$(VERSION)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## schedule a post and see it go out
	@$(GO) run ./scripts/demo bin/schedctl

build: ## build bin/schedctl
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/schedctl ./cmd/schedctl

install: build ## install program, manual and completions below PREFIX, /usr/local
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d)
	install -m 755 bin/schedctl $(DESTDIR)$(PREFIX)/bin/schedctl
	install -m 644 completions/schedctl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/schedctl
	install -m 644 completions/_schedctl $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_schedctl
	install -m 644 completions/schedctl.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/schedctl.fish
	bin/schedctl man $(DESTDIR)$(PREFIX)/share/man

uninstall: ## remove what install has put below PREFIX
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/schedctl share/bash-completion/completions/schedctl share/zsh/site-functions/_schedctl share/fish/vendor_completions.d/schedctl.fish)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/,man1/schedctl.1 man1/schedctl-*.1 man7/schedctl-*.7)

test: ## run all tests
	$(GO) test ./...

# Tests below scripts and of daemon/api/openapi run nothing of ours in their own
# process, which is all that the race detector sees; they build a release and boot
# it, and start browsers and compilers: once is enough.
race: ## run all tests of Go code under the race detector
	$(GO) test -race $$($(GO) list ./... | grep -Ev '/scripts/|/daemon/api/openapi$$')

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

generate: ## write the generated files anew (shell completions, pictures)
	$(GO) generate ./...

bench: build ## measure against bare baselines (at most 2 minutes)
	$(GO) run ./bench -daemon bin/schedctl

check: lint test race demo ## all that CI runs

.PHONY: help demo build install uninstall test race lint generate bench check
