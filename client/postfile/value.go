package postfile

import (
	"fmt"
	"strings"
)

// Position is where a value stands in its file. Lines and columns count from 1; the zero
// Position stands for a value that the file does not have. In CSV, Column is the number of
// the field.
type Position struct{ Line, Column int }

// Value is a text and its line.
type Value struct {
	Text string
	Line int // from 1; 0 when the value is not in the file
}

// value is a value of a file: the common form of YAML, JSON and CSV.
type value struct {
	kind    kind
	text    string // of a scalar
	exact   any    // of a scalar: a string, a bool or a float64
	form    string // of an other value: what it is
	at      Position
	items   []value // of a list
	entries []entry // of an object
	flow    bool    // an object that is written in one line
}

// entry is a key of an object with its value.
type entry struct {
	name string
	at   Position
	value
}

type kind int

const (
	isNull kind = iota
	isText
	isNumber
	isBool
	isList
	isObject
	isOther // what no key can have
)

// maxDepth is deeper than the values of any key.
const maxDepth = 12

// what names the kind of a value, for messages.
func (v value) what() string {
	switch v.kind {
	case isNull:
		return "empty"
	case isText:
		return "a text"
	case isNumber:
		return "a number"
	case isBool:
		return "true or false"
	case isList:
		return "a list"
	case isObject:
		return "keys and values"
	}
	return v.form
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 40
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// quotedName returns a name from a file for a message.
func quotedName(name string) string { return `"` + clip(name) + `"` }

// Problem is an error in a file.
type Problem struct {
	Path    string
	Line    int
	Message string
}

// String returns the problem in the format of compiler messages, for editors and
// CI.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message) }
