package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// filter makes what is printed of a JSON result: it is what --jq and --template
// are compiled to.
type filter func(result any) ([]byte, error)

// A filter is stopped when it takes this long or has made so much: an expression
// can run for ever.
const (
	maxFilterTime = 5 * time.Second
	maxFiltered   = 64 << 20 // bytes
)

// maxFilter is the longest expression, in bytes, far above any written by a person.
const maxFilter = 64 << 10

// checkFilter compiles --jq or --template before anything is done. Both imply
// --json.
func (a *App) checkFilter(cmd *cobra.Command) error {
	if a.jq == "" && a.template == "" {
		return nil
	}
	name, text, compile := "--jq", a.jq, a.compileJQ
	if a.template != "" {
		name, text, compile = "--template", a.template, a.compileTemplate
	}
	switch {
	case a.jq != "" && a.template != "":
		return UsageError("--jq and --template exclude each other: give one")
	case a.Quiet:
		return UsageError("%s and --quiet exclude each other: give one", name)
	case !printsJSON(cmd):
		return UsageError("%s has no JSON for %s to work on", cmd.CommandPath(), name)
	case len(text) > maxFilter:
		return UsageError("%s has %d bytes, and at most %d can be read", name, len(text), maxFilter)
	}
	var err error
	a.JSON.Given = true
	a.Filter, err = compile(text)
	return err
}

// filterFailure is the end of a filter that did not fit the result. The command
// has done its work by then.
func filterFailure(flag string, err error) error {
	return OtherError("%s: %v", flag, err).WithHint("the command itself was carried out; --json shows what there is to choose from")
}

var errFilterSize = fmt.Errorf("it was stopped after %d MiB", maxFiltered>>20)

func (a *App) filterTimedOut() error { return fmt.Errorf("it was stopped after %s", a.FilterTime) }

// decodeJSON reads a document for a filter. Whole numbers are of type int, as
// filters compare and print them.
func decodeJSON(doc []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return mapLeaves(v, func(leaf any) any {
		number, is := leaf.(json.Number)
		if !is {
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

// limitedBuffer is a buffer that takes no more than maxFiltered.
type limitedBuffer struct{ bytes.Buffer }

// Write fails when there is too much.
func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxFiltered {
		return 0, errFilterSize
	}
	return l.Buffer.Write(p)
}

// withoutPrefix shortens the message of a library that names itself.
func withoutPrefix(err error, prefix string) string {
	return strings.TrimPrefix(err.Error(), prefix)
}
