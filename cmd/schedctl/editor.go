package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// addEditor defines --editor.
func addEditor(cmd *cobra.Command, editor *bool) {
	cmd.Flags().BoolVar(editor, "editor", false, "write the text in an editor: $VISUAL, $EDITOR or vi")
}

// mayEdit refuses --editor without a terminal, and without a text to start with.
func (a *app) mayEdit(s source) error {
	switch {
	case !a.inTerminal || !a.outTerminal && !a.errTerminal:
		f := usage("--editor needs a terminal")
		f.hint = "give the text as an argument, with -F FILE or through a pipe"
		return f
	case a.noInput:
		return usage("--editor and --no-input exclude each other: give one")
	case s.given() && s.stdin():
		return usage("--editor and standard input exclude each other: give one")
	}
	return nil
}

// editorCommand returns the editor of the person at the terminal.
func (a *app) editorCommand() string {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	return first(strings.TrimSpace(a.getenv("VISUAL")), strings.TrimSpace(a.getenv("EDITOR")), usual)
}

// manuscript is the text of a post on its way to the daemon.
type manuscript struct {
	text   string
	source source
	path   string // the file that keeps it when it comes from an editor
}

// discard takes the file away: the text has arrived.
func (m manuscript) discard() {
	if m.path != "" {
		os.Remove(m.path)
	}
}

// keep saves a text that could not be sent and prints the name of the file. The
// command, with %s for the file, sends it.
func (a *app) keep(m manuscript, command string) {
	if m.path == "" {
		a.keepDraft(m.source, m.text, command)
		return
	}
	a.tell("the text is kept in %s; send it with: "+command, m.path, m.path)
}

// compose lets a person edit the given text in an editor, with a note below it that is
// removed. The caller continues with the returned context instead of ctx.
func (a *app) compose(ctx context.Context, begin string, note []string) (manuscript, context.Context, error) {
	path, err := a.newDraft(begin + "\n\n" + strings.Join(note, "\n"))
	if err != nil {
		return manuscript{}, ctx, fmt.Errorf("make a file for the editor: %w", err)
	}
	m := manuscript{path: path}
	editor := a.editorCommand()
	after, err := a.edit(ctx, editor, path)
	data, unread := readFile(path)
	m.text = withoutNote(string(data), note)
	if unread != nil {
		return m, after, fmt.Errorf("read what the editor has written: %w", unread)
	}
	if m.text == "" || err != nil && m.text == withoutNote(begin, note) {
		m.discard()
	}
	switch {
	case err != nil && after.Err() != nil:
		err = context.Cause(after)
	case err != nil:
		err = fmt.Errorf("editor %s: %w; no text was sent", clip(oneLine(editor), 40), err)
	case m.text == "":
		return m, after, &failure{status: exitInterrupted, code: codeInterrupted, message: "the text is empty, so it was not sent"}
	default:
		err = checkText(m.text, "the text")
	}
	if err == nil {
		err = rewriteDraft(path, m.text)
	}
	if _, gone := os.Stat(path); err != nil && gone == nil {
		a.tell("what was written is kept in %s", path)
	}
	return m, after, err
}

// rewriteDraft leaves nothing but the text in the file. On its way there is
// always one file with all of it.
func rewriteDraft(path, text string) error {
	clean, err := saveDraft(filepath.Dir(path), text)
	if err == nil {
		err = os.Rename(clean, path)
	}
	if err != nil {
		return fmt.Errorf("keep the text until it is sent: %w", err)
	}
	return nil
}

// editorPatience is how long an editor may take to exit after a signal.
const editorPatience = 5 * time.Second

// editorProcess returns the process of an editor with a file. A command line with
// shell syntax runs in a shell, which has to survive an interrupt.
func editorProcess(ctx context.Context, editor, path string) *exec.Cmd {
	if runtime.GOOS == "windows" || !strings.ContainsAny(editor, "|&;<>()$`\\\"'*?[#~=%") {
		words := strings.Fields(editor)
		return exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	}
	return exec.CommandContext(ctx, "sh", "-c", "trap : INT; "+editor+` "$@"`, editor, path)
}

// edit runs an editor on a file until it exits. Until then an interrupt goes to the
// editor, which has the terminal. The next interrupt ends the returned context.
func edit(ctx context.Context, editor, path string) (context.Context, error) {
	cmd := editorProcess(ctx, editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		cmd.Stdout = os.Stderr // as in id=$(schedctl post create --editor -q)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = editorPatience
	interrupts := make(chan os.Signal, 1)
	signal.Reset(os.Interrupt) // ctx must outlive it
	signal.Notify(interrupts, os.Interrupt)
	err := cmd.Run()
	after := untilSignal(ctx, os.Interrupt)
	signal.Stop(interrupts)
	var ended *exec.ExitError
	if errors.Is(err, exec.ErrNotFound) || errors.As(err, &ended) && ended.ExitCode() == notFound {
		err = errors.New("there is no such program; set VISUAL or EDITOR")
	}
	return after, err
}

// scissors is the line that ends the text in an editor. Above it, lines that start
// with # are no comments, because posts may start with hashtags.
const scissors = "# ------------------------ >8 ------------------------"

// withoutNote returns the text above the scissors. Should that line be gone, the
// other lines of the note are found one by one. Empty lines at both ends do not
// count.
func withoutNote(text string, note []string) string {
	var above, others strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		bare := strings.TrimRight(line, " \t\r\n")
		if bare == scissors {
			others = above
			break
		}
		above.WriteString(line)
		if !slices.Contains(note, bare) {
			others.WriteString(line)
		}
	}
	text = strings.TrimRight(others.String(), " \t\r\n")
	for { // not the spaces at the start of the first line
		line, rest, found := strings.Cut(text, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}
