package tui_test

import (
	"fmt"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// A key without posts:approve, and a key that asked for the approval itself, get the reason
// before anything is typed.
func TestWhoMayNotDecide(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down")
		for _, key := range []string{"a", "c"} {
			d.press(key)
			d.seesWords("your key asked for this approval, or edited a text that needs two people: another person has to decide")
		}
		d.sees("a approve", "c request changes")
		f.review.self = claude
		d = drive(t, f, 80, 24, func(c *tui.Config) {
			c.Key = apiv1.APIKey{ID: claude.ID, Scopes: []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsDraft}}
		})
		d.press("0", "a")
		d.seesWords("this API key may not decide about posts: use a key with the scope posts:approve")
		d.seesNot("a approve", "c request changes")
		d.press("enter")
		d.sees("N write a note")
		d.seesNot("a approve", "c request changes")
		d.press("esc", "4")
		f.fail("Schedule", schedctl.Errorf(schedctl.ApprovalMissing, "", "this post needs it; use POST"))
		d.press("s")
		d.typed("tomorrow 9am")
		d.press("enter")
		d.seesWords("not saved: the post needs the approval of another key: A asks for the approval of a draft")
		if n := f.called("Approve") + f.called("RequestChanges"); n != 0 {
			t.Errorf("%d decisions were sent", n)
		}
	})
}

// The daemon knows more than the browser, such as the last editor.
func TestARefusedDecisionKeepsTheText(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"scope":       {schedctl.Errorf(schedctl.InsufficientScope, "", "no"), "not sent; your text is kept: this API key may not decide about posts: use a key with the scope posts:approve"},
		"self":        {schedctl.Errorf(schedctl.SelfApproval, "", "no"), "not sent; your text is kept: your key asked for this approval, or edited a text that needs two people"},
		"no response": {fmt.Errorf("nothing answers: %w", screen.ErrUnreachable), "no response; your text is kept. Send again when the daemon is back"},
		"limit":       {schedctl.Errorf(schedctl.RateLimited, "", "20 a second"), "not sent; your text is kept: too many requests"},
		"time":        {schedctl.Errorf(schedctl.InvalidPublishAt, "publish_at", "the time has passed"), "the time has passed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviews(t, func(t *testing.T, f *fake, d *driver) {
				f.fail("Approve", c.err)
				f.fail("RequestChanges", c.err)
				d.press("a", "tab")
				d.typed("fine by me")
				d.press("ctrl+s")
				d.seesWords(c.want, "fine by me", "▌ Note")
				f.fail("Approve", nil)
				d.press("ctrl+s")
				d.sees("approved, scheduled")
				d.press("0", "end", "c")
				d.typed("more")
				d.press("ctrl+s")
				d.seesWords(c.want, "more")
				d.seesNot("sending …")
			})
		})
	}
}

// A text is approved only after it was shown: after an edit by someone else the form shows
// the new text and the new time.
func TestAnEditBeforeTheDecision(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("a", "tab")
		d.typed("good")
		f.changeOf("post_r1", func(p *apiv1.Post) {
			p.Content, p.ProposedAt = "Release 1.5 is out", proposed(day(23, "10:30"))
		})
		d.press("ctrl+s")
		d.seesWords("Release 1.5 is out", "Someone else has changed this post since you opened it.", "good", "When 2026-11-23 10:30")
		if f.state(t, "post_r1") != schedctl.ApprovalPending {
			t.Fatal("a text was approved that was not seen")
		}
		d.press("ctrl+s")
		d.sees("approved, scheduled for Mon 23 Nov 2026 10:30 CET")
		if a := f.review.approve; *a.Note != "good" {
			t.Errorf("sent %+v", a)
		}
	})
}

// If someone else decides first, the typed text can be saved as a note.
func TestSomeoneElseDecidesFirst(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		byNoor := func(state schedctl.ApprovalState) func(p *apiv1.Post) {
			return func(p *apiv1.Post) { p.Approval.State, p.Approval.DecidedBy = state, &noor }
		}
		d.press("c")
		d.typed("name the version")
		f.changeOf("post_r1", byNoor(schedctl.ApprovalApproved))
		d.press("ctrl+s")
		d.seesWords("not sent: noor has approved the post. Your text is kept: ctrl+s saves it as a note", "name the version", "ctrl+s save the note", "0 Rev:4")
		d.press("ctrl+s")
		d.sees("the note is saved")
		if n := f.review.notes["post_r1"]; n[len(n)-1].Text != "name the version" {
			t.Errorf("the notes are %+v", n)
		}
		d.press("home", "a")
		d.typed("tomorrow 9am")
		f.changeOf("post_r4", byNoor(schedctl.ApprovalChangesRequested))
		d.press("enter")
		d.seesWords("not sent: noor has requested changes")
		d.seesNot("Approve and schedule")
		d.press("end", "w")
		f.changeOf("post_r2", byNoor(schedctl.ApprovalApproved))
		f.fail("Withdraw", schedctl.Errorf(schedctl.ApprovalNotPending, "", "the post does not wait"))
		d.press("y")
		d.seesWords("the post no longer waits for an approval, so your change was not saved")
	})
}

// A deleted post keeps the text of its note.
func TestAPostIsDeletedBeforeTheDecision(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("c")
		d.typed("name the version")
		f.mu.Lock()
		i := f.index("post_r1")
		f.posts = append(f.posts[:i:i], f.posts[i+1:]...)
		f.mu.Unlock()
		d.press("ctrl+s")
		d.seesWords("your text is kept", "there is no such thing", "name the version")
	})
}

// A time in a blackout needs another yes.
func TestAnApprovalInABlackout(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("Approve", schedctl.Errorf(schedctl.InBlackout, "publish_at", "the time is in the blackout Offsite; give allow_blackout"))
		d.press("a", "enter")
		d.seesWords("the time is in the blackout Offsite: send again to use this time anyway")
		f.fail("Approve", nil)
		d.press("enter")
		d.sees("approved, scheduled")
		if !f.review.approve.AllowBlackout {
			t.Error("the blackout was not accepted")
		}
	})
}
