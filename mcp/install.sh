#!/bin/bash
# Installs what the MCP server is checked with, from npm: the inspector, both SDK
# clients, the conformance suite, a tokenizer that counts what models read, and the
# Node.js that the inspector needs. Needs Node.js with npm. Safe to repeat, and quick then. It goes to $SCHEDCTL_SERVERS, else
# ~/.cache/schedctl-servers.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
packages=(
	node@22.23.3
	@modelcontextprotocol/inspector@2.12.0
	@modelcontextprotocol/client@2.4.0
	@modelcontextprotocol/sdk@1.32.2
	@modelcontextprotocol/conformance@0.2.0-alpha.12
	gpt-tokenizer@4.0.0
)

if [ "$(cat "$servers/mcp/installed" 2>/dev/null)" = "${packages[*]}" ]; then
	exit
fi
if ! command -v npm >/dev/null; then
	echo "install.sh: npm is missing; install Node.js and run install.sh again" >&2
	exit 1
fi
# A new directory takes the place of the old one when it is whole.
mkdir -p "$servers"
new=$(mktemp -d "$servers/mcp.XXXXXX")
trap 'rm -rf "$new"' EXIT
(
	cd "$new"
	echo '{"private": true, "type": "module"}' >package.json
	npm install --omit=dev --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error "${packages[@]}"
	# The package node installs its program with a script, which npm was told to skip.
	npm rebuild --foreground-scripts --loglevel=error node
	node_modules/.bin/node --version
)
echo "${packages[*]}" >"$new/installed"
rm -rf "$servers/mcp"
mv "$new" "$servers/mcp"
