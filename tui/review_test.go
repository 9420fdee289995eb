package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewable is a daemon with queues and with posts that wait for an approval.
func reviewable() *fake {
	f, with := planned(), reviewed()
	f.review, f.posts = with.review, append(f.posts, with.posts...)
	return f
}

// reviews runs a test in a synctest bubble, in the view of posts that wait for an approval,
// with the key of vera.
func reviews(t *testing.T, test func(t *testing.T, f *fake, d *driver)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := reviewable()
		d := drive(t, f, 80, 24, asVera)
		d.press("0", "down")
		test(t, f, d)
	})
}

// state returns the state of the review of a post.
func (f *fake) state(t *testing.T, id string) schedctl.ApprovalState {
	t.Helper()
	return f.post(t, id).Approval.State
}

func (d *driver) seesWords(want ...string) {
	d.t.Helper()
	for _, w := range want {
		if screen := columns(d.model.View()); !strings.Contains(screen, w) {
			d.t.Errorf("the screen does not show %q:\n%s", w, d.model.View())
		}
	}
}

func TestAPostIsApproved(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("a")
		d.sees("Approve and schedule this post", "▌ When 2026-11-23 09:00", "for the release, please check the link", "pgdn shows")
		d.press("enter")
		d.sees("approved, scheduled for Mon 23 Nov 2026 09:00 CET", "u unschedule", "0 Rev:4", "▌ Tue 24 Nov 17:00 ◌ My own request")
		if a := f.review.approve; a.PublishAt != nil || a.Note != nil {
			t.Errorf("sent %+v for the proposed time", a)
		}
		d.press("1", "down", "down")
		d.sees("  09:00 ○ ✓ Release 1.4")
		d.press("u")
		d.sees("undone: draft")
		if p := f.post(t, "post_r1"); p.Status != schedctl.Draft {
			t.Errorf("the post is %s", p.Status)
		}
	})
}

// A reviewer can choose another time, a queue, and write a note.
func TestAPostIsApprovedForAnotherTime(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("a", "ctrl+u")
		d.press("enter")
		d.sees("the post needs a time")
		d.typed("yesterday")
		d.press("enter")
		d.seesWords("yesterday")
		if f.called("Approve") != 0 {
			t.Fatal("a request was sent without a time")
		}
		d.press("ctrl+u")
		d.typed("next-slot in news")
		d.sees("the next free slot of the queue news")
		d.press("tab")
		d.typed("well done")
		d.press("enter")
		d.typed("thank you")
		d.press("ctrl+s")
		d.sees("approved, scheduled for Tue 24 Nov 2026 12:30 CET")
		if a := f.review.approve; a.PublishAt == nil || !a.PublishAt.NextSlot || *a.QueueID != "que_2" || *a.Note != "well done\nthank you" {
			t.Errorf("sent %+v", a)
		}
	})
}

func TestAPassedTimeIsNotProposedAgain(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.sees("its time has passed")
		d.press("up", "a")
		d.sees("4h00m ago: choose another time", "▌ When ▏tomorrow 9am, next-slot")
		d.typed("tomorrow 10am")
		d.press("ctrl+s")
		d.sees("approved, scheduled for Sun 22 Nov 2026 10:00 CET")
		if got := f.review.approve.PublishAt.Time; !got.Equal(day(22, "10:00")) {
			t.Errorf("sent %v", got)
		}
	})
}

func TestChangesAreRequested(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("enter", "c", "ctrl+s")
		d.sees("Request changes of this post", "say what has to change")
		d.typed("name the version")
		d.press("ctrl+s")
		d.sees("changes requested", "0 Rev:4")
		d.seesNot("no longer in this view")
		if a := f.post(t, "post_r1").Approval; a.State != schedctl.ApprovalChangesRequested || *a.Note != "name the version" {
			t.Errorf("the approval is %+v", a)
		}
		d.press("u")
		d.seesWords("was sent back to its author: that cannot be undone")
		d.press("4")
		d.sees("◌ ✎ Release 1.4")
		d.press("a")
		d.sees("Approve and schedule") // of the first post
		d.press("esc")
		d.press("down", "down", "a")
		d.sees("changes were requested: A asks for approval again")
	})
}

