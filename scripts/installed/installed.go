// Package installed finds the servers, tools and libraries that tests use and that Debian
// does not package. Scripts called install.sh install them.
package installed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Root returns the directory below which the scripts install: that in the environment
// variable SCHEDCTL_SERVERS, or ~/.cache/schedctl-servers.
func Root() (string, error) {
	if dir := os.Getenv("SCHEDCTL_SERVERS"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache", "schedctl-servers"), err
}

// Library returns the directory of a library that needs a program, such as node. If one of
// them is missing, it skips the test with the advice, or fails it if the environment has
// SCHEDCTL_REQUIRE_ALL=1.
func Library(t testing.TB, name, program, advice string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, name)
	if _, err = os.Stat(filepath.Join(dir, "installed")); err == nil {
		_, err = exec.LookPath(program)
	}
	switch {
	case err == nil:
		return dir
	case os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1":
		t.Fatal(advice)
	}
	t.Skip(advice)
	return ""
}
