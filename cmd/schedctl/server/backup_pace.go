package server

import "os"

// flushEvery is the number of bytes after which a copy is flushed to disk.
const flushEvery = 1 << 20

// flushed is a file that is flushed to disk in pieces while it is written. The daemon
// usually uses the same disk, and its commits would wait for one large flush.
type flushed struct {
	file    *os.File
	waiting int
}

// Write implements [io.Writer].
func (f *flushed) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	if f.waiting += n; err != nil || f.waiting < flushEvery {
		return n, err
	}
	f.waiting = 0
	return n, f.file.Sync()
}