func TestAPostIsWithdrawnAndSubmitted(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("w")
		d.sees("Withdraw this post from review?")
		d.press("n")
		if f.called("Withdraw") != 0 {
			t.Fatal("it was withdrawn without a yes")
		}
		d.press("w", "y")
		d.sees("withdrawn from review", "u ask again for the approval", "0 Rev:4")
		d.press("u")
		d.sees("undone: the post waits for approval", "0 Rev:5")
		if s := f.review.submit; s.Note == nil || *s.Note != "for the release, please check the link" || f.state(t, "post_r1") != schedctl.ApprovalPending {
			t.Errorf("sent %+v", s)
		}
		d.press("4", "end", "w")
		d.sees("the post does not wait for an approval")
		d.press("a")
		d.sees("the post does not wait for an approval: A asks for one")
		d.press("A")
		d.typed("next-slot in news")
		d.press("enter")
		d.sees("propose next-slot without a queue")
		d.press("ctrl+u")
		d.typed("tuesday 9am")
		d.press("tab")
		d.typed("please")
		d.press("ctrl+s")
		d.sees("the post waits for approval", "u withdraw", "◌ ? An idea", "0 Rev:6")
		if s := f.review.submit; *s.Note != "please" || !s.ProposedAt.Time.Equal(day(24, "09:00")) {
			t.Errorf("sent %+v", s)
		}
		d.press("A")
		d.sees("waits for an approval already")
		d.press("u")
		d.sees("undone: withdrawn from review")
		d.press("A", "ctrl+u", "enter")
		d.sees("the draft has a proposed time: keep 2026-11-24 09:00, or type another time")
		d.press("esc", "d")
		if got := f.state(t, "post_r9"); got != schedctl.ApprovalWithdrawn {
			t.Errorf("the review is %s", got)
		}
	})
}

// The withdrawal of a post that was sent back has no undo.
func TestASentBackPostIsWithdrawn(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "end", "up", "w", "y", "u")
		d.seesWords("cannot undo the withdrawal of “Sent back to its author”: A asks for approval again")
		d.press("1", "down", "A")
		d.sees("only a draft can be submitted")
	})
}

func TestNotesAreWritten(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("enter", "pgdown", "pgdown")
		d.sees("Notes", "noor (not an agent)", "The numbers are from the annual report.")
		d.press("N")
		d.sees("Write a note about this post")
		d.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		d.sees("The numbers are from the annual report.", "pgup shows the lines above")
		d.press("pgup", "ctrl+s")
		d.sees("write the note", "pgdn shows")
		d.typed("which ones?")
		f.fail("AddNote", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		d.press("ctrl+s")
		d.seesWords("no response; your text is kept.", "which ones?")
		f.fail("AddNote", nil)
		d.press("ctrl+s")
		d.sees("the note is saved")
		d.press("pgdown", "pgdown", "pgdown")
		d.sees("vera (not an agent)", "  which ones?")
		if n := f.review.notes["post_r1"]; len(n) != 2 {
			t.Errorf("there are %d notes, want 2: a repeated request must not add another", len(n))
		}
		f.review.notes["post_r1"] = append(f.review.notes["post_r1"], apiv1.PostNote{ID: "note_9", By: noor, Text: "the last ones", CreatedAt: at(0)})
		d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventPostNoted, Data: apiv1.EventData{PostID: "post_r1"}}))
		d.press("pgdown", "pgdown")
		d.sees("the last ones")
	})
}

// A text that was typed is kept when the user leaves, also in an undo.
func TestANoteIsNotLost(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("a", "esc")
		d.seesNot("Leave?")
		d.press("N")
		d.typed("not yet")
		if got := tui.UnsavedText(d.model); got != "not yet" {
			t.Errorf("%q is unsaved", got)
		}
		d.press("esc")
		d.sees("Leave? Your text is not saved.")
		d.press("esc", "!", "ctrl+c", "d")
		d.sees("discarded   u continue writing “not yet!”")
		d.press("u")
		d.sees("Write a note about this post", "not yet!")
		d.press("ctrl+c", "ctrl+c")
		if !d.quit || tui.UnsavedText(d.model) != "not yet!" {
			t.Errorf("quit: %v, unsaved: %q", d.quit, tui.UnsavedText(d.model))
		}
	})
}

