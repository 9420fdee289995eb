package postfile

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxBrackets is far more than the brackets in any real front matter. The parser is
// very slow for deeply nested ones.
const maxBrackets = 200

// yamlReader reads the syntax tree of a YAML document: decoding into a struct would
// lose the lines and follow aliases.
type yamlReader struct {
	path     string
	what     string // the document, for messages
	before   int    // number of lines before the document
	problems []Problem
}

// document reads one YAML mapping.
func (r *yamlReader) document(text string) (entries []entry) {
	if strings.Count(text, "[") > maxBrackets || strings.Count(text, "{") > maxBrackets {
		r.problem(nil, "%s has too many brackets", r.what)
		return nil
	}
	tree, err := parser.ParseBytes([]byte(text), 0)
	switch {
	case err != nil:
		r.syntax(err)
	case len(tree.Docs) > 1:
		r.problem(tokenOf(tree.Docs[1].Body), "%s has several documents", r.what)
	case len(tree.Docs) == 1 && tree.Docs[0].Body != nil:
		v := r.value(tree.Docs[0].Body, 0)
		if v.kind != isObject {
			r.problem(tree.Docs[0].Body.GetToken(), "%s", notMapping)
		}
		return v.entries
	}
	return nil
}

func tokenOf(n ast.Node) *token.Token {
	if n == nil {
		return nil
	}
	return n.GetToken()
}

const notMapping = "expected keys and values, such as id: launch"

// at returns the position of a token in the file.
func (r *yamlReader) at(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{1 + r.before, 1}
	}
	return Position{t.Position.Line + r.before, t.Position.Column}
}

func (r *yamlReader) problem(at *token.Token, format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: r.path, Line: max(r.at(at).Line, 1), Message: fmt.Sprintf(format, args...)})
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
	if strings.HasPrefix(message, "'@' is a reserved character") {
		message = `write a name that starts with @ in quotes, such as "@brand"`
	}
	r.problem(where, "cannot read %s: %s", r.what, message)
}

// value returns a node of the syntax tree as a value.
func (r *yamlReader) value(n ast.Node, depth int) value {
	v := value{at: r.at(n.GetToken())}
	switch n := n.(type) {
	case *ast.SequenceNode:
		v.kind = isList
		for _, item := range n.Values {
			if depth < maxDepth {
				v.items = append(v.items, r.value(item, depth+1))
			}
		}
	case ast.MapNode:
		v.kind = isObject
		for entries := n.MapRange(); entries.Next() && depth < maxDepth; {
			key := r.value(entries.Key(), depth+1)
			if key.kind > isBool {
				r.problem(entries.Key().GetToken(), "expected a text as the key")
				continue
			}
			v.entries = append(v.entries, entry{key.text, key.at, r.value(entries.Value(), depth+1)})
		}
	default:
		r.scalar(&v, n)
	}
	return v
}

// scalar sets a text. A number, a date or a boolean has its source text.
func (r *yamlReader) scalar(v *value, n ast.Node) {
	switch n := n.(type) {
	case *ast.NullNode:
		v.kind, v.exact = isNull, ""
		return
	case *ast.StringNode:
		v.kind, v.text = isText, n.Value
	case *ast.LiteralNode:
		v.kind, v.text = isText, n.Value.Value
	case *ast.BoolNode:
		v.kind, v.text, v.exact = isBool, n.GetToken().Value, n.Value
		return
	case *ast.IntegerNode:
		v.kind, v.text = isNumber, n.GetToken().Value
		switch i := n.Value.(type) {
		case int64:
			v.exact = float64(i)
			return
		case uint64:
			v.exact = float64(i)
			return
		}
	case *ast.FloatNode:
		v.kind, v.text = isNumber, n.GetToken().Value
		if !math.IsInf(n.Value, 0) && !math.IsNaN(n.Value) {
			v.exact = n.Value
			return
		}
	case *ast.InfinityNode, *ast.NanNode:
		v.kind, v.text = isNumber, n.GetToken().Value
	default:
		v.kind, v.form = isOther, otherForm(n)
	}
	v.exact = v.text
}

func otherForm(n ast.Node) string {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or an alias; put the text in quotes"
	case *ast.TagNode:
		return "a tag; put the text in quotes"
	}
	return fmt.Sprintf("the YAML type %s", n.Type())
}
