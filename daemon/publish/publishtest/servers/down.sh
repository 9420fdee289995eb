#!/bin/bash
# usage: down.sh DIR
# Ends what up.sh started in DIR, and waits until it is gone. Safe to repeat.
set -euo pipefail
[ -e "$1/pid" ] || exit 0
pid=$(cat "$1/pid")
rm -f "$1/pid"
kill "$pid" 2>/dev/null || exit 0
for _ in $(seq 100); do
	kill -0 "$pid" 2>/dev/null || exit 0
	sleep 0.1
done
kill -9 "$pid"
