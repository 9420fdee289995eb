package postfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding"
)

// Reader reads the rows of a file. It is for one goroutine.
type Reader struct {
	in   *bufio.Reader
	rows rows // nil before the first row
	file Format
	err  error // what ended the file
	maps mapping

	encoding encoding.Encoding // nil to find out
}

// Map says that a column is another field than its name says, or with an empty field that
// it is not read. It must be called before the first row is read.
func (r *Reader) Map(column, field string) {
	if r.maps == nil {
		r.maps = mapping{}
	}
	r.maps[wordsOf(column)] = field
}

// rows is a format.
type rows interface {
	// next returns the next row, io.EOF after the last one, or an [*Error].
	next() (Document, error)
}

// byteOrderMark is written by some editors at the start of a text and has no meaning
// in UTF-8.
const byteOrderMark = "\ufeff"

// NewReader returns a reader of rows in a format. An empty format is detected from
// the first character: "{" means JSON Lines.
func NewReader(r io.Reader, f Format) *Reader {
	return &Reader{in: bufio.NewReaderSize(&stickyErrorReader{in: r}, 64<<10), file: f}
}

// stickyErrorReader reads no more after an error. A terminal can be read again after its
// end, and to look ahead would ask for a second end.
type stickyErrorReader struct {
	in  io.Reader
	err error
}

// Read reads until the first error, and gives that again and again.
func (e *stickyErrorReader) Read(p []byte) (n int, err error) {
	if e.err == nil {
		n, e.err = e.in.Read(p)
	}
	return n, e.err
}

// Next returns the next row, io.EOF after the last one, or what is wrong. After
// an [*Error] that is not final the rows that follow can be read; every other
// error is returned again by all later calls.
func (r *Reader) Next() (Document, error) {
	if r.err != nil {
		return Document{}, r.err
	}
	if r.rows == nil {
		if r.err = r.open(); r.err != nil {
			return Document{}, r.err
		}
	}
	row, err := r.rows.next()
	var at *Error
	if err != nil && (!errors.As(err, &at) || at.Final) {
		r.err = err
	}
	return row, err
}

// Format returns the format, which may be empty before the first row.
func (r *Reader) Format() Format { return r.file }

// open looks at the beginning of the file.
func (r *Reader) open() error {
	r.decode()
	if err := withoutMark(r.in); err != nil {
		return err
	}
	if r.file == "" {
		r.file = r.sniff()
	}
	if r.file == JSONL {
		r.rows = &jsonRows{in: r.in, maps: r.maps}
		return nil
	}
	table, err := newCSVRows(r.in, r.maps)
	r.rows = table
	return err
}

// sniff detects the format from the first character other than white space.
func (r *Reader) sniff() Format {
	start, _ := r.in.Peek(r.in.Size()) // an error is met again when reading
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return JSONL
	}
	return CSV
}

// FormatOf returns the format for a file name, or the empty format.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv":
		return CSV
	case ".jsonl", ".ndjson":
		return JSONL
	}
	return ""
}

// Error says what is wrong with a row, and where.
type Error struct {
	Line    int    // from 1
	Message string // what is wrong, and what to do where that helps
	Final   bool   // the rows after it cannot be read either
}

// Error returns the line and the message.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// lineError is an error of one row.
func lineError(line int, format string, args ...any) *Error {
	return &Error{Line: line, Message: fmt.Sprintf(format, args...)}
}

// fatalError is an error that ends a file.
func fatalError(line int, format string, args ...any) *Error {
	e := lineError(line, format, args...)
	e.Final = true
	return e
}

// maxRow is the length in bytes of the longest row.
const maxRow = 1 << 20

// Format is a form of files with rows.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// readRow returns the document of a row.
func readRow(entries []entry, f form, line int) (Document, error) {
	d := &decoder{Document: &Document{First: line}, row: true}
	if d.read(entries, f); d.problems != nil {
		return *d.Document, lineError(line, "%s", d.problems[0].Message)
	}
	return *d.Document, nil
}
