package compose

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// sentPost is the last request to create the post.
type sentPost struct {
	typed      string           // the time as it was typed
	booking    postlist.Booking // what typed meant at that time
	wantedSlot time.Time
	blackout   string // the time that a blackout has refused, as it was typed
	key        string
	noResponse bool
	warned     bool // the user was warned that the post may already exist
}

// save sends the post. With submits it also asks for the approval of the post, which then
// proposes the typed time.
func (c *composer) save(f Frame, submits bool) tea.Cmd {
	if c.sending {
		return nil
	}
	c.submits = submits
	r, repeats := c.repetition(f)
	var b postlist.Booking
	fault := ""
	if !repeats {
		b, fault = c.publishTime(f)
	}
	switch {
	case fault != "":
	case submits && c.submitFault(b) != "":
		fault = c.submitFault(b)
	case c.mediaFault() != "":
		fault = c.mediaFault()
	case c.isEmpty():
		fault = "the text is empty"
	case c.emptyPart() != "":
		fault = c.emptyPart()
	case c.settingsFault():
		return nil
	case b.PublishAt != nil && len(c.accountIDs) == 0:
		fault = "choose an account first, or clear the time to save a draft"
	case c.draft.post.ID != "" && !c.draft.resends && !submits && !c.changed():
		f.Close()
		f.ShowNotice("nothing changed")
		return nil
	}
	if c.fault = fault; fault != "" || c.warnsOfReferences(f) {
		return nil
	}
	if repeats {
		return c.createSeries(f, r)
	}
	typed := c.timeInput.Value()
	b.AllowBlackout = b.PublishAt != nil && typed == c.sent.blackout
	c.sending, c.sent.wantedSlot, c.sent.blackout = true, b.WantedSlot(), ""
	if c.draft.post.ID == "" {
		return c.create(f, b)
	}
	return c.edit(f, b)
}

// submitFault says why no approval can be asked for, or is empty.
func (c *composer) submitFault(b postlist.Booking) string {
	switch {
	case c.draft.resends:
		return "save the new post first, and then ask for its approval with A"
	case c.draft.post.ID != "" && c.draft.post.Status != schedctl.Draft:
		return "only a draft can wait for an approval: leave the editor and press U to make the post a draft"
	case c.draft.post.ID != "" && postlist.IsPending(c.draft.post):
		return "the post waits for an approval already: ctrl+s saves what you have changed"
	case len(c.accountIDs) == 0:
		return "choose an account first"
	case b.PublishAt != nil && b.PublishAt.Now:
		return "a post that waits for an approval cannot be published now: type a time, or next-slot"
	case b.PublishAt != nil && b.QueueID != nil && b.WantedSlot().IsZero():
		return "a slot of a certain queue cannot be proposed: type a time, or next-slot"
	}
	return ""
}

// publishTime returns the booking for the API, empty for none, and what is wrong with the
// typed time.
func (c *composer) publishTime(f Frame) (b postlist.Booking, fault string) {
	text := strings.TrimSpace(c.timeInput.Value())
	isNew := c.draft.post.ID == "" || c.draft.resends
	switch {
	case text == "" && !isNew && c.draft.post.Status == schedctl.Scheduled:
		return postlist.Booking{}, "a scheduled post needs a time: leave the editor and press U to make it a draft, or c to cancel it"
	case text == "", !isNew && c.timeInput.Value() == c.originalTime:
		return postlist.Booking{}, ""
	case c.draft.slot != nil && text == c.slotText:
		return postlist.SlotTime(c.draft.slot.QueueID, c.draft.slot.At.Time), ""
	case strings.EqualFold(text, apiv1.PublishNow) && isNew:
		return postlist.Booking{PublishAt: apiv1.Now()}, ""
	case strings.EqualFold(text, apiv1.PublishNow):
		return postlist.Booking{}, "save the post first, then press P to publish it"
	}
	if c.sent.noResponse && text == c.sent.typed {
		return c.sent.booking, "" // a retry of "in 2h" must not create another post
	}
	if b, fault = f.ParseBooking(text); fault == "" {
		c.sent.typed, c.sent.booking = text, b
	}
	return b, fault
}

// body returns the request that creates the post.
func (c *composer) body(b postlist.Booking) apiv1.CreatePost {
	body := fields.Request(c.draft.From)
	body.Content, body.Media, body.Thread, body.FirstComment = c.commonParts()[0], c.mediaBody(0), c.thread(), c.firstComment()
	body.SocialAccountIDs, body.TargetOverrides = slices.Clone(c.accountIDs), c.overrides()
	body.PublishAt, body.QueueID, body.NotBefore, body.AllowBlackout = b.PublishAt, b.QueueID, b.NotBefore, b.AllowBlackout
	body.PostStyle = nil // it may be wrong for the new text
	change, _, _ := c.settings.change()
	fields.Apply(change, &body)
	return body
}

