package main

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

// source is where the text of a post comes from.
type source struct {
	argument *string // TEXT, or nil
	file     string  // -F
}

// textOf returns the source that a command line names.
func textOf(args []string, file string) (source, error) {
	s := source{file: file}
	if len(args) > 0 {
		s.argument = &args[0]
	}
	if s.argument != nil && s.file != "" {
		return s, usage("the text is given twice: as an argument and with -F")
	}
	return s, nil
}

// given reports whether the command line names a text.
func (s source) given() bool { return s.argument != nil || s.file != "" }

// stdin reports whether the text is to be read from standard input.
func (s source) stdin() bool {
	return s.file == "-" || s.argument != nil && *s.argument == "-" || !s.given()
}

// maxText is more than the daemon accepts in a request.
const maxText = 1 << 20

// readText returns the text of a post. Of a file and of standard input, a byte
// order mark and one line break at the end do not count.
func (a *app) readText(ctx context.Context, s source) (string, error) {
	var text, name string
	switch {
	case !s.stdin() && s.argument != nil:
		text, name = *s.argument, "the text"
	case !s.stdin():
		data, err := readFile(s.file)
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		text, name = trimFile(data), s.file
	default:
		if err := a.mayType(); err != nil {
			return "", err
		}
		if a.inTerminal && a.errTerminal {
			a.tell("reading the text; end it with Ctrl-D on a line of its own")
		}
		data, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.in, maxText+1)) })
		if err != nil {
			return "", fmt.Errorf("read the text from standard input: %w", err)
		}
		text, name = trimFile(data), "standard input"
	}
	return text, checkText(text, name)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxText+1))
}

func trimFile(data []byte) string {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if trimmed, found := strings.CutSuffix(text, "\r\n"); found {
		return trimmed
	}
	return strings.TrimSuffix(text, "\n")
}

// checkText refuses what no network could take.
func checkText(text, name string) error {
	switch {
	case len(text) > maxText:
		return invalid(schedctl.ContentTooLong, "%s is longer than 1 MiB: a post has at most %d characters", name, schedctl.MaxContent)
	case !utf8.ValidString(text):
		return invalid(schedctl.ValidationFailed, "%s is not UTF-8 text: convert it first, for example with iconv", name)
	case strings.TrimSpace(text) == "":
		return invalid(schedctl.ValidationFailed, "%s is empty: a post needs a text", name)
	}
	return nil
}

// gone reports whether the text is lost once it was read: standard input, a
// pipe with a name, the output of a command as in -F <(command).
func (s source) gone() bool {
	if s.stdin() {
		return true
	}
	if s.argument != nil {
		return false // the shell remembers it
	}
	info, err := os.Stat(s.file)
	return err == nil && !info.Mode().IsRegular()
}

// keepDraft saves a text that could not be sent and exists nowhere else, so that it is
// not lost. The command, with %s for the file, sends it.
func (a *app) keepDraft(s source, text, command string) {
	if !s.gone() {
		return
	}
	if path, err := a.newDraft(text); err == nil {
		a.tell("the text is kept in %s; send it with: "+command, path, path)
		return
	}
	a.tell("the text cannot be kept in a file; this is it:\n%s", printable(text))
}

// connectWith connects for a command with a text. Without a daemon it saves the text
// of a pipe, which could not be refused earlier.
func (a *app) connectWith(ctx context.Context, s source, command string) (*client.Client, error) {
	c, err := a.connect()
	if err == nil || !s.gone() || a.inTerminal {
		return c, err
	}
	if text, unread := a.readText(ctx, s); unread == nil {
		a.keepDraft(s, text, command)
	}
	return nil, err
}

// newDraft saves a text in a file of its own.
func (a *app) newDraft(text string) (path string, err error) {
	for _, dir := range []string{filepath.Join(a.dataDir(), "drafts"), os.TempDir()} {
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
