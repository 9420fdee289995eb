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
func (c *composer) askToLeave(f Frame) tea.Cmd {
	if c.changed() {
		c.leaving = true
		return nil
	}
	f.Close()
	return nil
}

// handleLeaveKey handles the response to the question what to do with unsaved text.
func (c *composer) handleLeaveKey(f Frame, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, keys(f).Kill):
		return tea.Quit // the caller of Run keeps the text
	case key.Matches(k, keys(f).SaveDraft):
		c.leaving = false
		return c.saveDraft(f)
	case key.Matches(k, keys(f).Keep):
		c.leaving = false
	case key.Matches(k, keys(f).Discard):
		c.discard(f)
		f.ShowNotice("discarded")
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
func (c *composer) saveDraft(f Frame) tea.Cmd {
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
	case c.settingsFault(), c.warnsOfReferences(f):
		return nil
	}
	c.fault, c.sending = "", true
	if c.draft.post.ID == "" || c.savesNewDraft() {
		return c.create(f, postlist.Booking{})
	}
	return c.edit(f, postlist.Booking{})
}

// savesNewDraft reports whether saving a draft creates another post.
func (c *composer) savesNewDraft() bool {
	return c.draft.post.ID != "" && !c.draft.resends && c.draft.post.Status != schedctl.Draft
}

// discard closes the composer. Undo reopens it.
func (c *composer) discard(f Frame) {
	f.Close()
	c.leaving = false
	text := c.commonParts()[0]
	if strings.TrimSpace(text) == "" {
		text = c.allText()
	}
	f.OfferUndo(&postlist.Undo{
		Label: "continue writing “" + screen.Clip(screen.Excerpt(text, 24), 24) + "”",
		Run: func(_ *postlist.Undo) tea.Cmd {
			f.Open(c)
			return c.check()
		},
	})
}
