package schedctl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

// t0 is the present in these tests.
var t0 = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

func accounts(names ...string) []schedctl.Account {
	out := make([]schedctl.Account, len(names))
	for i, n := range names {
		out[i] = schedctl.Account{ID: "acct_" + n, WorkspaceID: "ws_1", Platform: "fake", Name: n, Status: schedctl.AccountConnected}
	}
	return out
}

func create(t *testing.T, n schedctl.NewPost) (schedctl.Post, []schedctl.Event) {
	t.Helper()
	n.WorkspaceID = "ws_1"
	if n.Text == "" {
		n.Text = "hello"
	}
	p, events, err := schedctl.Create(n, t0)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return p, events
}

// scheduled returns a post for a and b, due in an hour.
func scheduledPost(t *testing.T) schedctl.Post {
	t.Helper()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a", "b"), PublishAt: t0.Add(time.Hour)})
	return p
}

func postWithTargets(statuses ...schedctl.Status) schedctl.Post {
	p := schedctl.Post{ID: "post_1", WorkspaceID: "ws_1", Content: schedctl.Content{Text: "hello"}, Version: 1}
	for i, s := range statuses {
		target := schedctl.Target{ID: fmt.Sprintf("pt_%d", i), AccountID: fmt.Sprintf("acct_%d", i), Status: s}
		if s != schedctl.Draft {
			p.PublishAt, target.PublishAt = t0, t0
		}
		p.Targets = append(p.Targets, target)
	}
	return p
}

func types(events []schedctl.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, strings.TrimPrefix(string(e.Type), "post."))
	}
	return strings.Join(out, " ")
}

func wantCode(t *testing.T, err error, want schedctl.Code) {
	t.Helper()
	if got := schedctl.CodeOf(err); got != want {
		t.Errorf("code %q (%v), want %q", got, err, want)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	at := t0.Add(time.Hour)
	tests := []struct {
		name   string
		in     schedctl.NewPost
		status schedctl.Status
		at     time.Time
		events string
	}{
		{"draft without accounts", schedctl.NewPost{}, schedctl.Draft, time.Time{}, "created"},
		{"draft with accounts", schedctl.NewPost{Accounts: accounts("a")}, schedctl.Draft, time.Time{}, "created"},
		{"scheduled", schedctl.NewPost{Accounts: accounts("a", "b"), PublishAt: at}, schedctl.Scheduled, at, "created scheduled queued queued"},
		{"now", schedctl.NewPost{Accounts: accounts("a", "b"), Now: true}, schedctl.Publishing, t0, "created queued queued"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, events := create(t, tt.in)
			if p.Status() != tt.status || !p.PublishAt.Equal(tt.at) || p.Version != 1 {
				t.Errorf("status %s at %s version %d", p.Status(), p.PublishAt, p.Version)
			}
			if types(events) != tt.events {
				t.Errorf("events %q, want %q", types(events), tt.events)
			}
			for _, target := range p.Targets {
				if target.Status != tt.status || !target.PublishAt.Equal(tt.at) {
					t.Errorf("target %+v", target)
				}
				due, waiting := target.Due()
				if waiting != (tt.status != schedctl.Draft) || !due.Equal(tt.at) {
					t.Errorf("target due %s, waiting %v", due, waiting)
				}
			}
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	one := accounts("a")
	tests := []struct {
		name string
		in   schedctl.NewPost
		want schedctl.Code
	}{
		{"empty", schedctl.NewPost{Content: schedctl.Content{Text: ""}}, schedctl.ValidationFailed},
		{"white space", schedctl.NewPost{Content: schedctl.Content{Text: " \n\t\u00a0"}}, schedctl.ValidationFailed},
		{"NUL", schedctl.NewPost{Content: schedctl.Content{Text: "a\x00b"}}, schedctl.ValidationFailed},
		{"invalid UTF-8", schedctl.NewPost{Content: schedctl.Content{Text: "a\xffb"}}, schedctl.ValidationFailed},
		{"5001 code points", schedctl.NewPost{Content: schedctl.Content{Text: strings.Repeat("é", 5001)}}, schedctl.ContentTooLong},
		{"now without account", schedctl.NewPost{Content: schedctl.Content{Text: "x"}, Now: true}, schedctl.InvalidSocialAccounts},
		{"scheduled without account", schedctl.NewPost{Content: schedctl.Content{Text: "x"}, PublishAt: t0.Add(1)}, schedctl.InvalidSocialAccounts},
		{"past", schedctl.NewPost{Content: schedctl.Content{Text: "x"}, Accounts: one, PublishAt: t0.Add(-time.Second)}, schedctl.InvalidPublishAt},
		{"this very instant", schedctl.NewPost{Content: schedctl.Content{Text: "x"}, Accounts: one, PublishAt: t0}, schedctl.InvalidPublishAt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, events, err := schedctl.Create(tt.in, t0)
			wantCode(t, err, tt.want)
			if events != nil {
				t.Error("a refused post told events")
			}
		})
	}
	if _, _, err := schedctl.Create(schedctl.NewPost{Content: schedctl.Content{Text: strings.Repeat("é", 5000)}}, t0); err != nil {
		t.Errorf("5000 code points: %v", err)
	}
}

func TestFractionsAreRoundedUpSoThatNothingIsEarly(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), PublishAt: t0.Add(time.Hour + time.Nanosecond)})
	if want := t0.Add(time.Hour + time.Millisecond); !p.PublishAt.Equal(want) {
		t.Errorf("publish at %s, want %s", p.PublishAt, want)
	}
}

