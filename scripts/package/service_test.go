package packaging

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// TestServiceUnderSystemd boots a copy of this system with the package installed, and
// tests the service there; see testdata/trial.sh.
func TestServiceUnderSystemd(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		without(t, "only root can boot a container")
	}
	for _, name := range []string{"systemd-nspawn", "dpkg", "unshare", "script"} {
		tool(t, name)
	}
	deb, dir := file(t, ".deb"), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"bash", filepath.Join("testdata", "boot.sh"), deb, filepath.Join("testdata", "trial.sh"), dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		without(t, "this system cannot be copied for a container: "+string(out))
	}
	if text := strings.ReplaceAll(string(out), "\r", ""); !strings.Contains(text, "\ntrial passed\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

// mostExposed is the highest exposure that systemd-analyze may report, from 0 to 10 in
// tenths. The rest is the network, which a publisher needs, and reading whether the
// clock is synchronized, which systemd-analyze counts as setting it.
const mostExposed = "16"

func TestServiceIsConfined(t *testing.T) {
	t.Parallel()
	analyze := tool(t, "systemd-analyze")
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", "--threshold="+mostExposed, "./schedctl.service").CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

// TestUserServiceIsValid lets systemd check the service that "schedctl daemon install"
// writes.
func TestUserServiceIsValid(t *testing.T) {
	t.Parallel()
	analyze, dir := tool(t, "systemd-analyze"), t.TempDir()
	install := exec.Command(program(t), "daemon", "install", "--dry-run", "--data-dir", filepath.Join(dir, "my data"), "--listen", "127.0.0.1:0")
	install.Env = []string{"HOME=" + dir}
	unit, err := install.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, unit)
	}
	path := filepath.Join(dir, "schedctl.service")
	if err := os.WriteFile(path, unit, 0o600); err != nil {
		t.Fatal(err)
	}
	verify := exec.Command(analyze, "--user", "--man=no", "verify", path)
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s%s", err, out, unit)
	}
}

func TestScriptsPassTheLinter(t *testing.T) {
	t.Parallel()
	shellcheck := tool(t, "shellcheck")
	var scripts []string
	for _, pattern := range []string{"*.sh", "testdata/*.sh", "../action/*.sh"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, found...)
	}
	if len(scripts) < 6 {
		t.Fatalf("only %q found", scripts)
	}
	output(t, shellcheck, scripts...)
	// OpenRC reads its variables.
	output(t, shellcheck, "--shell=sh", "--exclude=SC2034", "schedctl.openrc")
}
