//go:build unix

package storage

import (
	"errors"
	"syscall"
)

// IsDiskFull reports whether an error means that the disk is full, that the quota of the
// user is used up, or that the file has its maximum size. The error is one of the
// system, not a [*FullError].
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
