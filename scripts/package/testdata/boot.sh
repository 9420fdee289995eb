#!/bin/bash
# boot.sh DEB TRIAL DIR installs the package into a copy of this system that
# forgets everything, boots it in a container with systemd and runs TRIAL there as
# a service. Prints what came on the console. Has to run as root in a mount
# namespace of its own; ends with 77 where such a copy cannot be made.
set -euo pipefail
deb=$1 trial=$2 dir=$3

mount -t tmpfs tmpfs "$dir" || exit 77
mkdir "$dir/upper" "$dir/work" "$dir/root"
root=$dir/root
mount -t overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" overlay "$root" || exit 77

echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
install -m 644 "$deb" "$root/root/schedctl.deb"
install -m 755 "$trial" "$root/root/trial"
rm -f "$root/var/lib/man-db/auto-update" # an index of all manual pages takes longer than the trial
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
chroot "$root" dpkg --install /root/schedctl.deb
install -d -m 700 "$root/etc/credstore"
head -c 32 /dev/urandom >"$root/etc/credstore/schedctl.secret.key"

# Nothing else is started, and the container ends with the trial.
cat >"$root/etc/systemd/system/trial.target" <<'END'
[Unit]
Wants=schedctl.socket schedctl.service trial.service
END
cat >"$root/etc/systemd/system/trial.service" <<'END'
[Unit]
DefaultDependencies=no
After=schedctl.service
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
Environment=TERM=dumb SYSTEMD_COLORS=0 SYSTEMD_URLIFY=0 SYSTEMD_PAGER=cat NO_COLOR=1
ExecStart=/root/trial
ExecStopPost=/bin/systemctl --force --force poweroff
END
script -qec "systemd-nspawn --quiet -D $root --register=no --keep-unit --private-network --boot -- --unit=trial.target --show-status=0" /dev/null </dev/null
