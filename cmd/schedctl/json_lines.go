package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// printLine writes v as a line of JSON, with the fields that --json asks for: an
// object of a stream.
func (a *app) printLine(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	doc := bytes.TrimSpace(b.Bytes())
	if len(a.json.names) > 0 {
		var err error
		if doc, err = a.json.pickObject(doc); err != nil {
			return fmt.Errorf("select fields: %w", err)
		}
	}
	if a.outTerminal {
		doc = escapeUnprintable(doc)
	}
	return a.write(append(doc, '\n'))
}