func (c *composer) create(f Frame, b postlist.Booking) tea.Cmd {
	cl, body, id := f.Client(), c.body(b), c.id
	if c.submits {
		body.Submit, body.ProposedAt = &apiv1.SubmitNew{}, b.Proposal()
		body.PublishAt, body.QueueID, body.NotBefore, body.AllowBlackout = nil, nil, nil, false
	}
	once := c.idempotencyKey(body)
	if c.sent.noResponse && once != c.sent.key && !c.sent.warned {
		c.sending, c.sent.warned = false, true
		c.fault = "the earlier version may already be saved, and this would create a second post: check first, or save again"
		return nil
	}
	c.sent.key = once
	return f.Call(func(ctx context.Context) tea.Msg {
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

func (c *composer) edit(f Frame, b postlist.Booking) tea.Cmd {
	p := c.draft.post
	body, _, _ := c.settings.change()
	proposed, submits := b.Proposal(), c.submits
	if !submits {
		body.PublishAt, body.QueueID, body.NotBefore, body.AllowBlackout = b.PublishAt, b.QueueID, b.NotBefore, b.AllowBlackout
	}
	if text := c.commonParts()[0]; text != c.draft.From.Content {
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
			body.FirstComment = postlist.NoComment()
		}
	}
	overrides := append([]apiv1.Override{}, c.overrides()...)
	if c.accountsChanged() {
		body.SocialAccountIDs = new(append([]string{}, c.accountIDs...))
	}
	if c.ownTextsChanged() || c.accountsChanged() && len(overrides)+len(p.TargetOverrides) > 0 {
		body.TargetOverrides = &overrides
	}
	cl, id := f.Client(), c.id
	send := cl.Edit
	if c.draft.resends {
		send = cl.Resend
	}
	unchanged := submits && reflect.DeepEqual(body, apiv1.EditPost{})
	once := "tui-" + id + "-submit"
	return f.Call(func(ctx context.Context) tea.Msg {
		post, err := p, error(nil)
		if !unchanged {
			post, err = send(ctx, postlist.VersionOf(p), body)
		}
		if submits && err == nil {
			post, err = cl.Submit(ctx, postlist.VersionOf(post), apiv1.SubmitPost{ProposedAt: proposed}, once)
		}
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
func (c *composer) handleSaved(f Frame, msg savedMsg) tea.Cmd {
	c.sending, c.sent.noResponse = false, screen.NoResponse(msg.err)
	switch {
	case msg.theirs != nil:
		c.conflict = msg.theirs
		c.draft.post = *msg.theirs // fields that were not edited here keep their version
		f.ApplyPost(*msg.theirs)
		return nil
	case schedctl.CodeOf(msg.err) == schedctl.NotFound && c.draft.post.ID != "":
		c.draft.post = apiv1.Post{}
		c.fault = "the post was deleted: save again to create it as a new post"
		return nil
	case schedctl.CodeOf(msg.err) == schedctl.InBlackout:
		c.sent.blackout = c.timeInput.Value()
		c.fault = postlist.BlackoutText(msg.err) + ": save again to use this time anyway, or type another one"
		return nil
	case screen.NoResponse(msg.err):
		c.fault = "no response; your text is kept. Save again when the daemon is back: " + screen.Explain(msg.err)
		return nil
	case msg.err != nil:
		c.fault = "not saved; your text is kept: " + screen.Explain(msg.err)
		return nil
	}
	f.Close()
	f.ShowSaved(msg.post)
	text, other := "saved: "+f.Describe(msg.post), false
	if msg.post.Status == schedctl.Scheduled && !c.sent.wantedSlot.IsZero() {
		text, other = postlist.SlotReport(msg.post, c.sent.wantedSlot, f.Current().Zone)
		text = "saved: " + text
	}
	switch {
	case c.submits:
		text = "saved: the post waits for an approval"
		if len(msg.post.ProposedAlso) > 0 {
			text += "; its time is also proposed by " + screen.Plural(len(msg.post.ProposedAlso), "other post")
		}
	case msg.post.Status == schedctl.Draft && strings.TrimSpace(c.timeInput.Value()) != "":
		text += ", without a time"
	}
	if f.ShowNotice(text); other {
		f.ShowError(text)
	}
	f.OfferUndo(undoSave(f, c.draft.post, msg.post))
	return nil
}

// undoSave returns the undo of a save. A new draft has no undo: deleting it would
// lose its text.
func undoSave(f Frame, before, after apiv1.Post) *postlist.Undo {
	switch {
	case before.ID == after.ID:
		return f.RestoreUndo(before, after)
	case after.Status == schedctl.Scheduled:
		draft := after
		draft.Status, draft.PublishAt, draft.Version = schedctl.Draft, nil, 0
		draft.Slot, draft.QueueID = nil, nil
		return f.RestoreUndo(draft, after)
	case after.Status == schedctl.Draft:
		return nil
	}
	return postlist.CannotUndo(after, "was published")
}
