package publishtest

import (
	"embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

//go:embed servers/up.sh servers/down.sh servers/pds.js
var scripts embed.FS

// startServer runs up.sh with free ports until the test ends and decodes what it
// prints. environment is added to the environment of the test.
func startServer(t *testing.T, kind string, ports int, environment []string, into any) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"up.sh", "down.sh", "pds.js"} {
		script, err := scripts.ReadFile("servers/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run")
	guard, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	t.Cleanup(func() {
		if out, err := exec.Command(filepath.Join(dir, "down.sh"), run).CombinedOutput(); err != nil {
			t.Errorf("down.sh: %v: %s", err, out)
		}
		hold.Close()
	})
	up := exec.Command(filepath.Join(dir, "up.sh"), slices.Concat([]string{kind, run}, Ports(t, ports))...)
	up.Env = slices.Concat(os.Environ(), environment, []string{"GUARD=3"})
	up.ExtraFiles = []*os.File{guard} // the first extra file is descriptor 3
	up.Stderr = t.Output()
	out, err := up.Output()
	if err != nil {
		t.Fatalf("up.sh %s: %v", kind, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("up.sh %s printed %q: %v", kind, out, err)
	}
}

// requireTools skips the test if a program is missing. With SCHEDCTL_REQUIRE_ALL=1
// in the environment the test fails instead.
func requireTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			notInstalled(t, name)
		}
	}
}

func notInstalled(t *testing.T, name string) {
	t.Helper()
	const advice = "%s is not installed: run daemon/publish/publishtest/servers/install.sh"
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatalf(advice, name)
	}
	t.Skipf(advice, name)
}
