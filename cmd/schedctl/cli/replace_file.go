package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file next to path and renames it when it is complete. A
// device or a pipe is written to directly.
func ReplaceFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, write)
	}
	f, err := CreateBeside(path)
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

// CreateBeside creates a file of mode 0600 in the directory of path, to replace the
// one at path. Its errors name that path.
func CreateBeside(path string) (*os.File, error) {
	if path == "" { // a variable of a script that is not set
		return nil, UsageError("its name is empty").WithHint("name the file to write")
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		at.Path = path
	}
	return f, err
}
