package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// hands set the clocks of instrumented daemons.
type hands struct {
	file  *os.File
	shift atomic.Int64 // of the wall clock, in seconds
	slept atomic.Int64 // seconds that the machine was suspended
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

// jump sets the wall clock ahead, or back, by whole seconds.
func (c *hands) jump(by time.Duration) error {
	c.shift.Add(int64(by / time.Second))
	return c.write()
}

// sleep lets whole seconds pass in which the machine is suspended: on the wall clock
// and on the clock that counts from the boot.
func (c *hands) sleep(d time.Duration) error {
	c.slept.Add(int64(d / time.Second))
	return c.jump(d)
}

func (c *hands) write() error {
	var memory [16]byte
	binary.NativeEndian.PutUint64(memory[:8], uint64(c.shift.Load()))
	binary.NativeEndian.PutUint64(memory[8:], uint64(c.slept.Load()))
	_, err := c.file.WriteAt(memory[:], 0)
	return err
}

// now returns what the daemon's clock says.
func (c *hands) now() time.Time {
	return time.Now().Add(time.Duration(c.shift.Load()) * time.Second)
}

func (c *hands) close() error { return c.file.Close() }
