package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// file returns the managed field of a file in a collection.
func file(collection, path string) body {
	return body{"collection": collection, "path": path, "digest": "sha256:" + path}
}

// exists checks that a request is rejected because of a post's external id, and
// that the error links to the post, or to none when id is empty.
func (r *response) exists(id string) {
	r.t.Helper()
	e := r.refused(schedctl.ExternalIDExists)
	var details []apiv1.Detail
	location := ""
	if id != "" {
		details = []apiv1.Detail{{Field: "external_id", Code: schedctl.ExternalIDExists, Message: id}}
		location = "/api/v1/posts/" + id
	}
	if diff := cmp.Diff(details, e.Details); diff != "" || r.header.Get("Location") != location {
		r.t.Errorf("Location %q, want %q; details (-want +got):\n%s", r.header.Get("Location"), location, diff)
	}
}

// TestExternalID follows an external id through the life of its post.
func TestExternalID(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		b := body{"content": "hello", "external_id": "release-1", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)}
		p := f.create(b)
		if p.ExternalID == nil || *p.ExternalID != "release-1" {
			t.Fatalf("external_id %v", p.ExternalID)
		}
		f.do(nil, "POST", "/posts", b).exists(p.ID)
		f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"external_id": "release-1"}).exists(p.ID)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "release-1"}).want(200)
		if version := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post().Version; version != 1 {
			t.Errorf("version %d after an edit that changes nothing", version)
		}

		// Other faults of a repeated request do not matter.
		for _, change := range []body{{"publish_at": "2020-01-01T00:00:00Z"}, {"social_account_ids": []string{schedctl.NewID(schedctl.AccountPrefix, time.Now())}}, {"content": " "}} {
			repeated := body{"content": "hello", "external_id": "release-1"}
			for name, value := range change {
				repeated[name] = value
			}
			f.do(nil, "POST", "/posts", repeated).exists(p.ID)
		}

		// Another workspace has external ids of its own.
		f.do(as(f.other.key), "POST", "/posts", body{"content": "theirs", "external_id": "release-1"}).want(201)

		// A canceled post keeps it, a deleted draft does not.
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
		f.do(nil, "POST", "/posts", b).exists(p.ID)
		draft := f.create(body{"content": "x", "external_id": "release-2"})
		f.do(nil, "DELETE", "/posts/"+draft.ID, nil).want(204)
		f.create(body{"content": "x", "external_id": "release-2"})
	})
}

func TestReplacement(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.scheduled()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "site/a", "managed": file("site", "a.md")}).want(200)
		pruned := file("site", "a.md")
		pruned["pruned"] = true
		canceled := f.do(nil, "POST", "/posts/"+p.ID+"/cancel", body{"managed": pruned}).want(200).post()
		if canceled.Managed == nil || !canceled.Managed.Pruned || canceled.Version != 3 {
			t.Errorf("canceled post %+v", canceled)
		}
		before := f.events(p.ID)
		again := body{"content": "again", "external_id": "site/a", "replaces": p.ID, "managed": file("site", "a.md")}
		f.do(as(f.scoped(schedctl.ScopePostsDraft)), "POST", "/posts", again).refused(schedctl.InsufficientScope)
		f.do(as(f.limitedKey(f.newAccount(f.mine, "elsewhere"))), "POST", "/posts", again).refused(schedctl.NotFound)
		next := f.create(again)
		if next.ExternalID == nil || *next.ExternalID != "site/a" {
			t.Errorf("new post %+v", next)
		}
		old := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		if old.ExternalID != nil || old.Managed != nil || old.Version != 4 || old.Status != schedctl.Canceled {
			t.Errorf("replaced post %+v", old)
		}
		if after := f.events(p.ID); after != before {
			t.Errorf("events of the replaced post %q, before %q", after, before)
		}
		f.do(nil, "POST", "/posts", again).exists(next.ID) // a different client was faster

		// A refused replacement changes nothing.
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "site/b"}).want(200)
		f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "site/b", "replaces": p.ID, "publish_at": in(time.Hour)}).refused(schedctl.InvalidSocialAccounts)
		if kept := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post(); kept.ExternalID == nil || kept.Version != 5 {
			t.Errorf("post that was not replaced %+v", kept)
		}
	})
}

