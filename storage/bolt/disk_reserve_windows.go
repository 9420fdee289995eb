package bolt

import (
	"errors"
	"syscall"
)

// Error codes of Windows for a disk that is full
// (https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-).
const (
	errorHandleDiskFull syscall.Errno = 39
	errorDiskFull       syscall.Errno = 112
	errorDiskQuota      syscall.Errno = 1295
)

// noSpace reports whether an error says that there is no room on the disk, or
// none for this user.
func noSpace(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskQuota)
}
