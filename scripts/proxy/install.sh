#!/bin/bash
# Installs the proxies that docs/proxy.md has examples for, nginx and Caddy, from
# Debian 12 or later. Safe to repeat, and quick then. Needs root.
set -euo pipefail

missing() {
	command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || echo nginx-light
	command -v caddy >/dev/null || echo caddy
}

mapfile -t packages < <(missing)
if [ ${#packages[@]} = 0 ]; then
	exit
fi
if [ "$(id -u)" != 0 ]; then
	echo "install.sh: ${packages[*]} missing, and only root can install; run it with sudo" >&2
	exit 1
fi
apt-get -q update
# The packages start their services, which would occupy ports.
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
trap 'rm -f /usr/sbin/policy-rc.d' EXIT
DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${packages[@]}"
