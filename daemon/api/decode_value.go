package api

import (
	"strings"

	"github.com/schedctl/schedctl"
)

// unknown records and skips a field of an object that is not known.
func (d *decoder) unknown(name string, known []string) {
	shown := clip(name, maxName)
	d.fault(schedctl.ValidationFailed, "unknown field %q; %s", shown, suggestedName{shown, known})
	d.skip()
}

// members reads an object with arbitrary names and calls member for each.
func (d *decoder) members(member func(name string)) {
	if d.peek() != '{' {
		d.mismatch("an object")
		return
	}
	d.next()
	for d.more('}') {
		if name, ok := d.next(); ok {
			member(name.String())
		}
	}
}

// text reads a string without NUL characters. It returns false for anything else.
func (d *decoder) text() (string, bool) {
	if d.peek() != '"' {
		d.mismatch("a string")
		return "", false
	}
	token, ok := d.next()
	if !ok {
		return "", false
	}
	s := token.String()
	if strings.IndexByte(s, 0) >= 0 {
		d.wrong(schedctl.ValidationFailed, "contains a NUL character; remove it")
		return s, false
	}
	return s, true
}

// string reads a string. It returns the empty string for anything else.
func (d *decoder) string() string {
	s, _ := d.text()
	return s
}

// bool reads true or false.
func (d *decoder) bool() bool {
	switch d.peek() {
	case 't', 'f':
		token, ok := d.next()
		return ok && token.Bool()
	}
	d.mismatch("true or false")
	return false
}

// bypass reads a bool with which a person overrides a check. True is a fault in a
// request of an agent.
func (d *decoder) bypass() bool {
	given := d.bool()
	if given && d.agent {
		d.fault(schedctl.KeyNotAllowed, "the key of an agent cannot override this check; a person has to do it")
	}
	return given
}

// null reads a null, if that is the next value.
func (d *decoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	_, ok := d.next()
	return ok
}

// value reads any value: map[string]any, []any, string, float64, bool or nil.
func (d *decoder) value() any {
	if !d.withinSizeLimit() {
		d.skip()
		return nil
	}
	switch d.peek() {
	case '{':
		m := map[string]any{}
		d.members(func(name string) { m[name] = d.value() })
		return m
	case '[':
		l := []any{}
		d.next()
		for d.more(']') {
			if v := d.value(); d.withinSizeLimit() {
				l = append(l, v)
			}
		}
		return l
	case '"':
		return d.string()
	case 't', 'f':
		return d.bool()
	case '0':
		return d.number()
	}
	d.next() // null, or a syntax error
	return nil
}

func (d *decoder) number() float64 {
	token, ok := d.next()
	if !ok {
		return 0
	}
	f, err := token.Float()
	if err != nil {
		d.wrong(schedctl.ValidationFailed, "is a number beyond the range of a 64-bit float")
	}
	return f
}

// maxSettings is the maximum length of the JSON of options or credentials, in
// bytes.
const maxSettings = 64 << 10

// settings reads an object with arbitrary names and at most maxSettings bytes.
func (d *decoder) settings(member func(name string)) {
	outer := d.kept
	d.kept = d.json.InputOffset() + maxSettings
	d.members(func(name string) {
		if !d.withinSizeLimit() {
			d.skip()
			return
		}
		member(name)
	})
	if !d.withinSizeLimit() {
		d.wrong(schedctl.ValidationFailed, "has more than %d bytes; send less", maxSettings)
	}
	d.kept = outer
}
