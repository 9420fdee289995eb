package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/privatefile"
)

// TestFileSystemWithoutModes guards that nobody is told to use chmod where it has no effect.
// The test is not parallel, because it replaces what the file system says.
func TestFileSystemWithoutModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	before := ignoresModes
	ignoresModes = func(string) bool { return true }
	defer func() { ignoresModes = before }()
	dir := t.TempDir()
	key := filepath.Join(dir, "admin.key")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	variable := ""
	a := &App{System: System{Getenv: func(name string) string { return map[string]string{"SCHEDCTL_ALLOW_SHARED_FILES": variable}[name] }}}
	for _, tt := range []struct {
		path string
		mode os.FileMode
		want string
	}{
		{dir, 0o777, "can be written to by other users, and chmod has no effect on its file system; use another directory, or, if only you can reach this one, start the daemon with --allow-shared-files; other commands need SCHEDCTL_ALLOW_SHARED_FILES=true"},
		{key, 0o644, "can be read by other users, and chmod has no effect on its file system; use another directory, or"},
	} {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(tt.path, tt.mode); err != nil {
			t.Fatal(err)
		}
		variable = ""
		err := a.RefuseExposedData(dir)
		if err == nil || !strings.Contains(err.Error()+"; "+advice(err), tt.want) || strings.Contains(advice(err), "chmod go") {
			t.Errorf("%s: got %v", tt.path, err)
		}
		variable = "true"
		if err := a.RefuseExposedData(dir); err != nil {
			t.Errorf("%s is refused although it is allowed: %v", tt.path, err)
		}
	}
	if err := RefuseExposed(key, privatefile.Reading); err == nil || strings.Contains(err.Error()+advice(err), "allow-shared-files") {
		t.Errorf("the advice for a file that is not of a daemon: %v", err)
	}
}

func advice(err error) string {
	if f, ok := err.(*Failure); ok {
		return f.Hint
	}
	return ""
}
