package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flags are the flags of LockFileEx.
var flags = map[Kind]uint32{Shared: 0, Exclusive: windows.LOCKFILE_EXCLUSIVE_LOCK}

// lockedAt is the locked byte. It is far behind the content of every file, because locked
// bytes cannot be read through other open files.
const lockedAt = 1<<31 - 1

func lock(f *os.File, k Kind, wait bool) error {
	how := flags[k]
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	at := windows.Overlapped{OffsetHigh: lockedAt}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errHeld
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return errors.Join(err, errors.ErrUnsupported)
	}
	return err
}
