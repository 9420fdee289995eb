package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// programs runs the built program on some of the mutants.
func (b *mutantRun) programs(ctx context.Context) error {
	file, err := mutant.Read(b.sample)
	if err != nil {
		return err
	}
	count := 100
	if b.quick {
		count = 10
	}
	for i := range count {
		n := i * mutantCount / count
		m := file.Mutant(rand.New(rand.NewPCG(b.seed, uint64(n))), n)
		if err := b.program(ctx, n, m); err != nil {
			return err
		}
	}
	return nil
}

// program runs check, salvage and the daemon of the built program on a mutant. It
// compares output and exit status, and stops a daemon that starts.
func (b *mutantRun) program(ctx context.Context, n int, m mutant.Mutant) error {
	dir, err := os.MkdirTemp(b.dir, "program-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "schedctl.db")
	if err := errors.Join(os.WriteFile(path, m.Data, 0o600), os.WriteFile(filepath.Join(dir, "secret.key"), make([]byte, 32), 0o600)); err != nil {
		return err
	}
	b.counts["programs"]++
	for _, args := range [][]string{
		{"daemon", "check", "--data-dir", dir}, {"daemon", "salvage", "--data-dir", dir}, {"daemon", "run", "--data-dir", dir, "--listen", "127.0.0.1:0"},
	} {
		ran, err := b.ran(ctx, args)
		if err != nil {
			return err
		}
		for _, f := range ran {
			b.faults = append(b.faults, fmt.Sprintf("mutant %d (%s): %s: %s", n, m.How, args[1], f))
		}
		if now, err := os.ReadFile(path); args[1] != "run" && (err != nil || !bytes.Equal(now, m.Data)) {
			b.faults = append(b.faults, fmt.Sprintf("mutant %d (%s): %s changed the file", n, m.How, args[1]))
		}
	}
	return nil
}

// crash matches the start of a crash report of the Go runtime.
var crash = regexp.MustCompile(`(?m)^(panic|fatal error|runtime|SIG[A-Z]+): `)

// ran runs the program until it ends, or until the daemon serves, and returns its faults.
func (b *mutantRun) ran(ctx context.Context, args []string) (faults []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, mutantLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.binary, args...)
	said := &outputWatcher{word: "daemon started", found: func() {
		cmd.Process.Signal(os.Interrupt)
		time.AfterFunc(patience, func() { cmd.Process.Signal(os.Interrupt) }) // the daemon may retry for long what it cannot record
	}}
	cmd.Stdout, cmd.Stderr = said, said
	started := time.Now()
	err = cmd.Run()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return nil, err
	}
	text := said.text.String()
	switch {
	case ctx.Err() != nil:
		faults = append(faults, fmt.Sprintf("did not end within %s", time.Since(started)))
	case crash.MatchString(text):
		faults = append(faults, fmt.Sprintf("it crashed: %.300s", text))
	case status != nil && status.ExitCode() != 1 && !said.done:
		faults = append(faults, fmt.Sprintf("status %d: %.300s", status.ExitCode(), text))
	case status != nil && !strings.Contains(text, "schedctl: ") && !said.done:
		faults = append(faults, fmt.Sprintf("the output does not say what is wrong: %.300s", text))
	}
	return faults, nil
}

// outputWatcher waits for a text in the output of a program. It is for one goroutine.
type outputWatcher struct {
	text  bytes.Buffer
	word  string
	found func()
	done  bool
}

func (l *outputWatcher) Write(p []byte) (int, error) {
	l.text.Write(p)
	if !l.done && strings.Contains(l.text.String(), l.word) {
		l.done = true
		l.found()
	}
	return len(p), nil
}
