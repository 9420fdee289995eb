#!/bin/bash
# Installs what the OpenAPI document and the pages of shares are checked with: the packages that
# package-lock.json pins, from npm, the modules of testdata/oapicodegen, and the
# browser Chromium, from Debian 12 or later. Safe to repeat, and quick then. Only
# Debian packages need root. What comes from npm goes to $SCHEDCTL_SERVERS, else
# ~/.cache/schedctl-servers, and modules to the cache of Go.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}

missing() {
	command -v chromium >/dev/null || echo chromium
	# without a font the browser shows no text
	compgen -G '/usr/share/fonts/*/*/*.[ot]t[cf]' >/dev/null || echo fonts-dejavu-core
	command -v npm >/dev/null || echo nodejs npm
}

install_debian() {
	if [ "$(id -u)" != 0 ]; then
		echo "install.sh: $* missing, and only root can install; run it with sudo" >&2
		exit 1
	fi
	apt-get -q update
	DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@"
}

# recent reports whether the machine's Node.js is what Redocly asks for.
recent() {
	node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)'
}

# install_node takes a newer Node.js from npm where the machine's own is too old,
# as that of Debian 12 is.
install_node() {
	local machine=x64 pinned=22.23.3
	[ "$(uname -m)" != aarch64 ] || machine=arm64
	npm install --no-fund --no-audit --no-save --no-package-lock --ignore-scripts --loglevel=error "node-linux-$machine@$pinned"
	ln -s "../node_modules/node-linux-$machine/bin/node" bin/node
}

# install_npm installs into a new directory that takes the place of the old one
# when it is whole.
install_npm() {
	local new wanted
	wanted="$(sha256sum <"$here/package-lock.json") $(sha256sum <"$here/install.sh") $(node --version)"
	if [ "$(cat "$servers/openapi/installed" 2>/dev/null)" = "$wanted" ]; then
		return
	fi
	mkdir -p "$servers"
	new=$(mktemp -d "$servers/openapi.XXXXXX")
	trap "rm -rf '$new'" EXIT
	cp "$here/package.json" "$here/package-lock.json" "$new"
	(
		cd "$new"
		npm ci --no-fund --no-audit --ignore-scripts --loglevel=error
		mkdir bin
		if recent; then
			ln -s "$(command -v node)" bin/node
		else
			install_node
		fi
		PATH=$new/bin:$PATH
		REDOCLY_TELEMETRY=off node_modules/.bin/redocly --version
		node_modules/.bin/tsc --version
	) >&2
	echo "$wanted" >"$new/installed"
	rm -rf "$servers/openapi"
	mv "$new" "$servers/openapi"
}

mapfile -t packages < <(missing)
if [ ${#packages[@]} -gt 0 ]; then
	# one line can name several
	read -ra packages <<<"${packages[*]}"
	install_debian "${packages[@]}"
fi
install_npm
(cd "$here/testdata/oapicodegen" && go mod download)
