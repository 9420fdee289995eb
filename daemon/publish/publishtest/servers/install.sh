#!/bin/bash
# Installs what publishers are tested against, and the tools that up.sh needs:
# snac, a server of the Mastodon API, from Debian; the personal data server of
# Bluesky with its identity directory, a Nostr relay, X's library twitter-text and X's
# types of requests, from npm; WordPress from Debian, with PHP and MariaDB but without a web server. For Debian 12
# and later.
# Safe to repeat, and quick then. Only Debian packages need root; the machine's
# own package sources stay as they are. What comes from npm, and WordPress, goes to
# $SCHEDCTL_SERVERS, else ~/.cache/schedctl-servers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}
pds=@atproto/pds@0.4.209 plc=@did-plc/server@0.0.1
relay=@nostr-relay/core@0.0.40 relay_common=@nostr-relay/common@0.0.40 ws=ws@8.18.3
twitter_text=twitter-text@3.1.0
x_types=@xdevplatform/xdk@0.6.6 typescript=typescript@5.9.3
lists=
trap '[ -z "$lists" ] || rm -rf "$lists"' EXIT

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
	command -v php >/dev/null || echo php-cli
	! command -v php >/dev/null || php -r 'exit(extension_loaded("mysqli") ? 0 : 1);' || echo php-mysql
	command -v php >/dev/null || echo php-mysql
	command -v mariadbd >/dev/null || echo mariadb-server-core
	command -v mariadb >/dev/null || echo mariadb-client-core
}

# read_lists reads Debian's backports, where Debian 12 has snac, together with the
# release itself, into lists of our own, and sets the options of apt-get for them.
read_lists() {
	[ -z "$lists" ] || return 0
	local codename uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	lists=$(mktemp -d)
	chmod 755 "$lists" # apt reads as another user
	mkdir -p "$lists/sources" "$lists/state/partial" "$lists/cache/archives/partial"
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
	options=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$lists/sources" -o Dir::State::Lists="$lists/state")
	apt-get "${options[@]}" -o Dir::Cache="$lists/cache" update
}

install_debian() {
	if [ "$(id -u)" != 0 ]; then
		echo "install.sh: $* missing, and only root can install; run it with sudo" >&2
		exit 1
	fi
	read_lists
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

# install_modules NAME PACKAGE… installs npm packages whose own scripts are not needed:
# the Nostr relay and the WebSocket server that it runs in, X's library that counts the
# characters of posts, and X's types of requests with a compiler for them.
install_modules() {
	local name=$1 new
	shift
	if [ "$(cat "$servers/$name/installed" 2>/dev/null)" = "$*" ]; then
		return
	fi
	mkdir -p "$servers"
	new=$(mktemp -d "$servers/$name.XXXXXX")
	echo '{"private": true}' >"$new/package.json"
	(cd "$new" && npm install --no-fund --no-audit --no-package-lock --ignore-scripts --loglevel=error "$@")
	echo "$*" >"$new/installed"
	rm -rf "$servers/$name"
	mv "$new" "$servers/$name"
}

# install_wordpress unpacks WordPress, and prepares a database with a site. Debian's
# package is not installed, because it needs a web server.
install_wordpress() {
	local wanted new
	wanted="1 $(cat "$here/wordpress.php" "$here/wp-config.php" | sha256sum)"
	if [ "$(cat "$servers/wordpress/installed" 2>/dev/null)" = "$wanted" ]; then
		return
	fi
	mkdir -p "$servers"
	new=$(mktemp -d "$servers/wordpress.XXXXXX")
	read_lists
	mkdir "$new/packages" "$new/content"
	chmod 755 "$new" "$new/packages" # apt downloads as another user
	(cd "$new/packages" && apt-get "${options[@]}" -o Dir::Cache="$lists/cache" -o APT::Sandbox::User= download wordpress php-getid3)
	for package in "$new"/packages/*.deb; do
		dpkg -x "$package" "$new/tree"
	done
	mv "$new/tree/usr/share" "$new/share"
	rm -rf "$new/packages" "$new/tree" "$new/share/wordpress/.htaccess"
	cp "$here/wp-config.php" "$new/share/wordpress/wp-config.php"
	mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$new/db" --auth-root-authentication-method=normal \
		--skip-test-db --innodb-log-file-size=4M >"$new/install.log" 2>&1 || { cat "$new/install.log" >&2; exit 1; }
	fill_wordpress "$new"
	echo "$wanted" >"$new/installed"
	rm -rf "$servers/wordpress"
	mv "$new" "$servers/wordpress"
}

# fill_wordpress DIR starts the database and has WordPress create its tables.
fill_wordpress() {
	local dir=$1 socket pid
	socket=$(mktemp -u /tmp/schedctl-wp.XXXXXX) # the path of a socket must be short
	mariadbd --no-defaults --user="$(id -un)" --datadir="$dir/db" --socket="$socket" --pid-file="$dir/db.pid" \
		--skip-networking --innodb-log-file-size=4M >"$dir/db.log" 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		mariadb --no-defaults -u root -S "$socket" -e 'CREATE DATABASE IF NOT EXISTS wordpress' 2>/dev/null && break
		sleep 0.2
	done
	WP_ROOT=$dir/share/wordpress WP_URL=http://127.0.0.1 WP_CONTENT=$dir/content WP_SOCKET=$socket \
		php -d sendmail_path=/bin/true "$here/wordpress.php" install
	kill "$pid"
	wait "$pid" || true
}

mapfile -t packages < <(missing)
if [ ${#packages[@]} -gt 0 ]; then
	# one line can name several
	read -ra packages <<<"${packages[*]}"
	install_debian "${packages[@]}"
fi
install_npm
install_modules relay "$relay" "$relay_common" "$ws"
install_modules twitter-text "$twitter_text"
install_modules x-types "$x_types" "$typescript"
install_wordpress