func TestEditDraft(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a")})
	before := p.Clone()
	content := "changed"
	events, err := p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &content}, Accounts: ptr(accounts("b", "a"))}, t0.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if types(events) != "updated" || p.Status() != schedctl.Draft || p.Text != content || p.Version != 2 {
		t.Errorf("events %q, post %+v", types(events), p)
	}
	if p.Targets[1].ID != before.Targets[0].ID {
		t.Error("the account that stayed lost its target")
	}
}

func TestEditSchedulesADraft(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{})
	_, err := p.Edit(schedctl.Edit{PublishAt: t0.Add(time.Hour)}, t0)
	wantCode(t, err, schedctl.InvalidSocialAccounts)
	events, err := p.Edit(schedctl.Edit{PublishAt: t0.Add(time.Hour), Accounts: ptr(accounts("a"))}, t0)
	if err != nil || p.Status() != schedctl.Scheduled || types(events) != "updated scheduled queued" {
		t.Errorf("status %s, events %q, %v", p.Status(), types(events), err)
	}
}

func TestEditScheduledPost(t *testing.T) {
	t.Parallel()
	content, same, at := "changed", "hello", t0.Add(2*time.Hour)
	tests := []struct {
		name   string
		edit   schedctl.Edit
		events string
		code   schedctl.Code
	}{
		{"content", schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &content}}, "updated", ""},
		{"time", schedctl.Edit{PublishAt: at}, "updated scheduled", ""},
		{"account added and removed", schedctl.Edit{Accounts: ptr(accounts("b", "c"))}, "updated queued", ""},
		{"accounts and time", schedctl.Edit{Accounts: ptr(accounts("c")), PublishAt: at}, "updated scheduled queued", ""},
		{"nothing", schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &same}, PublishAt: t0.Add(time.Hour), Accounts: ptr(accounts("a", "b"))}, "", ""},
		{"no account left", schedctl.Edit{Accounts: ptr(accounts())}, "", schedctl.InvalidSocialAccounts},
		{"past", schedctl.Edit{PublishAt: t0.Add(-time.Hour)}, "", schedctl.InvalidPublishAt},
		{"empty content", schedctl.Edit{ContentChange: schedctl.ContentChange{Text: ptr(" ")}}, "", schedctl.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := scheduledPost(t)
			before := p.Clone()
			events, err := p.Edit(tt.edit, t0)
			wantCode(t, err, tt.code)
			if types(events) != tt.events {
				t.Errorf("events %q, want %q", types(events), tt.events)
			}
			if tt.events == "" {
				if diff := cmp.Diff(before, p); diff != "" {
					t.Errorf("the post changed:\n%s", diff)
				}
				return
			}
			if p.Version != before.Version+1 || p.Status() != schedctl.Scheduled {
				t.Errorf("version %d, status %s", p.Version, p.Status())
			}
			for _, target := range p.Targets {
				if due, waiting := target.Due(); !waiting || !due.Equal(p.PublishAt) {
					t.Errorf("target %s is due %s (%v), the post %s", target.ID, due, waiting, p.PublishAt)
				}
			}
		})
	}
}

func TestPublishNow(t *testing.T) {
	t.Parallel()
	p := scheduledPost(t)
	now := t0.Add(time.Minute)
	events, err := p.PublishNow(nil, now)
	if err != nil || types(events) != "queued queued" || p.Status() != schedctl.Publishing || !p.PublishAt.Equal(now) {
		t.Errorf("%v, events %q, status %s at %s", err, types(events), p.Status(), p.PublishAt)
	}
}

