package postfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// keys are the keys of front matter.
const keys = "id, at, tz, queue, not_before, repeat, start, name, to, labels, thread, media, part_media, first_comment, poll, content_warning, visibility, language, link_preview, override and options"

// maxBrackets is far more than the brackets in any real front matter. The parser is
// very slow for deeply nested ones.
const maxBrackets = 200

// yamlReader reads the syntax tree of a YAML document: decoding into a struct would
// lose the lines and follow aliases.
type yamlReader struct {
	file     *File
	what     string // the document, for messages
	before   int    // number of lines before the document
	problems []Problem

	thread    bool // of a post file: its text has separators
	partMedia []partMedia
}

// readFront parses the front matter into the file.
func (f *File) readFront(text string) []Problem {
	r := &yamlReader{file: f, what: "the front matter", before: 1}
	r.document(text, r.key)
	r.splitThread()
	return r.problems
}

// document reads one YAML mapping.
func (r *yamlReader) document(text string, read func(key Value, value ast.Node)) {
	if strings.Count(text, "[") > maxBrackets || strings.Count(text, "{") > maxBrackets {
		r.problem(nil, "%s has too many brackets", r.what)
		return
	}
	tree, err := parser.ParseBytes([]byte(text), 0)
	switch {
	case err != nil:
		r.syntax(err)
	case len(tree.Docs) > 1:
		r.problem(tree.Docs[1].Body, "%s has several documents", r.what)
	case len(tree.Docs) == 1 && tree.Docs[0].Body != nil:
		r.mapping(tree.Docs[0].Body, read)
	}
}

// line returns the line of a token in the file.
func (r *yamlReader) line(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1 + r.before
	}
	return t.Position.Line + r.before
}

func (r *yamlReader) problem(at ast.Node, format string, args ...any) {
	var t *token.Token
	if at != nil {
		t = at.GetToken()
	}
	r.problems = append(r.problems, r.file.Problemf(r.line(t), format, args...))
}

func (r *yamlReader) syntax(err error) {
	var at yaml.Error
	message, where := err.Error(), (*token.Token)(nil)
	if errors.As(err, &at) {
		message, where = at.GetMessage(), at.GetToken()
	}
	message, _, _ = strings.Cut(message, " already defined at ") // its line numbers start elsewhere
	if strings.HasPrefix(message, "mapping key ") {
		message = "duplicate " + strings.TrimPrefix(message, "mapping ")
	}
	r.problems = append(r.problems, r.file.Problemf(r.line(where), "cannot read %s: %s", r.what, message))
}

// mapping calls read with each key and value.
func (r *yamlReader) mapping(n ast.Node, read func(key Value, value ast.Node)) {
	values, isMap := n.(ast.MapNode)
	if !isMap {
		r.problem(n, "expected keys and values, such as id: launch")
		return
	}
	for entries := values.MapRange(); entries.Next(); {
		key, isText := scalar(entries.Key())
		if !isText {
			r.problem(entries.Key(), "expected a text as the key")
			continue
		}
		read(Value{key, r.line(entries.Key().GetToken())}, entries.Value())
	}
}

func (r *yamlReader) key(key Value, value ast.Node) {
	switch f := r.file; key.Text {
	case "id":
		f.ID = r.text(key, value)
	case "at":
		f.At = r.text(key, value)
	case "tz":
		f.TZ = r.text(key, value)
	case "queue":
		f.Queue = r.text(key, value)
	case "not_before":
		f.NotBefore = r.text(key, value)
	case "repeat":
		f.Repeat = r.text(key, value)
	case "start":
		f.Start = r.text(key, value)
	case "name":
		f.Name = r.text(key, value)
	case "to":
		f.To = r.list(key, value)
	case "labels":
		f.Labels = r.list(key, value)
	case "media":
		f.Media = r.media(key, value)
	case "override":
		r.overrides(value)
	case "options":
		r.accounts(value, func(account Value, values ast.Node) {
			options := map[string]any{}
			r.mapping(values, func(name Value, v ast.Node) { options[name.Text] = r.option(name, v) })
			f.override(account).Options = options
		})
	default:
		if !r.extraKey(key, value) {
			r.problems = append(r.problems, f.Problemf(key.Line, "unknown key %q; the keys are %s", clip(key.Text), keys))
		}
	}
}

// override returns the override for an account, and adds it if it is missing.
func (f *File) override(account Value) *Override {
	i := slices.IndexFunc(f.Overrides, func(o Override) bool { return o.Account.Text == account.Text })
	if i < 0 {
		i = len(f.Overrides)
		f.Overrides = append(f.Overrides, Override{Account: account})
	}
	return &f.Overrides[i]
}

// accounts reads a mapping by account. A missing value is an empty mapping.
func (r *yamlReader) accounts(n ast.Node, read func(account Value, value ast.Node)) {
	if n.Type() != ast.NullType {
		r.mapping(n, read)
	}
}

// list reads a list of texts. A single text is a list of one.
func (r *yamlReader) list(key Value, n ast.Node) (list []Value) {
	items, isList := n.(*ast.SequenceNode)
	if !isList {
		if v := r.text(key, n); v.Text != "" {
			list = append(list, v)
		}
		return list
	}
	for _, item := range items.Values {
		v := r.text(key, item)
		if v.Text == "" && len(r.problems) == 0 {
			r.problem(item, "%q has an empty entry", key.Text)
		}
		list = append(list, v)
	}
	return list
}

// text reads a text. A missing value is the empty text.
func (r *yamlReader) text(key Value, n ast.Node) Value {
	text, isText := scalar(n)
	if !isText {
		r.problem(n, "%q must be a text, not %s", clip(key.Text), kind(n))
		return Value{Line: key.Line}
	}
	return Value{text, r.line(n.GetToken())}
}

// option reads the value of an option with its type.
func (r *yamlReader) option(key Value, n ast.Node) any {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return float64(v)
		case uint64:
			return float64(v)
		}
	case *ast.FloatNode:
		if !math.IsInf(n.Value, 0) {
			return n.Value
		}
	case *ast.SequenceNode:
		list := []any{}
		for _, item := range n.Values {
			if _, nested := item.(*ast.SequenceNode); nested {
				r.problem(item, "%q must not be a list of lists", clip(key.Text))
				break
			}
			list = append(list, r.option(key, item))
		}
		return list
	}
	return r.text(key, n).Text
}

// scalar returns a text, or the source text of a number, a date or a boolean.
func scalar(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.NullNode:
		return "", true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "keys and values"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or an alias; put the text in quotes"
	case *ast.TagNode:
		return "a tag; put the text in quotes"
	}
	return fmt.Sprintf("the YAML type %s", n.Type())
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
