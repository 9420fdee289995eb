package bolt

import (
	"errors"
	"os"
	"syscall"
)

// keepSize leaves the length of the file alone: FALLOC_FL_KEEP_SIZE of
// fallocate(2).
const keepSize = 1

// reserveBlocks has the disk give blocks to a part of a file that holds nothing.
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
