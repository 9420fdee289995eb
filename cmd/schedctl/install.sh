#!/bin/bash
# Installs the published client of the original service, from npm. Tests run it
# against the daemon. It is not free software, so it is never a part of this tree.
# Needs Node.js with npm. Safe to repeat, and quick then. It goes to
# $SCHEDCTL_SERVERS, else ~/.cache/schedctl-servers.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
client=@thesethrose/socialspool-cli@1.0.3

if [ "$(cat "$servers/socialspool/installed" 2>/dev/null)" = "$client" ]; then
	exit
fi
if ! command -v npm >/dev/null; then
	echo "install.sh: npm is missing; install Node.js and run install.sh again" >&2
	exit 1
fi
# A new directory takes the place of the old one when it is whole.
mkdir -p "$servers"
new=$(mktemp -d "$servers/socialspool.XXXXXX")
trap 'rm -rf "$new"' EXIT
(
	cd "$new"
	echo '{"private": true}' >package.json
	npm install --omit=dev --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error "$client"
)
echo "$client" >"$new/installed"
rm -rf "$servers/socialspool"
mv "$new" "$servers/socialspool"
