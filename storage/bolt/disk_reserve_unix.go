//go:build unix

package bolt

import (
	"errors"
	"syscall"
)

// noSpace reports whether an error says that there is no room on the disk, or
// none for this user, or none in a file that may not get larger.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
