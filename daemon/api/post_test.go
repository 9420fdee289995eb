package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestCreateDraft(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, b := range map[string]string{
		"without accounts":    `{"content":"x"}`,
		"with an empty list":  `{"content":"x","social_account_ids":[]}`,
		"with a null time":    `{"content":"x","publish_at":null}`,
		"with allow_dupicate": `{"content":"x","allow_duplicate":true}`,
	} {
		r := f.do(nil, "POST", "/posts", b).want(http.StatusCreated)
		p := r.post()
		if p.Status != schedctl.Draft || p.PublishAt != nil || len(p.Targets) != 0 || p.Version != 1 {
			t.Errorf("%s: %s", name, r.body)
		}
		if got := r.header.Get("Location"); got != "/api/v1/posts/"+p.ID {
			t.Errorf("%s: Location %q", name, got)
		}
		if got := r.header.Get("ETag"); got != `"1"` {
			t.Errorf("%s: ETag %q", name, got)
		}
		if !strings.Contains(string(r.body), `"targets":[]`) || !strings.Contains(string(r.body), `"publish_at":null`) {
			t.Errorf("%s: an empty list or a null is left out: %s", name, r.body)
		}
		if got := f.events(p.ID); got != "post.created" {
			t.Errorf("%s: events %s", name, got)
		}
	}
	p := f.draft()
	if p.Status != schedctl.Draft || len(p.Targets) != 1 || p.Targets[0].Status != schedctl.Draft || p.Targets[0].PublishAt != nil {
		t.Errorf("a draft with an account: %+v", p)
	}
}

func TestCreateScheduled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	at := in(time.Hour)
	p := f.create(body{"content": "<&> ☃", "social_account_ids": []string{f.mine.account}, "publish_at": at})
	if p.Status != schedctl.Scheduled || p.Targets[0].Status != schedctl.Scheduled || p.Content != "<&> ☃" {
		t.Errorf("%+v", p)
	}
	want, _ := time.Parse(time.RFC3339Nano, at)
	if !p.PublishAt.Equal(want) || !p.Targets[0].PublishAt.Equal(want) {
		t.Errorf("asked for %s, got %s and %s", at, p.PublishAt, p.Targets[0].PublishAt)
	}
	if got := f.events(p.ID); got != "post.created post.scheduled post.queued" {
		t.Errorf("events %s", got)
	}
}

func TestCreateNow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := time.Now()
	p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	if p.Status != schedctl.Publishing || p.Targets[0].Status != schedctl.Publishing || p.PublishAt.Before(before) {
		t.Errorf("%+v", p)
	}
	if got := f.events(p.ID); got != "post.created post.queued" {
		t.Errorf("events %s", got)
	}
}

func TestGetPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	created := f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}}).want(201)
	got := f.do(nil, "GET", "/posts/"+created.post().ID, nil).want(200)
	if diff := cmp.Diff(string(created.body), string(got.body)); diff != "" {
		t.Errorf("the created post differs when read again (-created +read):\n%s", diff)
	}
	if got.header.Get("ETag") != `"1"` || got.header.Get("Location") != "" {
		t.Errorf("headers %v", got.header)
	}
}

func TestEditPost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testEditPost)
}

func testEditPost(t *testing.T, f *fixture) {
	second := f.newAccount(f.mine, "second")
	p := f.draft()
	kept := p.Targets[0].ID

	edit := func(b body) apiv1.Post {
		t.Helper()
		return f.do(nil, "PATCH", "/posts/"+p.ID, b).want(200).post()
	}
	if got := edit(body{"content": "new"}); got.Content != "new" || got.Version != 2 || got.Status != schedctl.Draft {
		t.Errorf("%+v", got)
	}
	got := edit(body{"social_account_ids": []string{second, f.mine.account}, "publish_at": in(time.Hour)})
	if got.Status != schedctl.Scheduled || len(got.Targets) != 2 || got.Targets[1].ID != kept {
		t.Errorf("%+v", got)
	}
	at := in(2 * time.Hour)
	moved := edit(body{"publish_at": at})
	if moved.Targets[0].PublishAt.String() != moved.PublishAt.String() || moved.Version != 4 {
		t.Errorf("%+v", moved)
	}
	same := f.do(nil, "PATCH", "/posts/"+p.ID, body{"publish_at": at, "content": "new"}).want(200)
	if diff := cmp.Diff(moved, same.post()); diff != "" {
		t.Errorf("a change that changes nothing (-before +after):\n%s", diff)
	}
	if got := f.events(p.ID); got != "post.created post.updated post.updated post.scheduled post.queued post.queued post.updated post.scheduled" {
		t.Errorf("events %s", got)
	}
}

func TestEditDraftWithNullTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	if got := f.do(nil, "PATCH", "/posts/"+p.ID, `{"publish_at":null}`).want(200).post(); got.Version != 1 {
		t.Errorf("version %d", got.Version)
	}
}

func TestDeletePost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testDeletePost)
}

func testDeletePost(t *testing.T, f *fixture) {
	p := f.draft()
	r := f.do(nil, "DELETE", "/posts/"+p.ID, nil).want(http.StatusNoContent)
	if len(r.body) != 0 || r.header.Get("Content-Type") != "" {
		t.Errorf("204 with a body: %q, %v", r.body, r.header)
	}
	f.do(nil, "GET", "/posts/"+p.ID, nil).refused(schedctl.NotFound)
	f.do(nil, "DELETE", "/posts/"+p.ID, nil).refused(schedctl.NotFound)
}

func TestSchedulePost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x"})
	f.do(nil, "POST", "/posts/"+p.ID+"/schedule", body{"publish_at": in(time.Hour)}).refused(schedctl.InvalidSocialAccounts)
	got := f.do(nil, "POST", "/posts/"+p.ID+"/schedule", body{"publish_at": in(time.Hour), "social_account_ids": []string{f.mine.account}}).want(200)
	if p := got.post(); p.Status != schedctl.Scheduled || len(p.Targets) != 1 || got.header.Get("ETag") != `"2"` {
		t.Errorf("%s", got.body)
	}
}

func TestPublishPostNow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, from := range []schedctl.Status{schedctl.Draft, schedctl.Scheduled} {
		p := f.inStatus(from)
		if got := f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", nil).want(http.StatusAccepted).post(); got.Status != schedctl.Publishing {
			t.Errorf("from %s: %s", from, got.Status)
		}
	}
	p := f.create(body{"content": "x"})
	f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", body{}).refused(schedctl.InvalidSocialAccounts)
	got := f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", body{"social_account_ids": []string{f.mine.account}}).want(http.StatusAccepted).post()
	if got.Status != schedctl.Publishing || len(got.Targets) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCancelPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, from := range []schedctl.Status{schedctl.Scheduled, schedctl.Publishing} {
		p := f.inStatus(from)
		got := f.do(nil, "POST", "/posts/"+p.ID+"/cancel", body{}).want(200).post()
		if got.Status != schedctl.Canceled || got.TargetSummary.Canceled != 1 || got.Targets[0].NextAttemptAt != nil {
			t.Errorf("from %s: %+v", from, got)
		}
	}
}

func TestRetryPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.inStatus(schedctl.Failed)
	got := f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).want(http.StatusAccepted).post()
	if got.Status != schedctl.Publishing || got.Targets[0].NextAttemptAt == nil {
		t.Errorf("%+v", got)
	}

	p = f.inStatus(schedctl.Publishing)
	f.finish(p.ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}})
	target := []string{p.Targets[0].ID}
	f.do(nil, "POST", "/posts/"+p.ID+"/retry", body{"target_ids": target}).refused(schedctl.PostNotRetryable)
	f.do(nil, "POST", "/posts/"+p.ID+"/retry", body{"target_ids": []string{"pt_none"}}).refused(schedctl.ValidationFailed)
	tooMany := `{"target_ids":["pt_none"` + strings.Repeat(`,"x"`, 100) + `]}`
	for _, none := range []string{`{"target_ids":[],"force":true}`, `{"target_ids":"x"}`, tooMany} {
		e := f.do(nil, "POST", "/posts/"+p.ID+"/retry", none).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != "target_ids" {
			t.Errorf("%s: %+v", none, e.Details)
		}
	}
	f.do(nil, "POST", "/posts/"+p.ID+"/retry", body{"target_ids": target, "force": true}).want(http.StatusAccepted)
}

