#!/bin/bash
# Installs what publishers are tested against: snac, a server of the Mastodon
# API, and the tools that up.sh needs. For Debian 12 and later; as root.
# Safe to repeat. It leaves the machine's own package sources as they are.
set -euo pipefail

missing() {
	command -v snac >/dev/null || echo snac2
	command -v curl >/dev/null || echo curl
	command -v jq >/dev/null || echo jq
}

mapfile -t packages < <(missing)
if [ ${#packages[@]} -eq 0 ]; then
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	echo "install.sh: ${packages[*]} missing, and only root can install; run it with sudo" >&2
	exit 1
fi

# Debian 12 has snac in its backports only. They are read, together with the
# release itself, into lists of our own.
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
chmod 755 "$lists" # apt reads as another user
mkdir -p "$lists/sources" "$lists/state/partial"
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
	awk -v release="$codename" '$1 == release { print $2; exit }')
if [ -z "$uri" ]; then
	echo "install.sh: this machine has no package source for $codename; add one and run install.sh again" >&2
	exit 1
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
{
	printf 'Types: deb\nURIs: %s\nSuites: %s %s-backports\nComponents: main\n' "$uri" "$codename" "$codename"
	[ ! -e "$keyring" ] || printf 'Signed-By: %s\n' "$keyring"
} >"$lists/sources/publishtest.sources"

options=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$lists/sources" -o Dir::State::Lists="$lists/state")
apt-get "${options[@]}" update
DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install -y --no-install-recommends "${packages[@]}"
