#!/bin/bash
# Stands in for cosign, docker and syft while a release is tried, by whose name it
# is called. A signature is what was signed, a bill of materials is an empty one,
# and what an image is built of is left in dist/image.
set -euo pipefail
case "$(basename "$0") $*" in
"cosign sign-blob --bundle="*) cp "$3" "${2#--bundle=}" ;;
"syft "*" --output spdx-json="*) echo '{}' >"${3#spdx-json=}" ;;
"docker buildx build --platform linux/"*) # in a directory of its own
	mkdir -p "$RELEASE_DIR/dist/image"
	cp -R Dockerfile linux "$RELEASE_DIR/dist/image"
	echo sha256:0000 >id.txt
	;;
"docker info" | "docker buildx inspect") ;;
*)
	echo "unexpected: $(basename "$0") $*" >&2
	exit 1
	;;
esac
