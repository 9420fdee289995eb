package postfile

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl/client/threadtext"
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
func newCSVRows(in *bufio.Reader, renamed mapping) (*csvRows, error) {
	c := &csvRows{in: in, comma: separator(in), line: 1}
	header, line, err := c.record()
	if err == nil && len(header) == 1 && strings.HasPrefix(header[0], "sep=") || isSeparatorLine(header) {
		header, line, err = c.record()
	}
	switch {
	case errors.Is(err, io.EOF):
		return c, fatalError(1, "the file is empty: its first line names the columns, such as %s", strings.Join(names(inCSV), ","))
	case err != nil:
		if at, ok := errors.AsType[*Error](err); ok {
			at.Final = true
		}
		return c, err
	}
	c.columns, err = readHeader(header, renamed, line)
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

// readHeader returns the columns that the first line names, empty for one that is not
// read.
func readHeader(given []string, renamed mapping, line int) ([]string, error) {
	known := strings.Join(names(inCSV|inImport), ", ")
	var unknown []string
	header := make([]string, len(given))
	meant := make([]string, len(given))
	for i, name := range given {
		meant[i] = renamed.rename(strings.TrimSpace(name))
		if meant[i] == "" && strings.TrimSpace(name) != "" {
			continue
		}
		if meant[i] == "" {
			header[i] = unnamed
		} else if account := overrideOf(meant[i]); account != "" {
			header[i] = overridePrefix + account
		} else if k := keyOf(meant[i], inCSV|inImport); k == nil {
			unknown = append(unknown, quotedName(name))
		} else {
			header[i] = k.name
		}
	}
	for _, column := range slices.Sorted(maps.Keys(renamed)) {
		if !slices.ContainsFunc(given, func(name string) bool { return wordsOf(name) == column }) {
			return nil, fatalError(line, "there is no column %s to map; the columns are %s", quotedName(column), clip(strings.Join(given, ", ")))
		}
	}
	if unknown != nil {
		return nil, fatalError(line, "unknown column %s; the first line names the columns, which are %s; --map says what other columns are", strings.Join(unknown, ", "), known)
	}
	if i := timeColumn(meant); i >= 0 {
		header[i] = timeOfDay
	}
	for i, column := range header {
		if before := slices.Index(header[:i], column); before >= 0 && column != "" && column != unnamed {
			return nil, fatalError(line, "the columns %s and %s are both %q; keep one", quotedName(given[before]), quotedName(given[i]), column)
		}
	}
	if !slices.ContainsFunc(header, func(column string) bool { return column == "content" || column == "media" || column == "variants" }) {
		return nil, fatalError(line, "the column \"content\" is missing; the first line names the columns, of %s", known)
	}
	return header, nil
}

func (c *csvRows) next() (Document, error) {
	for {
		fields, line, err := c.record()
		if err != nil {
			return Document{}, err
		}
		if !slices.ContainsFunc(fields, func(f string) bool { return f != "" }) {
			continue // spreadsheets end files with such lines
		}
		if len(fields) != len(c.columns) {
			return Document{First: line}, lineError(line, "the line has %d fields, and the first line names %d columns; quote a text that contains %q, and separate accounts with \";\"",
				len(fields), len(c.columns), c.comma)
		}
		var entries []entry
		overrides, clock := entry{name: "overrides", value: value{kind: isList}}, -1
		for i, name := range c.columns {
			if !utf8.ValidString(fields[i]) {
				return Document{First: line}, lineError(line, notUTF8)
			}
			if name == unnamed && strings.TrimSpace(fields[i]) != "" {
				return Document{First: line}, lineError(line, "column %s has %s, and no name; the first line names the columns", columnLetters(i), quotedName(fields[i]))
			}
			at := Position{line, i + 1}
			if account := overrideOf(name); account != "" {
				overrides.add(account, fields[i], at)
			} else if v := cellValue(name, fields[i], at); v.kind != isNull && name != "" && name != unnamed {
				if name == timeOfDay {
					clock = len(entries)
				}
				entries = append(entries, entry{name, at, v})
			}
		}
		if clock >= 0 {
			if entries, err = joinTimes(entries, clock, line); err != nil {
				return Document{First: line}, err
			}
		}
		if len(overrides.items) > 0 {
			entries = append(entries, overrides)
		}
		return readRow(entries, inCSV|inImport|inCells, line)
	}
}

// add adds the text for an account to a list of overrides, unless it is empty.
func (e *entry) add(account, text string, at Position) {
	if strings.TrimSpace(text) == "" {
		return
	}
	of := func(text string) value { return value{kind: isText, text: text, at: at} }
	e.at, e.value.at = at, at
	e.items = append(e.items, value{kind: isObject, at: at, entries: []entry{{"to", at, of(account)}, {"content", at, of(text)}}})
}

// cellValue returns the value of a field. Spaces around all but a text have no meaning.
func cellValue(column, text string, at Position) value {
	v := value{kind: isText, text: text, at: at}
	trimmed := strings.TrimSpace(text)
	var items []string
	switch column {
	case "content":
		return v
	case "to", "poll", "media", "labels", "exdates":
		split := splitList
		switch column {
		case "to":
			split = func(text string) []string { return strings.Split(text, ";") }
		case "labels": // a label has no comma
			split = func(text string) []string { return splitList(strings.ReplaceAll(text, ",", ";")) }
		}
		for _, item := range split(text) {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
	case "alt", "variants":
		if trimmed != "" {
			items = splitList(text)
		}
	case "thread":
		if trimmed != "" {
			items = threadtext.Split(text)
		}
	case "first_comment":
		if trimmed == "" {
			v.kind = isNull
		}
		return v
	case "poll_multiple", "poll_hide_totals":
		return boolCell(v, trimmed)
	default:
		if v.text = trimmed; trimmed == "" {
			v.kind = isNull
		}
		return v
	}
	if items == nil {
		return value{}
	}
	v.kind = isList
	for _, item := range items {
		v.items = append(v.items, value{kind: isText, text: item, at: at})
	}
	return v
}

// boolCell reads true or false as spreadsheets and people write them.
func boolCell(v value, text string) value {
	switch v.text = text; strings.ToLower(text) {
	case "":
		return value{}
	case "false", "no", "0":
		v.kind, v.exact = isBool, false
	case "true", "yes", "1":
		v.kind, v.exact = isBool, true
	}
	return v
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
