#!/bin/bash
# Installs a release of schedctl for the steps of a workflow: the one in RELEASE,
# or the latest. The download is compared with checksums.txt of the release
# before it is unpacked. SCHEDCTL_DOWNLOADS can name a mirror.
set -euo pipefail
version=${RELEASE#v}
base=${SCHEDCTL_DOWNLOADS:-https://github.com/schedctl/schedctl/releases}

fail() {
	echo "::error title=schedctl::$*"
	exit 1
}

case $RUNNER_OS in
Linux) os=linux ending=tar.gz ;;
macOS) os=darwin ending=tar.gz ;;
Windows) os=windows ending=zip ;;
*) fail "there is no release for $RUNNER_OS" ;;
esac
case $RUNNER_ARCH in
X64) arch=amd64 ;;
ARM64) arch=arm64 ;;
*) fail "there is no release for $RUNNER_ARCH" ;;
esac
case $version in
latest) from=$base/latest/download ;;
[0-9]*) from=$base/download/v$version ;;
*) fail "version \"$version\" is no version; write 1.2.3, or latest" ;;
esac

archive=schedctl_${os}_$arch.$ending
bin=$RUNNER_TEMP/schedctl-$version
if [ ! -d "$bin" ]; then # else a step before this one has installed it
	new=$(mktemp -d "$RUNNER_TEMP/schedctl.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	for file in checksums.txt "$archive"; do
		curl --silent --show-error --fail --location --proto-redir '=https' --retry 3 --max-time 300 \
			--output "$new/$file" "$from/$file" || fail "$file of version $version cannot be downloaded from $from"
	done
	want=$(awk -v file="$archive" '$2 == file { print $1 }' "$new/checksums.txt")
	if command -v sha256sum >/dev/null; then
		got=$(sha256sum "$new/$archive")
	else
		got=$(shasum -a 256 "$new/$archive")
	fi
	if [ -z "$want" ] || [ "$want" != "${got%% *}" ]; then
		fail "$archive is not what checksums.txt says: it has the checksum ${got%% *}, and not ${want:-any}"
	fi
	mkdir "$new/bin"
	case $ending in
	zip) unzip -q "$new/$archive" schedctl.exe -d "$new/bin" ;;
	*) tar -xzf "$new/$archive" -C "$new/bin" schedctl ;;
	esac
	mv "$new/bin" "$bin"
fi
"$bin/schedctl" version
echo "$bin" >>"$GITHUB_PATH"
