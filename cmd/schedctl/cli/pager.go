package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/printable"
)

// usualPager is less with flags that print short results directly, show colors and
// keep the output on the screen.
const usualPager = "less -FRX"

// WriteList writes a result that may be long. On a terminal, a result that does not
// fit on the screen is shown with a pager.
func (a *App) WriteList(result []byte) error {
	return a.page([]byte(printable.Finish(string(result))))
}

// page is [App.WriteList] for a result that is printable or does not go to a terminal.
func (a *App) page(result []byte) error {
	pager := a.pager()
	if !a.OutTerminal || !a.InTerminal || a.Height < 1 || a.screenLines(result) < a.Height || pager == "" {
		return a.writeExactly(result)
	}
	if err := a.Page(pager, result); err != nil {
		return a.writeExactly(result) // the pager is not installed
	}
	return nil
}

// pager returns the command of the pager, or an empty string.
func (a *App) pager() string {
	command := strings.TrimSpace(FirstNonEmpty(a.Getenv("SCHEDCTL_PAGER"), a.Getenv("PAGER"), usualPager))
	if command == "cat" || a.NoInput || a.Getenv("TERM") == "dumb" {
		return ""
	}
	return command
}

// screenLines returns how many lines of the screen a result takes.
func (a *App) screenLines(result []byte) (lines int) {
	for line := range bytes.Lines(result) {
		columns := ansi.StringWidth(strings.TrimRight(string(line), "\n"))
		lines += max(1, (columns+a.Width-1)/a.Width)
	}
	return lines
}

// notFound is what a shell returns for a command that does not exist.
const notFound = 127

// runPager runs a pager until it ends. Interrupts are for the pager, which owns the
// terminal.
func runPager(pager string, text []byte) error {
	words := strings.Fields(pager)
	cmd := exec.Command("sh", "-c", pager)
	if runtime.GOOS == "windows" {
		cmd = exec.Command(words[0], words[1:]...)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "LESS="+FirstNonEmpty(os.Getenv("LESS"), "FRX"))
	if _, err := exec.LookPath(words[0]); err != nil && !strings.ContainsAny(pager, "$=;|&'\"") {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() != notFound {
		return nil // the exit status of a pager does not matter
	}
	return err
}
