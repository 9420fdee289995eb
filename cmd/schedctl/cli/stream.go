package cli

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/schedctl/schedctl/cmd/schedctl/cli/picture"
	"github.com/schedctl/schedctl/tui/printable"
)

// Out returns standard output for results of any size. On a terminal, everything that is
// written to it is made printable; elsewhere the bytes stay as they are. It is for one
// command and one goroutine.
//
// Texts and tables are for [App.Write] and [App.Linef], and documents for [App.PrintJSON].
// They make text printable, so commands do not have to. Only this package and programs
// that draw their own screen use the streams of [System].
func (a *App) Out() io.Writer { return stream(a.System.Out, a.OutTerminal) }

// Err returns standard error, as [App.Out] returns standard output.
func (a *App) Err() io.Writer { return stream(a.System.Err, a.ErrTerminal) }

func stream(w io.Writer, terminal bool) io.Writer {
	if !terminal {
		return w
	}
	return &printableWriter{w: w}
}

// Write writes a text or a table to standard output, with the styles of [App.Paint] and
// otherwise printable. If it cannot be written completely, for example to a full disk, it
// returns an error.
func (a *App) Write(result []byte) error {
	return a.writeExactly([]byte(printable.Finish(string(result))))
}

// Linef writes a sentence to standard output. Each argument becomes printable text in
// one line, and keeps the styles of [App.Paint].
func (a *App) Linef(format string, args ...any) error {
	return a.Write([]byte(fmt.Sprintf(format, inLines(args)...) + "\n"))
}

// ShowPicture writes a picture to standard output, which must be a terminal.
func (a *App) ShowPicture(shown picture.Sequences) error {
	return a.writeExactly([]byte(shown + "\n"))
}

// writeExactly writes bytes that are printable or do not go to a terminal.
func (a *App) writeExactly(result []byte) error {
	if _, err := a.System.Out.Write(result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// Messagef writes a sentence to standard error, as [App.Linef] does to standard output.
func (a *App) Messagef(format string, args ...any) {
	a.Message(fmt.Sprintf(format, inLines(args)...))
}

// Message writes a text of one or more lines to standard error, printable and with the
// styles of [App.Paint].
func (a *App) Message(text string) { a.Prompt(text + "\n") }

// Prompt is [App.Message] without a line break at the end.
func (a *App) Prompt(text string) { io.WriteString(a.System.Err, printable.Finish(text)) }

// DrawLine replaces the line of the terminal at standard error with a text.
func (a *App) DrawLine(text string) {
	io.WriteString(a.System.Err, "\r\x1b[K"+printable.Finish(inLine(text)))
}

// inLines returns arguments of a format with texts and errors in one printable line each.
func inLines(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = arg
		switch v := arg.(type) {
		case string:
			out[i] = inLine(v)
		case error, fmt.Stringer:
			out[i] = inLine(fmt.Sprint(v))
		default:
			if reflect.ValueOf(arg).Kind() == reflect.String {
				out[i] = inLine(fmt.Sprint(v))
			}
		}
	}
	return out
}

// printableWriter makes a stream of text printable, except for the styles of [App.Paint]
// that are in one piece. It accepts Windows line endings.
type printableWriter struct {
	w    io.Writer
	rest []byte // an incomplete character or line ending
}

// Write writes p except an incomplete character at its end, which it keeps for the
// next call.
func (p *printableWriter) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	end := len(text)
	for start := max(0, end-utf8.UTFMax+1); start < len(text); start++ {
		if utf8.RuneStart(text[start]) && !utf8.FullRune(text[start:]) {
			end = start
			break
		}
	}
	if end > 0 && text[end-1] == '\r' {
		end--
	}
	p.rest = bytes.Clone(text[end:])
	_, err := io.WriteString(p.w, printable.Finish(string(bytes.ReplaceAll(text[:end], []byte("\r\n"), []byte("\n")))))
	return len(b), err
}
