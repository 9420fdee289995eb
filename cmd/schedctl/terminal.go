package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"
)

// newSystem returns the real machine.
func newSystem() system {
	sys := system{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		width:       80,
		goos:        runtime.GOOS,
		hasTool:     hasTool,
		runTool:     runTool,
		getenv:      os.Getenv,
		environ:     os.Environ,
		now:         time.Now,
		local:       time.Local,
		readSecret:  readSecret,
		dataHome:    xdg.DataHome,
		configHome:  xdg.ConfigHome,
		stateHome:   xdg.StateHome,
		keyring:     desktopKeyring{},
		askTerminal: askGround,
		filterTime:  maxFilterTime,
		askTime:     completionTime,
		page:        page,
		edit:        edit,
	}
	if w, h, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		sys.width, sys.height = w, h
	}
	return sys
}

// readSecret reads a line without showing it. When ctx ends first, the terminal
// shows what is typed again.
func readSecret(ctx context.Context) (string, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	line, err := interruptible(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if ctx.Err() != nil {
		term.Restore(fd, before)
	}
	return string(line), err
}

// interruptible returns what read returns, or the error of ctx when that ends
// first: a read from a terminal cannot be stopped, so it is left behind, and
// ends with the process.
func interruptible(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func hasTool(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// runTool runs a program and returns its standard output. Its standard error is in
// the [exec.ExitError].
func runTool(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	return cmd.Output()
}
