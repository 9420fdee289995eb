package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// startsARound is how often each of two programs is started, in turn, for one
// value: a single start says little.
const startsARound = 25

// measureStarts compares how long commands take with bare programs that are
// built in the same run: the help with one of a few commands that uses the same
// library, a list with the least such program that asks for it and prints it.
func measureStarts(ctx context.Context, b *bench) (out []result, err error) {
	cobra, err := b.build(ctx, "barecobra")
	if err != nil {
		return nil, err
	}
	list, err := b.build(ctx, "barelist")
	if err != nil {
		return nil, err
	}
	dir, err := b.fresh()
	if err != nil {
		return nil, err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if err := d.fill(ctx, 20); err != nil {
		return nil, err
	}
	url := "http://" + d.address
	help, err := b.compareStarts(program{cobra, "--help"}, program{b.binary, "--help"})
	if err != nil {
		return nil, err
	}
	lists, err := b.compareStarts(program{list, "list", url, d.key}, program{b.binary, "post", "list"}.at(d))
	if err != nil {
		return nil, err
	}
	help.name, help.atMost = "schedctl --help / a bare cobra program of four commands", 1.5
	lists.name, lists.atMost = "schedctl post list / a bare cobra program that does the same GET", 2
	return []result{help.result(), lists.result()}, nil
}

// build builds one of the bare programs beside this one, as a release is built.
func (b *bench) build(ctx context.Context, name string) (path string, err error) {
	path = filepath.Join(b.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./bench/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, text)
	}
	return path, nil
}

// fill creates a page of posts.
func (d *daemon) fill(ctx context.Context, posts int) error {
	account, err := d.connect(ctx, `{"platform":"feed","name":"bench"}`)
	if err != nil {
		return err
	}
	for range posts {
		if err := d.call(ctx, "POST", "/posts", createBody(account, time.Now()), nil); err != nil {
			return err
		}
	}
	return nil
}

// program is a command line.
type program []string

// at returns the command line with a daemon to talk to.
func (p program) at(d *daemon) program {
	return append(p, "--url", "http://"+d.address, "--api-key-file", filepath.Join(d.dir, "admin.key"))
}

// compareStarts runs two programs in turn and returns medians in microseconds, a
// pair for each round.
func (b *bench) compareStarts(control, subject program) (r ratio, err error) {
	for range b.rounds + 1 { // the first warms up
		controls, subjects, err := compare(startsARound, control.run, subject.run)
		if err != nil {
			return r, err
		}
		r.controls, r.subjects = append(r.controls, median(controls)), append(r.subjects, median(subjects))
	}
	r.controls, r.subjects, r.unit = r.controls[1:], r.subjects[1:], "µs, medians"
	return r, nil
}

// run runs the program without a terminal and returns how long it took, in µs.
func (p program) run() (float64, error) {
	cmd := exec.Command(p[0], p[1:]...)
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", filepath.Base(p[0]), err)
	}
	return float64(took.Microseconds()), nil
}