// operations are the requests whose result depends on the status.
var operations = map[string]struct {
	method, path string
	body         func(f *fixture) any
	refusal      schedctl.Code
	allowed      map[schedctl.Status]int
}{
	"edit": {"PATCH", "", func(*fixture) any { return body{"content": "edited"} }, schedctl.PostNotEditable,
		map[schedctl.Status]int{schedctl.Draft: 200, schedctl.Scheduled: 200}},
	"delete": {"DELETE", "", nil, schedctl.PostNotDeletable, map[schedctl.Status]int{schedctl.Draft: 204}},
	"schedule": {"POST", "/schedule", func(*fixture) any { return body{"publish_at": in(time.Hour)} }, schedctl.PostNotDraft,
		map[schedctl.Status]int{schedctl.Draft: 200}},
	"publish-now": {"POST", "/publish-now", nil, schedctl.PostNotDraft,
		map[schedctl.Status]int{schedctl.Draft: 202, schedctl.Scheduled: 202}},
	"cancel": {"POST", "/cancel", nil, schedctl.PostNotCancelable,
		map[schedctl.Status]int{schedctl.Scheduled: 200, schedctl.Publishing: 200}},
	"retry":  {"POST", "/retry", nil, schedctl.PostNotRetryable, map[schedctl.Status]int{schedctl.Failed: 202}},
	"resend": {"POST", "/resend", nil, schedctl.PostNotRetryable, map[schedctl.Status]int{schedctl.Failed: 201}},
	"archive": {"POST", "/archive", nil, schedctl.PostNotOver,
		map[schedctl.Status]int{schedctl.Published: 200, schedctl.Failed: 200, schedctl.Canceled: 200}},
}

func TestEveryOperationInEveryStatus(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testEveryOperationInEveryStatus)
}

func testEveryOperationInEveryStatus(t *testing.T, f *fixture) {
	for name, op := range operations {
		for _, status := range schedctl.Statuses() {
			p := f.inStatus(status)
			if p.Status != status {
				t.Fatalf("the post is %s and not %s", p.Status, status)
			}
			var b any
			if op.body != nil {
				b = op.body(f)
			}
			r := f.do(nil, op.method, "/posts/"+p.ID+op.path, b)
			if want, ok := op.allowed[status]; ok {
				r.want(want)
				continue
			}
			refusal := op.refusal
			if status == schedctl.Canceled && name != "cancel" && name != "delete" {
				refusal = schedctl.PostCanceled
			}
			r.refused(refusal)
			if got := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post(); got.Version != p.Version {
				t.Errorf("%s of a %s post is refused and changes it", name, status)
			}
		}
	}
}

func TestDraftKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	drafts := as(f.scoped(schedctl.ScopePostsDraft))
	accounts := []string{f.mine.account}

	p := f.do(drafts, "POST", "/posts", body{"content": "x", "social_account_ids": accounts}).want(201).post()
	f.do(drafts, "PATCH", "/posts/"+p.ID, body{"content": "y", "publish_at": nil}).want(200)
	f.do(drafts, "DELETE", "/posts/"+p.ID, nil).want(204)

	p, plan := f.draft(), f.scheduled()
	for name, r := range map[string]*response{
		"create scheduled": f.do(drafts, "POST", "/posts", body{"content": "x", "social_account_ids": accounts, "publish_at": in(time.Hour)}),
		"create now":       f.do(drafts, "POST", "/posts", body{"content": "x", "social_account_ids": accounts, "publish_at": "now"}),
		"give a time":      f.do(drafts, "PATCH", "/posts/"+p.ID, body{"publish_at": in(time.Hour)}),
		"edit a plan":      f.do(drafts, "PATCH", "/posts/"+plan.ID, body{"content": "y"}),
		"schedule":         f.do(drafts, "POST", "/posts/"+p.ID+"/schedule", body{"publish_at": in(time.Hour)}),
		"publish":          f.do(drafts, "POST", "/posts/"+p.ID+"/publish-now", nil),
		"cancel":           f.do(drafts, "POST", "/posts/"+plan.ID+"/cancel", nil),
		"read":             f.do(drafts, "GET", "/posts/"+p.ID, nil),
		"list":             f.do(drafts, "GET", "/posts", nil),
	} {
		if r.status != http.StatusForbidden {
			t.Errorf("%s gets %d: %s", name, r.status, r.body)
		}
	}
	f.do(drafts, "DELETE", "/posts/"+plan.ID, nil).refused(schedctl.InsufficientScope)
}

func TestLimitedKeysSeeOnlyTheirAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.newAccount(f.mine, "second")
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} }))
	hidden := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account, second}})
	shown := f.draft()

	f.do(limited, "GET", "/posts/"+shown.ID, nil).want(200)
	f.do(limited, "GET", "/posts/"+hidden.ID, nil).refused(schedctl.NotFound)
	f.do(limited, "PATCH", "/posts/"+hidden.ID, body{"content": "y"}).refused(schedctl.NotFound)
	f.do(limited, "DELETE", "/posts/"+hidden.ID, nil).refused(schedctl.NotFound)
	f.do(limited, "GET", "/social-accounts/"+second, nil).refused(schedctl.NotFound)
	if list := decodeAs[apiv1.PostList](t, f.do(limited, "GET", "/posts", nil).want(200)); list.Count != 1 || list.Results[0].ID != shown.ID {
		t.Errorf("the list shows %d posts", list.Count)
	}
	if list := decodeAs[apiv1.AccountList](t, f.do(limited, "GET", "/social-accounts", nil).want(200)); list.Count != 1 {
		t.Errorf("the list shows %d accounts", list.Count)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	for _, tt := range []struct {
		method, path string
		scope        schedctl.Scope
	}{
		{"GET", "/posts", schedctl.ScopePostsRead},
		{"GET", "/posts/" + p.ID, schedctl.ScopePostsRead},
		{"POST", "/posts", schedctl.ScopePostsWrite},
		{"PATCH", "/posts/" + p.ID, schedctl.ScopePostsWrite},
		{"DELETE", "/posts/" + p.ID, schedctl.ScopePostsWrite},
		{"POST", "/posts/" + p.ID + "/schedule", schedctl.ScopePostsWrite},
		{"POST", "/posts/" + p.ID + "/publish-now", schedctl.ScopePostsWrite},
		{"POST", "/posts/" + p.ID + "/cancel", schedctl.ScopePostsWrite},
		{"POST", "/posts/" + p.ID + "/retry", schedctl.ScopePostsWrite},
		{"GET", "/social-accounts", schedctl.ScopeAccountsRead},
		{"GET", "/social-accounts/" + f.mine.account, schedctl.ScopeAccountsRead},
		{"POST", "/social-accounts", schedctl.ScopeAccountsWrite},
		{"PATCH", "/social-accounts/" + f.mine.account, schedctl.ScopeAccountsWrite},
		{"DELETE", "/social-accounts/" + f.mine.account, schedctl.ScopeAccountsWrite},
		{"POST", "/social-accounts/" + f.mine.account + "/verify", schedctl.ScopeAccountsWrite},
	} {
		name := fmt.Sprintf("%s %s", tt.method, tt.path)
		var others []schedctl.Scope
		for _, s := range schedctl.Scopes() {
			if s != tt.scope && s != schedctl.ScopePostsDraft {
				others = append(others, s)
			}
		}
		f.do(as(f.scoped(others...)), tt.method, tt.path, "nonsense").refused(schedctl.InsufficientScope)
		if r := f.do(as(f.scoped(tt.scope)), tt.method, tt.path, "nonsense"); r.status == http.StatusForbidden {
			t.Errorf("%s is refused to a key with %s: %s", name, tt.scope, r.body)
		}
	}
	f.do(as(f.scoped()), "GET", "/me", nil).want(200)
}

func TestMe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	expires := time.Now().Add(time.Hour)
	secret := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) {
		k.Name, k.Scopes, k.ExpiresAt = "ci", []schedctl.Scope{schedctl.ScopePostsRead}, schedctl.Millis(expires)
	})
	me := decodeAs[apiv1.Me](t, f.do(as(secret), "GET", "/me", nil).want(200))
	if me.Workspace.ID != f.mine.workspace || me.Workspace.Name != "mine" || me.Workspace.Timezone != "Europe/Rome" {
		t.Errorf("workspace %+v", me.Workspace)
	}
	if me.APIKey.Name != "ci" || len(me.APIKey.Scopes) != 1 || !me.APIKey.ExpiresAt.Equal(schedctl.Millis(expires)) {
		t.Errorf("key %+v", me.APIKey)
	}
}
