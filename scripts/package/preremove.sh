#!/bin/sh
# Before a removal: stops the daemon. An upgrade lets it run until the new version
# is installed.
set -e

case "$1" in
upgrade | failed-upgrade | deconfigure | 1) exit 0 ;; # what dpkg and rpm say then
esac
if [ -d /run/systemd/system ]; then
	systemctl --quiet disable --now schedctl.socket schedctl.service
elif [ -d /run/openrc ]; then
	rc-service --ifexists --ifstarted schedctl stop
	rc-update --all del schedctl >/dev/null 2>&1 || true # it fails when there is nothing to do
fi
