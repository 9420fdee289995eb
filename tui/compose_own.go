package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// texts are those of a post: one that all accounts have in common, and some that
// single accounts have of their own. The field has one of them.
type texts struct {
	part   string            // the account whose text is in the field; empty for the common one
	common string            // while another one is in the field
	own    map[string]string // by account id, of those that are not in the field
	raw    string            // what was put into the field
	held   string            // and how the field holds it, which knows no tabs
}

// put gives the field a text.
func (c *composer) put(text string) {
	c.text.SetValue(text)
	c.texts.raw, c.texts.held = text, c.text.Value()
}

// written is the text in the field. One that was not touched is as it came.
func (c *composer) written() string {
	if text := c.text.Value(); text != c.texts.held {
		return text
	}
	return c.texts.raw
}

// content is the text that the accounts have in common.
func (c *composer) content() string {
	if c.texts.part == "" {
		return c.written()
	}
	return c.texts.common
}

// ownText returns the text that an account has of its own, empty for none.
func (c *composer) ownText(id string) string {
	text := c.texts.own[id]
	if id == c.texts.part {
		text = c.written()
	}
	if strings.TrimSpace(text) == "" || text == c.content() {
		return ""
	}
	return text
}

// turn puts the text of an account into the field, or the common one again.
func (c *composer) turn(id string) tea.Cmd {
	t := &c.texts
	if t.part == "" {
		t.common = c.written()
	} else {
		t.own[t.part] = c.written()
	}
	if t.part == id {
		id = ""
	}
	next := t.common
	if own := t.own[id]; own != "" {
		next = own
	}
	t.part = id
	c.put(next)
	return tea.Batch(c.focus(fieldText), c.check())
}

// began returns the text of its own that an account had at first.
func (c *composer) began(id string) string {
	for _, o := range c.draft.from.TargetOverrides {
		if o.SocialAccountID == id && o.Content != nil {
			return *o.Content
		}
	}
	return ""
}

// rewritten reports whether an account has another text of its own now.
func (c *composer) rewritten() bool {
	return slices.ContainsFunc(c.to, func(id string) bool { return c.ownText(id) != c.began(id) })
}

// overrides are what the chosen accounts have of their own: texts, and options
// as they were.
func (c *composer) overrides() (kept []apiv1.Override) {
	for _, id := range c.to {
		o := apiv1.Override{SocialAccountID: id}
		if i := slices.IndexFunc(c.draft.from.TargetOverrides, func(o apiv1.Override) bool { return o.SocialAccountID == id }); i >= 0 {
			o.Options = c.draft.from.TargetOverrides[i].Options
		}
		if text := c.ownText(id); text != "" {
			o.Content = &text
		}
		if o.Content != nil || len(o.Options) > 0 {
			kept = append(kept, o)
		}
	}
	return kept
}

// everything is all that was written, for a file.
func (c *composer) everything() string {
	all := []string{c.content()}
	for _, id := range c.to {
		if text := c.ownText(id); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}
