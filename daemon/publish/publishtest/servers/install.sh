#!/bin/bash
# Installs what publishers are tested against, and the tools that up.sh needs:
# snac, a server of the Mastodon API, from Debian, and the personal data server
# of Bluesky with its identity directory, from npm. For Debian 12 and later.
# Safe to repeat, and quick then. Only Debian packages need root; the machine's
# own package sources stay as they are. What comes from npm goes to
# $SCHEDCTL_SERVERS, else ~/.cache/schedctl-servers.
set -euo pipefail
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
pds=@atproto/pds@0.4.209 plc=@did-plc/server@0.0.1

missing() {
	command -v snac >/dev/null || echo snac2
	command -v curl >/dev/null || echo curl
	command -v jq >/dev/null || echo jq
	# the database driver of the personal data server is compiled, against the
	# headers of Node.js
	command -v node >/dev/null || echo nodejs libnode-dev
	[ "$(command -v node)" != /usr/bin/node ] || [ -e /usr/include/node/node.h ] || echo libnode-dev
	command -v npm >/dev/null || echo npm
	command -v g++ >/dev/null || echo g++
	command -v make >/dev/null || echo make
	command -v python3 >/dev/null || echo python3
}

# install_debian PACKAGE... reads Debian's backports, where Debian 12 has snac,
# together with the release itself, into lists of our own.
install_debian() {
	if [ "$(id -u)" != 0 ]; then
		echo "install.sh: $* missing, and only root can install; run it with sudo" >&2
		exit 1
	fi
	local lists codename uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	lists=$(mktemp -d)
	trap "rm -rf '$lists'" EXIT
	chmod 755 "$lists" # apt reads as another user
	mkdir -p "$lists/sources" "$lists/state/partial"
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v release="$codename" '$1 == release { print $2; exit }')
	if [ -z "$uri" ]; then
		echo "install.sh: this machine has no package source for $codename; add one and run install.sh again" >&2
		exit 1
	fi
	{
		printf 'Types: deb\nURIs: %s\nSuites: %s %s-backports\nComponents: main\n' "$uri" "$codename" "$codename"
		[ ! -e "$keyring" ] || printf 'Signed-By: %s\n' "$keyring"
	} >"$lists/sources/publishtest.sources"
	local options=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$lists/sources" -o Dir::State::Lists="$lists/state")
	apt-get "${options[@]}" update
	DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install -y --no-install-recommends "$@"
}

# install_npm installs into a new directory that takes the place of the old one
# when it is whole. Of the packages' own scripts only one is needed: it compiles
# the driver, against the headers of the installed Node.js where they are there.
install_npm() {
	local wanted="$pds $plc, node $(node --version)" new prefix
	if [ "$(cat "$servers/pds/installed" 2>/dev/null)" = "$wanted" ]; then
		return
	fi
	mkdir -p "$servers"
	new=$(mktemp -d "$servers/pds.XXXXXX")
	echo '{"private": true}' >"$new/package.json"
	prefix=$(node -p 'path.dirname(path.dirname(fs.realpathSync(process.execPath)))')
	if [ -e "$prefix/include/node/node.h" ]; then
		export npm_config_nodedir=$prefix
	fi
	(
		cd "$new"
		npm install --no-fund --no-audit --no-package-lock --ignore-scripts --loglevel=error "$pds" "$plc"
		JOBS=max npm rebuild --loglevel=error better-sqlite3
		node -e 'require("@atproto/pds"); require("@did-plc/server"); new (require("better-sqlite3"))(":memory:")'
	)
	echo "$wanted" >"$new/installed"
	rm -rf "$servers/pds"
	mv "$new" "$servers/pds"
}

mapfile -t packages < <(missing)
if [ ${#packages[@]} -gt 0 ]; then
	# one line can name several
	read -ra packages <<<"${packages[*]}"
	install_debian "${packages[@]}"
fi
install_npm
