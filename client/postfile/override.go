package postfile

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Override holds what one account gets instead of what the post says. Nil fields and empty
// texts are those of the post. The value of an option is a string, a bool, a float64, or a
// list of these.
type Override struct {
	Account, Text Value
	Options       map[string]any

	Media  *[]Media
	Thread *[]Part // the parts after the first one
	Poll   *Poll   // without options for no poll

	ContentWarning, Visibility, Language Value
}

// HasMore reports whether an override has more than a text and options.
func (o Override) HasMore() bool {
	return o.Media != nil || o.Thread != nil || o.Poll != nil || o.ContentWarning.Text != "" || o.Visibility.Text != "" || o.Language.Text != ""
}

// AllMedia returns the media of all parts.
func (o Override) AllMedia() (list []Media) {
	if o.Media != nil {
		list = append(list, *o.Media...)
	}
	if o.Thread != nil {
		for _, part := range *o.Thread {
			list = append(list, part.Media...)
		}
	}
	return list
}

const (
	noPoll       = "none"
	overrideKeys = "content, media, thread, poll, content_warning, visibility and language"
)

// overrides reads a text, or several fields, for each account.
func (r *yamlReader) overrides(n ast.Node) {
	r.accounts(n, func(account Value, value ast.Node) {
		o := r.file.override(account)
		if _, isMap := value.(ast.MapNode); !isMap {
			o.Text = r.block(account, value)
			return
		}
		before := len(r.problems)
		r.mapping(value, func(key Value, v ast.Node) { r.overrideKey(o, key, v) })
		if o.Text.Text == "" && !o.HasMore() && len(r.problems) == before {
			r.problem(value, "the override for %s is empty; its keys are %s", clip(account.Text), overrideKeys)
		}
	})
}

func (r *yamlReader) overrideKey(o *Override, key Value, n ast.Node) {
	missing := n.Type() == ast.NullType
	switch key.Text {
	case "content":
		o.Text = r.block(key, n)
	case "media":
		if list := r.media(key, n); !missing {
			o.Media = &list
		}
	case "thread":
		if !missing {
			o.Thread = r.parts(key, n)
		}
	case "poll":
		switch text, isText := scalar(n); {
		case isText && text == noPoll:
			o.Poll = &Poll{Line: key.Line}
		case isText && !missing:
			r.problem(n, "%q must be none, or keys and values such as %s", key.Text, pollExample)
		default:
			if o.Poll = r.poll(key, n); o.Poll != nil && len(o.Poll.Options) == 0 {
				r.problem(n, "%q has no options; write poll: %s for no poll", key.Text, noPoll)
				o.Poll = nil
			}
		}
	case "content_warning":
		o.ContentWarning = r.trimmed(key, n)
	case "visibility":
		o.Visibility = r.text(key, n)
	case "language":
		o.Language = r.text(key, n)
	default:
		r.unknown(key, "an override", overrideKeys)
	}
}

// parts reads a list of parts, each a text, or a text and media.
func (r *yamlReader) parts(key Value, n ast.Node) *[]Part {
	items, isList := n.(*ast.SequenceNode)
	if !isList {
		r.problem(n, "%q must be a list of the parts after the first one, such as [Second part, {content: Third part, media: [%s]}]", key.Text, mediaExample)
		return nil
	}
	list := []Part{}
	for _, item := range items.Values {
		before := len(r.problems)
		part := r.part(key, item)
		if part == nil && len(r.problems) == before {
			r.problem(item, "%q has an empty part", key.Text)
		}
		if part != nil {
			list = append(list, *part)
		}
	}
	return &list
}

// overrides writes the texts of accounts, or what else they get.
func (e *encoder) overrides(list []Override) {
	written := false
	for _, o := range list {
		text := overrideText(o)
		if text == "" && !o.HasMore() {
			continue
		}
		if !written {
			e.line("override:")
			written = true
		}
		if !o.HasMore() {
			e.line("  %s: %s", quoted(o.Account.Text), text)
			continue
		}
		e.line("  %s:", quoted(o.Account.Text))
		if text != "" {
			e.line("    content: %s", text)
		}
		e.overrideFields(o)
	}
}

func (e *encoder) overrideFields(o Override) {
	if o.Media != nil {
		e.flow("    media", flowMedia(*o.Media))
	}
	if o.Thread != nil {
		var parts []any
		for _, part := range *o.Thread {
			parts = append(parts, map[string]any{"content": blockText(part.Content.Text), "media": flowMedia(part.Media)})
		}
		e.flow("    thread", parts)
	}
	switch {
	case o.Poll == nil:
	case len(o.Poll.Options) == 0:
		e.line("    poll: %s", noPoll)
	default:
		e.poll("    ", o.Poll)
	}
	e.scalar("    content_warning", o.ContentWarning)
	e.scalar("    visibility", o.Visibility)
	e.scalar("    language", o.Language)
}

// flow writes a list with a line for each item.
func (e *encoder) flow(key string, items []any) {
	if len(items) == 0 {
		e.line("%s: []", key)
		return
	}
	e.line("%s:", key)
	indent := strings.Repeat(" ", len(key)-len(strings.TrimLeft(key, " ")))
	for _, item := range items {
		e.line("%s  - %s", indent, asJSON(item))
	}
}

func flowMedia(list []Media) []any {
	items := []any{}
	for _, m := range list {
		item := map[string]any{"file": m.File.Text}
		if m.Alt.Text != "" {
			item["alt"] = m.Alt.Text
		}
		items = append(items, item)
	}
	return items
}
