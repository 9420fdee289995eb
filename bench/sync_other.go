//go:build !linux

package main

import "os"

// syncData waits until written data is on disk, as bbolt does.
func syncData(f *os.File) error { return f.Sync() }
