package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl/tui/printable"
)

// PrintJSON writes v as one JSON document. --json selects fields of v or of each of
// its elements; --jq and --template replace the document.
func (a *App) PrintJSON(v any) error {
	doc, err := a.document(v)
	if err != nil {
		return err
	}
	return a.PrintDocument(doc)
}

// PrintDocument writes JSON, or what --jq or --template make of it. On a terminal, it is
// indented and printable; elsewhere the bytes stay as they are.
func (a *App) PrintDocument(doc []byte) (err error) {
	list := bytes.HasPrefix(doc, []byte("["))
	if a.Filter != nil {
		doc, err = a.Filter(doc)
	} else {
		doc = append(a.ForReader(doc), '\n')
	}
	switch {
	case err != nil:
		return err
	case list:
		return a.page(doc)
	}
	return a.writeExactly(doc)
}

// document returns v as JSON in one line, with the fields that --json asks for.
func (a *App) document(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	doc := bytes.TrimSpace(b.Bytes())
	if len(a.JSON.names) == 0 {
		return doc, nil
	}
	doc, err := a.JSON.pick(doc)
	if err != nil {
		return nil, fmt.Errorf("select fields: %w", err)
	}
	return doc, nil
}

// ForReader indents a document for a person at a terminal, and escapes what is not printable.
func (a *App) ForReader(doc []byte) []byte {
	var indented bytes.Buffer
	switch {
	case !a.OutTerminal:
		return doc
	case a.AgentMode() != "":
		return escapeUnprintable(doc)
	case json.Indent(&indented, doc, "", "  ") != nil:
		return doc
	}
	return escapeUnprintable(indented.Bytes())
}

// escapeUnprintable writes unprintable characters as JSON escapes. They occur only in
// strings, so the document stays equivalent.
func escapeUnprintable(doc []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(doc) {
		if printable.Unprintable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// PrintIDs writes ids, one per line, for --quiet.
func (a *App) PrintIDs(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return a.Write([]byte(strings.Join(Map(ids, inLine), "\n") + "\n"))
}

// Property is one line of a description.
type Property struct{ Name, Value string }

// RenderProperties lays out names and values: aligned on a terminal, else
// tab-separated.
func (a *App) RenderProperties(pairs []Property) []byte {
	width := 0
	for _, p := range pairs {
		width = max(width, len(p.Name))
	}
	var b bytes.Buffer
	for _, p := range pairs {
		switch value := OneLine(p.Value); {
		case !a.OutTerminal:
			fmt.Fprintf(&b, "%s\t%s\n", strings.ReplaceAll(strings.ToLower(p.Name), " ", "_"), value)
		case value != "":
			fmt.Fprintf(&b, "%s  %s\n", a.Dim(fmt.Sprintf("%-*s", width, p.Name)), value)
		}
	}
	return b.Bytes()
}
