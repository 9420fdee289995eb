#!/bin/sh
# After a removal. The posts, and the keys without which nobody can read them,
# stay, and so does the user they belong to.
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
