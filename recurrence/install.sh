#!/bin/bash
# Installs what the expansion of rules is compared with: rrule and rrule-temporal from
# npm, and python-dateutil. Needs Node.js with npm, and Python with pip or with
# python-dateutil. Safe to repeat, and quick then. It goes to $SCHEDCTL_SERVERS, else
# ~/.cache/schedctl-servers.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
libraries='rrule@2.8.1 rrule-temporal@2.2.8'
python=python-dateutil==2.9.0.post0

if [ "$(cat "$servers/recurrence/installed" 2>/dev/null)" = "$libraries $python" ]; then
	exit
fi
for program in npm python3; do
	if ! command -v "$program" >/dev/null; then
		echo "install.sh: $program is missing; install Node.js with npm, and Python, and run install.sh again" >&2
		exit 1
	fi
done
# A new directory takes the place of the old one when it is whole.
mkdir -p "$servers"
new=$(mktemp -d "$servers/recurrence.XXXXXX")
trap 'rm -rf "$new"' EXIT
(
	cd "$new"
	echo '{"private": true}' >package.json
	# shellcheck disable=SC2086 # a list of packages
	npm install --omit=dev --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error $libraries
	node -e 'require("rrule"); require("rrule-temporal")'
	mkdir python
	# Distributions have the same version as a package, without pip.
	if ! python3 -c 'import dateutil, sys; sys.exit(not dateutil.__version__.startswith("2.9."))' 2>/dev/null; then
		python3 -m pip install --quiet --target python "$python"
	fi
	PYTHONPATH=python python3 -c 'import dateutil.rrule'
)
echo "$libraries $python" >"$new/installed"
rm -rf "$servers/recurrence"
mv "$new" "$servers/recurrence"
