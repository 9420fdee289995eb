package tui

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewedMsg is the response to a step of a review.
type reviewedMsg struct {
	form   *reviewForm
	post   apiv1.Post  // after the step
	theirs *apiv1.Post // the current version, if the post was changed since
	err    error
}

// newID returns a short text that depends on all values.
func newID(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return fmt.Sprintf("%x", sum[:8])
}

// send sends the step, unless something is missing.
func (d *reviewForm) send(m *Model) tea.Cmd {
	b, fault := d.booking(m)
	note := d.typed()
	switch {
	case fault != "":
	case d.step == stepChanges && note == "":
		fault = "say what has to change"
	case d.step == stepNote && note == "":
		fault = "write the note"
	}
	if d.fault = fault; fault != "" {
		return nil
	}
	b.AllowBlackout = d.blackout != "" && d.blackout == d.when.Value()
	d.sending, d.changed = true, false
	c, p, call := m.Client(), d.post, d.call(b, note)
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := reviewedMsg{form: d}
		msg.post, msg.err = call(ctx, c)
		switch schedctl.CodeOf(msg.err) {
		case schedctl.VersionMismatch, schedctl.ApprovalNotPending, schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.SeriesIsOver:
			if theirs, err := readRow(ctx, c, p); err == nil {
				msg.theirs = &theirs
			}
		}
		return msg
	})
}

// booking returns the typed time, empty for the proposed time of the post, and what is
// wrong with it.
func (d *reviewForm) booking(m *Model) (b postlist.Booking, fault string) {
	text := strings.TrimSpace(d.when.Value())
	switch {
	case !d.hasTime(), text == d.originalWhen && (text != "" || d.step == stepSubmit):
		return postlist.Booking{}, ""
	case text == "" && d.step == stepSubmit:
		return postlist.Booking{}, "the draft has a proposed time: keep " + d.originalWhen + ", or type another time"
	case text == "":
		return postlist.Booking{}, "the post needs a time: try tomorrow 9am, or next-slot"
	}
	b, fault = m.parseBooking(text)
	if fault == "" && b.QueueID != nil && d.step == stepSubmit {
		fault = "propose next-slot without a queue: the reviewer can choose one"
	}
	return b, fault
}

// call returns the request of the step. Its key depends on everything that was typed, so
// that repeating a request without a response has no second effect.
func (d *reviewForm) call(b postlist.Booking, note string) func(context.Context, screen.Client) (apiv1.Post, error) {
	p, step := d.post, d.step
	var proposed *apiv1.ProposedTime
	if b.PublishAt != nil {
		proposed = &apiv1.ProposedTime{Time: b.PublishAt.Time, NextSlot: b.PublishAt.NextSlot}
	}
	var optional *string
	if note != "" {
		optional = &note
	}
	once := "tui-review-" + newID(d.id, step, p.Version, note, d.when.Value(), b.AllowBlackout)
	if postlist.IsSeries(p) {
		return d.seriesCall(optional, once)
	}
	return func(ctx context.Context, c screen.Client) (apiv1.Post, error) {
		switch step {
		case stepApprove:
			return c.Approve(ctx, postlist.VersionOf(p), apiv1.ApprovePost{PublishAt: proposed, QueueID: b.QueueID, NotBefore: b.NotBefore, Note: optional, AllowBlackout: b.AllowBlackout}, once)
		case stepChanges:
			return c.RequestChanges(ctx, postlist.VersionOf(p), note, once)
		case stepSubmit:
			return c.Submit(ctx, postlist.VersionOf(p), apiv1.SubmitPost{Note: optional, ProposedAt: proposed}, once)
		}
		_, err := c.AddNote(ctx, p.ID, note, once)
		return p, err
	}
}

// takeReviewed closes the form after a step that the daemon has accepted. Otherwise the
// form keeps everything that was typed.
func (m *Model) takeReviewed(msg reviewedMsg) tea.Cmd {
	d := msg.form
	d.sending = false
	switch {
	case msg.err == nil:
		return m.finishReview(d, msg.post)
	case msg.theirs != nil:
		m.applyPost(*msg.theirs)
		d.meet(m, *msg.theirs)
	default:
		d.fault = d.refusal(msg.err)
		if schedctl.CodeOf(msg.err) == schedctl.InBlackout {
			d.blackout = d.when.Value()
		}
	}
	return nil
}

