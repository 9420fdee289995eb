package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// runOnTerminal is the command "terminal" of scripts, which runs a program with
// a terminal as its standard input, output and error:
//
//	terminal STATUS FILE command...
//
// The lines of FILE are "expect TEXT", to wait until the screen has shown the
// text after what was expected before, "shown TEXT", to wait until it has shown it
// at any time, "send TEXT", to type it, "hangup", as when the window is closed, and
// "meanwhile COMMAND", to run a shell command elsewhere and wait for it;
// in a text, the escapes of Go strings and the script's variables mean what they
// usually do. The file "screen" then has the output of the terminal. The terminal
// does not respond to queries about itself, as some real terminals.
func runOnTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal STATUS FILE command [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	screen, program, err := openTerminal()
	ts.Check(err)
	defer screen.Close()
	ctx, cancel := context.WithTimeout(context.Background(), testsize.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, scriptProgram(ts, args[2]), args[3:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	program.Close()
	ts.Check(err)
	seen := watch(screen)
	failure := converse(ts, seen, screen, cmd.Process, ts.ReadFile(args[1]))
	if failure != "" {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its children, which have the terminal, too
	}
	err = cmd.Wait()
	seen.wait()
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(seen.text()), 0o600))
	if failure != "" {
		ts.Fatalf("%s; the screen shows\n%s", failure, seen.text())
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, want %d (%v); the screen shows\n%s", got, want, err, seen.text())
	}
}

// openTerminal returns both ends of a new pseudo-terminal.
func openTerminal() (screen, program *os.File, err error) {
	screen, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		screen.Close()
	}
	return screen, program, err
}

// screenText is what a terminal has shown so far.
type screenText struct {
	mu   sync.Mutex // mu guards all and more
	all  bytes.Buffer
	more chan struct{} // closed when there is more to see
	done chan struct{} // closed when there will be no more
}

func watch(screen *os.File) *screenText {
	s := &screenText{more: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		chunk := make([]byte, 4096)
		for {
			n, err := screen.Read(chunk)
			s.mu.Lock()
			s.all.Write(chunk[:n])
			close(s.more)
			s.more = make(chan struct{})
			s.mu.Unlock()
			if err != nil { // the program has ended
				return
			}
		}
	}()
	return s
}

func (s *screenText) wait() { <-s.done }

func (s *screenText) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// find waits for a text at or after an offset and returns where it ends.
func (s *screenText) find(text string, from int) (end int, found bool) {
	deadline := time.After(testsize.Patience)
	for ended := false; ; {
		s.mu.Lock()
		more, all := s.more, s.all.String()
		s.mu.Unlock()
		if i := strings.Index(all[from:], text); i >= 0 {
			return from + i + len(text), true
		}
		if ended {
			return 0, false
		}
		select {
		case <-more:
		case <-s.done:
			ended = true
		case <-deadline:
			return 0, false
		}
	}
}

// converse goes through the lines of a conversation and returns what did not
// come, or nothing.
func converse(ts *testscript.TestScript, seen *screenText, keyboard *os.File, program *os.Process, conversation string) string {
	from := 0
	for _, line := range strings.Split(strings.TrimSpace(conversation), "\n") {
		verb, quoted, _ := strings.Cut(line, " ")
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(quoted, `"`, `\"`) + `"`)
		if err != nil {
			return fmt.Sprintf("%q: %v", line, err)
		}
		text = os.Expand(text, ts.Getenv)
		switch verb {
		case "send":
			if _, err := keyboard.WriteString(text); err != nil {
				return fmt.Sprintf("%q: %v", line, err)
			}
		case "meanwhile":
			cmd := exec.Command("sh", "-c", text)
			cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Sprintf("%q: %v\n%s", line, err, out)
			}
		case "hangup":
			if err := program.Signal(syscall.SIGHUP); err != nil {
				return fmt.Sprintf("%q: %v", line, err)
			}
		case "expect":
			end, found := seen.find(text, from)
			if !found {
				return fmt.Sprintf("%q did not appear", text)
			}
			from = end
		case "shown":
			if _, found := seen.find(text, 0); !found {
				return fmt.Sprintf("%q was not shown", text)
			}
		default:
			return fmt.Sprintf("%q is neither expect, shown, send, hangup nor meanwhile", line)
		}
	}
	return ""
}
