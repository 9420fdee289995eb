#!/bin/bash
# Installs the S3 server of the tests, Versity Gateway, which keeps objects in files. It
# is compiled from the Go module proxy, apart from the modules of the program. It goes to
# $SCHEDCTL_SERVERS, else ~/.cache/schedctl-servers. Safe to repeat, and quick then.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
version=v1.8.0

wanted="versitygw $version, $(go env GOVERSION)"
if [ "$(cat "$servers/versitygw/installed" 2>/dev/null)" = "$wanted" ]; then
	exit
fi
mkdir -p "$servers/versitygw"
# outside of the tree, so that its go.mod has no say
cd /
GOBIN="$servers/versitygw" go install "github.com/versity/versitygw/cmd/versitygw@$version"
echo "$wanted" >"$servers/versitygw/installed"