// meet shows the version that someone else has saved. If the step is no longer possible,
// a typed note can be saved alone.
func (d *reviewForm) meet(m *Model, theirs apiv1.Post) {
	decides := d.step == stepApprove || d.step == stepChanges
	d.post = theirs
	if decides && postlist.IsPending(theirs) || d.step == stepSubmit && theirs.Status == schedctl.Draft && !postlist.IsPending(theirs) {
		d.changed, d.top = true, 0
		d.setWhen(m)
		return
	}
	text := "not sent: " + decidedText(theirs)
	if d.typed() == "" {
		m.dialog = nil
		m.ShowError(text)
		return
	}
	if postlist.IsSeries(theirs) { // it has no notes
		d.fault = text + ". Your text is kept until you leave"
		return
	}
	d.setStep(m, stepNote)
	d.focus(false)
	d.fault = text + ". Your text is kept: ctrl+s saves it as a note"
}

// decidedText says why a post does not wait for a decision, or for its submission.
func decidedText(p apiv1.Post) string {
	a, by := p.Approval, ""
	if a != nil && a.DecidedBy != nil {
		by = screen.OneLine(a.DecidedBy.Name)
	}
	switch {
	case a == nil:
		return "the post is " + string(p.Status) + " now"
	case a.State == schedctl.ApprovalApproved && by != "":
		return by + " has approved the " + postlist.Noun(p)
	case a.State == schedctl.ApprovalChangesRequested && by != "":
		return by + " has requested changes"
	case a.State == schedctl.ApprovalWithdrawn:
		return "the " + postlist.Noun(p) + " was withdrawn from review"
	case a.State == schedctl.ApprovalPending:
		return screen.OneLine(a.RequestedBy.Name) + " has asked for the approval"
	}
	return "the post is " + string(p.Status) + " now"
}

// refusal describes why a step failed.
func (d *reviewForm) refusal(err error) string {
	kept := "; your text is kept"
	if d.typed() == "" {
		kept = ""
	}
	switch code := schedctl.CodeOf(err); {
	case screen.NoResponse(err):
		return "no response" + kept + ". Send again when the daemon is back: " + screen.Explain(err)
	case code == schedctl.InsufficientScope && d.step <= stepChanges:
		return "not sent" + kept + ": " + postlist.NoApproverText
	case code == schedctl.SelfApproval:
		return "not sent" + kept + ": " + postlist.OwnRequestText
	case code == schedctl.InBlackout:
		return postlist.BlackoutText(err) + ": send again to use this time anyway, or type another one"
	}
	return "not sent" + kept + ": " + screen.Explain(err)
}

// finishReview closes the form and shows the result of its step.
func (m *Model) finishReview(d *reviewForm, after apiv1.Post) tea.Cmd {
	if m.IsOpen(d) {
		m.dialog = nil
	}
	if d.step == stepNote {
		m.detail.Outdated = m.detail.Outdated || m.detail.Id == after.ID
		m.ShowNotice("the note is saved")
		return nil
	}
	m.applyPost(after)
	if f := m.feed(); f != nil && !f.Has(after.ID) && m.detail.OpenedFor == after.ID {
		m.detail.Close()
	}
	m.refreshSlots()
	switch d.step {
	case stepApprove:
		m.showApproved(d, after)
	case stepChanges:
		m.ShowNotice("changes requested")
		m.offerUndo(postlist.CannotUndo(after, "was sent back to its author"))
	default:
		m.ShowNotice("the post waits for approval")
		m.offerUndo(m.withdrawUndo(d.post, after))
	}
	return nil
}

// showApproved shows when an approved post is published.
func (m *Model) showApproved(d *reviewForm, after apiv1.Post) {
	if postlist.IsSeries(after) {
		m.ShowNotice("the series is approved and makes its posts")
		m.offerUndo(postlist.CannotUndo(after, "was approved"))
		return
	}
	if after.Status != schedctl.Scheduled {
		m.ShowNotice("approved: r retries")
		return
	}
	m.ShowNotice("approved, " + m.describe(after))
	m.offerUndo(m.restoreUndo(d.post, after))
}

// withdrawUndo returns the undo of a request for an approval.
func (m *Model) withdrawUndo(before, after apiv1.Post) *postlist.Undo {
	return &postlist.Undo{
		Label: "withdraw " + postlist.Quoted(after), At: postlist.VersionOf(after), From: before.Version,
		Run: func(u *postlist.Undo) tea.Cmd {
			p := after
			if newest, ok := m.newestKnown(u.At.ID); ok {
				p = newest
			}
			p.ID, p.Version = u.At.ID, u.At.Number
			shown, c, at := p, m.Client(), u.At
			shown.Approval = before.Approval
			return m.startChange(postlist.Change{
				Post: p, Shown: shown, Done: "undone: withdrawn from review", Undoes: u,
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Withdraw(ctx, at) },
			})
		},
	}
}
