#!/bin/sh
# After a removal. The posts, the keys that are required to read them, and their
# owner are kept.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
case "$1" in
purge | 0)
	if [ -e /var/lib/schedctl ]; then
		echo "schedctl: the posts and keys in /var/lib/schedctl are left where they are" >&2
	fi
	;;
esac
