package tui

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// sentPost is the last request to create the post.
type sentPost struct {
	typed      string    // the time as it was typed
	at         time.Time // what typed meant at that time
	key        string
	noResponse bool
	warned     bool // the user was warned that the post may already exist
}

// save sends the post.
func (c *composer) save(m *Model) tea.Cmd {
	if c.sending {
		return nil
	}
	at, fault := c.publishTime(m.now, m.zone)
	switch {
	case fault != "":
	case c.mediaFault() != "":
		fault = c.mediaFault()
	case c.isEmpty():
		fault = "the text is empty"
	case c.emptyPart() != "":
		fault = c.emptyPart()
	case at != nil && len(c.accountIDs) == 0:
		fault = "choose an account first, or clear the time to save a draft"
	case c.draft.post.ID != "" && !c.changed():
		m.dialog = nil
		m.showNotice("nothing changed")
		return nil
	}
	if c.fault = fault; fault != "" {
		return nil
	}
	c.sending = true
	if c.draft.post.ID == "" {
		return c.create(m, at)
	}
	return c.edit(m, at)
}

// publishTime returns the time for the API, nil for none, and what is wrong with the
// typed time.
func (c *composer) publishTime(now time.Time, zone *time.Location) (at *apiv1.PublishTime, fault string) {
	text := strings.TrimSpace(c.timeInput.Value())
	isNew := c.draft.post.ID == ""
	switch {
	case text == "" && !isNew && c.draft.post.Status == schedctl.Scheduled:
		return nil, "a scheduled post needs a time: leave the editor and press U to make it a draft, or c to cancel it"
	case text == "", !isNew && c.timeInput.Value() == c.originalTime:
		return nil, ""
	case strings.EqualFold(text, apiv1.PublishNow) && isNew:
		return apiv1.Now(), ""
	case strings.EqualFold(text, apiv1.PublishNow):
		return nil, "save the post first, then press P to publish it"
	}
	if c.sent.noResponse && text == c.sent.typed {
		return apiv1.At(c.sent.at), "" // a retry of "in 2h" must not create another post
	}
	t, err := parseTime(text, now, zone)
	if err != nil {
		return nil, err.Error()
	}
	c.sent.typed, c.sent.at = text, t
	return apiv1.At(t), ""
}

// body returns the request that creates the post.
func (c *composer) body(at *apiv1.PublishTime) apiv1.CreatePost {
	from := c.draft.from
	body := apiv1.CreatePost{
		Content: c.commonParts()[0], Media: c.mediaBody(0), Thread: c.thread(), FirstComment: c.firstComment(),
		SocialAccountIDs: slices.Clone(c.accountIDs), PublishAt: at, TargetOverrides: c.overrides(), Labels: from.Labels,
	}
	copyPresentation(&body, from)
	return body
}

func (c *composer) create(m *Model, at *apiv1.PublishTime) tea.Cmd {
	cl, body, id := m.cfg.Client, c.body(at), c.id
	once := c.idempotencyKey(body)
	if c.sent.noResponse && once != c.sent.key && !c.sent.warned {
		c.sending, c.sent.warned = false, true
		c.fault = "the earlier version may already be saved, and this would create a second post: check first, or save again"
		return nil
	}
	c.sent.key = once
	return m.call(func(ctx context.Context) tea.Msg {
		post, err := cl.Create(ctx, body, once)
		return savedMsg{id: id, post: post, err: err}
	})
}

// idempotencyKey returns the key under which the daemon creates this post only once,
// also if a response was lost and the request is repeated. Another text has another
// key.
func (c *composer) idempotencyKey(body apiv1.CreatePost) string {
	data, _ := json.Marshal(body) // the values are strings and maps from JSON
	sum := sha256.Sum256(data)
	return fmt.Sprintf("tui-%s-%x", c.id, sum[:8])
}

func (c *composer) edit(m *Model, at *apiv1.PublishTime) tea.Cmd {
	p := c.draft.post
	var body apiv1.EditPost
	if at != nil {
		body.PublishAt = apiv1.NewTime(at.Time)
	}
	if text := c.commonParts()[0]; text != c.draft.from.Content {
		body.Content = &text
	}
	if c.mediaChanged(0) {
		body.Media = new(c.mediaBody(0))
	}
	if c.threadChanged() {
		thread := c.thread()
		body.Thread = &thread
	}
	if c.commentChanged() {
		if body.FirstComment = c.firstComment(); body.FirstComment == nil {
			body.FirstComment = noComment()
		}
	}
	overrides := append([]apiv1.Override{}, c.overrides()...)
	if c.accountsChanged() {
		body.SocialAccountIDs = new(append([]string{}, c.accountIDs...))
	}
	if c.ownTextsChanged() || c.accountsChanged() && len(overrides)+len(p.TargetOverrides) > 0 {
		body.TargetOverrides = &overrides
	}
	cl, id := m.cfg.Client, c.id
	return m.call(func(ctx context.Context) tea.Msg {
		post, err := cl.Edit(ctx, versionOf(p), body)
		saved := savedMsg{id: id, post: post, err: err}
		if schedctl.CodeOf(err) == schedctl.VersionMismatch {
			if theirs, err := cl.Post(ctx, p.ID); err == nil {
				saved.theirs = &theirs
			}
		}
		return saved
	})
}

// handleSaved closes the composer if the daemon has saved the post. Otherwise it
// keeps everything that was typed.
func (c *composer) handleSaved(m *Model, msg savedMsg) tea.Cmd {
	c.sending, c.sent.noResponse = false, noResponse(msg.err)
	switch {
	case msg.theirs != nil:
		c.conflict = msg.theirs
		c.draft.post = *msg.theirs // fields that were not edited here keep their version
		m.applyPost(*msg.theirs)
		return nil
	case schedctl.CodeOf(msg.err) == schedctl.NotFound && c.draft.post.ID != "":
		c.draft.post = apiv1.Post{}
		c.fault = "the post was deleted: save again to create it as a new post"
		return nil
	case noResponse(msg.err):
		c.fault = "no response; your text is kept. Save again when the daemon is back: " + explain(msg.err)
		return nil
	case msg.err != nil:
		c.fault = "not saved; your text is kept: " + explain(msg.err)
		return nil
	}
	m.dialog = nil
	m.applyPost(msg.post)
	m.selectPost(msg.post.ID)
	text := "saved: " + m.describe(msg.post)
	if msg.post.Status == schedctl.Draft && strings.TrimSpace(c.timeInput.Value()) != "" {
		text += ", without a time"
	}
	m.showNotice(text)
	m.offerUndo(m.undoSave(c.draft.post, msg.post))
	return nil
}

// undoSave returns the undo of a save. A new draft has no undo: deleting it would
// lose its text.
func (m *Model) undoSave(before, after apiv1.Post) *undo {
	switch {
	case before.ID == after.ID:
		return m.restoreUndo(before, after)
	case after.Status == schedctl.Scheduled:
		draft := after
		draft.Status, draft.PublishAt, draft.Version = schedctl.Draft, nil, 0
		return m.restoreUndo(draft, after)
	case after.Status == schedctl.Draft:
		return nil
	}
	return cannotUndo(after, "was published")
}
