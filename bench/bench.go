package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// bench is shared by the cases.
type bench struct {
	dir    string // temporary directory
	binary string // path of the schedctl program
	rounds int
	few    int // rounds of long cases
	scale  int // divisor for numbers of posts

	network  *receiver // the daemons publish to it
	webhooks *receiver // receives webhooks
	timer    *timer
	posted   int // numbers given to posts; see numbers

	loopRate float64 // posts a second that the timer without a store sends; see capableLoopRate

	accounts string // data directory with all accounts, once created

	// Created by setUp.
	largeDir   lazy[string]                // data directory with a million waiting posts; later cases find in it what earlier ones have added
	browseDir  lazy[string]                // data directory with the posts to browse
	backlogDir lazy[string]                // data directory with events that its webhook has not received
	program    lazy[string]                // bare program to compare start times with
	server     lazy[*postgrestest.Cluster] // PostgreSQL server
	pair       lazy[*nodes]                // two daemons on server
}

// newBench starts the child processes that every case needs.
func newBench(o options) (b *bench, err error) {
	b = &bench{rounds: 5, few: 2, scale: 1}
	if o.quick {
		b.rounds, b.few, b.scale = 2, 1, 10
	}
	if b.binary, err = filepath.Abs(o.daemon); err != nil {
		return nil, err
	}
	if _, err := os.Stat(b.binary); err != nil {
		return nil, fmt.Errorf("no daemon to measure: %w; build one with make build", err)
	}
	if b.dir, err = os.MkdirTemp("", "schedctl-bench-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.network, err = startReceiver(); err != nil {
		return nil, err
	}
	if b.webhooks, err = startReceiver(); err != nil {
		return nil, err
	}
	b.timer, err = startTimer()
	return b, err
}

// close stops the child processes and removes the files of the cases.
func (b *bench) close() error {
	errs := []error{b.stopPair(), b.stopServer()}
	for _, r := range []*receiver{b.network, b.webhooks} {
		if r != nil {
			errs = append(errs, r.Stop())
		}
	}
	if b.timer != nil {
		errs = append(errs, b.timer.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}

// newDir creates a new directory.
func (b *bench) newDir() (string, error) { return os.MkdirTemp(b.dir, "run-*") }

// start starts a daemon on a data directory, or on a new one when dir is empty.
func (b *bench) start(ctx context.Context, dir string) (d *child.Daemon, err error) {
	if dir == "" {
		if dir, err = b.newDir(); err != nil {
			return nil, err
		}
	}
	return child.Start(ctx, child.Config{Binary: b.binary, Dir: dir})
}

// withDaemon runs a daemon while fn works with it.
func (b *bench) withDaemon(ctx context.Context, dir string, fn func(*child.Daemon) error) error {
	d, err := b.start(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(fn(d), d.Stop())
}

// copy returns a copy of a data directory whose daemon has stopped.
func (b *bench) copy(dir string) (string, error) {
	to, err := b.newDir()
	if err != nil {
		return "", err
	}
	for _, name := range []string{"schedctl.db", "secret.key", "admin.key"} {
		if err := copyFile(filepath.Join(to, name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return to, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// atLeast returns a number of posts or requests for this run: a tenth of number in a
// quick run, but not below least.
func (b *bench) atLeast(least, number int) int { return max(least, number/b.scale) }

// length returns a duration for this run: half of it in a quick one.
func (b *bench) length(d time.Duration) time.Duration { return d / time.Duration(min(b.scale, 2)) }

// numbers reserves n numbers for posts and returns the first. The network identifies a
// post by its number.
func (b *bench) numbers(n int) (first int) {
	first = b.posted
	b.posted += n
	return first
}
