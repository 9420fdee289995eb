//go:build unix

package bolt

import (
	"errors"
	"syscall"
)

// noSpace reports whether an error means that the disk is full, that the quota of the
// user is used up, or that the file has its maximum size.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
