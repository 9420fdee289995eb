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

	"github.com/schedctl/schedctl/scripts/installed"
)

//go:embed servers/up.sh servers/down.sh servers/pds.js servers/relay.js servers/wordpress.php
var scripts embed.FS

// StartServer runs up.sh for a server of this kind, with its data in the new directory
// dir, and decodes what it prints. ports are free ports, as many as the kind needs;
// environment is added to that of the process. The caller must call stop.
func StartServer(kind, dir string, ports, environment []string, into any) (stop func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range []string{"up.sh", "down.sh", "pds.js", "relay.js", "wordpress.php"} {
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
		if out, err := exec.Command("bash", filepath.Join(dir, "down.sh"), run).CombinedOutput(); err != nil {
			return fmt.Errorf("down.sh: %w: %s", err, out)
		}
		return nil
	}
	// bash reads the script. To run the new file itself can fail with "text file busy",
	// while a child that another test has just forked still holds the open file.
	up := exec.Command("bash", slices.Concat([]string{filepath.Join(dir, "up.sh"), kind, run}, ports)...)
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

// requirement is what a kind of server needs.
type requirement struct {
	tools []string
	name  string // of what install.sh installs in a directory named after the kind; empty for nothing
}

var requirements = map[string]requirement{
	"pds":          {[]string{"node", "bash"}, "the personal data server of Bluesky"},
	"relay":        {[]string{"node", "bash"}, "the Nostr relay"},
	"snac":         {[]string{"snac", "bash", "curl", "jq"}, ""},
	"wordpress":    {[]string{"php", "bash", "curl", "jq"}, "WordPress"},
	"twitter-text": {[]string{"node"}, "X's library twitter-text"},
	"x-types":      {[]string{"node"}, "X's library xdk"},
}

// MissingServer returns an error if a server of this kind, such as snac, is not
// installed.
func MissingServer(kind string) error {
	required := requirements[kind]
	for _, name := range required.tools {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf(installAdvice, name)
		}
	}
	if required.name == "" {
		return nil
	}
	dir, err := installed.Root()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, kind, "installed")); err != nil {
		return fmt.Errorf(installAdvice, required.name)
	}
	return nil
}

const installAdvice = "%s is not installed: run daemon/publish/publishtest/servers/install.sh"

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

// RequireModules returns the directory in which install.sh has installed npm modules of
// this name, below node_modules. It skips or fails the test as other servers do if they
// are not installed.
func RequireModules(t *testing.T, name string) string {
	t.Helper()
	requireServer(t, name)
	dir, err := installed.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}
