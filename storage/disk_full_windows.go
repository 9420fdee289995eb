package storage

import (
	"errors"
	"syscall"
)

// Windows error codes for a full disk
// (https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-).
const (
	errorHandleDiskFull syscall.Errno = 39
	errorDiskFull       syscall.Errno = 112
	errorDiskQuota      syscall.Errno = 1295
)

// IsDiskFull reports whether an error means that the disk is full or that the quota of the
// user is used up. The error is one of the system, not a [*FullError].
func IsDiskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskQuota)
}
