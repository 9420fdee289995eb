package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// startsARun is how often a program is started for one value: a single start
// says little.
const startsARun = 8

// listedPosts is how many posts there are to list: a page.
const listedPosts = 20

// measureStarts compares how long commands take with bare programs that are
// built in the same run: the help with one of a few commands that uses the same
// library, a list with the least such program that asks for it and prints it.
func measureStarts(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	bare, err := b.programs.got()
	if err != nil {
		return nil, err
	}
	cobra, list := bare[0], bare[1]
	err = b.withDaemon(ctx, "", func(d *child.Daemon) error {
		account, err := d.Connect(ctx, `{"platform":"feed","name":"bench"}`)
		if err != nil {
			return err
		}
		if _, err := createPosts(ctx, serverOf(d), account, 1, listedPosts); err != nil {
			return err
		}
		help, err := b.compareStarts(ctx, program{cobra, "--help"}, program{b.binary, "--help"}, n)
		if err != nil {
			return err
		}
		lists, err := b.compareStarts(ctx, program{list, "list", "http://" + d.Address, d.Key}, program{b.binary, "post", "list"}.at(d), n)
		if err != nil {
			return err
		}
		out = append(out,
			help.row("schedctl --help / a bare cobra program of four commands", goal{atMost: 1.4}),
			lists.row("schedctl post list / a bare cobra program that does the same GET", goal{atMost: 1.5}))
		return nil
	})
	return out, err
}

// startsCompared is how long two programs took.
type startsCompared struct {
	comparison
	cost cost
}

func (s *startsCompared) row(name string, g goal) result {
	return s.comparison.row(name, 0, g, "µs, medians").with(&s.cost)
}

// compareStarts starts two programs in turn. The first start of each reads it
// from the disk, and does not count.
func (b *bench) compareStarts(ctx context.Context, control, subject program, n *counts) (s startsCompared, err error) {
	var bare cost
	if _, err := compare(ctx, 1, subject.starts(&s.cost, n), control.starts(&bare, n)); err != nil {
		return s, err
	}
	s.cost = cost{}
	all, err := compare(ctx, b.rounds, subject.starts(&s.cost, n), control.starts(&bare, n))
	if err != nil {
		return s, err
	}
	s.comparison = all[0]
	return s, nil
}

// build builds some of the bare programs beside this one, as a release is built.
func (b *bench) build(ctx context.Context, names ...string) (paths []string, err error) {
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", b.dir}
	for _, name := range names {
		args, paths = append(args, "./bench/"+name), append(paths, filepath.Join(b.dir, name))
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build %q: %w\n%s", names, err, text)
	}
	return paths, nil
}

// program is a command line.
type program []string

// at returns the command line with a daemon to talk to.
func (p program) at(d *child.Daemon) program {
	return append(p, "--url", "http://"+d.Address, "--api-key-file", filepath.Join(d.Dir, "admin.key"))
}

// starts measures the median of some starts, in µs. One that fails is lost.
func (p program) starts(c *cost, n *counts) measure {
	return func(ctx context.Context) (sample, error) {
		var took []time.Duration
		for range startsARun {
			cmd := exec.CommandContext(ctx, p[0], p[1:]...)
			if err := timed(&took, cmd.Run); err != nil {
				return nil, fmt.Errorf("%q: %w", filepath.Base(p[0]), err)
			}
			n.add(1, 0, 0)
			c.ops++
			c.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		return sample{micros(quantile(took, 0.5))}, nil
	}
}
