// Package packaging contains the parts of schedctl's packages other than the program:
// systemd units, an OpenRC script, a launchd job, the scripts of Linux packages and the
// recipe of the container image. Its tests build a release with .goreleaser.yaml,
// without publishing anything, and install, run and remove it.
//
// The tests need the tools that install.sh installs. Without them they are skipped, or
// fail when SCHEDCTL_REQUIRE_ALL=1 is set.
package packaging
