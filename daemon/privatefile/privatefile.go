// Package privatefile writes files that only their user may read, and refuses those
// that others can change: whoever can replace a key, or what says where the daemon
// is, can have the keys of all accounts.
package privatefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts a file of mode 0600 in place whole or not at all. The file and its
// name are on disk when it returns, where the system can be asked for that.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // when it is not renamed
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir has the names in a directory on disk when it returns. Not every system
// can do that; one that cannot is no error.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	sync(dir)
	return nil
}

// sync is replaced in tests.
var sync = func(dir *os.File) { dir.Sync() }

// Access is what others may not do.
type Access fs.FileMode

// What is refused: bits of the group and of everybody.
const (
	Writing Access = 0o022 // to change it, or to replace what is in a directory
	Reading Access = 0o077 // to read it either
)

// ExposedError says that others have access to a file or directory. It has the
// command that takes it from them.
type ExposedError struct{ Path, What, Command string }

// Error says who can do what.
func (e *ExposedError) Error() string { return e.Path + " can be " + e.What + " by other users" }

// Check returns an [*ExposedError] when others have an access to a file or directory
// that they must not have, and nil for a path where nothing is. Links are followed.
//
// What belongs to root, for a user who is not root, the user cannot mend: an
// operator made it, such as the volume or the secret of a container. There the group
// may be the way by which the user has access, and reading is the operator's matter;
// only writing by everybody is refused. Windows has no such modes, and no errors.
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
