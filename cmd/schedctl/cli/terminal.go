package cli

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"github.com/schedctl/schedctl/client/when"
)

// NewSystem returns the real machine.
func NewSystem() System {
	sys := System{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:       80,
		Goos:        runtime.GOOS,
		HasTool:     hasTool,
		RunTool:     runTool,
		Getenv:      os.Getenv,
		Environ:     os.Environ,
		Now:         time.Now,
		Local:       when.LocalZone(os.Getenv("TZ")),
		ReadSecret:  readSecret,
		dataHome:    xdg.DataHome,
		ConfigHome:  xdg.ConfigHome,
		StateHome:   xdg.StateHome,
		Keyring:     desktopKeyring{},
		askTerminal: queryTerminal,
		ReadKey:     readKey,
		AskTime:     CompletionTime,
		Page:        runPager,
		Edit:        runEditor,
	}
	if w, h, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		sys.Width, sys.Height = w, h
	}
	return sys
}

// readSecret reads a line without echo. When ctx ends first, the echo is restored.
func readSecret(ctx context.Context) (string, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	line, err := ReadInterruptibly(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if ctx.Err() != nil {
		term.Restore(fd, before)
	}
	return string(line), err
}

// readKey waits for a key and returns its bytes. It is not shown.
func readKey(ctx context.Context) (string, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, before)
	key, err := ReadInterruptibly(ctx, func() ([]byte, error) {
		buffer := make([]byte, 16)
		n, err := os.Stdin.Read(buffer)
		return buffer[:n], err
	})
	return string(key), err
}

// ReadInterruptibly returns the result of read, or the error of ctx when that ends
// first. A read from a terminal cannot be stopped, so it is left behind and ends with
// the process.
func ReadInterruptibly(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
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