// Submissions, edits and decisions of others appear in the list in the order of the proposed
// times.
func TestTheReviewIsLive(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("1")
		d.sees("0 Rev:5")
		f.changeOf("post_r9", func(p *apiv1.Post) {
			p.ProposedAt = proposed(day(22, "10:00"))
			p.Approval = &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: claude, RequestedAt: at(0)}
		})
		d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventPostSubmitted, Data: apiv1.EventData{PostID: "post_r9"}}))
		d.sees("0 Rev:6")
		d.press("0", "home", "down")
		d.sees("▌ Sun 22 Nov 10:00 ◌ An idea")
		f.changeOf("post_r9", func(p *apiv1.Post) { p.ProposedAt = proposed(day(24, "18:00")) })
		d.send(tui.Happened(apiv1.Event{ID: "evt_2", Type: schedctl.EventPostUpdated, Data: apiv1.EventData{PostID: "post_r9"}}))
		d.sees("▌ Tue 24 Nov 18:00 ◌ An idea")
		f.changeOf("post_r9", func(p *apiv1.Post) { p.Approval.State, p.Approval.DecidedBy = schedctl.ApprovalApproved, &noor })
		d.send(tui.Happened(apiv1.Event{ID: "evt_3", Type: schedctl.EventPostApproved, Data: apiv1.EventData{PostID: "post_r9"}}))
		d.sees("0 Rev:5")
		d.seesNot("An idea")
	})
}

// Posts are edited as elsewhere, and the composer says who cannot approve them then.
func TestAWaitingPostIsEdited(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("i")
		d.sees("its editor cannot approve it")
		d.press("esc", "/", "s", "l", "o", "t", "enter")
		d.sees("In the next slot", "1 of 1, with \"slot\"")
		d.press("esc", "f", "enter", "end")
		d.sees("5 of 5")
		d.press("s", "esc", "S")
		d.sees("sorted: oldest first")
		d.press("S", "S")
		d.sees("sorted: by proposed time")
		d.press("home", "down", "d", "y")
		d.sees("deleted", "0 Rev:4")
		d.press("u")
		if at := f.lastCreate.ProposedAt; at == nil || !at.Time.Equal(day(23, "09:00")) {
			t.Errorf("the copy is proposed for %v", at)
		}
	})
}

// A post that has failed for lack of an approval is approved without a time, and then
// retried.
func TestAFailedPostIsApproved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := reviewed()
		p := failedPost("post_f1", "Not approved in time", apiv1.TargetError{Kind: schedctl.KindApproval, Message: "the post is not approved", Outcome: schedctl.OutcomeNotPublished})
		p.Approval = &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: claude, RequestedAt: at(0)}
		f.posts = append(f.posts, p)
		d := drive(t, f, 80, 24, asVera)
		d.press("0", "end", "up")
		d.sees("▌ no time          ✕ Not approved in time")
		d.press("w", "y")
		d.sees("withdrawn from review")
		d.press("6")
		d.sees("next: r retries when the post is approved; A asks for the approval")
		d.press("A")
		d.seesNot("Proposed time")
		d.press("ctrl+s")
		d.sees("the post waits for approval", "✕ ? Not approved in time")
		f.changeOf("post_f1", func(p *apiv1.Post) { p.Approval.RequestedBy = claude })
		d.press("R", "a")
		d.sees("Approve this post, so that r can retry it")
		d.seesNot("When", "proposed")
		d.press("ctrl+s")
		d.sees("approved: r retries", "✕ ✓ Not approved in time")
		d.press("a")
		d.sees("the post does not wait for an approval")
	})
}

// A reviewer sees what has changed since the last decision.
func TestTheLastDecisionIsCompared(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		f.changeOf("post_r1", func(p *apiv1.Post) {
			p.Approval.Previous = &apiv1.ReviewedPost{
				Content: "Release is out\n\nhttps://example.com/releases/1.4", MediaAssetIDs: []string{"media_0"}, SocialAccountIDs: []string{"acct_1"},
				Changed: []string{"content", "media", "social_account_ids", "first_comment"},
			}
		})
		d.press("R", "enter")
		d.sees("changed since the last decision: content, media, accounts, first comment", "- Release is out", "+ Release 1.4 is out", "+ account sky", "- file media_0", "+ file releases.png")
		d.seesNot("- https", "account me")
		d.press("esc", "a")
		d.sees("- Release is out", "+ Release 1.4 is out")
	})
}

// More posts than a page are sorted together.
func TestAReviewOfManyPosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i := range 250 {
			f.posts = append(f.posts, waiting(fmt.Sprintf("post_%03d", i), fmt.Sprintf("Post %d", i), claude, proposed(now.Add(time.Duration(300-i)*time.Hour)), ""))
		}
		d := drive(t, f, 80, 24)
		d.press("0")
		d.sees("Post 249", "1 of 250,", "[0 Rev:250]")
		d.press("G")
		d.sees("Post 0 ", "250 of 250")
	})
}

