package privatefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/privatefile"
)

// TestWriteSyncsTheDirectory guards that the directory is synced after the rename.
// Otherwise a power failure could lose a key that the database already depends on. The
// test is not parallel, because it observes the whole package.
func TestWriteSyncsTheDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	var synced []string
	defer privatefile.OnSync(func(dir string) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the directory is synced before the file has its name: %v", err)
		}
		synced = append(synced, dir)
	})()
	if err := privatefile.Write(path, []byte("key")); err != nil {
		t.Fatal(err)
	}
	if len(synced) != 1 || synced[0] != filepath.Dir(path) {
		t.Errorf("synced %q", synced)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%d files are left: %v", len(left), err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	for name, tt := range map[string]struct {
		mode    os.FileMode
		dir     bool
		refused privatefile.Access
		command string // empty when it is fine
	}{
		"a private file":                 {0o600, false, privatefile.Reading, ""},
		"a read-only file":               {0o400, false, privatefile.Reading, ""},
		"a key that all users may read":  {0o644, false, privatefile.Reading, "chmod go-rwx"},
		"a key that the group may read":  {0o640, false, privatefile.Reading, "chmod go-rwx"},
		"a key that all users may write": {0o602, false, privatefile.Reading, "chmod go-w"},
		"a file that is read by others":  {0o644, false, privatefile.Writing, ""},
		"a file that the group writes":   {0o660, false, privatefile.Writing, "chmod go-w"},
		"a private directory":            {0o700, true, privatefile.Writing, ""},
		"a directory that is listed":     {0o755, true, privatefile.Writing, ""},
		"a directory of the group":       {0o775, true, privatefile.Writing, "chmod go-w"},
		"a directory of all users":       {0o777, true, privatefile.Writing, "chmod go-w"},
		"a directory such as /tmp":       {0o777 | os.ModeSticky, true, privatefile.Writing, "chmod go-w"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "it")
			var err error
			if tt.dir {
				err = os.Mkdir(path, 0o700)
			} else {
				err = os.WriteFile(path, nil, 0o600)
			}
			if err = errors.Join(err, os.Chmod(path, tt.mode)); err != nil {
				t.Fatal(err)
			}
			err = privatefile.Check(path, tt.refused)
			var exposed *privatefile.ExposedError
			switch {
			case tt.command == "" && err != nil:
				t.Error(err)
			case tt.command != "" && (!errors.As(err, &exposed) || exposed.Command != tt.command+" "+path || !strings.Contains(err.Error(), path)):
				t.Errorf("got %v", err)
			}
		})
	}
	if err := privatefile.Check(filepath.Join(t.TempDir(), "none"), privatefile.Reading); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestIgnoresModes is not parallel, because it replaces what the file system says.
func TestIgnoresModes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file, filepath.Join(dir, "missing")} {
		if privatefile.IgnoresModes(path) {
			t.Errorf("%s: the file system of the test has modes", path)
		}
	}
	defer privatefile.IgnoreModes()()
	for _, path := range []string{dir, file, filepath.Join(dir, "missing")} {
		if !privatefile.IgnoresModes(path) {
			t.Errorf("%s: the file system ignores modes", path)
		}
	}
	if privatefile.IgnoresModes(filepath.Join(dir, "missing", "file")) {
		t.Error("nothing is known where no file can be created")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files are left: %v", len(left), err)
	}
}
