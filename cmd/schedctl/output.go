package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// write puts a result on standard output, whole, so that a full disk is an
// error and not a short result.
func (a *app) write(result []byte) error {
	if _, err := a.out.Write(result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// tell writes a line for people to standard error.
func (a *app) tell(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// printJSON writes one document: v, with the fields that --json asks for, if
// any, of it or of each of its elements, or what --jq or --template make of it.
func (a *app) printJSON(v any) error {
	doc, err := a.document(v)
	if err != nil {
		return err
	}
	list := bytes.HasPrefix(doc, []byte("["))
	if a.filter != nil {
		doc, err = a.filtered(doc)
	} else {
		doc = append(a.forReader(doc), '\n')
	}
	switch {
	case err != nil:
		return err
	case list:
		return a.writeList(doc)
	}
	return a.write(doc)
}

// document returns v as JSON in one line, with the fields that --json asks for.
func (a *app) document(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	doc := bytes.TrimSpace(b.Bytes())
	if len(a.json.names) == 0 {
		return doc, nil
	}
	doc, err := a.json.pick(doc)
	if err != nil {
		return nil, fmt.Errorf("select fields: %w", err)
	}
	return doc, nil
}

// forReader lays a document out for people when there are any.
func (a *app) forReader(doc []byte) []byte {
	var indented bytes.Buffer
	if !a.outTerminal || json.Indent(&indented, doc, "", "  ") != nil {
		return doc
	}
	return escapeUnprintable(indented.Bytes())
}

// escapeUnprintable writes what printable would replace as JSON escapes. JSON
// has such characters in strings alone, so that the document stays the same.
func escapeUnprintable(doc []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(doc) {
		if unprintable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// printIDs writes the ids of -q.
func (a *app) printIDs(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return a.write([]byte(strings.Join(ids, "\n") + "\n"))
}

// pair is one line of a description.
type pair struct{ name, value string }

// describe lays out names and values: aligned on a terminal, else
// tab-separated.
func (a *app) describe(pairs []pair) []byte {
	width := 0
	for _, p := range pairs {
		width = max(width, len(p.name))
	}
	var b bytes.Buffer
	for _, p := range pairs {
		switch value := oneLine(p.value); {
		case !a.outTerminal:
			fmt.Fprintf(&b, "%s\t%s\n", strings.ReplaceAll(strings.ToLower(p.name), " ", "_"), value)
		case value != "":
			fmt.Fprintf(&b, "%s  %s\n", a.dim(fmt.Sprintf("%-*s", width, p.name)), value)
		}
	}
	return b.Bytes()
}
