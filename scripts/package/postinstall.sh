#!/bin/sh
# After an installation or an upgrade: creates the user of the daemon, and restarts a
# running daemon. Nothing is started for the first time.
set -e

add_user() {
	if id -u schedctl >/dev/null 2>&1; then
		return
	fi
	if command -v systemd-sysusers >/dev/null; then
		systemd-sysusers schedctl.conf
	elif command -v useradd >/dev/null; then
		useradd --system --user-group --home-dir /var/lib/schedctl --no-create-home \
			--shell /usr/sbin/nologin --comment 'schedctl daemon' schedctl
	else # of busybox
		addgroup -S schedctl
		adduser -S -D -H -h /var/lib/schedctl -s /sbin/nologin -G schedctl -g 'schedctl daemon' schedctl
	fi
}

add_user
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart schedctl.service
elif [ -d /run/openrc ]; then
	rc-service --ifexists --ifstarted schedctl restart
fi
