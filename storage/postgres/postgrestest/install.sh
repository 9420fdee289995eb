#!/bin/bash
# Installs PostgreSQL and PgBouncer from Debian for the tests of storage/postgres.
# They start servers of their own in temporary directories, so those of the system
# are not started, and the system's cluster is not made. Safe to repeat, and quick
# then.
set -euo pipefail

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
[ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || missing+=(pgbouncer)
if [ ${#missing[@]} = 0 ]; then
	exit
fi
if [ "$(id -u)" != 0 ]; then
	echo "install.sh: ${missing[*]} missing, and only root can install; run it with sudo" >&2
	exit 1
fi
# what makes the system's cluster reads this when the server is installed
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
	mkdir -p /etc/postgresql-common
	echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
# and what starts services asks this
if [ ! -e /usr/sbin/policy-rc.d ]; then
	trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
fi
apt-get -q update
DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends -o Dpkg::Options::=--force-confold "${missing[@]}"
