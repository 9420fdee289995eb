package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// hands set the wall clock of instrumented daemons.
type hands struct {
	file  *os.File
	shift atomic.Int64 // seconds
}

// newHands returns a clock that is right.
func (h *harness) newHands() (*hands, error) {
	dir, err := h.fresh()
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "clock"))
	if err != nil {
		return nil, err
	}
	c := &hands{file: f}
	return c, c.jump(0)
}

// env is what a daemon is to be started with.
func (c *hands) env() string { return clockVariable + "=" + c.file.Name() }

// jump sets the clock ahead, or back, by whole seconds.
func (c *hands) jump(by time.Duration) error {
	var memory [8]byte
	binary.NativeEndian.PutUint64(memory[:], uint64(c.shift.Add(int64(by/time.Second))))
	_, err := c.file.WriteAt(memory[:], 0)
	return err
}

// now returns what the daemon's clock says.
func (c *hands) now() time.Time {
	return time.Now().Add(time.Duration(c.shift.Load()) * time.Second)
}

func (c *hands) close() error { return c.file.Close() }