func TestScheduleWithAndWithoutAccounts(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{})
	_, err := p.Schedule(t0.Add(time.Hour), nil, t0)
	wantCode(t, err, schedctl.InvalidSocialAccounts)
	events, err := p.Schedule(t0.Add(time.Hour), ptr(accounts("a")), t0)
	if err != nil || types(events) != "scheduled queued" || p.Version != 2 {
		t.Errorf("%v, events %q, version %d", err, types(events), p.Version)
	}
	_, err = p.Schedule(t0.Add(time.Hour), nil, t0)
	wantCode(t, err, schedctl.PostNotDraft)
}

func TestCancelKeepsWhatIsPublished(t *testing.T) {
	t.Parallel()
	p := postWithTargets(schedctl.Published, schedctl.Failed, schedctl.Publishing, schedctl.Scheduled)
	events, err := p.Cancel(t0)
	if err != nil || types(events) != "canceled" {
		t.Fatalf("%v, events %q", err, types(events))
	}
	want := schedctl.Summary{Total: 4, Published: 1, Canceled: 3}
	if diff := cmp.Diff(want, p.Summary()); diff != "" || p.Status() != schedctl.Canceled {
		t.Errorf("status %s, summary:\n%s", p.Status(), diff)
	}
	if _, err := p.Cancel(t0); schedctl.CodeOf(err) != schedctl.PostNotCancelable {
		t.Errorf("second cancel: %v", err)
	}
}

func TestTruthWinsOverCancel(t *testing.T) {
	t.Parallel()
	outcomes := map[string]struct {
		result schedctl.Result
		status schedctl.Status
		events string
		err    bool
	}{
		"published":     {schedctl.Result{Receipt: &schedctl.Receipt{ID: "7"}}, schedctl.Published, "published", false},
		"not published": {schedctl.Result{Error: &schedctl.TargetError{Outcome: schedctl.OutcomeNotPublished}, RetryAt: t0.Add(time.Hour)}, schedctl.Canceled, "", false},
		"unknown":       {schedctl.Result{Error: &schedctl.TargetError{Outcome: schedctl.OutcomeUnknown, Retryable: true}}, schedctl.Canceled, "", true},
	}
	for name, tt := range outcomes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := scheduledPost(t)
			id := p.Targets[0].ID
			if _, err := p.Begin(schedctl.Claim{TargetID: id, Owner: "me", Lease: time.Minute, Key: id}, p.PublishAt); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Cancel(p.PublishAt); err != nil {
				t.Fatal(err)
			}
			events, err := p.Finish(id, tt.result, p.PublishAt)
			if err != nil || types(events) != tt.events {
				t.Errorf("%v, events %q", err, types(events))
			}
			target := p.Target(id)
			if target.Status != tt.status || p.Status() != schedctl.Canceled || (target.Error != nil) != tt.err {
				t.Errorf("post %s, target %+v", p.Status(), target)
			}
			if target.Error != nil && target.Error.Retryable {
				t.Error("a canceled target is said to be tried again")
			}
			if _, waiting := target.Due(); waiting {
				t.Error("a canceled post still waits")
			}
		})
	}
}

