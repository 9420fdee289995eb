//go:build linux || darwin || freebsd

package server

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// findVolume returns the file system of a directory.
func findVolume(dir string) (volume, error) {
	var status unix.Stat_t
	var system unix.Statfs_t
	if err := unix.Stat(dir, &status); err != nil {
		return volume{}, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	if err := unix.Statfs(dir, &system); err != nil {
		return volume{}, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return volume{id: fmt.Sprint(status.Dev), free: int64(system.Bavail) * int64(system.Bsize)}, nil
}
