package bolt

import (
	"errors"
	"os"
	"syscall"
)

// keepSize is FALLOC_FL_KEEP_SIZE of fallocate(2): the length of the file does not
// change.
const keepSize = 1

// reserveBlocks allocates disk blocks for an unused part of a file.
func reserveBlocks(f *os.File, from, to int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), keepSize, from, to-from)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
			return writeZeros(f, from, to)
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
}
