package server

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// lockFile creates and locks a file: no other process can open it. The error is
// errDataLocked when another process has it open.
func lockFile(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, errDataLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// fileHolder finds no holder: Windows does not name it.
func fileHolder(string) (pid int, locked bool) { return 0, false }

func detachedProcess() *syscall.SysProcAttr { return nil }
