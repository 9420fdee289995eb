package main

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// cost is what a subject uses of the machine, over all rounds.
type cost struct {
	ops    int
	cpu    time.Duration
	memory int64 // anonymous memory at the end of the last work
}

// measure adds the cost of the work of a process on a number of operations. Where the
// cost is not available, it only does the work.
func (c *cost) measure(pid, ops int, work func() error) error {
	before, unknown := child.CPUTime(pid)
	if err := work(); err != nil {
		return err
	}
	if errors.Is(unknown, errors.ErrUnsupported) {
		return nil
	}
	after, err := child.CPUTime(pid)
	if err := errors.Join(unknown, err); err != nil {
		return err
	}
	c.ops += ops
	c.cpu += after - before
	c.memory, err = child.Anonymous(pid)
	return err
}

// add adds a later cost.
func (c *cost) add(o cost) {
	c.ops += o.ops
	c.cpu += o.cpu
	c.memory = o.memory
}

// perOp returns the processor time per operation, in microseconds.
func (c *cost) perOp() float64 {
	if c.ops == 0 {
		return 0
	}
	return float64(c.cpu.Nanoseconds()) / 1e3 / float64(c.ops)
}

// waitIdle waits until a process is idle: it has used less than a fiftieth of a
// processor for some time.
func waitIdle(ctx context.Context, pid int) error {
	const step, quietly, longest = 100 * time.Millisecond, 3, 300
	before, err := child.CPUTime(pid)
	for quiet, i := 0, 0; err == nil && quiet < quietly && i < longest; i++ {
		if err := sleepUntil(ctx, time.Now().Add(step)); err != nil {
			return err
		}
		var now time.Duration
		now, err = child.CPUTime(pid)
		if quiet++; now-before > step/50 {
			quiet = 0
		}
		before = now
	}
	return err
}
