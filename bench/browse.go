package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

const (
	browsedPosts = 100_000 // posts in the browsed queue
	keyPresses   = 100     // presses measured for key latency
	jumpsToEnd   = 25      // jumps to the end before memory is measured
	quickPresses = 12      // of each, in a quick run
)

// measureBrowser runs schedctl tui on a terminal with a long queue. It measures the
// time to the first posts, the latency of keys, and the memory after much scrolling.
func measureBrowser(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	posts := browsedPosts / b.scale
	dir, err := b.browseDir.get()
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		var starts []time.Duration
		for range b.rounds {
			shown, err := b.openTime(d)
			if err != nil {
				return err
			}
			starts = append(starts, shown)
			n.add(1, 0, 0)
		}
		out = append(out, within("schedctl tui, from start to the first posts: median", quantile(starts, 0.5), 200*time.Millisecond).
			detailed("including the start of the process"))
		rows, err := b.browse(d, n)
		for _, r := range rows {
			out = append(out, r.detailed("with %d posts", posts))
		}
		return err
	})
	return out, err
}

// openTime returns the time from the start of the browser to the first posts.
func (b *bench) openTime(d *child.Daemon) (time.Duration, error) {
	s, err := openBrowser(b.binary, d)
	if err != nil {
		return 0, err
	}
	return s.startTime, s.close()
}

// browse measures key latency and memory of one browser.
func (b *bench) browse(d *child.Daemon, n *counts) (rows []result, err error) {
	s, err := openBrowser(b.binary, d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var took []time.Duration
	var c cost
	if err := c.measure(s.cmd.Process.Pid, b.atLeast(quickPresses, jumpsToEnd)+b.atLeast(quickPresses, keyPresses), func() (err error) {
		took, err = s.browse(b.atLeast(quickPresses, jumpsToEnd), b.atLeast(quickPresses, keyPresses))
		return err
	}); err != nil {
		return nil, err
	}
	n.add(len(took), 0, 0)
	return []result{
		within("schedctl tui, from a key to the screen: median", quantile(took, 0.5), 16*time.Millisecond).
			detailed("p99 %s", formatDuration(quantile(took, 0.99))).with(&c),
		holds("schedctl tui, anonymous memory after scrolling", float64(c.memory), 64e6).with(&c),
	}, nil
}

// session is one run of schedctl tui on a terminal.
type session struct {
	cmd       *exec.Cmd
	screen    *os.File
	startTime time.Duration // from the start of the process to the first post
}

func openBrowser(binary string, d *child.Daemon) (*session, error) {
	screen, terminal, err := openTerminal(50, 160)
	if err != nil {
		return nil, err
	}
	s := &session{cmd: exec.Command(binary, append([]string{"tui", "--no-color"}, atDaemon(d)...)...), screen: screen}
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	onTerminal(s.cmd, terminal)
	started := time.Now()
	err = s.cmd.Start()
	terminal.Close()
	if err == nil {
		err = s.expect("Post number 0 ")
	}
	s.startTime = time.Since(started)
	return s, err
}

// screenPatience is how long the screen may take to show something.
const screenPatience = 10 * time.Second

// expect reads the screen output until it contains a text.
func (s *session) expect(text string) error {
	var seen []byte
	chunk := make([]byte, 64<<10)
	if err := s.screen.SetReadDeadline(time.Now().Add(screenPatience)); err != nil {
		return err
	}
	for {
		n, err := s.screen.Read(chunk)
		if seen = append(seen, chunk[:n]...); bytes.Contains(seen, []byte(text)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("schedctl tui did not show %q: %w", text, err)
		}
	}
}

// settle reads the screen output until none arrives for a while.
func (s *session) settle(quiet time.Duration) error {
	chunk := make([]byte, 64<<10)
	for {
		if err := s.screen.SetReadDeadline(time.Now().Add(quiet)); err != nil {
			return err
		}
		if _, err := s.screen.Read(chunk); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// press types a key and returns the time until the selection mark is redrawn.
func (s *session) press(key string) (time.Duration, error) {
	started := time.Now()
	_, err := s.screen.WriteString(key)
	if err == nil {
		err = s.expect("▌")
	}
	return time.Since(started), err
}

// browse scrolls far down, and then moves up and down.
func (s *session) browse(ends, keys int) (took []time.Duration, err error) {
	for range ends {
		if err := s.write("G", 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
	// Two keys that cancel each other may be drawn as no change, so that the direction
	// changes only after the screen has settled.
	for _, key := range []string{"k", "j"} {
		if err := s.write(key, 200*time.Millisecond); err != nil {
			return nil, err
		}
		for range keys / 2 {
			t, err := s.press(key)
			if err != nil {
				return nil, err
			}
			took = append(took, t)
		}
	}
	return took, nil
}

// write types a key and reads the screen output until none arrives for a while.
func (s *session) write(key string, quiet time.Duration) error {
	if _, err := s.screen.WriteString(key); err != nil {
		return err
	}
	return s.settle(quiet)
}

func (s *session) close() error {
	if _, err := s.screen.WriteString("q"); err != nil {
		return err
	}
	err := s.cmd.Wait()
	return errors.Join(err, s.screen.Close())
}
