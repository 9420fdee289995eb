package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

const (
	mutantCount   = 500
	mutantPosts   = 120              // in the database that they are made from
	mutantWorkers = 2                // processes
	mutantLimit   = 20 * time.Second // for one mutant; longer is a hang
)

// mutants damages a database file in 500 ways: it flips bytes, zeroes, swaps and
// overwrites pages, tears and truncates the file, and removes its meta pages or its
// freelist. Each mutant goes through check, salvage and a daemon with requests of every
// kind. Worker processes handle many mutants each, so that crashes and hangs are
// noticed. Some mutants also go through the built program: 100, or 10 in the quick run.
func mutants(ctx context.Context, h *harness) (result, error) {
	dir, err := memoryDir(h)
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	b := &mutantRun{harness: h, dir: dir, counts: map[string]int64{}}
	if err := b.prepare(ctx); err != nil {
		return result{}, err
	}
	var wg sync.WaitGroup
	var failed firstError
	for i := range mutantWorkers {
		wg.Go(func() { failed.add(b.work(ctx, i)) })
	}
	wg.Wait()
	if failed.err == nil {
		failed.err = b.programs(ctx)
	}
	r := b.result()
	if len(b.faults) > 0 {
		kept, err := b.keep()
		failed.add(err)
		r.Detail += "\nthe original database is kept: " + kept
	}
	return r, failed.err
}

// keep saves the original database with its API key, so that all mutants can be
// recreated. Mutants with violations are saved next to it.
func (b *mutantRun) keep() (path string, err error) {
	sample, err := os.ReadFile(b.sample)
	if err != nil {
		return "", err
	}
	if _, err := keepMutant(b.seed, "sample.key", []byte(b.secret)); err != nil {
		return "", err
	}
	return keepMutant(b.seed, "sample.db", sample)
}

// keepMutant writes a file to a directory that is not removed.
func keepMutant(seed uint64, name string, data []byte) (path string, err error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprint("schedctl-mutants-", seed))
	path = filepath.Join(dir, name)
	return path, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, data, 0o600))
}

// memoryDir returns a directory in memory, where available: these files need no disk.
func memoryDir(h *harness) (string, error) {
	if dir, err := os.MkdirTemp("/dev/shm", "schedctl-mutants-*"); err == nil {
		return dir, nil
	}
	return h.newDir()
}

// mutantRun runs the workers and adds up their reports.
type mutantRun struct {
	*harness
	dir, sample, secret string

	mu     sync.Mutex // mu guards the rest
	counts map[string]int64
	faults []string
}

// prepare creates the original database.
func (b *mutantRun) prepare(ctx context.Context) error {
	b.sample = filepath.Join(b.dir, "sample.db")
	store, err := bolt.Open(b.sample, bolt.Options{})
	if err != nil {
		return err
	}
	b.secret, err = mutant.Fill(ctx, store, mutantPosts)
	return errors.Join(err, store.Close())
}

// work runs the mutants of one worker. When its process crashes or hangs, another one
// continues.
func (b *mutantRun) work(ctx context.Context, worker int) error {
	for next := worker; next < mutantCount; {
		last, err := b.process(ctx, mutantOrder{
			Dir: filepath.Join(b.dir, fmt.Sprint("worker-", worker)), Sample: b.sample, Secret: b.secret,
			Seed: b.seed, First: next, Step: mutantWorkers, Last: mutantCount,
		})
		if err != nil {
			return err
		}
		next = last + mutantWorkers
	}
	return nil
}

// process runs one worker process and returns the number of the last mutant that it
// started.
func (b *mutantRun) process(ctx context.Context, o mutantOrder) (last int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	work, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), mutantWork+"="+string(work))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	hang := time.AfterFunc(mutantLimit, kill)
	defer hang.Stop()
	last, under := o.First, -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		hang.Reset(mutantLimit)
		var r mutantReport
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return 0, fmt.Errorf("a worker printed %q: %w", lines.Text(), err)
		}
		if under = -1; r.Begins {
			last, under = r.N, r.N
			continue
		}
		b.add(r)
	}
	err = cmd.Wait()
	if under >= 0 { // the limit of one mutant has passed, not the caller's context
		b.crashed(under, said.String())
		return last, nil
	}
	if err != nil {
		return 0, fmt.Errorf("a worker failed: %w: %s", err, tail(said.String()))
	}
	return last, nil
}

func tail(text string) string { return text[max(0, len(text)-500):] }

// crashed records a mutant at which a worker crashed or hung.
func (b *mutantRun) crashed(n int, said string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	what := "hang"
	if strings.Contains(said, "goroutine ") {
		what = "crash"
	}
	b.counts[what+"es"]++
	b.faults = append(b.faults, fmt.Sprintf("mutant %d, or one before it: %s: %.300s", n, what, said))
	if _, err := keepMutant(b.seed, fmt.Sprint(n, ".log"), []byte(said)); err != nil {
		b.faults = append(b.faults, fmt.Sprintf("the output for mutant %d could not be saved: %v", n, err))
	}
}

func (b *mutantRun) add(r mutantReport) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts["mutants"]++
	b.counts["intact"] += int64(r.Intact)
	b.counts["saved"] += int64(r.Saved)
	b.counts["came_back"] += int64(r.Restored)
	if r.Found {
		b.counts["found_by_check"]++
	}
	if r.Served {
		b.counts["served"]++
	}
	for _, f := range r.Faults {
		b.faults = append(b.faults, fmt.Sprintf("mutant %d (%s): %s", r.N, r.Description, f))
	}
}

func (b *mutantRun) result() result {
	b.counts["crashes"] += 0
	b.counts["hangs"] = b.counts["hanges"]
	delete(b.counts, "hanges")
	b.counts["faults"] = int64(len(b.faults))
	r := result{Verdict: pass, Counts: b.counts}
	if len(b.faults) > 0 {
		r.Verdict, r.Detail = fail, strings.Join(b.faults[:min(len(b.faults), 10)], "\n")
	}
	return r
}
