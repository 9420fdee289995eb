package cli

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

	"github.com/schedctl/schedctl"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// AddEditor defines --editor.
func AddEditor(cmd *cobra.Command, editor *bool) {
	cmd.Flags().BoolVar(editor, "editor", false, "write the text in an editor: $VISUAL, $EDITOR or vi")
}

// MayEdit returns an error for --editor without a terminal, or together with standard
// input.
func (a *App) MayEdit(s TextSource) error {
	switch {
	case a.AgentMode() != "":
		return a.ForPeople("--editor", "give the text as an argument, with -F FILE or through a pipe")
	case !a.InTerminal || !a.OutTerminal && !a.ErrTerminal:
		return UsageError("--editor needs a terminal").WithHint("give the text as an argument, with -F FILE or through a pipe")
	case s.Given() && s.Stdin():
		return UsageError("--editor and standard input exclude each other: give one")
	}
	return nil
}

// EditorCommand returns the editor of the person at the terminal.
func (a *App) EditorCommand() string {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	return FirstNonEmpty(strings.TrimSpace(a.Getenv("VISUAL")), strings.TrimSpace(a.Getenv("EDITOR")), usual)
}

// EditedText is the text of a post that is not sent yet.
type EditedText struct {
	Text   string
	Source TextSource
	path   string // the draft file of a text from an editor
}

// Discard removes the draft file, after the text was sent.
func (m EditedText) Discard() {
	if m.path != "" {
		os.Remove(m.path)
	}
}

// KeepEdited saves a text that could not be sent and prints the name of the file. The
// command, with %s for the file, sends it.
func (a *App) KeepEdited(m EditedText, command string) {
	if m.path == "" {
		a.keepDraft(m.Source, m.Text, command)
		return
	}
	a.Messagef("the text is kept in %s; send it with: %s", m.path, strings.ReplaceAll(command, "%s", m.path))
}

// EditText lets a person edit the given text in an editor, with a note below it that is
// removed. The caller continues with the returned context instead of ctx.
func (a *App) EditText(ctx context.Context, begin string, note []string) (EditedText, context.Context, error) {
	path, err := a.NewDraft(begin + "\n\n" + strings.Join(note, "\n"))
	if err != nil {
		return EditedText{}, ctx, fmt.Errorf("make a file for the editor: %w", err)
	}
	m := EditedText{path: path}
	editor := a.EditorCommand()
	after, err := a.Edit(ctx, editor, path)
	data, unread := ReadFile(path)
	m.Text = withoutNote(string(data), note)
	if unread != nil {
		return m, after, fmt.Errorf("read the text from the editor: %w", unread)
	}
	if m.Text == "" || err != nil && m.Text == withoutNote(begin, note) {
		m.Discard()
	}
	switch {
	case err != nil && after.Err() != nil:
		err = context.Cause(after)
	case err != nil:
		err = fmt.Errorf("editor %s: %w; no text was sent", Clip(OneLine(editor), 40), err)
	case m.Text == "":
		return m, after, &Failure{Status: ExitInterrupted, Code: CodeInterrupted, Message: "the text is empty, so it was not sent"}
	default:
		err = CheckText(m.Text, "the text")
	}
	if err == nil {
		err = rewriteDraft(path, m.Text)
	}
	if _, gone := os.Stat(path); err != nil && gone == nil {
		a.Messagef("the text is kept in %s", path)
	}
	return m, after, err
}

// rewriteDraft replaces the file by the text alone, atomically.
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

// editorPatience is the time for an editor to exit after a signal.
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

// runEditor runs an editor on a file until it exits. Until then an interrupt goes to the
// editor, which has the terminal. The next interrupt ends the returned context.
func runEditor(ctx context.Context, editor, path string) (context.Context, error) {
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
	after := CancelOnSignal(ctx, os.Interrupt)
	signal.Stop(interrupts)
	var ended *exec.ExitError
	if errors.Is(err, exec.ErrNotFound) || errors.As(err, &ended) && ended.ExitCode() == notFound {
		err = errors.New("the program does not exist; set VISUAL or EDITOR")
	}
	return after, err
}

// Scissors is the line that ends the text in an editor. Above it, lines that start
// with # are no comments, because posts may start with hashtags.
const Scissors = "# ------------------------ >8 ------------------------"

// withoutNote returns the text above the scissors. Should that line be gone, the
// other lines of the note are found one by one. Empty lines at both ends do not
// count.
func withoutNote(text string, note []string) string {
	var above, others strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		bare := strings.TrimRight(line, " \t\r\n")
		if bare == Scissors {
			others = above
			break
		}
		above.WriteString(line)
		if !slices.Contains(note, bare) {
			others.WriteString(line)
		}
	}
	return schedctl.TidyText(others.String())
}
