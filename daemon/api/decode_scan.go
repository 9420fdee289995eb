package api

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// peek skips white space and returns the next byte, 0 at the end or after a
// breach of syntax.
func (d *decoder) peek() byte {
	if d.err != nil {
		return 0
	}
	for ; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// open steps into an object or a list.
func (d *decoder) open() bool {
	if d.depth == maxDepth {
		d.syntax("objects and lists are nested too deeply")
		return false
	}
	d.depth++
	d.pos++
	return true
}

// more reports whether another element follows, and steps out at the closer.
func (d *decoder) more(closer byte, first bool) bool {
	c := d.peek()
	switch {
	case d.err != nil:
		return false
	case c == closer:
		d.pos++
		d.depth--
		return false
	case first:
		return true
	case c != ',':
		d.syntax("a comma or " + string(rune(closer)) + " was expected")
		return false
	}
	d.pos++
	if d.peek() == closer {
		d.syntax("a comma is followed by nothing")
		return false
	}
	return true
}

// value reads any value: map[string]any, []any, string, float64, bool or nil.
func (d *decoder) value(path string) any {
	switch c := d.peek(); c {
	case '{':
		m := map[string]any{}
		d.members(path, func(name string) { m[name] = d.value(join(path, name)) })
		return m
	case '[':
		l := []any{}
		d.list(path, "a list", func(i int) { l = append(l, d.value(path+"["+strconv.Itoa(i)+"]")) })
		return l
	case '"':
		return d.string(path)
	case 't', 'f':
		return d.bool(path)
	case 'n':
		d.word("null")
	default:
		if kindOf(c) != "" {
			return d.number(path)
		}
		d.syntax("a value was expected")
	}
	return nil
}

// word reads a literal.
func (d *decoder) word(w string) {
	if d.pos+len(w) > len(d.data) || string(d.data[d.pos:d.pos+len(w)]) != w {
		d.syntax("a value was expected")
		return
	}
	d.pos += len(w)
}

// number reads a number that begins at the present position.
func (d *decoder) number(path string) float64 {
	start := d.pos
	d.accept("-")
	if !d.accept("0") && d.digits() == 0 {
		d.syntax("a digit was expected")
		return 0
	}
	if d.accept(".") && d.digits() == 0 {
		d.syntax("a digit was expected")
		return 0
	}
	if d.accept("eE") {
		d.accept("+-")
		if d.digits() == 0 {
			d.syntax("a digit was expected")
			return 0
		}
	}
	f, err := strconv.ParseFloat(string(d.data[start:d.pos]), 64)
	if err != nil {
		d.fault(schedctl.ValidationFailed, path, "%s is a number beyond the range of a 64-bit float", path)
	}
	return f
}

// accept reads one byte of the set, when that is what comes next.
func (d *decoder) accept(set string) bool {
	if d.pos == len(d.data) {
		return false
	}
	for i := range len(set) {
		if d.data[d.pos] == set[i] {
			d.pos++
			return true
		}
	}
	return false
}

// digits reads digits and returns how many there were.
func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}

// text reads a string whose opening quote is at the present position.
func (d *decoder) text() string {
	d.pos++
	start := d.pos
	for ; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return string(d.data[start : d.pos-1])
		case c == '\\':
			return d.escaped(append([]byte(nil), d.data[start:d.pos]...))
		case c < ' ':
			d.syntax("a control character in a string must be escaped")
			return ""
		}
	}
	d.syntax("a string has no end")
	return ""
}

// escaped reads on in a string with escapes, of which out is the beginning.
func (d *decoder) escaped(out []byte) string {
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return string(out)
		case c == '\\':
			r, ok := d.escape()
			if !ok {
				return ""
			}
			out = utf8.AppendRune(out, r)
		case c < ' ':
			d.syntax("a control character in a string must be escaped")
			return ""
		default:
			out = append(out, c)
			d.pos++
		}
	}
	d.syntax("a string has no end")
	return ""
}

// escape reads one escape sequence, a surrogate pair as one.
func (d *decoder) escape() (rune, bool) {
	if d.pos+1 == len(d.data) {
		d.syntax("a string has no end")
		return 0, false
	}
	c := d.data[d.pos+1]
	if c == 'u' {
		return d.unicodeEscape()
	}
	for i := range len(escapes) {
		if escapes[i] == c {
			d.pos += 2
			return rune(escaped[i]), true
		}
	}
	d.syntax("an escape sequence that JSON does not have")
	return 0, false
}

// escapes are the characters after a backslash, escaped what they stand for.
const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

func (d *decoder) unicodeEscape() (rune, bool) {
	r, ok := d.hex(d.pos)
	if !ok {
		d.syntax(`\u needs four hexadecimal digits`)
		return 0, false
	}
	if !utf16.IsSurrogate(r) {
		d.pos += 6
		return r, true
	}
	low, ok := d.hex(d.pos + 6)
	pair := utf16.DecodeRune(r, low)
	if !ok || pair == utf8.RuneError {
		d.syntax("half a surrogate pair stands for no character")
		return 0, false
	}
	d.pos += 12
	return pair, true
}

// hex returns the value of the escape \uXXXX at the position.
func (d *decoder) hex(at int) (rune, bool) {
	if at+6 > len(d.data) || d.data[at] != '\\' || d.data[at+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range d.data[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