func TestValidateExternalID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x", "external_id": "site/a"})
	exists := []apiv1.Problem{{Field: "external_id", Code: "EXTERNAL_ID_EXISTS", Message: p.ID}}
	for _, tt := range []struct {
		change body
		want   []apiv1.Problem
	}{
		{body{"external_id": "site/b"}, []apiv1.Problem{}},
		{body{"external_id": "site/a"}, exists},
		{body{"external_id": "site/a", "post_id": p.ID}, []apiv1.Problem{}},
		{body{"external_id": "site/a", "post_id": f.draft().ID}, exists},
	} {
		tt.change["content"] = "y"
		if diff := cmp.Diff(tt.want, f.validate(tt.change).Problems); diff != "" {
			t.Errorf("%v: problems (-want +got):\n%s", tt.change, diff)
		}
	}
	got := f.validate(body{"content": "y", "external_id": "site/a", "replaces": p.ID})
	if got.Allowed || len(got.Problems) != 1 || got.Problems[0].Code != "POST_NOT_REPLACEABLE" {
		t.Errorf("the replacement of a draft: %+v", got)
	}
}

// TestAnnotationsInEveryStatus changes unpublished fields in every status. Each
// change increments the version and creates no event.
func TestAnnotationsInEveryStatus(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for _, status := range schedctl.Statuses() {
			p := f.inStatus(status)
			events := f.events(p.ID)
			change := body{"external_id": "in/" + string(status), "managed": file("site", "a.md"), "labels": []string{"b", "a", "b"}}
			got := f.do(header("If-Match", fmt.Sprintf("%q", fmt.Sprint(p.Version))), "PATCH", "/posts/"+p.ID, change).want(200).post()
			want := p
			want.ExternalID, want.Labels, want.Version = new("in/"+string(status)), []string{"a", "b"}, p.Version+1
			want.Managed, want.UpdatedAt = &apiv1.Managed{Collection: "site", Path: "a.md", Digest: "sha256:a.md"}, got.UpdatedAt
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", status, diff)
			}
			if now := f.events(p.ID); now != events {
				t.Errorf("%s: events %q, before %q", status, now, events)
			}
			if status != schedctl.Draft {
				f.do(as(f.scoped(schedctl.ScopePostsDraft)), "PATCH", "/posts/"+p.ID, body{"labels": []string{}}).refused(schedctl.InsufficientScope)
			}
			if status != schedctl.Draft && status != schedctl.Scheduled {
				r := f.do(nil, "PATCH", "/posts/"+p.ID, body{"labels": []string{"c"}, "content": "other"})
				if r.status != http.StatusConflict {
					t.Errorf("%s: an edit of labels and content gets %d", status, r.status)
				}
			}
			cleared := f.do(nil, "PATCH", "/posts/"+p.ID, body{"managed": nil, "labels": []string{}}).want(200).post()
			if cleared.Managed != nil || len(cleared.Labels) > 0 || cleared.Labels == nil || cleared.Version != p.Version+2 {
				t.Errorf("%s: %+v after the removal of managed and labels", status, cleared)
			}
		}
	})
}

