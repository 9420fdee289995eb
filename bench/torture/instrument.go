package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// instruments is the daemon built with failpoints and with a wall clock that can be set.
type instruments struct {
	once sync.Once
	path string
	err  error
}

// instrumented returns the path of the program, which the first call builds.
//
// The build replaces time.Now in the standard library: the program and all of its
// libraries see the wall clock jump, while the monotonic clock continues, as on a
// machine whose clock is set. The clock since boot can be advanced, as by a suspend.
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
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOGC=400") // faster: nearly everything is compiled
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the instrumented daemon: %w\n%s", err, &text)
	}
	return nil
}

// The start of time.Now, and its replacement.
const (
	nowOriginal    = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	nowReplacement = nowOriginal + "\tsec += wallShift()\n"
)

// How daemon/clock reads the time since boot, and its replacement.
const (
	bootOriginal    = "time.Duration(t.Nano())"
	bootReplacement = bootOriginal + " + time.TortureSlept()"
)

// shiftSource is an additional file of package time. The shifts are in memory shared
// with the harness, so that the clock can jump between any two instructions, and before
// main starts.
const shiftSource = `package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// shifts are counts of seconds: of the wall clock, and in suspend.
var shifts = sharedShifts()

func sharedShifts() *[2]int64 {
	path, set := syscall.Getenv("` + clockVariable + `")
	if !set {
		return new([2]int64)
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		panic("clock " + path + ": " + err.Error())
	}
	memory, err := syscall.Mmap(fd, 0, 16, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("clock " + path + ": " + err.Error())
	}
	return (*[2]int64)(unsafe.Pointer(&memory[0]))
}

func wallShift() int64 { return atomic.LoadInt64(&shifts[0]) }

func TortureSlept() Duration { return Duration(atomic.LoadInt64(&shifts[1])) * Second }
`

// clockVariable names the file of the clock of an instrumented daemon.
const clockVariable = "SCHEDCTL_TORTURE_CLOCK"

// overlay writes the changed files and returns the path of the file for go build
// -overlay.
func (h *harness) overlay(ctx context.Context) (string, error) {
	library, err := sources(ctx, "time")
	if err != nil {
		return "", err
	}
	clock, err := sources(ctx, "github.com/schedctl/schedctl/daemon/clock")
	if err != nil {
		return "", err
	}
	now, err := replaceOnce(filepath.Join(library, "time.go"), nowOriginal, nowReplacement)
	if err != nil {
		return "", err
	}
	boots := filepath.Join(clock, "machine_"+runtime.GOOS+".go")
	boot, err := replaceOnce(boots, bootOriginal, bootReplacement)
	if err != nil {
		return "", err
	}
	dir, err := h.newDir()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for path, text := range map[string]string{
		filepath.Join(library, "time.go"): now, filepath.Join(library, "torture_shift.go"): shiftSource, boots: boot,
	} {
		replace[path] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
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

// sources returns the directory of a package.
func sources(ctx context.Context, pkg string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", pkg, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// replaceOnce returns a source file in which one text, which must occur once, is
// replaced.
func replaceOnce(path, is, becomes string) (string, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), is); n != 1 {
		return "", fmt.Errorf("%s contains %q %d times, want once; adapt it to how this Go version reads the time", path, is, n)
	}
	return strings.Replace(string(source), is, becomes, 1), nil
}
