package api_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

func (f *fixture) timeline(id string) apiv1.Timeline {
	f.t.Helper()
	return decodeAs[apiv1.Timeline](f.t, f.do(nil, "GET", "/posts/"+id+"/timeline", nil).want(200))
}

// attempt makes an attempt for the first target of a post, like the deliverer: a
// transaction before the call and one after it.
func (f *fixture) attempt(id string, result schedctl.Result, at time.Time) {
	f.t.Helper()
	var a schedctl.Attempt
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.mine.workspace, id)
		if err != nil {
			return err
		}
		target := p.Targets[0].ID
		if a, err = p.Begin(schedctl.Claim{TargetID: target, Owner: "test", Lease: time.Minute, Key: target}, at); err != nil {
			return err
		}
		return errors.Join(tx.PutPost(p), tx.PutAttempt(a))
	})
	if result == (schedctl.Result{}) {
		return // in progress
	}
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.mine.workspace, id)
		if err != nil {
			return err
		}
		done := a
		done.FinishedAt, done.Outcome, done.Error = schedctl.Millis(at.Add(time.Second)), schedctl.OutcomePublished, nil
		if result.Receipt != nil {
			done.Error = result.Receipt.Degraded.TargetError()
		}
		if result.Error != nil {
			done.Outcome, done.Error = result.Error.Outcome, result.Error
		}
		events, err := p.Finish(a.TargetID, result, at.Add(time.Second))
		return errors.Join(err, tx.PutPost(p), tx.PutAttempt(done), tx.AddEvents(events...))
	})
}

// TestDegradedIsShown guards that the changes that a network made to a published
// post are shown in every representation of its publication.
func TestDegradedIsShown(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testDegradedIsShown)
}

