// Package template makes the text of a post of an item of a source, for one account.
//
// A template is one of [text/template] with the fields of [Data] and the functions fit,
// truncate, hashtags, oneline, date, default, replace, lower and upper, which take the value
// last. It cannot define templates or repeat anything but the tags, and its output, its time
// and its memory are bounded, so that it may come from anyone.
//
// The length is counted as the network counts it. What fit marks gives way, at the end of a
// word, until the text fits. Nothing else is ever cut.
package template

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Default is the template of sources that have none.
const Default = "{{fit .Title}}\n\n{{.Link}}"

// Limits of templates in bytes.
const (
	MaxTemplate = 4000
	MaxOutput   = 20_000

	// maxWork is how many bytes the functions may read and return in one rendering.
	maxWork = 2 << 20
)

// Template is a template that was checked. Its methods may be called from any goroutine.
type Template struct{ parsed *template.Template }

// Parse checks a template. The error is fit for users and says what to change.
func Parse(text string) (*Template, error) { return parseFor(text, fields) }

// Check returns why a template cannot be used, or nil.
func Check(text string) error {
	_, err := Parse(text)
	return err
}

// parseFor checks a template that may use only some fields.
func parseFor(text string, allowed []string) (*Template, error) {
	switch {
	case len(text) > MaxTemplate:
		return nil, fmt.Errorf("the template has %d bytes; the limit is %d", len(text), MaxTemplate)
	case strings.TrimSpace(text) == "":
		return nil, errors.New("the template is empty; the default is {{fit .Title}} and {{.Link}}")
	case withoutMarks(text) != text:
		return nil, errors.New("the template holds bytes that are no text")
	}
	parsed, err := template.New("").Option("missingkey=error").Funcs(functions(new(work))).Parse(text)
	if err != nil {
		return nil, explain(err)
	}
	if len(parsed.Templates()) > 1 || parsed.Tree == nil {
		return nil, errors.New("the template defines another template; define and block cannot be used")
	}
	c := checker{fields: allowed}
	if err := c.node(parsed.Tree.Root, scope{}); err != nil {
		return nil, err
	}
	t := &Template{parsed: parsed}
	for _, d := range []Data{sample, {}} {
		if _, err := t.execute(d); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// scope is what surrounds a part of a template.
type scope struct {
	inRange bool // a range is open
	inWith  bool // the dot is not the item, because a range or a with is open
}

// checker checks the parts of a template.
type checker struct{ fields []string }

// node checks a part of a template with all that it contains.
func (c *checker) node(n parse.Node, s scope) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := c.node(child, s); err != nil {
				return err
			}
		}
	case *parse.ActionNode:
		return c.pipe(n.Pipe, s)
	case *parse.IfNode:
		return cmp.Or(c.pipe(n.Pipe, s), c.node(n.List, s), c.node(n.ElseList, s))
	case *parse.WithNode:
		inside := scope{inRange: s.inRange, inWith: true}
		return cmp.Or(c.pipe(n.Pipe, s), c.node(n.List, inside), c.node(n.ElseList, s))
	case *parse.RangeNode:
		if s.inRange {
			return errors.New("a range cannot be inside of another one")
		}
		if !overTags(n.Pipe) {
			return fmt.Errorf("range can only go over the tags: write {{range .Tags}} instead of {{range %.60s}}", n.Pipe)
		}
		return cmp.Or(c.pipe(n.Pipe, s), c.node(n.List, scope{inRange: true, inWith: true}), c.node(n.ElseList, s))
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
	case *parse.TemplateNode:
		return errors.New("template cannot be used, because no other template exists")
	default:
		return fmt.Errorf("%.60s cannot be used in a template", n)
	}
	return nil
}

// overTags reports whether a pipeline is the field Tags alone.
func overTags(p *parse.PipeNode) bool {
	if p == nil || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	text := p.Cmds[0].Args[0].String()
	return text == ".Tags" || text == "$.Tags"
}

// pipe checks a pipeline.
func (c *checker) pipe(p *parse.PipeNode, s scope) error {
	if p == nil {
		return nil
	}
	for i, command := range p.Cmds {
		for j, argument := range command.Args {
			if err := c.argument(argument, s); err != nil {
				return err
			}
			if name, ok := argument.(*parse.IdentifierNode); ok && name.Ident == "fit" && j == 0 && i < len(p.Cmds)-1 {
				return errors.New("fit must be the last function, such as {{.Title | oneline | fit}}")
			}
		}
	}
	return nil
}

// argument checks one word of a pipeline.
func (c *checker) argument(n parse.Node, s scope) error {
	switch n := n.(type) {
	case *parse.FieldNode:
		if s.inWith {
			return fmt.Errorf("inside of range and with, write $%s instead of %s", n, n)
		}
		return c.field(n.Ident, n.String())
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			return c.field(n.Ident[1:], n.String())
		}
		if len(n.Ident) > 1 {
			return fmt.Errorf("%.60s has no fields", n.Ident[0])
		}
		if n.Ident[0] == "$" {
			return errors.New("$ alone shows nothing; write a field such as $.Title")
		}
	case *parse.DotNode:
		if !s.inWith {
			return errors.New("the dot alone shows nothing; write a field such as .Title")
		}
	case *parse.IdentifierNode:
		if !isFunction(n.Ident) {
			return unknownFunction(n.Ident)
		}
	case *parse.PipeNode:
		return c.pipe(n, s)
	case *parse.ChainNode:
		return fmt.Errorf("%.60s has no fields", n.Node)
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
	default:
		return fmt.Errorf("%.60s cannot be used in a template", n)
	}
	return nil
}

func (c *checker) field(path []string, text string) error {
	for _, known := range c.fields {
		if path[0] != known {
			continue
		}
		if len(path) > 1 {
			return fmt.Errorf("%.60s does not exist: .%s has no fields", text, known)
		}
		return nil
	}
	return fmt.Errorf("the field %.60s does not exist; fields are .%s", text, strings.Join(c.fields, ", ."))
}

// prefix is how the library starts its errors.
var prefix = pattern.Lazy(`^template: :?(?:(\d+):)?(?:\d+:)? ?(?:executing "" at )?`)

var undefined = pattern.Lazy(`function "([^"]{1,60})" not defined`)

// explain returns an error of the library in words for users.
func explain(err error) error {
	text := err.Error()
	if m := undefined().FindStringSubmatch(text); m != nil {
		return unknownFunction(m[1])
	}
	line := ""
	if m := prefix().FindStringSubmatch(text); m != nil {
		if m[1] != "" {
			line = "line " + m[1] + ": "
		}
		text = text[len(m[0]):]
	}
	return fmt.Errorf("the template cannot be used: %s%.300s", line, text)
}
