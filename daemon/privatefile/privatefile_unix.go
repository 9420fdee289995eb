//go:build unix

package privatefile

import (
	"io/fs"
	"os"
	"syscall"
)

// observed are the permission bits that the system enforces.
const observed Access = 0o077

// managed reports whether a file belongs to root and this user is not root, so that the
// user cannot change its mode.
func managed(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0 && os.Geteuid() != 0
}
