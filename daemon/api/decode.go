package api

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// decoder reads one JSON text (RFC 8259) strictly and in one pass. Whatever two
// parsers could understand differently is refused: doubled names, lone
// surrogates, invalid UTF-8, a byte order mark, anything after the value.
//
// A breach of syntax ends reading: err is set and every further call returns a
// zero value. A value that is JSON but not what was asked for is noted as a
// fault and skipped, so that one answer names all faults.
type decoder struct {
	data   []byte
	pos    int
	depth  int
	err    *schedctl.Error
	faults []schedctl.FieldError
}

const (
	maxDepth  = 32 // of nested objects and lists
	maxFaults = 20 // that one answer names
)

// decode reads a body with read, which must consume exactly one value.
func decode[B any](body []byte, read func(*decoder) B) (B, error) {
	d := newDecoder(body)
	b := read(d)
	return b, d.finish()
}

func newDecoder(data []byte) *decoder {
	d := &decoder{data: data}
	switch {
	case len(data) == 0:
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body is empty; send a JSON object")
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body begins with a byte order mark; send UTF-8 without one")
	case !utf8.Valid(data):
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body is not valid UTF-8; send JSON in UTF-8")
	}
	return d
}

// finish returns what was wrong with the text: its syntax, else its first fault
// with all of them as details.
func (d *decoder) finish() error {
	if d.peek(); d.err == nil && d.pos < len(d.data) {
		d.syntax("there is something after the end of the JSON value")
	}
	if d.err != nil {
		return d.err
	}
	return firstOf(d.faults)
}

// syntax notes a breach of syntax at the present position; the first one counts.
func (d *decoder) syntax(what string) {
	if d.err == nil {
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body is not valid JSON: at byte %d, %s", d.pos+1, what)
	}
}

// fault notes something wrong with a field that is valid JSON.
func (d *decoder) fault(code schedctl.Code, field, format string, args ...any) {
	if len(d.faults) < maxFaults {
		e := schedctl.Errorf(code, field, format, args...)
		d.faults = append(d.faults, schedctl.FieldError{Field: field, Code: code, Message: e.Message})
	}
}

// mismatch notes a value of the wrong type and skips it.
func (d *decoder) mismatch(field, want string) {
	if d.err != nil {
		return
	}
	if got := kindOf(d.peek()); got != "" {
		d.fault(schedctl.ValidationFailed, field, "%s must be %s, not %s", cmp.Or(field, "the body"), want, got)
	}
	d.skip()
}

// skip reads a value for its syntax alone.
func (d *decoder) skip() {
	noted := len(d.faults)
	d.value("")
	d.faults = d.faults[:noted]
}

func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "a number"
	}
	return ""
}

// object reads an object and calls member for each of the known names; member
// must read the value. Other names are faults.
func (d *decoder) object(path string, known []string, member func(name string)) {
	d.members(path, func(name string) {
		if slices.Contains(known, name) {
			member(name)
			return
		}
		shown := clip(name, 64)
		d.fault(schedctl.ValidationFailed, join(path, shown), "unknown field %q; %s", shown, suggestion(shown, known))
		d.skip()
	})
}

// members reads an object with any names, each of them once.
func (d *decoder) members(path string, member func(name string)) {
	if d.peek() != '{' {
		d.mismatch(path, "an object")
		return
	}
	if !d.open() {
		return
	}
	var seen names
	for first := true; d.more('}', first); first = false {
		if d.peek() != '"' {
			d.syntax("a name in double quotes was expected")
			return
		}
		name := d.text()
		if d.err == nil && !seen.add(name) {
			d.syntax("the name " + strconv.Quote(clip(name, 64)) + " is there twice")
		}
		if d.peek() != ':' {
			d.syntax("a colon was expected")
			return
		}
		d.pos++
		member(name)
	}
}

// list reads a list and calls item for each element; item must read it.
func (d *decoder) list(path, want string, item func(i int)) {
	if d.peek() != '[' {
		d.mismatch(path, want)
		return
	}
	if !d.open() {
		return
	}
	for i := 0; d.more(']', i == 0); i++ {
		item(i)
	}
}

// string reads a string without NUL characters.
func (d *decoder) string(path string) string {
	if d.peek() != '"' {
		d.mismatch(path, "a string")
		return ""
	}
	s := d.text()
	if strings.IndexByte(s, 0) >= 0 {
		d.fault(schedctl.ValidationFailed, path, "%s holds a NUL character; remove it", path)
	}
	return s
}

// strings reads a list of strings.
func (d *decoder) strings(path string) []string {
	out := []string{}
	d.list(path, "a list of strings", func(i int) {
		out = append(out, d.string(path+"["+strconv.Itoa(i)+"]"))
	})
	return out
}

// bool reads true or false.
func (d *decoder) bool(path string) bool {
	switch d.peek() {
	case 't':
		d.word("true")
		return true
	case 'f':
		d.word("false")
	default:
		d.mismatch(path, "true or false")
	}
	return false
}

// null reads a null, when that is what comes next.
func (d *decoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	d.word("null")
	return d.err == nil
}

// require notes the absence of a field, unless the text is broken anyway.
func (d *decoder) require(given bool, field, advice string) {
	if !given && d.err == nil {
		d.fault(schedctl.ValidationFailed, field, "%s is missing; %s", field, advice)
	}
}

// join returns the path of a member.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// names is a set of names, cheap while it is small.
type names struct {
	few  []string
	many map[string]struct{}
}

// add puts a name in and reports whether it was not there.
func (n *names) add(name string) bool {
	if n.many == nil {
		if slices.Contains(n.few, name) {
			return false
		}
		if len(n.few) < 16 {
			n.few = append(n.few, name)
			return true
		}
		n.many = make(map[string]struct{}, 64)
		for _, f := range n.few {
			n.many[f] = struct{}{}
		}
	}
	_, there := n.many[name]
	n.many[name] = struct{}{}
	return !there
}
