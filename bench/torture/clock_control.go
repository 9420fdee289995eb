package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// clockControl sets the clocks of instrumented daemons.
type clockControl struct {
	file      *os.File
	shift     atomic.Int64 // of the wall clock, in seconds
	suspended atomic.Int64 // seconds spent suspended
}

// newClockControl returns a clock without a shift.
func (h *harness) newClockControl() (*clockControl, error) {
	dir, err := h.newDir()
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "clock"))
	if err != nil {
		return nil, err
	}
	c := &clockControl{file: f}
	return c, c.jump(0)
}

// env returns the environment variable for a daemon.
func (c *clockControl) env() string { return clockVariable + "=" + c.file.Name() }

// jump shifts the wall clock by whole seconds.
func (c *clockControl) jump(by time.Duration) error {
	c.shift.Add(int64(by / time.Second))
	return c.write()
}

// sleep simulates a suspend of whole seconds: it advances the wall clock and the clock
// since boot.
func (c *clockControl) sleep(d time.Duration) error {
	c.suspended.Add(int64(d / time.Second))
	return c.jump(d)
}

func (c *clockControl) write() error {
	var memory [16]byte
	binary.NativeEndian.PutUint64(memory[:8], uint64(c.shift.Load()))
	binary.NativeEndian.PutUint64(memory[8:], uint64(c.suspended.Load()))
	_, err := c.file.WriteAt(memory[:], 0)
	return err
}

// now returns the time of the daemon's clock.
func (c *clockControl) now() time.Time {
	return time.Now().Add(time.Duration(c.shift.Load()) * time.Second)
}

func (c *clockControl) close() error { return c.file.Close() }
