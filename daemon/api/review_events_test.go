package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// saidStep is what an event says about a step of a review.
type saidStep struct {
	typ            schedctl.EventType
	by, kind, note string
	version        int64
	edited         bool
}

// reviewSteps returns the events of reviews of a post or a series, in order, as clients get
// them.
func (w *reviewing) reviewSteps(id string) (steps []saidStep) {
	w.t.Helper()
	events, err := storage.Read(w.t.Context(), w.store.View, func(r storage.Reader) ([]schedctl.Event, error) { return r.Events("", 10_000) })
	if err != nil {
		w.t.Fatal(err)
	}
	for _, stored := range events {
		e := apiv1.NewEvent(stored)
		if d := e.Data; slices.Contains([]string{d.PostID, d.SeriesID}, id) && schedctl.IsReviewEvent(e.Type) {
			if d.By == nil || !strings.HasPrefix(d.By.ID, "key_") {
				w.t.Fatalf("%s does not say who: %+v", e.Type, d)
			}
			steps = append(steps, saidStep{e.Type, d.By.Name, d.By.Kind, d.Note, d.Version, d.Edited})
		}
	}
	return steps
}

func (w *reviewing) wantEvents(id string, want ...saidStep) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.reviewSteps(id), cmp.AllowUnexported(saidStep{})); diff != "" {
		w.t.Errorf("events of the review of %s (-want +got):\n%s", id, diff)
	}
}

// Events of the review of a post say who took the step, with which note, and about which
// version.
func TestEventsOfTheReviewOfAPost(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		p := w.do(w.agent, "POST", "/posts", body{"content": "A text", "social_account_ids": []string{w.mine.account}}).want(201).post()
		path := "/posts/" + p.ID
		step := func(o option, method, verb string, b any) {
			t.Helper()
			w.do(o, method, path+verb, b).want(200)
		}
		step(w.agent, "POST", "/submit", body{"note": "please", "proposed_at": in(2 * time.Hour)})
		w.do(w.approver, "POST", path+"/notes", body{"text": "who says so?"}).want(201)
		step(w.approver, "POST", "/request-changes", body{"note": "shorter"})
		step(w.agent, "POST", "/submit", nil)
		step(w.agent, "POST", "/withdraw", nil)
		step(w.agent, "POST", "/submit", nil)
		step(w.editor, "PATCH", "", body{"content": "A better text"})
		step(w.editor, "POST", "/approve", nil)
		step(w.editor, "PATCH", "", body{"content": "The best text"})
		step(w.author, "POST", "/unschedule", nil)
		w.wantEvents(p.ID,
			saidStep{schedctl.EventPostSubmitted, "agent", "agent", "please", 2, false},
			saidStep{schedctl.EventPostNoted, "approver", "standard", "who says so?", 2, false},
			saidStep{schedctl.EventPostChangesRequested, "approver", "standard", "shorter", 2, false},
			saidStep{schedctl.EventPostSubmitted, "agent", "agent", "", 4, false},
			saidStep{schedctl.EventPostWithdrawn, "agent", "agent", "", 4, false},
			saidStep{schedctl.EventPostSubmitted, "agent", "agent", "", 6, false},
			saidStep{schedctl.EventPostApproved, "editor", "standard", "", 7, true},
			saidStep{schedctl.EventPostApproved, "editor", "standard", "", 9, true},
			saidStep{schedctl.EventPostWithdrawn, "author", "standard", "", 9, false},
		)
		if at := w.events(p.ID); strings.Count(at, "post.updated") != 3 {
			t.Errorf("events %s", at)
		}
	})
}

// An edit of an approved post under four eyes, and one of an approved draft, asks for an
// approval again.
func TestAnEditThatAsksForAnApprovalHasAnEvent(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		p := w.pendingBy(w.author)
		w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
		w.fourEyes(true)
		w.do(w.editor, "PATCH", "/posts/"+p.ID, body{"content": "Edited under four eyes"}).want(200)
		steps := w.reviewSteps(p.ID)
		if last := steps[len(steps)-1]; last.typ != schedctl.EventPostSubmitted || last.by != "editor" {
			t.Errorf("the last event is %+v", last)
		}
	})
}

// The review of a series has the events of the review of a post. A refused step has none.
func TestEventsOfTheReviewOfASeries(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		one := w.seriesBy(w.author, "daily")
		path := "/series/" + one.ID
		w.do(w.approver, "POST", path+"/approve", nil).refused(schedctl.ApprovalNotPending)
		step := func(o option, method, verb string, b any) {
			t.Helper()
			one = w.do(o, method, path+verb, b).want(200).series().Series
		}
		step(w.author, "POST", "/submit", body{"note": "every day"})
		step(w.approver, "POST", "/request-changes", body{"note": "too often"})
		step(w.author, "POST", "/submit", nil)
		step(w.approver, "POST", "/approve", body{"note": "good"})
		step(w.editor, "PATCH", "", body{"content": "each day"})
		step(w.author, "PATCH", "", body{"content": "all days"})
		step(w.author, "POST", "/withdraw", nil)
		w.wantEvents(one.ID,
			saidStep{schedctl.EventSeriesSubmitted, "author", "standard", "every day", 2, false},
			saidStep{schedctl.EventSeriesChangesRequested, "approver", "standard", "too often", 2, false},
			saidStep{schedctl.EventSeriesSubmitted, "author", "standard", "", 4, false},
			saidStep{schedctl.EventSeriesApproved, "approver", "standard", "good", 4, false},
			saidStep{schedctl.EventSeriesApproved, "editor", "standard", "", 6, true},
			saidStep{schedctl.EventSeriesSubmitted, "author", "standard", "", 7, false},
			saidStep{schedctl.EventSeriesWithdrawn, "author", "standard", "", 7, false},
		)
		if one.Version != 8 {
			t.Errorf("the series has version %d, want 8", one.Version)
		}
	})
}
