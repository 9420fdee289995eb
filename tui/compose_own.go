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
	accountID  string            // the account whose text is in the field; empty for the common one
	common     string            // while another one is in the field
	own        map[string]string // by account id, of those that are not in the field
	raw        string            // what was put into the field
	fieldValue string            // and how the field holds it, which knows no tabs
}

// setText gives the field a text.
func (c *composer) setText(text string) {
	c.text.SetValue(text)
	c.texts.raw, c.texts.fieldValue = text, c.text.Value()
}

// currentText is the text in the field. One that was not touched is as it came.
func (c *composer) currentText() string {
	if text := c.text.Value(); text != c.texts.fieldValue {
		return text
	}
	return c.texts.raw
}

// commonText is the text that the accounts have in common.
func (c *composer) commonText() string {
	if c.texts.accountID == "" {
		return c.currentText()
	}
	return c.texts.common
}

// ownText returns the text that an account has of its own, empty for none.
func (c *composer) ownText(id string) string {
	text := c.texts.own[id]
	if id == c.texts.accountID {
		text = c.currentText()
	}
	if strings.TrimSpace(text) == "" || text == c.commonText() {
		return ""
	}
	return text
}

// switchText puts the text of an account into the field, or the common one again.
func (c *composer) switchText(id string) tea.Cmd {
	t := &c.texts
	if t.accountID == "" {
		t.common = c.currentText()
	} else {
		t.own[t.accountID] = c.currentText()
	}
	if t.accountID == id {
		id = ""
	}
	next := t.common
	if own := t.own[id]; own != "" {
		next = own
	}
	t.accountID = id
	c.setText(next)
	return tea.Batch(c.focus(fieldText), c.check())
}

// originalText returns the text of its own that an account had at first.
func (c *composer) originalText(id string) string {
	for _, o := range c.draft.from.TargetOverrides {
		if o.SocialAccountID == id && o.Content != nil {
			return *o.Content
		}
	}
	return ""
}

// textsChanged reports whether an account has another text of its own now.
func (c *composer) textsChanged() bool {
	return slices.ContainsFunc(c.accountIDs, func(id string) bool { return c.ownText(id) != c.originalText(id) })
}

// overrides are what the chosen accounts have of their own: texts, and options
// as they were.
func (c *composer) overrides() (kept []apiv1.Override) {
	for _, id := range c.accountIDs {
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

// allText is all that was written, for a file.
func (c *composer) allText() string {
	all := []string{c.commonText()}
	for _, id := range c.accountIDs {
		if text := c.ownText(id); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}
