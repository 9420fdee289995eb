package openapi_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// tools returns the directory of the npm packages that install.sh installs. The
// test is skipped if it is missing or does not match package-lock.json. It fails
// instead when SCHEDCTL_REQUIRE_ALL=1.
func tools(t *testing.T) string {
	t.Helper()
	servers, err := installed.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(servers, "openapi")
	pinned, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	present, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil || !bytes.Equal(pinned, present) {
		notInstalled(t, "what package-lock.json pins")
	}
	return dir
}

// browser returns the path of Chromium.
func browser(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		notInstalled(t, "chromium")
	}
	return path
}

func notInstalled(t *testing.T, name string) {
	t.Helper()
	const advice = "%s is not installed: run daemon/api/openapi/install.sh"
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatalf(advice, name)
	}
	t.Skipf(advice, name)
}

// run runs a tool in a directory, and returns its output. The tool uses the Node.js
// of install.sh, with telemetry disabled.
func run(t *testing.T, tools, in string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(),
		"PATH="+filepath.Join(tools, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"NODE_PATH="+filepath.Join(tools, "node_modules"),
		"REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "CI=true", "NO_COLOR=1")
	cmd.WaitDelay = 10 * time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(name), args, err, &out, &log)
	}
	return out.String()
}

// npmBin returns the path of a command of an npm package.
func npmBin(tools, name string) string { return filepath.Join(tools, "node_modules", ".bin", name) }

// absolute returns the path of a file of this folder.
func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
