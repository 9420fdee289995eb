package server

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// lockFile creates a file that no other process can open. The error is errDataLocked
// when another process has opened it.
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

// fileHolder returns 0: Windows does not report the holder.
func fileHolder(string) (pid int, locked bool) { return 0, false }

// ownFile returns false: Windows has no commands that need the owner of a file.
func ownFile(string) bool { return false }

func detachedProcess() *syscall.SysProcAttr { return nil }
