package bulk

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
)

// csvRows reads CSV by RFC 4180, with LF as well as CRLF at the ends of lines.
// Package encoding/csv is not used because it turns CRLF inside of a quoted
// field into LF: the text of a post must come back as it was.
type csvRows struct {
	in      *bufio.Reader
	comma   byte
	line    int      // of the next byte
	columns []string // of the file, in its order
}

// newCSVRows reads the header.
func newCSVRows(in *bufio.Reader) (*csvRows, error) {
	c := &csvRows{in: in, comma: separator(in), line: 1}
	names, line, err := c.record()
	if err == nil && len(names) == 1 && strings.HasPrefix(names[0], "sep=") || isSeparatorLine(names) {
		names, line, err = c.record()
	}
	switch {
	case errors.Is(err, io.EOF):
		return c, fatalError(1, "the file is empty: its first line names the columns, such as %s", strings.Join(columns, ","))
	case err != nil:
		if at, ok := errors.AsType[*Error](err); ok {
			at.Final = true
		}
		return c, err
	}
	c.columns, err = readHeader(names, line)
	return c, err
}

// separator returns the field separator: the character in a "sep=" line of
// spreadsheets, or the most frequent candidate in the first line.
func separator(in *bufio.Reader) byte {
	start, _ := in.Peek(1 << 10) // an error is met again when reading
	head, _, _ := strings.Cut(string(start), "\n")
	head = strings.TrimSuffix(head, "\r")
	if sep, found := strings.CutPrefix(head, "sep="); found && len(sep) == 1 {
		return sep[0]
	}
	best := byte(',')
	for _, candidate := range []byte{';', '\t'} {
		if strings.Count(head, string(candidate)) > strings.Count(head, string(best)) {
			best = candidate
		}
	}
	return best
}

// isSeparatorLine reports whether a record is the line "sep=" with the separator
// itself, which splits it.
func isSeparatorLine(fields []string) bool {
	return len(fields) == 2 && fields[0] == "sep=" && fields[1] == ""
}

// readHeader returns the columns that the first line names.
func readHeader(names []string, line int) ([]string, error) {
	var unknown []string
	header := make([]string, len(names))
	for i, name := range names {
		if header[i] = columnOf(strings.ToLower(strings.TrimSpace(name))); header[i] == "" {
			unknown = append(unknown, quoted(name))
		}
	}
	if unknown != nil {
		return nil, fatalError(line, "unknown column %s; the first line names the columns, which are %s",
			strings.Join(unknown, ", "), strings.Join(columns, ", "))
	}
	for i, column := range header {
		if before := slices.Index(header[:i], column); before >= 0 {
			return nil, fatalError(line, "the columns %s and %s are both %q; keep one", quoted(names[before]), quoted(names[i]), column)
		}
	}
	if !slices.Contains(header, "content") && !slices.Contains(header, "media") {
		return nil, fatalError(line, "the column \"content\" is missing; the first line names the columns, of %s", strings.Join(columns, ", "))
	}
	return header, nil
}

func (c *csvRows) next() (Row, error) {
	for {
		fields, line, err := c.record()
		if err != nil {
			return Row{}, err
		}
		if !slices.ContainsFunc(fields, func(f string) bool { return f != "" }) {
			continue // spreadsheets end files with such lines
		}
		if len(fields) != len(c.columns) {
			return Row{Line: line}, lineError(line, "the line has %d fields, and the first line names %d columns; quote a text that contains %q, and separate accounts with \";\"",
				len(fields), len(c.columns), c.comma)
		}
		row := Row{Line: line}
		for i, name := range c.columns {
			if err := row.set(name, fields[i]); err != nil {
				return Row{Line: line}, lineError(line, "%v", err)
			}
		}
		return row, checkText(row)
	}
}

// set fills a column. Spaces around all but a text have no meaning.
func (r *Row) set(column, value string) (err error) {
	trimmed := strings.TrimSpace(value)
	switch column {
	case "id":
		r.ID = trimmed
	case "content":
		r.Content = value
	case "to":
		for _, account := range strings.Split(value, ";") {
			if account = strings.TrimSpace(account); account != "" {
				r.To = append(r.To, account)
			}
		}
	case "at":
		r.At = trimmed
	case "tz":
		r.TZ = trimmed
	case "media":
		for _, file := range splitList(value) {
			if file = strings.TrimSpace(file); file != "" {
				r.Media = append(r.Media, file)
			}
		}
	case "alt":
		if trimmed != "" {
			r.Alt = splitList(value)
		}
	default:
		return r.setExtra(column, value, trimmed)
	}
	return nil
}

