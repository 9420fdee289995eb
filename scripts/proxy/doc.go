// Package proxy tests the examples of docs/proxy.md: nginx and Caddy run with them in front
// of a daemon. install.sh installs both. Without them the tests are skipped, or fail when
// SCHEDCTL_REQUIRE_ALL=1.
package proxy
