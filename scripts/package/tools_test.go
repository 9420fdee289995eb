package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scratch lists directories built by the tests, which TestMain removes.
var scratch []string

// makeScratch creates a directory shared by several tests.
func makeScratch() (string, error) {
	mu.Lock()
	defer mu.Unlock()
	dir, err := os.MkdirTemp("", "schedctl-package")
	scratch = append(scratch, dir)
	return dir, err
}

var mu sync.Mutex // mu guards scratch

// TestMain removes what the tests have built.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range scratch {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// tool returns the path of a program that install.sh installs.
func tool(t *testing.T, name string) string {
	t.Helper()
	path := find(name)
	if path == "" {
		without(t, name+" is not installed: run scripts/package/install.sh")
	}
	return path
}

// find returns the path of a program, or "".
func find(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if gopath, err := exec.Command("go", "env", "GOPATH").Output(); err == nil {
		if path := filepath.Join(strings.TrimSpace(string(gopath)), "bin", name); executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0
}

// without skips a test that cannot run here, or fails it where all tests must run.
func without(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// output runs a program, which must succeed, and returns its output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
