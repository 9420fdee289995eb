package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// TextSource names the source of the text of a post.
type TextSource struct {
	argument *string // TEXT, or nil
	File     string  // -F
}

// NewTextSource returns the source that the command line gives.
func NewTextSource(args []string, file string) (TextSource, error) {
	s := TextSource{File: file}
	if len(args) > 0 {
		s.argument = &args[0]
	}
	if s.argument != nil && s.File != "" {
		return s, UsageError("the text is given twice: as an argument and with -F")
	}
	return s, nil
}

// Given reports whether the command line names a text.
func (s TextSource) Given() bool { return s.argument != nil || s.File != "" }

// Stdin reports whether the text is to be read from standard input.
func (s TextSource) Stdin() bool {
	return s.File == "-" || s.argument != nil && *s.argument == "-" || !s.Given()
}

// maxText is the maximum length of a text, in bytes. It is more than the daemon
// accepts.
const maxText = 1 << 20

// ReadText returns the text of a post, see [schedctl.TidyText].
func (a *App) ReadText(ctx context.Context, s TextSource) (string, error) {
	var text, name string
	switch {
	case !s.Stdin() && s.argument != nil:
		text, name = *s.argument, "the text"
	case !s.Stdin():
		data, err := ReadFile(s.File)
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		text, name = TextOf(data), s.File
	default:
		if err := a.MayType(); err != nil {
			return "", err
		}
		if a.InTerminal && a.ErrTerminal {
			a.Messagef("reading the text; end it with Ctrl-D on a line of its own")
		}
		data, err := ReadInterruptibly(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.In, maxText+1)) })
		if err != nil {
			return "", fmt.Errorf("read the text from standard input: %w", err)
		}
		text, name = TextOf(data), "standard input"
	}
	text = schedctl.TidyText(text)
	return text, CheckText(text, name)
}

func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxText+1))
}

// TextOf returns the text of a post that a file contains, without a byte order mark.
func TextOf(data []byte) string {
	return schedctl.TidyText(strings.TrimPrefix(string(data), "\ufeff"))
}

// CheckText returns an error for a text that no network can accept.
func CheckText(text, name string) error {
	switch {
	case len(text) > maxText:
		return InvalidError(schedctl.ContentTooLong, "%s is longer than 1 MiB: a post has at most %d characters", name, schedctl.MaxContent)
	case !utf8.ValidString(text):
		return InvalidError(schedctl.ValidationFailed, "%s is not UTF-8 text: convert it first, for example with iconv", name)
	case !schedctl.HasVisible(text):
		return InvalidError(schedctl.ValidationFailed, "%s is empty: a post needs a text", name)
	}
	return nil
}

// gone reports whether the source cannot be read again: standard input, a named pipe,
// or the output of a command as in -F <(command).
func (s TextSource) gone() bool {
	if s.Stdin() {
		return true
	}
	if s.argument != nil {
		return false // the shell history has it
	}
	info, err := os.Stat(s.File)
	return err == nil && !info.Mode().IsRegular()
}

// keepDraft saves a text that was not sent and cannot be read again. command is the
// command that sends it, with %s for the file.
func (a *App) keepDraft(s TextSource, text, command string) {
	if !s.gone() || strings.TrimSpace(text) == "" {
		return
	}
	if path, err := a.NewDraft(text); err == nil {
		a.Messagef("the text is kept in %s; send it with: %s", path, strings.ReplaceAll(command, "%s", path))
		return
	}
	a.Message("the text cannot be kept in a file; this is it:\n" + text)
}

// ConnectWith connects for a command that reads a text. If there is no daemon, it
// saves a text from a pipe.
func (a *App) ConnectWith(ctx context.Context, s TextSource, command string) (*client.Client, error) {
	c, err := a.Connect()
	if err == nil || !s.gone() || a.InTerminal {
		return c, err
	}
	if text, unread := a.ReadText(ctx, s); unread == nil {
		a.keepDraft(s, text, command)
	}
	return nil, err
}

// NewDraft saves a text in a new file.
func (a *App) NewDraft(text string) (path string, err error) {
	for _, dir := range []string{filepath.Join(a.DataDir(), "drafts"), os.TempDir()} {
		if path, err = saveDraft(dir, text); err == nil {
			return path, nil
		}
	}
	return "", err
}

func saveDraft(dir, text string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "draft-*.txt") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name()) // a part of the text could be mistaken for all of it
	}
	return f.Name(), err
}
