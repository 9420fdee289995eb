package review

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewedMsg is the response to a step of a review.
type reviewedMsg struct {
	form   *form
	post   apiv1.Post  // after the step
	theirs *apiv1.Post // the current version, if the post was changed since
	err    error
}

// send sends the step, unless something is missing.
func (d *form) send() tea.Cmd {
	b, fault := d.booking()
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
	c, p, call := d.review.frame.Client(), d.post, d.call(b, note)
	return d.review.frame.Call(func(ctx context.Context) tea.Msg {
		msg := reviewedMsg{form: d}
		msg.post, msg.err = call(ctx, c)
		switch schedctl.CodeOf(msg.err) {
		case schedctl.VersionMismatch, schedctl.ApprovalNotPending, schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.SeriesIsOver:
			if theirs, err := postlist.ReadRow(ctx, c, p); err == nil {
				msg.theirs = &theirs
			}
		}
		return msg
	})
}

// booking returns the typed time, empty for the proposed time of the post, and what is
// wrong with it.
func (d *form) booking() (b postlist.Booking, fault string) {
	text := strings.TrimSpace(d.when.Value())
	switch {
	case !d.hasTime(), text == d.originalWhen && (text != "" || d.step == stepSubmit):
		return postlist.Booking{}, ""
	case text == "" && d.step == stepSubmit:
		return postlist.Booking{}, "the draft has a proposed time: keep " + d.originalWhen + ", or type another time"
	case text == "":
		return postlist.Booking{}, "the post needs a time: try tomorrow 9am, or next-slot"
	}
	b, fault = d.review.frame.ParseBooking(text)
	if fault == "" && b.QueueID != nil && d.step == stepSubmit {
		fault = "propose next-slot without a queue: the reviewer can choose one"
	}
	return b, fault
}

// call returns the request of the step. Its key depends on everything that was typed, so
// that repeating a request without a response has no second effect.
func (d *form) call(b postlist.Booking, note string) func(context.Context, screen.Client) (apiv1.Post, error) {
	p, step := d.post, d.step
	var proposed *apiv1.ProposedTime
	if b.PublishAt != nil {
		proposed = &apiv1.ProposedTime{Time: b.PublishAt.Time, NextSlot: b.PublishAt.NextSlot}
	}
	var optional *string
	if note != "" {
		optional = &note
	}
	once := "tui-review-" + screen.NewID(d.id, step, p.Version, note, d.when.Value(), b.AllowBlackout)
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
func (r *Review) takeReviewed(msg reviewedMsg) tea.Cmd {
	d := msg.form
	d.sending = false
	switch {
	case msg.err == nil:
		return r.finishReview(d, msg.post)
	case msg.theirs != nil:
		r.frame.ApplyPost(*msg.theirs)
		d.meet(*msg.theirs)
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
func (d *form) meet(theirs apiv1.Post) {
	decides := d.step == stepApprove || d.step == stepChanges
	d.post = theirs
	if decides && postlist.IsPending(theirs) || d.step == stepSubmit && theirs.Status == schedctl.Draft && !postlist.IsPending(theirs) {
		d.changed, d.top = true, 0
		d.setWhen()
		return
	}
	text := "not sent: " + decidedText(theirs)
	if d.typed() == "" {
		d.review.frame.Close()
		d.review.frame.ShowError(text)
		return
	}
	if postlist.IsSeries(theirs) { // it has no notes
		d.fault = text + ". Your text is kept until you leave"
		return
	}
	d.setStep(stepNote)
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
func (d *form) refusal(err error) string {
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
func (r *Review) finishReview(d *form, after apiv1.Post) tea.Cmd {
	if r.frame.IsOpen(d) {
		r.frame.Close()
	}
	if d.step == stepNote {
		r.frame.NotesChanged(after.ID)
		r.frame.ShowNotice("the note is saved")
		return nil
	}
	r.frame.Decided(after)
	switch d.step {
	case stepApprove:
		r.showApproved(d, after)
	case stepChanges:
		r.frame.ShowNotice("changes requested")
		r.frame.OfferUndo(postlist.CannotUndo(after, "was sent back to its author"))
	default:
		r.frame.ShowNotice("the post waits for approval")
		r.frame.OfferUndo(r.withdrawUndo(d.post, after))
	}
	return nil
}

// showApproved shows when an approved post is published.
func (r *Review) showApproved(d *form, after apiv1.Post) {
	if postlist.IsSeries(after) {
		r.frame.ShowNotice("the series is approved and makes its posts")
		r.frame.OfferUndo(postlist.CannotUndo(after, "was approved"))
		return
	}
	if after.Status != schedctl.Scheduled {
		r.frame.ShowNotice("approved: r retries")
		return
	}
	r.frame.ShowNotice("approved, " + r.frame.Describe(after))
	r.frame.OfferUndo(r.frame.RestoreUndo(d.post, after))
}

// withdrawUndo returns the undo of a request for an approval.
func (r *Review) withdrawUndo(before, after apiv1.Post) *postlist.Undo {
	return &postlist.Undo{
		Label: "withdraw " + postlist.Quoted(after), At: postlist.VersionOf(after), From: before.Version,
		Run: func(u *postlist.Undo) tea.Cmd {
			p := after
			if newest, ok := r.frame.NewestKnown(u.At.ID); ok {
				p = newest
			}
			p.ID, p.Version = u.At.ID, u.At.Number
			shown, c, at := p, r.frame.Client(), u.At
			shown.Approval = before.Approval
			return r.frame.StartChange(postlist.Change{
				Post: p, Shown: shown, Done: "undone: withdrawn from review", Undoes: u,
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Withdraw(ctx, at) },
			})
		},
	}
}