func testDegradedIsShown(t *testing.T, f *fixture) {
	p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	changed := schedctl.Degradation{Code: "visibility", Message: "it is public there"}
	f.attempt(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "n1", Degraded: changed}}, time.Now())

	want := apiv1.NewTargetError(&schedctl.TargetError{
		Kind: schedctl.KindDegraded, Code: "visibility", Message: "it is public there", Outcome: schedctl.OutcomePublished,
	})
	shown := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
	if diff := cmp.Diff(want, shown.Targets[0].Error); diff != "" || shown.Status != schedctl.Published {
		t.Errorf("the post is %s, its target (-want +got):\n%s", shown.Status, diff)
	}
	line := f.timeline(p.ID)
	if diff := cmp.Diff(want, line.Targets[0].Attempts[0].Error); diff != "" {
		t.Errorf("the attempt (-want +got):\n%s", diff)
	}
	for _, e := range line.Events {
		if e.Type == schedctl.EventPostPublished {
			if diff := cmp.Diff(want, e.Error); diff != "" {
				t.Errorf("the event (-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Error("there is no event of the publication")
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testTimeline)
}

func testTimeline(t *testing.T, f *fixture) {
	second := f.newAccount(f.mine, "second")
	p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account, second}, "publish_at": in(time.Hour)})
	f.create(body{"content": "another", "social_account_ids": []string{second}, "publish_at": "now"})
	f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": "y"}).want(200)
	f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", body{"social_account_ids": []string{f.mine.account}}).want(202)

	at := time.Now().UTC().Truncate(time.Millisecond)
	busy := &schedctl.TargetError{Kind: schedctl.KindPlatform, Code: "E1", Message: "busy", HTTPStatus: 503, Retryable: true, Outcome: schedctl.OutcomeNotPublished}
	gone := &schedctl.TargetError{Kind: schedctl.KindNetwork, Message: "no response", Outcome: schedctl.OutcomeUnknown}
	f.attempt(p.ID, schedctl.Result{Error: busy, RetryAt: at.Add(2 * time.Second)}, at)
	f.attempt(p.ID, schedctl.Result{Error: gone}, at.Add(2*time.Second))
	f.do(nil, "POST", "/posts/"+p.ID+"/retry", body{"force": true}).want(202)
	f.attempt(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "n1"}}, at.Add(4*time.Second))

	line := f.timeline(p.ID)
	type happened struct {
		Type   schedctl.EventType
		Status schedctl.Status
		Target bool
	}
	var got []happened
	for i, e := range line.Events {
		got = append(got, happened{e.Type, e.Status, e.TargetID != nil})
		if (e.SocialAccountID != nil) != (e.TargetID != nil) || e.Type == schedctl.EventPostFailed && e.Error == nil {
			t.Errorf("%+v", e)
		}
		if i > 0 && e.ID <= line.Events[i-1].ID {
			t.Errorf("%s comes after %s", e.ID, line.Events[i-1].ID)
		}
	}
	want := []happened{
		{schedctl.EventPostCreated, schedctl.Scheduled, false}, {schedctl.EventPostScheduled, schedctl.Scheduled, false},
		{schedctl.EventPostQueued, schedctl.Scheduled, true}, {schedctl.EventPostQueued, schedctl.Scheduled, true},
		{schedctl.EventPostUpdated, schedctl.Scheduled, false},
		{schedctl.EventPostQueued, schedctl.Publishing, true},
		{schedctl.EventPostFailed, schedctl.Failed, true}, {schedctl.EventPostCompleted, schedctl.Failed, false},
		{schedctl.EventPostQueued, schedctl.Publishing, true},
		{schedctl.EventPostPublished, schedctl.Published, true}, {schedctl.EventPostCompleted, schedctl.Published, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if line.PostID != p.ID || line.Status != schedctl.Published || len(line.Targets) != 1 {
		t.Fatalf("%+v", line)
	}
	target := line.Targets[0]
	if target.ID != p.Targets[0].ID || target.Status != schedctl.Published || *target.PlatformPostID != "n1" {
		t.Errorf("%+v", target)
	}
	wantAttempts(t, target.Attempts, at, busy, gone, nil)
}

// wantAttempts compares the outcomes of attempts that are two seconds apart. Nil
// means published.
func wantAttempts(t *testing.T, got []apiv1.Attempt, at time.Time, ends ...*schedctl.TargetError) {
	t.Helper()
	var want []apiv1.Attempt
	for i, e := range ends {
		start := at.Add(time.Duration(i) * 2 * time.Second)
		a := apiv1.Attempt{
			Number: i + 1, StartedAt: apiv1.NewTime(start), FinishedAt: apiv1.NewTime(start.Add(time.Second)),
			Outcome: schedctl.OutcomePublished, Error: apiv1.NewTargetError(e),
		}
		if e != nil {
			a.Outcome, a.HTTPStatus = e.Outcome, a.Error.HTTPStatus
		}
		want = append(want, a)
	}
	for i := range got {
		got[i].ID = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestTimelineOfWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	if line := f.timeline(p.ID); line.Targets[0].Attempts == nil || len(line.Targets[0].Attempts) != 0 {
		t.Errorf("before the first attempt: %v", line.Targets[0].Attempts)
	}
	f.attempt(p.ID, schedctl.Result{}, time.Now())
	a := f.timeline(p.ID).Targets[0].Attempts
	if len(a) != 1 || a[0].Outcome != schedctl.OutcomeRunning || a[0].FinishedAt != nil || a[0].Error != nil || a[0].HTTPStatus != nil {
		t.Errorf("%+v", a)
	}
	f.update(func(tx storage.Tx) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		if err != nil {
			return err
		}
		attempts[0].StartPreparing()
		return tx.PutAttempt(attempts[0])
	})
	a = f.timeline(p.ID).Targets[0].Attempts
	if len(a) != 1 || a[0].Outcome != schedctl.OutcomeRunning || !a[0].Preparing || a[0].Error != nil {
		t.Errorf("while the files are prepared: %+v", a)
	}
}

func TestTimelineOfADraft(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x"})
	line := f.timeline(p.ID)
	if len(line.Events) != 1 || line.Events[0].Type != schedctl.EventPostCreated || line.Targets == nil || len(line.Targets) != 0 {
		t.Errorf("%+v", line)
	}
	f.do(nil, "DELETE", "/posts/"+p.ID, nil).want(204)
	f.do(nil, "GET", "/posts/"+p.ID+"/timeline", nil).refused(schedctl.NotFound)
}

// TestLongTimeline guards that a post with very many changes has a timeline of
// bounded size, with the latest events.
func TestLongTimeline(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x"})
	var last string
	f.update(func(tx storage.Tx) error {
		for range 1005 {
			e := schedctl.Event{
				ID: schedctl.NewID(schedctl.EventPrefix, time.Now()), Type: schedctl.EventPostUpdated, CreatedAt: schedctl.Millis(time.Now()),
				WorkspaceID: f.mine.workspace, PostID: p.ID, Status: schedctl.Draft,
			}
			last = e.ID
			if err := tx.AddEvents(e); err != nil {
				return err
			}
		}
		return nil
	})
	if events := f.timeline(p.ID).Events; len(events) != 1000 || events[999].ID != last {
		t.Errorf("%d events, want the 1000 that end with %s", len(events), last)
	}
}
