// Package filter compiles the expressions of --jq and --template. It knows no
// command: cli hands it JSON and prints what it returns.
package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Filter returns what is printed of a JSON document. It fails if the expression does
// not fit the document, runs too long, or makes too much output.
type Filter func(doc []byte) ([]byte, error)

// Options describe where the output goes.
type Options struct {
	Terminal bool // whether the output goes to a terminal
	Colored  bool // whether the output may have colors and links
	Width    int  // of the terminal, in columns

	Now     func() time.Time
	Local   *time.Location
	Environ func() []string // the environment that jq expressions see

	Printable func(text string) string // replaces what could control a terminal
	Indent    func(doc []byte) []byte  // lays out a document for a terminal

	Timeout time.Duration // the longest run; 0 for 5 seconds
}

// MaxExpression is the longest expression that cli accepts, in bytes. It is far above
// any written by a person.
const MaxExpression = 64 << 10

// An expression can run forever, so a filter is stopped.
const (
	defaultTimeout = 5 * time.Second
	maxOutput      = 64 << 20 // bytes
)

var errTooMuch = fmt.Errorf("it was stopped after %d MiB", maxOutput>>20)

// timeout returns the longest run, and the error of a filter that takes longer.
func (o *Options) timeout() (time.Duration, error) {
	limit := o.Timeout
	if limit == 0 {
		limit = defaultTimeout
	}
	return limit, fmt.Errorf("it was stopped after %s", limit)
}

// decode reads a document. Whole numbers become int, so that expressions compare and
// print them as such.
func decode(doc []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return mapLeaves(v, func(leaf any) any {
		number, isNumber := leaf.(json.Number)
		if !isNumber {
			return leaf
		}
		if n, err := number.Int64(); err == nil {
			return int(n)
		}
		n, _ := number.Float64()
		return n
	}), nil
}

// mapLeaves replaces, in place, everything in a decoded document that is neither
// an object nor an array.
func mapLeaves(v any, fn func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = mapLeaves(v[name], fn)
		}
		return v
	case []any:
		for i := range v {
			v[i] = mapLeaves(v[i], fn)
		}
		return v
	}
	return fn(v)
}

// limitedBuffer is a buffer of at most maxOutput bytes.
type limitedBuffer struct{ bytes.Buffer }

// Write returns errTooMuch when the buffer would exceed its limit.
func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxOutput {
		return 0, errTooMuch
	}
	return l.Buffer.Write(p)
}

// withoutPrefix shortens the message of a library that names itself.
func withoutPrefix(err error, prefix string) error {
	return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), prefix))
}
