package publishtest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

//go:embed servers/up.sh servers/down.sh servers/pds.js
var scripts embed.FS

// StartServer runs up.sh for a server of this kind, with its data in the new directory
// dir, and decodes what it prints. ports are free ports, as many as the kind needs;
// environment is added to that of the process. The caller must call stop.
func StartServer(kind, dir string, ports, environment []string, into any) (stop func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range []string{"up.sh", "down.sh", "pds.js"} {
		script, err := scripts.ReadFile("servers/" + name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o700); err != nil {
			return nil, err
		}
	}
	run := filepath.Join(dir, "run")
	guard, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	stop = func() error {
		defer hold.Close()
		if out, err := exec.Command(filepath.Join(dir, "down.sh"), run).CombinedOutput(); err != nil {
			return fmt.Errorf("down.sh: %w: %s", err, out)
		}
		return nil
	}
	up := exec.Command(filepath.Join(dir, "up.sh"), slices.Concat([]string{kind, run}, ports)...)
	up.Env = slices.Concat(os.Environ(), environment, []string{"GUARD=3"})
	up.ExtraFiles = []*os.File{guard} // the first extra file is descriptor 3
	var failure bytes.Buffer
	up.Stderr = &failure
	out, err := up.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("up.sh %s: %w: %s%s", kind, err, out, &failure), stop())
	}
	return stop, nil
}

// startServer runs a server until the test ends.
func startServer(t *testing.T, kind string, ports int, environment []string, into any) {
	t.Helper()
	stop, err := StartServer(kind, t.TempDir(), Ports(t, ports), environment, into)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// MissingServer returns an error if a server of this kind, snac or pds, is not
// installed.
func MissingServer(kind string) error {
	tools := map[string][]string{"snac": {"snac", "bash", "curl", "jq"}, "pds": {"node", "bash"}}[kind]
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf(installAdvice, name)
		}
	}
	if kind == "pds" {
		dir, err := ServersDir()
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "pds", "installed")); err != nil {
			return fmt.Errorf(installAdvice, "the personal data server of Bluesky")
		}
	}
	return nil
}

const installAdvice = "%s is not installed: run daemon/publish/publishtest/servers/install.sh"

// ServersDir returns the directory in which install.sh installs the servers that Debian
// does not package.
func ServersDir() (string, error) {
	if dir := os.Getenv("SCHEDCTL_SERVERS"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache", "schedctl-servers"), err
}

// requireServer skips the test if a server of this kind is not installed. With
// SCHEDCTL_REQUIRE_ALL=1 in the environment the test fails instead.
func requireServer(t *testing.T, kind string) {
	t.Helper()
	err := MissingServer(kind)
	switch {
	case err == nil:
	case os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}
