package main

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// printableWriter writes texts that are shown on a terminal and come from
// elsewhere: see [printable]. Lines may end as in files of Windows.
type printableWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character, or of the end of a line
}

// Write writes all but what the next Write may complete.
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
	_, err := io.WriteString(p.w, printable(string(bytes.ReplaceAll(text[:end], []byte("\r\n"), []byte("\n")))))
	return len(b), err
}