// A daemon without approvals is no error.
func TestADaemonWithoutApprovals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.fail("Notes", gone())
		d := drive(t, old{f}, 80, 24)
		d.press("enter")
		d.sees("Timeline", "connection refused")
		d.press("0")
		d.sees("No posts wait for approval.")
		d.seesNot("unknown")
	})
}

// A key that may not see API keys shows their names only.
func TestKeysOfAgentsAreMarked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := reviewed()
		d := drive(t, f, 80, 24)
		d.press("0")
		d.sees("asked by claude 2h00m ago")
		if n := f.called("APIKeys"); n != 0 {
			t.Errorf("%d requests for keys", n)
		}
		f.fail("APIKeys", schedctl.Errorf(schedctl.InsufficientScope, "", "no"))
		d = drive(t, f, 80, 24, asVera)
		d.press("0")
		d.sees("asked by claude 2h00m ago")
		f.fail("APIKeys", nil)
		d.press("1", "0")
		d.sees("asked by claude (agent) 2h00m ago")
		d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		d.press("1", "down", "down")
		d.sees("✓ approved by", "https://github.com/me/posts/pull/7", "noor (not an agent)")
	})
}

// A reviewer sees the link card that is published with the approval.
func TestReviewersSeeTheLinkCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := reviewable()
		i := f.index("post_r1")
		f.posts[i].Approval.Card = &apiv1.LinkCard{URL: "https://example.org/a", Title: "Its title", Description: "Its text", Image: ptr("med_card")}
		f.posts[i].MediaAssets = append(f.posts[i].MediaAssets, apiv1.MediaAsset{ID: "med_card", FileName: "link-card.png", MIMEType: "image/png", SizeBytes: 75})
		d := drive(t, f, 100, 50, asVera)
		d.press("0", "down")
		want := []string{"link card: https://example.org/a Its title", "card description: Its text", "card image: med_card (link-card.png, PNG, 75 bytes)"}
		d.press("enter")
		d.sees(want...)
		d.press("esc", "a")
		d.sees(want...)
	})
}

// A draft that waits for an approval is in the agenda and the week at the time that it
// proposes, and can be approved there.
func TestProposalsAreInTheAgenda(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("1")
		d.seesWords("Release 1.4 is out", "proposed", "My own request")
		d.press("/")
		d.typed("Release")
		d.press("enter")
		if strings.Contains(d.model.View(), "Release 1.4") {
			t.Error("a search in the agenda finds a draft")
		}
		d.press("esc", "2")
		d.seesWords("◌ 08:00 ?")
	})
}

// The form asks for an approval of what was typed, with its time.
func TestTheFormAsksForApproval(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("An announcement")
		d.press("alt+a")
		d.sees("choose an account first")
		d.press("tab", "x", "tab")
		d.typed("now")
		d.press("alt+a")
		d.sees("cannot be published now")
		d.press("ctrl+u")
		d.typed("tuesday 9am")
		d.press("shift+tab", "A")
		d.sees("saved: the post waits for an approval")
		if p := f.lastCreate; p.Submit == nil || p.PublishAt != nil || p.ProposedAt == nil || !p.ProposedAt.Time.Equal(day(24, "09:00")) || p.Content != "An announcement" {
			t.Errorf("sent %+v", p)
		}

		d.press("4", "end", "up", "i")
		d.typed("!")
		d.press("alt+a")
		d.sees("saved: the post waits for an approval")
		if s := f.review.submit; s.ProposedAt != nil || f.lastEdit.Content == nil || f.lastEdit.PublishAt != nil {
			t.Errorf("sent %+v after %+v", s, f.lastEdit)
		}
		d.press("i", "alt+a")
		d.sees("waits for an approval already")
		d.press("esc", "1", "down", "i", "alt+a")
		d.sees("only a draft can wait for an approval")
	})
}

// A step in the review of a series by someone else is shown without a key.
func TestTheReviewShowsStepsOfSeries(t *testing.T) {
	reviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("0")
		read := f.called("PendingSeries")
		d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventSeriesSubmitted, Data: apiv1.EventData{SeriesID: "ser_new"}}))
		if n := f.called("PendingSeries"); n == read {
			t.Error("the waiting series were not read again")
		}
	})
}
