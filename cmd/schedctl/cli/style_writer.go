package cli

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// PrintableWriter writes texts that are shown on a terminal and come from
// elsewhere: see [Printable]. Lines may end as in files of Windows.
type PrintableWriter struct {
	W    io.Writer
	rest []byte // the beginning of a character, or of the end of a line
}

// Write writes all but what the next Write may complete.
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
