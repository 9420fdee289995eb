package api

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// object reads an object and calls member for each known name. member must read the
// value. Unknown names are faults.
func (d *decoder) object(known []string, member func(name string)) {
	d.members(func(name string) {
		if slices.Contains(known, name) {
			member(name)
			return
		}
		shown := clip(name, maxName)
		d.fault(schedctl.ValidationFailed, "unknown field %q; %s", shown, suggestedName{shown, known})
		d.skip()
	})
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

// list reads a list and calls item for each element; item must read it.
func (d *decoder) list(want string, item func()) {
	if d.peek() != '[' {
		d.mismatch(want)
		return
	}
	d.next()
	for d.more(']') {
		item()
	}
}

// shortList reads a list of at most most elements with read. Of a longer one it discards
// the rest, and adds a fault with advice. The result is not nil.
func shortList[T any](d *decoder, want string, most int, advice string, read func() T) []T {
	list := []T{}
	d.list(want, func() {
		if len(list) > most {
			d.skip()
			return
		}
		list = append(list, read())
	})
	if len(list) > most {
		d.wrong(schedctl.ValidationFailed, "has more than %d entries; %s", most, advice)
	}
	return list
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
		d.list("a list", func() {
			if v := d.value(); d.withinSizeLimit() {
				l = append(l, v)
			}
		})
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
