package publishtest

import (
	"embed"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed servers/up.sh servers/down.sh
var scripts embed.FS

// Snac is a running snac, a server of the Mastodon API.
type Snac struct {
	URL         string `json:"url"`
	User        string `json:"user"`
	AccessToken string `json:"access_token"`
}

// StartSnac starts a server with one user on loopback, for the length of the
// test. Where snac is not installed the test is skipped, or fails when the
// environment has SCHEDCTL_REQUIRE_ALL=1.
func StartSnac(t *testing.T) Snac {
	t.Helper()
	for _, tool := range []string{"snac", "bash", "curl", "jq"} {
		requireTool(t, tool)
	}
	dir := t.TempDir()
	for _, name := range []string{"up.sh", "down.sh"} {
		script, err := scripts.ReadFile("servers/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run")
	t.Cleanup(func() {
		if out, err := exec.Command(filepath.Join(dir, "down.sh"), run).CombinedOutput(); err != nil {
			t.Errorf("down.sh: %v: %s", err, out)
		}
	})
	up := exec.Command(filepath.Join(dir, "up.sh"), run, freePort(t))
	up.Stderr = t.Output()
	out, err := up.Output()
	if err != nil {
		t.Fatalf("up.sh: %v", err)
	}
	var s Snac
	if err := json.Unmarshal(out, &s); err != nil || s.AccessToken == "" {
		t.Fatalf("up.sh printed %q: %v", out, err)
	}
	return s
}

func requireTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	const advice = "%s is not installed: run daemon/publish/publishtest/servers/install.sh"
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatalf(advice, name)
	}
	t.Skipf(advice, name)
}

// freePort returns a port of loopback on which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
