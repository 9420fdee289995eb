package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

const (
	// startsPerRun is how often a program is started for one value, because a single
	// start varies too much.
	startsPerRun = 8

	// maxStart is the processor time that a command may use before its own work.
	maxStart = 12 * time.Millisecond
)

// startSample are commands with almost no work of their own.
var startSample = []string{"--help", "version", "post create --help", "account list", "post list"}

// measureStarts measures the user and system processor time of commands with almost no
// work of their own. Their daemon is a stub with recorded responses. The control is the
// help of a bare program with the same library.
func measureStarts(ctx context.Context, b *bench, n *counts) ([]result, error) {
	bare, err := b.program.get()
	if err != nil {
		return nil, err
	}
	stub, err := b.startCached(map[string][]byte{
		"/posts":           []byte(`{"results":[],"count":0,"next_cursor":null}`),
		"/social-accounts": []byte(`{"results":[],"count":0}`),
	})
	if err != nil {
		return nil, err
	}
	defer stub.Stop()
	var most time.Duration
	var each []string
	var controls []time.Duration
	for _, args := range startSample {
		all, err := compare(ctx, b.rounds, b.command(args, stub.Address).starts(n), program{args: []string{bare, "--help"}}.starts(n))
		if err != nil {
			return nil, err
		}
		took := quantile(toDurations(all[0].subjects(0)), 0.5)
		most, controls = max(most, took), append(controls, quantile(toDurations(all[0].controls(0)), 0.5))
		each = append(each, args+" "+formatDuration(took))
	}
	r := within("processor time of a command before its own work: maximum", most, maxStart, controls...)
	return []result{r.detailed("%s", strings.Join(each, ", "))}, nil
}

// program is a command line, with additional environment variables.
type program struct{ args, env []string }

// atDaemon returns the flags that select a daemon.
func atDaemon(d *child.Daemon) []string {
	return []string{"--url", "http://" + d.Address, "--api-key-file", filepath.Join(d.Dir, "admin.key")}
}

// command returns a schedctl command line with the address of a daemon.
func (b *bench) command(args, address string) program {
	return program{
		append([]string{b.binary}, strings.Fields(args)...),
		[]string{"SCHEDCTL_URL=http://" + address, "SCHEDCTL_API_KEY=none"},
	}
}

// starts measures the median processor time of several starts, in µs. A failed start
// is an error.
func (p program) starts(n *counts) measure {
	return func(ctx context.Context) (sample, error) {
		var used []time.Duration
		for range startsPerRun {
			cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
			cmd.Env = append(os.Environ(), p.env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%q: %w\n%s", p.args[1:], err, out)
			}
			n.add(1, 0, 0)
			used = append(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		return sample{micros(quantile(used, 0.5))}, nil
	}
}

// build builds a bare program with the flags of a release.
func (b *bench) build(ctx context.Context, name string) (path string, err error) {
	path = filepath.Join(b.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./bench/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, text)
	}
	return path, nil
}
