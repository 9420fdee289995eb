//go:build !linux

package bolt

import "os"

// reserveBlocks has the disk give blocks to a part of a file that holds nothing.
func reserveBlocks(f *os.File, from, to int64) error { return writeZeros(f, from, to) }
