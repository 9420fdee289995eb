package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// harness is shared by the scenarios.
type harness struct {
	dir    string // temporary; removed at the end
	binary string // the daemon's program
	quick  bool
	seed   uint64

	turn chan struct{} // holds a token while no scenario is working

	instruments instruments
}

func newHarness(o options) (*harness, error) {
	binary, err := filepath.Abs(o.daemon)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("%w; build the daemon with make build", err)
	}
	dir, err := os.MkdirTemp("", "schedctl-torture-*")
	if err != nil {
		return nil, err
	}
	h := &harness{dir: dir, binary: binary, quick: o.quick, seed: o.seed, turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	return h, nil
}

// runAll runs scenarios, one working at a time, and returns their results in order.
func (h *harness) runAll(ctx context.Context, chosen []scenario) []result {
	results := make([]result, len(chosen))
	var wg sync.WaitGroup
	for i, s := range chosen {
		if h.takeTurn(ctx) != nil {
			results[i] = result{Scenario: s.name, Promise: s.promise, Verdict: fail, Detail: "interrupted"}
			continue
		}
		wg.Go(func() {
			defer h.giveTurn()
			results[i] = h.runOne(ctx, s)
		})
	}
	wg.Wait()
	return results
}

func (h *harness) runOne(ctx context.Context, s scenario) result {
	h.progress(s.name, "started")
	started := time.Now()
	r, err := s.run(ctx, h)
	if err != nil {
		r.Verdict, r.Detail = fail, err.Error()+r.Detail
	}
	r.Scenario, r.Promise, r.Took = s.name, s.promise, duration(time.Since(started))
	h.progress(s.name, "%s after %s: %s", r.Verdict, r.Took, r.counts())
	return r
}

func (h *harness) takeTurn(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-h.turn:
		return nil
	}
}

func (h *harness) giveTurn() { h.turn <- struct{}{} }

// idle runs a part of a scenario that mostly waits, and lets the next scenario work at
// the same time. It returns when fn has ended and it is the scenario's turn again.
func (h *harness) idle(fn func() error) error {
	h.giveTurn()
	err := fn()
	<-h.turn
	return err
}

// newDir creates a new directory.
func (h *harness) newDir() (string, error) { return os.MkdirTemp(h.dir, "run-*") }

// random returns a random source for the name, which yields the same numbers in each
// run with the same seed. It is for one goroutine.
func (h *harness) random(name string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.New(rand.NewPCG(h.seed, hash.Sum64()))
}

// progress reports the progress of a scenario on standard error.
func (h *harness) progress(scenario, format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%-10s %s\n", scenario, fmt.Sprintf(format, args...))
}

// firstError keeps the first error of several goroutines.
type firstError struct {
	mu  sync.Mutex
	err error // mu guards err
}

func (f *firstError) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}
