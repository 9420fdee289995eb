package packaging

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMakeInstallAndUninstall installs into a directory that stands for the root, as
// packagers do.
func TestMakeInstallAndUninstall(t *testing.T) {
	t.Parallel()
	tool(t, "make")
	sources, dest := t.TempDir(), t.TempDir()
	if err := copySources(sources); err != nil {
		t.Fatal(err)
	}
	run := func(target string) {
		t.Helper()
		cmd := exec.Command("make", target, "VERSION=1.2.3", "PREFIX=/opt/it", "DESTDIR="+dest)
		cmd.Dir = sources
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
	}
	run("install")
	for _, name := range []string{
		"bin/schedctl", "share/man/man1/schedctl.1", "share/man/man1/schedctl-post-create.1", "share/man/man7/schedctl-exit-codes.7",
		"share/bash-completion/completions/schedctl", "share/zsh/site-functions/_schedctl", "share/fish/vendor_completions.d/schedctl.fish",
	} {
		if info, err := os.Stat(filepath.Join(dest, "opt/it", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not installed: %v", name, err)
		}
	}
	if got := output(t, filepath.Join(dest, "opt/it/bin/schedctl"), "version", "--jq", ".version"); got != "1.2.3\n" {
		t.Errorf("the program reports version %s", got)
	}

	run("uninstall")
	err := filepath.WalkDir(dest, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
