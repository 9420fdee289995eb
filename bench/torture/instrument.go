package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// instruments is the daemon's program with fail points in it, and with a wall
// clock that can be set.
type instruments struct {
	once sync.Once
	path string
	err  error
}

// instrumented returns the path of the program, built at the first call.
//
// Its wall clock is set by putting another time.Now into the standard library of
// that build: the program and all of its libraries see the clock jump, while the
// monotonic clock goes on, as on a machine whose clock is set.
func (h *harness) instrumented(ctx context.Context) (string, error) {
	i := &h.instruments
	i.once.Do(func() {
		i.path = filepath.Join(h.dir, "schedctl-instrumented")
		i.err = h.instrument(ctx, i.path)
	})
	return i.path, i.err
}

func (h *harness) instrument(ctx context.Context, out string) error {
	overlay, err := h.overlay(ctx)
	if err != nil {
		return fmt.Errorf("a clock that can be set: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-tags", "failpoint", "-o", out, "./cmd/schedctl")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOGC=400") // nearly all is compiled, in less time
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the instrumented daemon: %w\n%s", err, &text)
	}
	return nil
}

// The beginning of time.Now, and what it becomes.
const (
	nowIs      = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	nowBecomes = nowIs + "\tsec += wallShift()\n"
)

// shiftSource is one file more of package time. The shift is in memory that the
// harness shares, so that the clock jumps between two instructions, and before
// the first one of main.
const shiftSource = `package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// shift is a count of seconds.
var shift = sharedShift()

func sharedShift() *int64 {
	path, set := syscall.Getenv("` + clockVariable + `")
	if !set {
		return new(int64)
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		panic("clock " + path + ": " + err.Error())
	}
	memory, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("clock " + path + ": " + err.Error())
	}
	return (*int64)(unsafe.Pointer(&memory[0]))
}

func wallShift() int64 { return atomic.LoadInt64(shift) }
`

// clockVariable says to an instrumented daemon where its clock is set.
const clockVariable = "SCHEDCTL_TORTURE_CLOCK"

// overlay writes the changed files of the standard library and returns the path
// of what go build -overlay reads.
func (h *harness) overlay(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), nowIs); n != 1 {
		return "", fmt.Errorf("%s has %d times the beginning of Now that is known; read how this version of Go tells the time", library, n)
	}
	dir, err := h.fresh()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string]string{
		"time.go": strings.Replace(string(source), nowIs, nowBecomes, 1), "torture_shift.go": shiftSource,
	} {
		replace[filepath.Join(library, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
