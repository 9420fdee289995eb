package bulk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// jsonRows reads JSON Lines: an object in each line.
type jsonRows struct {
	in   *bufio.Reader
	line int // of what was read last
}

func (j *jsonRows) next() (Row, error) {
	for {
		text, err := j.readLine()
		if err != nil {
			return Row{}, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		row, err := readObject(text, j.line)
		if err != nil {
			return Row{Line: j.line}, err
		}
		return row, nil
	}
}

// readLine returns the next line, io.EOF after the last one.
func (j *jsonRows) readLine() ([]byte, error) {
	var text []byte
	j.line++
	for {
		part, err := j.in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxRow:
			return nil, fatalError(j.line, "the line is longer than 1 MiB")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		}
		return text, err
	}
}

// readObject reads one row. A repeated key is an error, because it is unclear which
// value is meant.
func readObject(text []byte, line int) (Row, error) {
	row := Row{Line: line}
	if !utf8.Valid(text) {
		return row, lineError(line, "this is not UTF-8 text: convert the file first, for example with iconv")
	}
	if text[0] != '{' {
		return row, lineError(line, "each line is an object, such as {\"content\":\"Hello\"}; this one is not")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.Token()
	var seen, unknown []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return row, notJSON(line, err)
		}
		key := token.(string) // the decoder takes nothing else before a colon
		column := columnOf(key)
		if key == overridesKey {
			column = key
		}
		if column == "" {
			column = key
			unknown = append(unknown, quoted(key))
		}
		if slices.Contains(seen, column) {
			return row, lineError(line, "the key %s is a second %s; keep one", quoted(key), quoted(column))
		}
		seen = append(seen, column)
		if err := row.decode(dec, column); err != nil {
			return row, notJSON(line, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return row, notJSON(line, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return row, lineError(line, "something follows the object; write each object in a line of its own")
	}
	if unknown != nil {
		return row, lineError(line, "unknown key %s; the keys are %s", strings.Join(unknown, ", "), strings.Join(append(slices.Clone(columns), overridesKey), ", "))
	}
	if halfCharacter(text, row) {
		return row, lineError(line, `a text has half of a character (a \u escape of a surrogate without its other half)`)
	}
	return row, nil
}

// decode reads the value of a key; null is as none.
func (r *Row) decode(dec *json.Decoder, key string) error {
	var value any
	switch key {
	case "id":
		value = &r.ID
	case "content":
		value = &r.Content
	case "to":
		value = &r.To
	case "at":
		value = &r.At
	case "tz":
		value = &r.TZ
	case "media":
		value = &r.Media
	case "alt":
		value = &r.Alt
	case "thread":
		value = &r.Thread
	case "first_comment":
		value = &r.FirstComment
	case "poll":
		value = &r.Poll
	case "poll_for":
		value = &r.PollFor
	case "poll_multiple":
		value = &r.PollMultiple
	case "poll_hide_totals":
		value = &r.PollHideTotals
	case "content_warning":
		value = &r.ContentWarning
	case "visibility":
		value = &r.Visibility
	case "language":
		value = &r.Language
	case "link_preview":
		value = &r.LinkPreview
	default:
		value = r.extra(key)
	}
	err := dec.Decode(value)
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		want := "a text"
		switch key {
		case "to", "media", "alt", "poll", "labels":
			want = "a list of texts"
		case "thread":
			want = "a list of texts, or of objects such as {\"content\":\"Hello\",\"media\":[\"a.png\"]}"
		case "first_comment":
			want = "a text, or an object such as {\"content\":\"Hello\",\"media\":[\"a.png\"]}"
		case overridesKey:
			want = "a list of objects such as {\"to\":\"mastodon:me\",\"content\":\"Hello\"}"
		case "link_preview":
			want = "\"auto\", \"none\" or a card such as {\"url\":\"https://example.org\",\"title\":\"Example\"}"
		case "poll_multiple", "poll_hide_totals":
			want = "true or false"
		}
		return fmt.Errorf("%q is %s, and here it is a JSON %s", key, want, kind.Value)
	}
	return err
}

// extra returns where the value of a key goes that is not a part of what networks get.
func (r *Row) extra(key string) any {
	switch key {
	case "title":
		return &r.Title
	case "post_style":
		return &r.PostStyle
	case "labels":
		return &r.Labels
	case "queue":
		return &r.Queue
	case "not_before":
		return &r.NotBefore
	case overridesKey:
		return &r.Overrides
	}
	return new(json.RawMessage)
}

func notJSON(line int, err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return lineError(line, "the line ends inside of the object; write each object in one line")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return lineError(line, "this is no JSON: %v", err)
	}
	return lineError(line, "%v", err)
}

// halfCharacter reports whether decoding has put a replacement character where
// the line has none.
func halfCharacter(line []byte, row Row) bool {
	const replacement = "\ufffd"
	texts := strings.Join(row.texts(), "")
	return strings.Count(texts, replacement) > bytes.Count(line, []byte(replacement))+strings.Count(strings.ToLower(string(line)), `\ufffd`)
}