func TestAttemptsUntilTheLastTargetFinishes(t *testing.T) {
	t.Parallel()
	p := scheduledPost(t)
	a, b := p.Targets[0].ID, p.Targets[1].ID
	now := p.PublishAt
	attempt, err := p.Begin(schedctl.Claim{TargetID: a, Owner: "me", Lease: time.Minute, Key: a}, now)
	if err != nil || attempt.Number != 1 || attempt.Key != a || attempt.Outcome != schedctl.OutcomeRunning || !attempt.LeaseUntil.Equal(now.Add(time.Minute)) {
		t.Fatalf("%v, attempt %+v", err, attempt)
	}
	if _, err := p.Begin(schedctl.Claim{TargetID: a, Owner: "other", Lease: time.Minute, Key: a}, now); err == nil {
		t.Fatal("a running target was claimed twice")
	}
	failure := &schedctl.TargetError{Kind: schedctl.KindNetwork, Outcome: schedctl.OutcomeNotPublished}
	events, err := p.Finish(a, schedctl.Result{Error: failure, RetryAt: now.Add(10 * time.Second)}, now)
	if due, waiting := p.Target(a).Due(); err != nil || events != nil || !waiting || !due.Equal(now.Add(10*time.Second)) {
		t.Fatalf("%v, events %q, due %s %v", err, types(events), due, waiting)
	}
	mustBegin(t, &p, a, now)
	if events := mustFinish(t, &p, a, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1", URL: "u"}}, now); types(events) != "published" {
		t.Errorf("events %q", types(events))
	}
	if p.Status() != schedctl.Publishing {
		t.Errorf("one of two finished: %s", p.Status())
	}
	mustBegin(t, &p, b, now)
	if events := mustFinish(t, &p, b, schedctl.Result{Error: failure}, now); types(events) != "failed completed" {
		t.Errorf("events %q", types(events))
	}
	if p.Status() != schedctl.Failed || p.Target(a).Attempts != 2 || p.Target(a).Error != nil {
		t.Errorf("post %s, target %+v", p.Status(), p.Target(a))
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	failed := func(outcome schedctl.Outcome) schedctl.Post {
		p := postWithTargets(schedctl.Published, schedctl.Failed, schedctl.Failed)
		p.Targets[1].Error = &schedctl.TargetError{Outcome: schedctl.OutcomeNotPublished}
		p.Targets[2].Error = &schedctl.TargetError{Outcome: outcome}
		p.Targets[1].Attempts, p.Targets[2].Attempts = 5, 1
		return p
	}
	tests := []struct {
		name    string
		outcome schedctl.Outcome
		retry   schedctl.Retry
		queued  []string
		code    schedctl.Code
	}{
		{"all", schedctl.OutcomeNotPublished, schedctl.Retry{}, []string{"pt_1", "pt_2"}, ""},
		{"one", schedctl.OutcomeNotPublished, schedctl.Retry{TargetIDs: []string{"pt_2"}}, []string{"pt_2"}, ""},
		{"the certain ones", schedctl.OutcomeUnknown, schedctl.Retry{}, []string{"pt_1"}, ""},
		{"forced", schedctl.OutcomeUnknown, schedctl.Retry{Force: true}, []string{"pt_1", "pt_2"}, ""},
		{"unknown by name", schedctl.OutcomeUnknown, schedctl.Retry{TargetIDs: []string{"pt_1", "pt_2"}}, nil, schedctl.PostNotRetryable},
		{"a published one", schedctl.OutcomeUnknown, schedctl.Retry{TargetIDs: []string{"pt_0"}}, nil, schedctl.PostNotRetryable},
		{"a foreign one", schedctl.OutcomeUnknown, schedctl.Retry{TargetIDs: []string{"pt_9"}}, nil, schedctl.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := failed(tt.outcome)
			before := p.Clone()
			events, err := p.Retry(tt.retry, t0.Add(time.Hour))
			wantCode(t, err, tt.code)
			var queued []string
			for _, target := range p.Targets {
				if _, waiting := target.Due(); waiting {
					queued = append(queued, target.ID)
					if target.Tries() != 0 || !target.LateSince().Equal(t0.Add(time.Hour)) {
						t.Errorf("target %+v starts with %d tries, late since %s", target, target.Tries(), target.LateSince())
					}
				}
			}
			if !slices.Equal(queued, tt.queued) || len(events) != len(tt.queued) {
				t.Errorf("queued %v, events %q; want %v", queued, types(events), tt.queued)
			}
			if tt.code != "" && !cmp.Equal(before, p) {
				t.Error("a refused retry changed the post")
			}
		})
	}
}

func mustBegin(t *testing.T, p *schedctl.Post, target string, now time.Time) {
	t.Helper()
	if _, err := p.Begin(schedctl.Claim{TargetID: target, Owner: "me", Lease: time.Minute, Key: target}, now); err != nil {
		t.Fatal(err)
	}
}

func mustFinish(t *testing.T, p *schedctl.Post, target string, r schedctl.Result, now time.Time) []schedctl.Event {
	t.Helper()
	events, err := p.Finish(target, r, now)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func ptr[T any](v T) *T { return &v }

func TestInvisibleTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \t\r\n", "\u200b", "\ufeff", "\u00a0\u2060", "\u2800", "\u3164", "\u00ad", "\x01", "\u200d\ufe0f", "\u202e\u202c"} {
		if err := schedctl.CheckContent(text); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"a", ".", "\u200ba", "\U0001f468\u200d\U0001f469", "\u0600", "\u0301"} {
		if err := schedctl.CheckContent(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
