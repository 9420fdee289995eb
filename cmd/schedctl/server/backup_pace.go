package server

import "os"

// flushEvery is how much of a copy may wait to be brought to disk.
const flushEvery = 1 << 20

// flushed is a file that is brought to disk piece by piece while it is written.
// The daemon is mostly on the same disk: its commits would wait behind all that
// the system has collected of the copy.
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