// setExtra fills a column of parts, polls and presentation.
func (r *Row) setExtra(column, value, trimmed string) (err error) {
	switch column {
	case "thread":
		r.Thread = splitParts(value)
	case "first_comment":
		if trimmed != "" {
			r.FirstComment = &Part{Content: value}
		}
	case "poll":
		for _, option := range splitList(value) {
			if option = strings.TrimSpace(option); option != "" {
				r.Poll = append(r.Poll, option)
			}
		}
	case "poll_for":
		r.PollFor = trimmed
	case "poll_multiple":
		r.PollMultiple, err = readBool(column, trimmed)
	case "poll_hide_totals":
		r.PollHideTotals, err = readBool(column, trimmed)
	case "content_warning":
		r.ContentWarning = trimmed
	case "visibility":
		r.Visibility = trimmed
	case "language":
		r.Language = trimmed
	case "link_preview":
		r.LinkPreview.Mode = trimmed
	case "title":
		r.Title = trimmed
	case "post_style":
		r.PostStyle = trimmed
	case "labels":
		for _, label := range splitList(value) {
			if label = strings.TrimSpace(label); label != "" {
				r.Labels = append(r.Labels, label)
			}
		}
	case "queue":
		r.Queue = trimmed
	case "not_before":
		r.NotBefore = trimmed
	}
	return err
}

// record returns the fields of the next line that is not empty, and its number.
func (c *csvRows) record() (fields []string, line int, err error) {
	for {
		start, err := c.in.Peek(2)
		switch {
		case len(start) == 0:
			return nil, c.line, err
		case start[0] == '\n':
			c.line++
			c.in.Discard(1)
		case string(start) == "\r\n" || start[0] == '\r' && len(start) == 1:
			c.in.Discard(1)
		default:
			line = c.line
			fields, err = c.fields(line)
			return fields, line, err
		}
	}
}

// fields reads a line that is not empty.
func (c *csvRows) fields(line int) ([]string, error) {
	var fields []string
	size := 0
	for {
		field, end, err := c.field(line)
		if err != nil {
			return nil, err
		}
		if size += len(field); size > maxRow {
			return nil, tooLong(line)
		}
		fields = append(fields, field)
		if end != c.comma {
			return fields, nil
		}
	}
}

func tooLong(line int) *Error {
	return fatalError(line, "the line is longer than 1 MiB; is a quote missing?")
}

// endOfLine is what field returns as the end of a line.
const endOfLine = '\n'

// field reads a field with what ends it: the separator or the end of the line.
func (c *csvRows) field(line int) (field string, end byte, err error) {
	first, err := c.in.ReadByte()
	if err == nil && first == '"' {
		return c.quoted(line)
	}
	if err == nil {
		c.in.UnreadByte()
	}
	var b strings.Builder
	for b.Len() <= maxRow {
		next, err := c.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return strings.TrimSuffix(b.String(), "\r"), endOfLine, nil
		case err != nil:
			return "", 0, err
		case next == c.comma:
			return b.String(), next, nil
		case next == '\n':
			c.line++
			return strings.TrimSuffix(b.String(), "\r"), endOfLine, nil
		case next == '"':
			return "", 0, c.skip(lineError(line, `there is a quote inside of a field that is not quoted; put the field in quotes, and write " as ""`))
		}
		b.WriteByte(next)
	}
	return "", 0, tooLong(line)
}

// quoted reads a field after its first quote.
func (c *csvRows) quoted(line int) (field string, end byte, err error) {
	var b strings.Builder
	for b.Len() <= maxRow {
		next, err := c.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return "", 0, fatalError(line, "a quote is opened in this line and never closed")
		case err != nil:
			return "", 0, err
		case next != '"':
			if next == '\n' {
				c.line++
			}
			b.WriteByte(next)
			continue
		}
		end, again, err := c.afterQuote(line)
		if err != nil || !again {
			return b.String(), end, err
		}
		b.WriteByte('"')
	}
	return "", 0, tooLong(line)
}

// afterQuote reads what follows a quote in a quoted field: another one, which
// stands for a quote, or the end of the field.
func (c *csvRows) afterQuote(line int) (end byte, again bool, err error) {
	next, err := c.in.ReadByte()
	if err == nil && next == '\r' {
		if after, err := c.in.Peek(1); err != nil || after[0] == '\n' {
			next, _ = c.in.ReadByte() // nothing follows at the end of the file
			if err != nil {
				return endOfLine, false, nil
			}
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return endOfLine, false, nil
	case err != nil:
		return 0, false, err
	case next == '"':
		return 0, true, nil
	case next == c.comma:
		return next, false, nil
	case next == '\n':
		c.line++
		return endOfLine, false, nil
	}
	return 0, false, c.skip(lineError(line, `there is text after the closing quote of a field; inside of quotes write " as ""`))
}

// skip goes to the end of a line that cannot be read, and returns why.
func (c *csvRows) skip(why *Error) error {
	for {
		b, err := c.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return why
		case err != nil:
			return err
		case b == '\n':
			c.line++
			return why
		}
	}
}

// quoted returns a name from a file for a message.
func quoted(name string) string {
	const most = 40
	if runes := []rune(strings.ToValidUTF8(name, "\ufffd")); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	return `"` + strings.ToValidUTF8(name, "\ufffd") + `"`
}
