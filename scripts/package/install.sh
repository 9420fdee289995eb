#!/bin/bash
# Installs what the tests of packages and of the GitHub Action need: goreleaser,
# which Go builds (some minutes, the first time), and from Debian a shell linter, rpm,
# systemd, its containers, and the shells that complete commands. A second run changes
# nothing and is quick. Only Debian packages need root.
set -euo pipefail
goreleaser=v2.15.1

if [[ $("$(go env GOPATH)/bin/goreleaser" --version 2>/dev/null) != *"$goreleaser"* ]]; then
	GOGC=400 GOFLAGS='' go install -trimpath -ldflags='-s -w' "github.com/goreleaser/goreleaser/v2@$goreleaser"
fi

missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need shellcheck shellcheck
need systemd-analyze systemd
need systemd-nspawn systemd-container
need script bsdutils
need curl curl
need unzip unzip
need rpm rpm
need zsh zsh
need fish fish
[ -e /usr/share/bash-completion/bash_completion ] || missing+=(bash-completion)
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "install.sh: ${missing[*]} missing, and only root can install; run it with sudo" >&2
		exit 1
	fi
	apt-get -q update
	DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
fi
