package main

import (
	"strings"
	"testing"
)

// Where there is no service manager that schedctl knows, it says what to do.
func TestServicesOfOtherSystems(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.Goos = "freebsd"
	m.want(t, 1, "", "schedctl: schedctl does not install services on freebsd; let the service manager of this system run \"schedctl daemon run\"\n", "daemon", "install")
	m.Goos = "linux"
	m.HasTool = func(string) bool { return false }
	m.want(t, 1, "", "schedctl: there is no systemctl on this machine; log in as this user first, or start the daemon without a service: schedctl daemon start\n", "daemon", "install")
	m.Goos = "windows"
	for _, verb := range []string{"start", "stop", "restart", "install", "uninstall"} {
		if status := m.run(t, "daemon", verb); status != 1 || !strings.Contains(m.err.String(), "schtasks /Create /SC ONLOGON") {
			t.Errorf("%s: exit status %d: %s", verb, status, &m.err)
		}
	}
}
