package postfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// jsonRows reads JSON Lines: an object in each line.
type jsonRows struct {
	in   *bufio.Reader
	maps mapping
	line int // of what was read last
}

func (j *jsonRows) next() (Document, error) {
	for {
		text, err := j.readLine()
		if err != nil {
			return Document{}, err
		}
		start := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		entries, err := (&jsonObject{dec: json.NewDecoder(bytes.NewReader(text)), text: text, line: j.line, before: start, maps: j.maps}).read()
		if err != nil {
			return Document{First: j.line}, err
		}
		return readRow(entries, inJSON|inImport, j.line)
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

// jsonObject reads the object of a line.
type jsonObject struct {
	dec          *json.Decoder
	text         []byte
	line, before int // before is the number of bytes before the text in its line
	replacements int // replacement characters in texts
	maps         mapping
}

// read returns the keys of the object. A repeated key is an error, because it is unclear
// which value is meant.
func (j *jsonObject) read() ([]entry, error) {
	if !utf8.Valid(j.text) {
		return nil, lineError(j.line, notUTF8)
	}
	if j.text[0] != '{' {
		return nil, lineError(j.line, "each line is an object, such as {\"content\":\"Hello\"}; this one is not")
	}
	v, err := j.value(0)
	if err != nil {
		return nil, notJSON(j.line, err)
	}
	if _, err := j.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, lineError(j.line, "something follows the object; write each object in a line of its own")
	}
	if j.replacements > bytes.Count(j.text, []byte(replacement))+strings.Count(strings.ToLower(string(j.text)), `\ufffd`) {
		return nil, lineError(j.line, `a text has half of a character (a \u escape of a surrogate without its other half)`)
	}
	var entries []entry
	var given []string
	for _, e := range v.entries {
		if e.name = j.maps.rename(e.name); e.name != "" {
			entries, given = append(entries, e), append(given, e.name)
		}
	}
	clock := timeColumn(given)
	if clock >= 0 {
		entries[clock].name = timeOfDay
	}
	if err := j.check(entries); err != nil || clock < 0 {
		return entries, err
	}
	return joinTimes(entries, clock, j.line)
}

// replacement is what the decoder makes of half a character.
const replacement = "\ufffd"

// check refuses unknown keys, and two keys for the same.
func (j *jsonObject) check(entries []entry) error {
	var seen, unknown []string
	for _, e := range entries {
		name := e.name
		if k := keyOf(name, inJSON|inImport); k != nil {
			name = k.name
		} else if name != timeOfDay {
			unknown = append(unknown, quotedName(name))
		}
		if slices.Contains(seen, name) {
			return lineError(j.line, "the key %s is a second %s; keep one", quotedName(e.name), quotedName(name))
		}
		seen = append(seen, name)
	}
	if unknown != nil {
		return lineError(j.line, "unknown key %s; the keys are %s", strings.Join(unknown, ", "), strings.Join(names(inJSON|inImport), ", "))
	}
	return nil
}

// value reads the next value.
func (j *jsonObject) value(depth int) (v value, err error) {
	start := j.dec.InputOffset()
	for start < int64(len(j.text)) && bytes.IndexByte([]byte(" \t\r\n,:"), j.text[start]) >= 0 {
		start++
	}
	v.at = Position{j.line, j.before + int(start) + 1}
	token, err := j.dec.Token()
	if err != nil {
		return v, err
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return v, lineError(j.line, "the line has objects or lists that are nested too deeply")
		}
		if v.kind = isList; t == '{' {
			v.kind = isObject
		}
		for j.dec.More() {
			if err := j.item(&v, depth); err != nil {
				return v, err
			}
		}
		_, err = j.dec.Token()
	case string:
		v.kind, v.text, v.exact = isText, t, t
		j.replacements += strings.Count(t, replacement)
	case float64:
		v.kind, v.text, v.exact = isNumber, asJSON(t), t
	case bool:
		v.kind, v.text, v.exact = isBool, asJSON(t), t
	}
	return v, err
}

// item reads an item of a list, or a key with its value.
func (j *jsonObject) item(of *value, depth int) error {
	if of.kind == isList {
		v, err := j.value(depth + 1)
		of.items = append(of.items, v)
		return err
	}
	key, err := j.value(depth + 1)
	if err != nil {
		return err
	}
	if depth > 0 && slices.ContainsFunc(of.entries, func(e entry) bool { return e.name == key.text }) {
		return lineError(j.line, "the key %s is there twice; keep one", quotedName(key.text))
	}
	v, err := j.value(depth + 1)
	of.entries = append(of.entries, entry{key.text, key.at, v})
	return err
}

func notJSON(line int, err error) error {
	if at, ok := errors.AsType[*Error](err); ok {
		return at
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return lineError(line, "the line ends inside of the object; write each object in one line")
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return lineError(line, "this is no JSON: %v", err)
	}
	return lineError(line, "%v", err)
}
