#!/bin/bash
# Installs what calendars are checked with: ical.js, from npm. Needs Node.js with npm.
# Safe to repeat, and quick then. It goes to $SCHEDCTL_SERVERS, else
# ~/.cache/schedctl-servers.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
library=ical.js@2.2.1

if [ "$(cat "$servers/icaljs/installed" 2>/dev/null)" = "$library" ]; then
	exit
fi
if ! command -v npm >/dev/null; then
	echo "install.sh: npm is missing; install Node.js and run install.sh again" >&2
	exit 1
fi
# A new directory takes the place of the old one when it is whole.
mkdir -p "$servers"
new=$(mktemp -d "$servers/icaljs.XXXXXX")
trap 'rm -rf "$new"' EXIT
(
	cd "$new"
	echo '{"private": true}' >package.json
	npm install --omit=dev --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error "$library"
	node -e 'import("ical.js").then((m) => new m.default.Component("vcalendar"))'
)
echo "$library" >"$new/installed"
rm -rf "$servers/icaljs"
mv "$new" "$servers/icaljs"
