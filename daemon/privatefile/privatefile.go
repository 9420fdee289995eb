// Package privatefile writes files that only their owner can read, and checks that
// other users cannot change existing ones. A user who can replace a key file, or the
// file with the address of the daemon, can obtain the secrets of all accounts.
package privatefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write creates or replaces a file atomically, with mode 0600. When it returns, the
// file and its directory entry are on disk, if the system supports that.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir writes the entries of a directory to disk. On systems that cannot do that it
// returns nil.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	sync(dir)
	return nil
}

// sync is a variable for tests.
var sync = func(dir *os.File) { dir.Sync() }

// Access is a set of permission bits of other users.
type Access fs.FileMode

// Accesses that [Check] can refuse, to the group and to all users.
const (
	Writing Access = 0o022 // change a file, or replace files in a directory
	Reading Access = 0o077 // read or change it
)

// ExposedError means that other users have access to a file or directory. Command
// removes the access.
type ExposedError struct{ Path, What, Command string }

// Error returns which access other users have.
func (e *ExposedError) Error() string { return e.Path + " can be " + e.What + " by other users" }

// Check returns an [*ExposedError] when other users have a refused access to a file or
// directory, and nil for a missing path. It follows links.
//
// If the file belongs to root and the user is not root, only write access by all users
// is refused. Such files are volumes or secrets of containers: the user cannot change
// their mode and may have access only through the group. On Windows, which has no such
// modes, Check finds nothing.
func Check(path string, refused Access) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check the permissions: %w", err)
	}
	if managed(info) {
		refused &= 0o002
	}
	exposed := Access(info.Mode().Perm()) & refused & observed
	switch {
	case exposed == 0:
		return nil
	case info.IsDir():
		return &ExposedError{path, "written to", "chmod go-w " + path}
	case exposed&Writing != 0:
		return &ExposedError{path, "changed", "chmod go-w " + path}
	}
	return &ExposedError{path, "read", "chmod go-rwx " + path}
}

// IgnoresModes reports whether the file system of a file or directory ignores the modes of
// files, as those of Windows and of some shared folders and volumes do: others can use a new
// file whose mode allows only its owner. It is false if no file can be created there.
func IgnoresModes(path string) bool {
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir = filepath.Dir(path)
	}
	f, err := os.CreateTemp(dir, ".mode-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	defer f.Close()
	return modeIgnored(f)
}

// modeIgnored is a variable for tests.
var modeIgnored = func(f *os.File) bool {
	if err := f.Chmod(0o600); err != nil {
		return true // file systems that cannot store the mode refuse it
	}
	info, err := f.Stat()
	return err == nil && Access(info.Mode().Perm())&Reading&observed != 0
}
