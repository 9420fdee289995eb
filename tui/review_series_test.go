package tui_test

import (
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// seriesReviews runs a test in a synctest bubble, in the review, with a series selected.
func seriesReviews(t *testing.T, test func(t *testing.T, f *fake, d *driver)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := withSeries()
		d := drive(t, f, 80, 24, asVera)
		d.press("0", "down", "down")
		test(t, f, d)
	})
}

// seriesOf returns a series of the fake.
func (f *fake) seriesOf(t *testing.T, id string) *apiv1.Series {
	t.Helper()
	for i := range f.plan.series {
		if f.plan.series[i].ID == id {
			return &f.plan.series[i]
		}
	}
	t.Fatalf("there is no series %s", id)
	return nil
}

func TestASeriesIsApproved(t *testing.T) {
	seriesReviews(t, func(t *testing.T, f *fake, d *driver) {
		d.sees("0 Rev:7", "Any questions?", "weekly on tuesday and thursday at 9:00", "until autumn")
		d.press("i")
		d.sees("this is a series: a approves it")
		d.press("a")
		d.sees("Approve this series", "questions: weekly on tuesday and thursday at 9:00", "next: Tue 24 Nov 09:00, Thu 26 Nov 09:00, Tue 1 Dec 09:00", "Any questions?")
		d.typed("fine")
		d.press("ctrl+s")
		d.sees("the series is approved", "0 Rev:6")
		d.seesNot("Any questions?")
		if s := f.seriesOf(t, "ser_r1"); s.Approval.State != schedctl.ApprovalApproved || *s.Approval.Note != "fine" {
			t.Errorf("the approval is %+v", s.Approval)
		}
		d.press("u")
		d.seesWords("that cannot be undone")
		d.press("4")
		d.seesNot("Any questions?")
	})
}

func TestChangesOfASeriesAreRequested(t *testing.T) {
	seriesReviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("enter")
		d.sees("series", "version 2", "Accounts")
		d.seesNot("Timeline")
		d.press("c", "ctrl+s")
		d.sees("Request changes of this series", "say what has to change")
		d.typed("not on holidays")
		d.press("ctrl+s")
		d.sees("changes requested", "0 Rev:6")
		if s := f.seriesOf(t, "ser_r1"); s.Approval.State != schedctl.ApprovalChangesRequested || *s.Approval.Note != "not on holidays" {
			t.Errorf("the approval is %+v", s.Approval)
		}
	})
}

// A series that was changed is shown again before its approval, and one's own request is
// not approved.
func TestAnotherVersionOfASeriesIsNotApproved(t *testing.T) {
	seriesReviews(t, func(t *testing.T, f *fake, d *driver) {
		d.press("a")
		s := f.seriesOf(t, "ser_r1")
		s.Version, s.Content = 3, "Something else"
		d.press("ctrl+s")
		d.sees("Something else", "Someone else has changed this series")
		if s.Approval.State != schedctl.ApprovalPending {
			t.Fatal("a text was approved that was not on the screen")
		}
		s.Version, s.Approval = 4, &apiv1.Approval{State: schedctl.ApprovalApproved, RequestedBy: claude, DecidedBy: &noor}
		d.typed("my note")
		d.press("ctrl+s")
		d.seesWords("noor has approved the series", "my note")
		d.press("esc", "d")
		d.sees("0 Rev:6")
		d.press("a")
		d.sees("your key asked for this approval")
	})
}

// A series is withdrawn after a question, and only in the version on the screen.
func TestASeriesIsWithdrawn(t *testing.T) {
	seriesReviews(t, func(t *testing.T, f *fake, d *driver) {
		d.sees("w withdraw from review")
		d.press("w")
		d.sees("Withdraw this series from review?", "Any questions?")
		d.press("n")
		if s := f.seriesOf(t, "ser_r1"); s.Approval.State != schedctl.ApprovalPending {
			t.Fatalf("the approval is %+v", s.Approval)
		}
		f.seriesOf(t, "ser_r1").Version = 3
		d.press("w", "y")
		d.seesWords("someone else has changed this series: nothing was saved")
		d.press("w", "y")
		d.sees("withdrawn from review", "0 Rev:6")
		d.seesNot("Any questions?")
		if s := f.seriesOf(t, "ser_r1"); s.Approval.State != schedctl.ApprovalWithdrawn {
			t.Errorf("the approval is %+v", s.Approval)
		}
		d.press("u")
		d.seesWords("was withdrawn from review: that cannot be undone")
	})
}
