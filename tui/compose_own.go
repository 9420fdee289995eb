package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// texts are the texts of a post: the common text and the texts of single accounts.
// The text field holds one of them.
type texts struct {
	accountID  string            // the account whose text is in the field; empty for the common text
	common     string            // while the field holds another text
	own        map[string]string // by account id, without the text in the field
	raw        string            // the text that was put into the field
	fieldValue string            // the field's version of raw, without tabs
}

// setText sets the text in the field.
func (c *composer) setText(text string) {
	c.text.SetValue(text)
	c.texts.raw, c.texts.fieldValue = text, c.text.Value()
}

// currentText returns the text in the field. An unedited text is returned exactly as
// it was set.
func (c *composer) currentText() string {
	if text := c.text.Value(); text != c.texts.fieldValue {
		return text
	}
	return c.texts.raw
}

// commonText returns the text of all accounts without their own text.
func (c *composer) commonText() string {
	if c.texts.accountID == "" {
		return c.currentText()
	}
	return c.texts.common
}

// ownText returns an account's own text, or the empty string.
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

// switchText puts the text of an account into the field, or the common text if it is
// already there.
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

// originalText returns the own text that an account had at first.
func (c *composer) originalText(id string) string {
	for _, o := range c.draft.from.TargetOverrides {
		if o.SocialAccountID == id && o.Content != nil {
			return *o.Content
		}
	}
	return ""
}

// textsChanged reports whether an account's own text has changed.
func (c *composer) textsChanged() bool {
	return slices.ContainsFunc(c.accountIDs, func(id string) bool { return c.ownText(id) != c.originalText(id) })
}

// overrides returns the overrides of the selected accounts: their own texts, and
// their unchanged options.
func (c *composer) overrides() (kept []apiv1.Override) {
	for _, id := range c.accountIDs {
		o := apiv1.Override{SocialAccountID: id}
		if i := slices.IndexFunc(c.draft.from.TargetOverrides, func(o apiv1.Override) bool { return o.SocialAccountID == id }); i >= 0 {
			o.Options, o.Media = c.draft.from.TargetOverrides[i].Options, c.draft.from.TargetOverrides[i].Media
		}
		if text := c.ownText(id); text != "" {
			o.Content = &text
		}
		if o.Content != nil || len(o.Options) > 0 || o.Media != nil {
			kept = append(kept, o)
		}
	}
	return kept
}

// allText returns all texts, to be saved in a file.
func (c *composer) allText() string {
	all := []string{c.commonText()}
	for _, id := range c.accountIDs {
		if text := c.ownText(id); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}
