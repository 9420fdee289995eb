package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData waits until written data is on disk, as bbolt does.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
