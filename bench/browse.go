package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	browsed = 100_000 // posts in the queue that is browsed
	keys    = 200     // pressed for the time of a key
	ends    = 100     // times that the end of what is read is asked for, for the memory
)

// measureBrowser looks at schedctl tui on a terminal, with a long queue: how soon
// it shows the first posts, how soon what a key does, and its memory after much
// scrolling.
func measureBrowser(ctx context.Context, b *bench) (out []result, err error) {
	dir, err := b.seed(ctx, browsed/b.scale)
	if err != nil {
		return nil, err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	var starts []float64
	for range b.rounds {
		s, err := openBrowser(b.binary, d)
		if err != nil {
			return nil, err
		}
		starts = append(starts, float64(s.shown))
		if err := s.close(); err != nil {
			return nil, err
		}
	}
	s, err := openBrowser(b.binary, d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	took, err := s.browse()
	if err != nil {
		return nil, err
	}
	memory, err := anonymous(s.cmd.Process.Pid)
	detail := fmt.Sprintf("p99 %s, with %d posts", formatDuration(time.Duration(percentile(took, .99))), browsed/b.scale)
	return []result{
		atMost("schedctl tui, from its start to the first posts: median", time.Duration(median(starts)), 200*time.Millisecond, formatDuration, "with the start of the process"),
		atMost("schedctl tui, from a key to the screen: median", time.Duration(median(took)), 16*time.Millisecond, formatDuration, detail),
		atMost("schedctl tui, anonymous memory after scrolling", float64(memory)/1e6, 64, func(v float64) string { return fmt.Sprintf("%.1f MB", v) }, ""),
	}, err
}

// session is one run of schedctl tui on a terminal.
type session struct {
	cmd    *exec.Cmd
	screen *os.File
	shown  time.Duration // from the start of the process to the first post
}

func openBrowser(binary string, d *daemon) (*session, error) {
	screen, terminal, err := openTerminal(50, 160)
	if err != nil {
		return nil, err
	}
	line := program{binary, "tui", "--no-color"}.at(d)
	s := &session{cmd: exec.Command(line[0], line[1:]...), screen: screen}
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	onTerminal(s.cmd, terminal)
	began := time.Now()
	err = s.cmd.Start()
	terminal.Close()
	if err == nil {
		err = s.expect("Post number 0 ")
	}
	s.shown = time.Since(began)
	return s, err
}

// patience is how long the screen may take to show anything.
const patience = 10 * time.Second

// expect reads what is drawn until it has a text.
func (s *session) expect(text string) error {
	var seen []byte
	chunk := make([]byte, 64<<10)
	if err := s.screen.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	for {
		n, err := s.screen.Read(chunk)
		if seen = append(seen, chunk[:n]...); bytes.Contains(seen, []byte(text)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("schedctl tui does not show %q: %w", text, err)
		}
	}
}

// settle reads what is drawn until nothing is for a while.
func (s *session) settle() error {
	const quiet = 20 * time.Millisecond
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

// press types a key and returns how long it takes until the mark of the
// selection is drawn anew, in nanoseconds.
func (s *session) press(key string) (float64, error) {
	began := time.Now()
	_, err := s.screen.WriteString(key)
	if err == nil {
		err = s.expect("▌")
	}
	return float64(time.Since(began)), err
}

// browse goes far down, and then moves up and down.
func (s *session) browse() (took []float64, err error) {
	for range ends {
		if _, err := s.screen.WriteString("G"); err != nil {
			return nil, err
		}
		if err := s.settle(); err != nil {
			return nil, err
		}
	}
	for i := range keys {
		t, err := s.press([]string{"k", "k", "j"}[i%3])
		if err != nil {
			return nil, err
		}
		took = append(took, t)
	}
	return took, nil
}

func (s *session) close() error {
	if _, err := s.screen.WriteString("q"); err != nil {
		return err
	}
	err := s.cmd.Wait()
	return errors.Join(err, s.screen.Close())
}
