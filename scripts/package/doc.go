// Package packaging has what packages of schedctl contain beside the program:
// units of systemd, a script of OpenRC, a job of launchd, the scripts of Linux
// packages and the recipe of the container image. Its tests build a release, as
// .goreleaser.yaml says and without publishing anything, and install, run and
// remove it.
//
// The tests need the tools that install.sh installs. Without them they are
// skipped, or fail when SCHEDCTL_REQUIRE_ALL=1.
package packaging