// TestExternalIDsAreHiddenFromLimitedKeys guards that a refusal names no post that
// the key may not see.
func TestExternalIDsAreHiddenFromLimitedKeys(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		allowed := f.newAccount(f.mine, "allowed")
		limited := as(f.limitedKey(allowed))
		p := f.scheduled()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "site/a", "managed": file("site", "a.md"), "labels": []string{"a"}}).want(200)
		f.do(limited, "POST", "/posts", body{"content": "x", "external_id": "site/a", "social_account_ids": []string{allowed}}).exists("")
		own := f.do(limited, "POST", "/posts", body{"content": "x", "external_id": "site/b", "managed": file("site", "b.md"), "labels": []string{"a"}}).want(201).post()
		f.do(limited, "PATCH", "/posts/"+own.ID, body{"labels": []string{"a", "b"}}).want(200)
		f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"external_id": "site/b"}).exists(own.ID)
		for query, want := range map[string]int{"?external_id=site/a": 0, "?external_id=site/b": 1, "?collection=site": 1, "?label=a": 1, "?label=b": 1} {
			list := decodeAs[apiv1.PostList](t, f.do(limited, "GET", "/posts"+query, nil).want(200))
			if list.Count != want {
				t.Errorf("%s lists %d posts, want %d", query, list.Count, want)
			}
		}
		for _, query := range []string{"?external_id=site/a", "?collection=site", "?label=a"} {
			if list := decodeAs[apiv1.PostList](t, f.do(as(f.other.key), "GET", "/posts"+query, nil).want(200)); list.Count != 0 {
				t.Errorf("%s lists %d posts from a different workspace", query, list.Count)
			}
		}
	})
}

// TestExternalIDAndIdempotencyKey guards that a repeated request gets the stored
// response and not a refusal.
func TestExternalIDAndIdempotencyKey(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		b := body{"content": "once", "external_id": "site/a"}
		first := f.do(key("a"), "POST", "/posts", b).want(201)
		again := f.do(key("a"), "POST", "/posts", b).want(201)
		if string(again.body) != string(first.body) || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the repeated request: %s", again.body)
		}
		f.do(key("b"), "POST", "/posts", b).exists(first.post().ID)
	})
}

// TestFiltersOfFiles lists posts by what identifies and groups them.
func TestFiltersOfFiles(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for i := range 5 {
			b := body{"content": fmt.Sprint("post ", i), "external_id": fmt.Sprint("site/", i), "managed": file("site", fmt.Sprint(i, ".md")), "labels": []string{"all", fmt.Sprint("l", i%2)}}
			if i%2 == 0 {
				b["publish_at"], b["social_account_ids"] = in(time.Duration(10-i)*time.Hour), []string{f.mine.account}
			}
			f.create(b)
		}
		f.create(body{"content": "blog", "managed": file("blog", "a.md"), "labels": []string{"all"}})
		for query, want := range map[string]string{
			"collection=site&limit=2&sort=created_at":                  "post 0,post 1,post 2,post 3,post 4",
			"collection=site&limit=2&sort=publish_at&status=scheduled": "post 4,post 2,post 0",
			"collection=site&limit=1&sort=publish_at":                  "post 4,post 2,post 0,post 1,post 3",
			"collection=blog": "blog",
			"collection=none": "",
			"collection=site&sort=created_at&social_account_id=ACCOUNT": "post 0,post 2,post 4",
			"collection=site&q=T+3":                               "post 3",
			"label=all&limit=2&sort=created_at":                   "post 0,post 1,post 2,post 3,post 4,blog",
			"label=all&label=l1&sort=created_at":                  "post 1,post 3",
			"label=l0&label=l1":                                   "",
			"external_id=site/3":                                  "post 3",
			"external_id=site/3&status=scheduled":                 "",
			"external_id=site/2&status=scheduled&label=l0&q=post": "post 2",
			"external_id=site/3&collection=blog":                  "",
			"external_id=site/3&offset=1":                         "",
			"external_id=site/9":                                  "",
		} {
			values, err := url.ParseQuery(strings.ReplaceAll(query, "ACCOUNT", f.mine.account))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(f.walk(values), ","); got != want {
				t.Errorf("%s lists %s, want %s", query, got, want)
			}
		}
		cursor := f.list("?collection=site&limit=1").NextCursor
		if cursor == nil {
			t.Fatal("a list of five posts has one page of one")
		}
		for _, other := range []string{"collection=blog", "collection=site&label=all", "external_id=site/3", ""} {
			f.do(nil, "GET", "/posts?limit=1&cursor="+*cursor+"&"+other, nil).refused(schedctl.InvalidCursor)
		}
	})
}

