package server

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// findVolume returns the file system of a directory.
func findVolume(dir string) (volume, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return volume{}, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return volume{}, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: dir, Err: err}
	}
	return volume{id: filepath.VolumeName(dir), free: int64(free)}, nil
}
