//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// flags are the flags of flock(2).
var flags = map[Kind]int{Shared: syscall.LOCK_SH, Exclusive: syscall.LOCK_EX}

func lock(f *os.File, k Kind, wait bool) error {
	how := flags[k]
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch err {
		case nil:
			return nil
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return errHeld
		case syscall.ENOSYS, syscall.ENOTSUP, syscall.ENOLCK, syscall.EINVAL:
			return errors.Join(err, errors.ErrUnsupported)
		}
		return err
	}
}
