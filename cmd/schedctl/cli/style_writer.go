package cli

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// PrintableWriter makes text from outside safe for a terminal: see [Printable]. It
// accepts Windows line endings.
type PrintableWriter struct {
	W    io.Writer
	rest []byte // an incomplete character or line ending
}

// Write writes p except an incomplete character at its end, which it keeps for the
// next call.
func (p *PrintableWriter) Write(b []byte) (int, error) {
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
	_, err := io.WriteString(p.W, Printable(string(bytes.ReplaceAll(text[:end], []byte("\r\n"), []byte("\n")))))
	return len(b), err
}
