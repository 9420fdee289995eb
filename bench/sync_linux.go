package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData waits until what was written to a file is on disk, as bbolt does.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
