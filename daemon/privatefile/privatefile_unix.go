//go:build unix

package privatefile

import (
	"io/fs"
	"os"
	"syscall"
)

// observed are the modes that the system observes.
const observed Access = 0o077

// managed reports whether a file is one of root's that this user cannot change the
// mode of.
func managed(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0 && os.Geteuid() != 0
}
