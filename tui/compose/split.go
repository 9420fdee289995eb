package compose

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui/screen"
)

// readers returns the accounts that get the text in the field.
func (c *composer) readers(f Frame) (list []apiv1.Account) {
	for _, a := range f.Current().Accounts.List {
		switch {
		case c.texts.shown == commentText, !slices.Contains(c.accountIDs, a.ID):
		case c.texts.shown == a.ID, c.texts.shown == commonText && c.ownText(a.ID).content == nil:
			list = append(list, a)
		}
	}
	return list
}

// tooLong returns the accounts for which a part of the text in the field is too long.
func (c *composer) tooLong(f Frame) (names []string) {
	parts := c.fieldParts()
	for _, a := range c.readers(f) {
		limit := threadtext.LimitOf(&a)
		if slices.ContainsFunc(parts, func(p string) bool { return !limit.Fits(p) }) {
			names = append(names, screen.OneLine(a.Name))
		}
	}
	return names
}

// splitText splits the parts that are too long into parts that fit all accounts. Pressed
// again, it restores the text as it was.
func (c *composer) splitText(f Frame) tea.Cmd {
	if c.split.after != "" && c.text.Value() == c.split.after {
		before := c.split.before
		c.split = splitText{}
		return c.changeText(func() { c.text.SetValue(before) })
	}
	if len(c.tooLong(f)) == 0 {
		c.fault = "the text fits all chosen accounts: there is nothing to split"
		return nil
	}
	var limits []threadtext.Limit
	for _, a := range c.readers(f) {
		limits = append(limits, threadtext.LimitOf(&a))
	}
	fits := func(text string) bool {
		return !slices.ContainsFunc(limits, func(l threadtext.Limit) bool { return !l.Fits(text) })
	}
	var parts []string
	for _, p := range c.fieldParts() {
		if fits(p) {
			parts = append(parts, p)
			continue
		}
		pieces, ok := threadtext.Fit(p, fits)
		if !ok {
			c.fault = "the text cannot be split so that each part fits: a word or a link is too long"
			return nil
		}
		parts = append(parts, pieces...)
	}
	before := c.text.Value()
	cmd := c.changeText(func() { c.text.SetValue(threadtext.Join(parts)) })
	c.split = splitText{before: before, after: c.text.Value()}
	return cmd
}

// splitText is the text before and after it was split.
type splitText struct{ before, after string }
