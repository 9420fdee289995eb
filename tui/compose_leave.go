package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// askToLeave closes the composer. If something was typed, it asks first.
func (c *composer) askToLeave(m *Model) tea.Cmd {
	if c.changed() {
		c.leaving = true
		return nil
	}
	m.dialog = nil
	return nil
}

// handleLeaveKey takes the answer to the question what to do with what was typed.
func (c *composer) handleLeaveKey(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit // the caller of Run keeps the text
	case key.Matches(k, m.keys.SaveDraft):
		c.leaving = false
		return c.saveDraft(m)
	case key.Matches(k, m.keys.Keep):
		c.leaving = false
	case key.Matches(k, m.keys.Discard):
		c.discard(m)
		m.showNotice("discarded")
	}
	return nil
}

// question asks what to do with what was typed.
func (c *composer) question(k keyMap) []string {
	save := "save as a draft"
	if c.savesNewDraft() {
		save = "save as a new draft"
	}
	return []string{"Leave? What you wrote is not saved.", k.SaveDraft.Help().Key + " " + save + "   " + leaveKeys(k)}
}

// leaveKeys are the other answers.
func leaveKeys(k keyMap) string {
	return k.Keep.Help().Key + " " + k.Keep.Help().Desc + "   " + k.Discard.Help().Key + " " + k.Discard.Help().Desc
}

// saveDraft saves what was typed, without its time. A scheduled post stays as it
// is: its new text becomes a draft of its own.
func (c *composer) saveDraft(m *Model) tea.Cmd {
	switch {
	case c.sending:
		return nil
	case strings.TrimSpace(c.commonText()) == "":
		c.fault = "the text is empty, and a draft needs one"
		return nil
	}
	c.fault, c.sending = "", true
	if c.draft.post.ID == "" || c.savesNewDraft() {
		return c.create(m, nil)
	}
	return c.edit(m, nil)
}

// savesNewDraft reports whether a draft of the text would be a post of its own.
func (c *composer) savesNewDraft() bool {
	return c.draft.post.ID != "" && c.draft.post.Status != schedctl.Draft
}

// discard closes the composer. What was typed comes back with undo.
func (c *composer) discard(m *Model) {
	m.dialog = nil
	c.leaving = false
	text := c.commonText()
	if strings.TrimSpace(text) == "" {
		text = c.allText()
	}
	m.offerUndo(&undo{
		label: "continue writing “" + clip(excerpt(text, 24), 24) + "”",
		run: func(m *Model, _ *undo) tea.Cmd {
			m.dialog = c
			return c.check()
		},
	})
}
