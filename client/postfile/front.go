package postfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// keys are what front matter may have.
const keys = "id, at, tz, to and override"

// maxDepth is how deep brackets may be nested; front matter needs two levels.
const maxDepth = 20

// frontReader reads front matter by its syntax tree: decoding it into a struct
// would lose the lines and follow aliases.
type frontReader struct {
	file     *File
	problems []Problem
}

// readFront fills in what the front matter says.
func (f *File) readFront(text string) []Problem {
	r := &frontReader{file: f}
	if strings.Count(text, "[") > maxDepth*10 || strings.Count(text, "{") > maxDepth*10 {
		r.problem(nil, "the front matter has more brackets than any that is meant")
		return r.problems
	}
	tree, err := parser.ParseBytes([]byte(text), 0)
	switch {
	case err != nil:
		r.syntax(err)
	case len(tree.Docs) > 1:
		r.problem(tree.Docs[1].Body, "the front matter has several documents")
	case len(tree.Docs) == 1 && tree.Docs[0].Body != nil:
		r.mapping(tree.Docs[0].Body, r.key)
	}
	return r.problems
}

// line returns the line in the file: the front matter begins in the second.
func line(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 2
	}
	return t.Position.Line + 1
}

func (r *frontReader) problem(at ast.Node, format string, args ...any) {
	var t *token.Token
	if at != nil {
		t = at.GetToken()
	}
	r.problems = append(r.problems, r.file.Problemf(line(t), format, args...))
}

func (r *frontReader) syntax(err error) {
	var at yaml.Error
	message, where := err.Error(), (*token.Token)(nil)
	if errors.As(err, &at) {
		message, where = at.GetMessage(), at.GetToken()
	}
	message, _, _ = strings.Cut(message, " already defined at ") // it counts lines from another beginning
	if strings.HasPrefix(message, "mapping key ") {
		message = strings.TrimPrefix(message, "mapping ") + " is there twice"
	}
	r.problems = append(r.problems, r.file.Problemf(line(where), "the front matter cannot be read: %s", message))
}

// mapping calls read with each key and value.
func (r *frontReader) mapping(n ast.Node, read func(key Value, value ast.Node)) {
	values, isMap := n.(ast.MapNode)
	if !isMap {
		r.problem(n, "here belong keys and values, such as id: launch")
		return
	}
	for entries := values.MapRange(); entries.Next(); {
		key, isText := scalar(entries.Key())
		if !isText {
			r.problem(entries.Key(), "a key is a text")
			continue
		}
		read(Value{key, line(entries.Key().GetToken())}, entries.Value())
	}
}

func (r *frontReader) key(key Value, value ast.Node) {
	switch f := r.file; key.Text {
	case "id":
		f.ID = r.text(key, value)
	case "at":
		f.At = r.text(key, value)
	case "tz":
		f.TZ = r.text(key, value)
	case "to":
		f.To = r.list(key, value)
	case "override":
		if value.Type() == ast.NullType {
			return
		}
		r.mapping(value, func(account Value, text ast.Node) {
			v := r.text(account, text)
			v.Text = strings.TrimSuffix(v.Text, "\n")
			f.Overrides = append(f.Overrides, Override{account, v})
		})
	default:
		r.problems = append(r.problems, f.Problemf(key.Line, "unknown key %q; the keys are %s", clip(key.Text), keys))
	}
}

// list reads a list of texts; one text alone is a list as well.
func (r *frontReader) list(key Value, n ast.Node) (list []Value) {
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
			r.problem(item, "an account in %q is empty", key.Text)
		}
		list = append(list, v)
	}
	return list
}

// text reads a value that is a text; nothing is the empty one.
func (r *frontReader) text(key Value, n ast.Node) Value {
	text, isText := scalar(n)
	if !isText {
		r.problem(n, "%q is a text, and here it is %s", clip(key.Text), kind(n))
		return Value{Line: key.Line}
	}
	return Value{text, line(n.GetToken())}
}

// scalar returns a text, or a number, a date or a truth as it is written.
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
		return "an anchor or an alias, which are not used here; put it in quotes if it is none"
	case *ast.TagNode:
		return "a tag, which is not used here; put it in quotes if it is none"
	}
	return fmt.Sprintf("of the YAML type %s", n.Type())
}

// clip shortens a text from a file for a message.
func clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
