package compose

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// askToLeave closes the composer. If something was typed, it first asks what to do.
func (c *composer) askToLeave(m Frame) tea.Cmd {
	if c.changed() {
		c.leaving = true
		return nil
	}
	m.Close()
	return nil
}

// handleLeaveKey handles the response to the question what to do with unsaved text.
func (c *composer) handleLeaveKey(m Frame, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, keys(m).Kill):
		return tea.Quit // the caller of Run keeps the text
	case key.Matches(k, keys(m).SaveDraft):
		c.leaving = false
		return c.saveDraft(m)
	case key.Matches(k, keys(m).Keep):
		c.leaving = false
	case key.Matches(k, keys(m).Discard):
		c.discard(m)
		m.ShowNotice("discarded")
	}
	return nil
}

// question returns the question what to do with unsaved text.
func (c *composer) question(k *screen.KeyMap) []string {
	save := "save as a draft"
	if c.savesNewDraft() {
		save = "save as a new draft"
	}
	return []string{"Leave? Your text is not saved.", k.SaveDraft.Help().Key + " " + save + "   " + screen.LeaveKeys(k)}
}

// saveDraft saves the text without its time. A scheduled post stays unchanged: the
// new text becomes a separate draft.
func (c *composer) saveDraft(m Frame) tea.Cmd {
	switch {
	case c.sending:
		return nil
	case c.mediaFault() != "":
		c.fault = c.mediaFault()
		return nil
	case c.isEmpty():
		c.fault = "a draft needs a text"
		return nil
	case c.emptyPart() != "":
		c.fault = c.emptyPart()
		return nil
	case c.settingsFault(), c.warnsOfReferences(m):
		return nil
	}
	c.fault, c.sending = "", true
	if c.draft.post.ID == "" || c.savesNewDraft() {
		return c.create(m, postlist.Booking{})
	}
	return c.edit(m, postlist.Booking{})
}

// savesNewDraft reports whether saving a draft creates another post.
func (c *composer) savesNewDraft() bool {
	return c.draft.post.ID != "" && !c.draft.resends && c.draft.post.Status != schedctl.Draft
}

// discard closes the composer. Undo reopens it.
func (c *composer) discard(m Frame) {
	m.Close()
	c.leaving = false
	text := c.commonParts()[0]
	if strings.TrimSpace(text) == "" {
		text = c.allText()
	}
	m.OfferUndo(&postlist.Undo{
		Label: "continue writing “" + screen.Clip(screen.Excerpt(text, 24), 24) + "”",
		Run: func(_ *postlist.Undo) tea.Cmd {
			m.Open(c)
			return c.check()
		},
	})
}
