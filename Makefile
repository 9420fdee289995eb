.DEFAULT_GOAL := help
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## schedule a post and see it go out
	@$(GO) run ./scripts/demo bin/schedctl

build: ## build bin/schedctl
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/schedctl ./cmd/schedctl

test: ## run all tests
	$(GO) test ./...

race: ## run all tests under the race detector
	$(GO) test -race ./...

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

generate: ## write the generated files anew (shell completions)
	$(GO) generate ./...

bench: build ## measure against bare baselines (at most 2 minutes)
	$(GO) run ./bench -daemon bin/schedctl

check: lint test race demo ## all that CI runs

.PHONY: help demo build test race lint generate bench check
