#!/bin/bash
# trial.sh tries the service of the installed package under a real systemd. Says
# "trial passed" at its end, or else what went wrong and the daemon's log.
set -euo pipefail
trap 'echo "trial failed in line $LINENO"; systemctl status schedctl.service; journalctl --no-pager -u schedctl.service | tail -50' ERR
export SCHEDCTL_DATA_DIR=/var/lib/schedctl

is() { # is WANT NAME: a property of the service
	[ "$(systemctl show -P "$2" schedctl.service)" = "$1" ] || { echo "$2 is $(systemctl show -P "$2" schedctl.service), want $1"; return 1; }
}
wait_for() { # wait_for COMMAND...: until it succeeds
	for _ in $(seq 200); do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.1
	done
	echo "never: $*"
	return 1
}
publishes() { schedctl post create "$1" --to demo --now --wait --timeout 20s -q >/dev/null 2>&1; }

echo "# it runs, as its user, with the key from the credential store"
is active ActiveState
is schedctl User
is ready StatusText
systemctl is-active --quiet schedctl.socket
[ -z "$(systemd-analyze verify schedctl.service schedctl.socket 2>&1)" ]
[ "$(stat -c '%U %a' /var/lib/schedctl)" = "schedctl 700" ]
[ ! -e /var/lib/schedctl/secret.key ]
schedctl account add feed --name demo -q >/dev/null
publishes "first"

echo "# it is confined"
pid=$(systemctl show -P MainPID schedctl.service)
grep -q '^Seccomp:	2$' "/proc/$pid/status"
grep -q '^NoNewPrivs:	1$' "/proc/$pid/status"
grep -q '^CapBnd:	0000000000000000$' "/proc/$pid/status"

echo "# a client that comes while it is stopped starts it and gets a response"
systemctl stop schedctl.service 2>/dev/null
is inactive ActiveState
schedctl me --url http://127.0.0.1:7733 --api-key-file /var/lib/schedctl/admin.key -q >/dev/null
wait_for is active ActiveState

echo "# its flags are those of the file, and one that hangs is restarted by the watchdog"
mkdir -p /run/systemd/system/schedctl.service.d
printf '[Service]\nWatchdogSec=2s\nRestartSec=100ms\n' >/run/systemd/system/schedctl.service.d/watchdog.conf
systemctl daemon-reload
echo 'SCHEDCTL_FLAGS="--log-format json --max-lateness 12h"' >>/etc/schedctl/daemon.env
systemctl restart schedctl.service
[ "$(tr '\0' ' ' <"/proc/$(systemctl show -P MainPID schedctl.service)/cmdline")" = "/usr/bin/schedctl daemon run --log-format json --max-lateness 12h " ]
kill -STOP "$(systemctl show -P MainPID schedctl.service)"
wait_for is 1 NRestarts
wait_for is active ActiveState
publishes "after the watchdog"

echo "# an upgrade restarts it"
before=$(systemctl show -P MainPID schedctl.service)
dpkg --install /root/schedctl.deb >/dev/null 2>&1
grep -q '^SCHEDCTL_FLAGS=' /etc/schedctl/daemon.env
is active ActiveState
[ "$(systemctl show -P MainPID schedctl.service)" != "$before" ]
publishes "after the upgrade"

echo "# a user installs a service of their own"
useradd --create-home ada
runtime=/run/user/$(id -u ada)
install -d -o ada -m 700 "$runtime"
systemd-run --quiet --unit=ada --uid=ada -p Type=notify -p Delegate=yes --setenv=HOME=/home/ada --setenv=XDG_RUNTIME_DIR="$runtime" /lib/systemd/systemd --user
ada() { runuser -u ada -- env -u SCHEDCTL_DATA_DIR HOME=/home/ada XDG_RUNTIME_DIR="$runtime" "$@"; }
ada_pid() { ada systemctl --user show -P MainPID schedctl.service; }
restarted() { ada schedctl daemon health && [ "$(ada_pid)" != "$1" ]; }
ada schedctl daemon install --listen 127.0.0.1:0 >/dev/null 2>&1
ada systemctl --user is-active --quiet schedctl.service
ada systemctl --user is-enabled --quiet schedctl.service
ada schedctl account add feed --name demo -q >/dev/null
ada schedctl post create "from a user" --to demo --now --wait --timeout 20s -q >/dev/null 2>&1
before=$(ada_pid)
kill -KILL "$before"
wait_for restarted "$before"
ada schedctl daemon stop >/dev/null 2>&1
ada systemctl --user is-active --quiet schedctl.service && exit 1
ada schedctl daemon start >/dev/null 2>&1
ada schedctl post list --all -q | grep -q .
ada schedctl daemon uninstall >/dev/null 2>&1
[ ! -e /home/ada/.config/systemd/user/schedctl.service ] && [ -e /home/ada/.local/share/schedctl/schedctl.db ]
is active ActiveState

echo "# a removal stops it and leaves the data"
dpkg --remove schedctl >/dev/null 2>&1
is inactive ActiveState
[ ! -e /usr/bin/schedctl ]
[ "$(stat -c %U /var/lib/schedctl/schedctl.db)" = schedctl ]
dpkg --purge schedctl 2>&1 | grep -q 'the posts and keys in /var/lib/schedctl are left where they are'
[ -e /var/lib/schedctl/schedctl.db ] && [ ! -e /etc/schedctl ]
id -u schedctl >/dev/null

echo "trial passed"