func TestUnschedule(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.scheduled()
		f.do(header("If-Match", `"9"`), "POST", "/posts/"+p.ID+"/unschedule", nil).refused(schedctl.VersionMismatch)
		got := f.do(key("k"), "POST", "/posts/"+p.ID+"/unschedule", nil).want(200).post()
		want := p
		want.ProposedAt = &apiv1.ProposedTime{Time: p.PublishAt.Time}
		want.Status, want.PublishAt, want.Version, want.UpdatedAt = schedctl.Draft, nil, 2, got.UpdatedAt
		want.Targets = []apiv1.Target{p.Targets[0]}
		want.Targets[0].Status, want.Targets[0].PublishAt = schedctl.Draft, nil
		want.Targets[0].Parts = slices.Clone(want.Targets[0].Parts)
		want.Targets[0].Parts[0].Status = schedctl.Draft
		want.TargetSummary.Draft, want.TargetSummary.Scheduled = 1, 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		f.do(key("k"), "POST", "/posts/"+p.ID+"/unschedule", nil).want(200)
		if again := f.do(nil, "POST", "/posts/"+p.ID+"/unschedule", nil).want(200).post(); again.Version != 2 {
			t.Errorf("version %d after a draft was unscheduled", again.Version)
		}
		if events := f.events(p.ID); !strings.HasSuffix(events, "post.updated") {
			t.Errorf("events %s", events)
		}
		if again := f.do(nil, "POST", "/posts/"+p.ID+"/schedule", body{"publish_at": in(time.Hour)}).want(200).post(); again.Targets[0].ID != p.Targets[0].ID {
			t.Errorf("target %s, was %s", again.Targets[0].ID, p.Targets[0].ID)
		}
	})
}

// TestHammerOfExternalIDs lets 64 callers create a post with one external id at
// once, each with an Idempotency-Key of its own.
func TestHammerOfExternalIDs(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) { hammerExternalID(t, []*fixture{f}) })
}

func TestHammerOfExternalIDsOnSeveralDaemons(t *testing.T) {
	t.Parallel()
	hammerExternalID(t, newPeers(t, onPostgres(t, 3)))
}

// untilAvailable repeats a request while all connections to the database are in
// use, like a client.
func (f *fixture) untilAvailable(o option, method, path string, body any) *response {
	f.t.Helper()
	for range 30 {
		if r := f.do(o, method, path, body); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
			return r
		}
		time.Sleep(time.Second)
	}
	f.t.Error(method, path, "is refused with 503 for half a minute")
	return f.do(o, method, path, body)
}

func hammerExternalID(t *testing.T, daemons []*fixture) {
	const callers = 64
	first := daemons[0]
	canceled := first.scheduled()
	first.do(nil, "PATCH", "/posts/"+canceled.ID, body{"external_id": "site/replaced"}).want(200)
	first.do(nil, "POST", "/posts/"+canceled.ID+"/cancel", nil).want(200)
	for name, b := range map[string]body{
		"new":         {"content": "once", "external_id": "site/new", "social_account_ids": []string{first.mine.account}, "publish_at": in(time.Hour)},
		"replacement": {"content": "once", "external_id": "site/replaced", "replaces": canceled.ID},
	} {
		before := first.counts()
		responses, start := make([]*response, callers), make(chan struct{})
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				<-start
				responses[i] = daemons[i%len(daemons)].untilAvailable(key(fmt.Sprint(name, i)), "POST", "/posts", b)
			})
		}
		close(start)
		wg.Wait()
		var created []string
		for _, r := range responses {
			if r.status == http.StatusCreated {
				created = append(created, r.post().ID)
			}
		}
		if len(created) != 1 {
			t.Fatalf("%s: %d requests have created posts %v", name, len(created), created)
		}
		for _, r := range responses {
			if r.status != http.StatusCreated {
				r.exists(created[0])
			}
		}
		before.posts++
		before.audit++
		if after := first.counts(); after != before {
			t.Errorf("%s: there is %+v, want %+v", name, after, before)
		}
	}
}
