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

// sentPost is the last post that was sent to be created.
type sentPost struct {
	typed      string    // its time as it was typed
	at         time.Time // and what it meant then
	key        string
	noResponse bool
	warned     bool // that it may be there already
}

// save sends what was written.
func (c *composer) save(m *Model) tea.Cmd {
	if c.sending {
		return nil
	}
	at, fault := c.publishTime(m.now, m.zone)
	switch {
	case fault != "":
	case strings.TrimSpace(c.commonText()) == "":
		fault = "the text is empty"
	case at != nil && len(c.accountIDs) == 0:
		fault = "choose an account first, or empty the time for a draft"
	case c.draft.post.ID != "" && !c.changed():
		m.dialog = nil
		m.showNotice("nothing was changed")
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

// publishTime returns the time as the API takes it, nil for none, and what is wrong
// with it.
func (c *composer) publishTime(now time.Time, zone *time.Location) (at *apiv1.PublishTime, fault string) {
	text := strings.TrimSpace(c.timeInput.Value())
	isNew := c.draft.post.ID == ""
	switch {
	case text == "" && !isNew && c.draft.post.Status == schedctl.Scheduled:
		return nil, "a scheduled post keeps a time: cancel it to call it off"
	case text == "", !isNew && c.timeInput.Value() == c.originalTime:
		return nil, ""
	case strings.EqualFold(text, apiv1.PublishNow) && isNew:
		return apiv1.Now(), ""
	case strings.EqualFold(text, apiv1.PublishNow):
		return nil, "save it first, then publish it with P"
	}
	if c.sent.noResponse && text == c.sent.typed {
		return apiv1.At(c.sent.at), "" // "in 2h" shall not be another post when it is sent again
	}
	t, err := parseTime(text, now, zone)
	if err != nil {
		return nil, err.Error()
	}
	c.sent.typed, c.sent.at = text, t
	return apiv1.At(t), ""
}

// body is the post as it would be created.
func (c *composer) body(at *apiv1.PublishTime) apiv1.CreatePost {
	return apiv1.CreatePost{Content: c.commonText(), SocialAccountIDs: slices.Clone(c.accountIDs), PublishAt: at, TargetOverrides: c.overrides(), Labels: c.draft.from.Labels}
}

func (c *composer) create(m *Model, at *apiv1.PublishTime) tea.Cmd {
	cl, body, id := m.cfg.Client, c.body(at), c.id
	once := c.idempotencyKey(body)
	if c.sent.noResponse && once != c.sent.key && !c.sent.warned {
		c.sending, c.sent.warned = false, true
		c.fault = "what was sent before may be there already, and this would be a second post: look first, or save it again"
		return nil
	}
	c.sent.key = once
	return m.call(func(ctx context.Context) tea.Msg {
		post, err := cl.Create(ctx, body, once)
		return savedMsg{id: id, post: post, err: err}
	})
}

// idempotencyKey is the key under which the daemon makes this post once, also when it is
// sent again after an answer was lost. Another text is another post.
func (c *composer) idempotencyKey(body apiv1.CreatePost) string {
	data, _ := json.Marshal(body) // strings and maps that came from JSON
	sum := sha256.Sum256(data)
	return fmt.Sprintf("tui-%s-%x", c.id, sum[:8])
}

func (c *composer) edit(m *Model, at *apiv1.PublishTime) tea.Cmd {
	p := c.draft.post
	var body apiv1.EditPost
	if at != nil {
		body.PublishAt = apiv1.NewTime(at.Time)
	}
	if text := c.commonText(); text != c.draft.from.Content {
		body.Content = &text
	}
	overrides := append([]apiv1.Override{}, c.overrides()...)
	if c.accountsChanged() {
		to := append([]string{}, c.accountIDs...)
		body.SocialAccountIDs = &to
	}
	if c.textsChanged() || c.accountsChanged() && len(overrides)+len(p.TargetOverrides) > 0 {
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

// handleSaved closes the composer when the daemon has the post. Otherwise everything
// stays as it was typed.
func (c *composer) handleSaved(m *Model, msg savedMsg) tea.Cmd {
	c.sending, c.sent.noResponse = false, noResponse(msg.err)
	switch {
	case msg.theirs != nil:
		c.conflict = msg.theirs
		c.draft.post = *msg.theirs // what was not touched here stays theirs
		m.applyPost(*msg.theirs)
		return nil
	case schedctl.CodeOf(msg.err) == schedctl.NotFound && c.draft.post.ID != "":
		c.draft.post = apiv1.Post{}
		c.fault = "the post has been deleted; save again to create it as a new one"
		return nil
	case noResponse(msg.err):
		c.fault = "no answer, nothing is lost; save again when the daemon is back: " + explain(msg.err)
		return nil
	case msg.err != nil:
		c.fault = "not saved, nothing is lost: " + explain(msg.err)
		return nil
	}
	m.dialog = nil
	m.applyPost(msg.post)
	m.selectPost(msg.post.ID)
	said := "saved: " + m.describe(msg.post)
	if msg.post.Status == schedctl.Draft && strings.TrimSpace(c.timeInput.Value()) != "" {
		said += ", without a time"
	}
	m.showNotice(said)
	m.offerUndo(m.undoSave(c.draft.post, msg.post))
	return nil
}

// undoSave returns how a saved text is undone. A new draft is left alone: it harms
// nobody, and its text would be lost.
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

// sameText reports whether two overrides give one account the same text.
func sameText(a, b apiv1.Override) bool {
	return a.SocialAccountID == b.SocialAccountID && (a.Content == nil) == (b.Content == nil) && (a.Content == nil || *a.Content == *b.Content)
}

// editTo returns the edit that makes a post what another one is.
func editTo(want, have apiv1.Post) (body apiv1.EditPost) {
	if want.Content != have.Content {
		body.Content = &want.Content
	}
	moved := !slices.Equal(want.SocialAccountIDs, have.SocialAccountIDs)
	if moved {
		to := append([]string{}, want.SocialAccountIDs...)
		body.SocialAccountIDs = &to
	}
	if moved || !slices.EqualFunc(want.TargetOverrides, have.TargetOverrides, sameText) {
		overrides := append([]apiv1.Override{}, want.TargetOverrides...)
		body.TargetOverrides = &overrides
	}
	if want.PublishAt != nil && (have.PublishAt == nil || !want.PublishAt.Equal(have.PublishAt.Time)) {
		body.PublishAt = want.PublishAt
	}
	return body
}
