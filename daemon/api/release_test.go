package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// openOf returns what is open of an API key or an account.
func (w *reviewing) openOf(path string) apiv1.OpenPosts {
	w.t.Helper()
	var of apiv1.Released // both envelopes have it
	if err := json.Unmarshal(w.do(nil, "GET", path, nil).want(200).body, &of); err != nil {
		w.t.Fatal(err)
	}
	return of.Open
}

// wantOpen compares what is open.
func (w *reviewing) wantOpen(what string, got apiv1.OpenPosts, drafts, scheduled, series int) {
	w.t.Helper()
	if diff := cmp.Diff(apiv1.OpenPosts{Drafts: drafts, Scheduled: scheduled, Series: series}, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// removed sends a removal, and returns what is still open.
func (w *reviewing) removed(path string) apiv1.OpenPosts {
	w.t.Helper()
	return decodeAs[apiv1.Released](w.t, w.do(nil, "DELETE", path, nil).want(200)).Open
}

// opened makes a draft, a scheduled post for the accounts, and a series with one post ahead.
func (w *reviewing) opened(by option, name string, accounts ...string) (draft, scheduled apiv1.Post, series apiv1.Series) {
	w.t.Helper()
	draft = w.do(by, "POST", "/posts", body{"content": "draft " + name, "social_account_ids": accounts}).want(201).post()
	scheduled = w.do(by, "POST", "/posts", body{"content": "post " + name, "social_account_ids": accounts, "publish_at": in(time.Hour)}).want(201).post()
	series = decodeAs[apiv1.SeriesEnvelope](w.t, w.do(by, "POST", "/series", body{
		"name": "series " + name, "content": "again " + name, "social_account_ids": accounts, "timezone": "UTC", "start": "2036-11-01T09:00", "rule": "FREQ=DAILY",
	}).want(201)).Series
	return draft, scheduled, series
}

// leaver creates a key, and returns its id and what it sends.
func (w *reviewing) leaver(change func(*schedctl.APIKey)) (id string, by option) {
	w.t.Helper()
	secret := w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.Scopes = standardScopes; change(k) })
	return w.keyOf(secret).ID, as(secret)
}

func (w *reviewing) seriesState(id string) string {
	w.t.Helper()
	return string(decodeAs[apiv1.SeriesEnvelope](w.t, w.do(nil, "GET", "/series/"+id, nil).want(200)).Series.State)
}

func TestRevokedKeysSayWhatIsOpen(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		id, by := w.leaver(func(*schedctl.APIKey) {})
		path := "/api-keys/" + id
		w.wantOpen("a new key", w.openOf(path), 0, 0, 0)
		draft, scheduled, series := w.opened(by, "a", w.mine.account)
		w.opened(w.author, "b", w.mine.account)
		w.wantOpen("the key", w.openOf(path), 1, 2, 1) // the series has made one post
		w.wantOpen("the account", w.openOf("/social-accounts/"+w.mine.account), 2, 4, 2)

		w.do(nil, "DELETE", path+"?posts=drop", nil).refused(schedctl.ValidationFailed)
		w.do(nil, "DELETE", path+"?move_to="+w.mine.account, nil).refused(schedctl.ValidationFailed)
		if r := w.do(nil, "DELETE", path, nil).want(204); len(r.body) > 0 {
			t.Errorf("without a parameter, the response is %s", r.body)
		}
		w.wantOpen("keep", w.removed(path+"?posts=keep"), 1, 2, 1)
		w.wantOpen("unschedule", w.removed(path+"?posts=unschedule"), 2, 0, 1)
		if p := w.get(scheduled.ID); p.Status != schedctl.Draft || p.UpdatedBy.Name != "test" {
			t.Errorf("the post is %s, by %+v", p.Status, p.UpdatedBy)
		}
		if state := w.seriesState(series.ID); state != "paused" {
			t.Errorf("the series is %s", state)
		}
		w.do(nil, "POST", "/posts/"+draft.ID+"/schedule", body{"publish_at": in(2 * time.Hour)}).want(200)
		w.wantOpen("cancel", w.removed(path+"?posts=cancel"), 1, 0, 0)
		if p := w.get(draft.ID); p.Status != schedctl.Canceled {
			t.Errorf("the post is %s", p.Status)
		}
		for action, resource := range map[string]string{"unschedulePost": scheduled.ID, "cancelPost": draft.ID, "pauseSeries": series.ID, "endSeries": series.ID} {
			page := w.auditPage("?action=" + action)
			if page.Count != 1 || *page.Results[0].ResourceID != resource || *page.Results[0].Detail != "revokeAPIKey "+id {
				t.Errorf("%s: the audit log has %+v", action, page.Results)
			}
		}
		if got, want := w.fixture.events(scheduled.ID), "post.created post.scheduled post.queued post.updated"; got != want {
			t.Errorf("the events are %s, want %s", got, want)
		}
		w.wantOpen("of others", w.openOf("/social-accounts/"+w.mine.account), 2, 2, 1)
	})
}

func TestManyOpenPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		id, by := w.leaver(func(*schedctl.APIKey) {})
		const posts = 120 // several transactions
		for i := range posts {
			w.do(by, "POST", "/posts", body{"content": fmt.Sprint("post ", i), "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}).want(201)
		}
		w.wantOpen("the key", w.openOf("/api-keys/"+id), 0, posts, 0)
		w.wantOpen("unscheduled", w.removed("/api-keys/"+id+"?posts=unschedule"), posts, 0, 0)
	})
}

func TestRemovedAccountsReleaseTheirPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		gone, other := w.newAccount(w.mine, "gone"), w.newAccount(w.mine, "other")
		_, alone, _ := w.opened(w.author, "alone", gone)
		_, shared, series := w.opened(w.author, "shared", gone, other)
		path := "/social-accounts/" + gone
		w.wantOpen("before", w.openOf(path), 2, 4, 2)
		w.wantOpen("canceled", w.removed(path+"?posts=cancel"), 2, 0, 0)
		if p := w.get(alone.ID); p.Status != schedctl.Canceled {
			t.Errorf("the post is %s", p.Status)
		}
		if p := w.get(shared.ID); p.Status != schedctl.Scheduled || len(p.Targets) != 1 || p.Targets[0].SocialAccountID != other {
			t.Errorf("the post for another account is %s with %d targets", p.Status, len(p.Targets))
		}
		if state := w.seriesState(series.ID); state != "active" {
			t.Errorf("the series for another account is %s", state)
		}
		account := decodeAs[apiv1.AccountEnvelope](t, w.do(nil, "GET", path, nil).want(200)).SocialAccount
		if account.Status != schedctl.AccountDisconnected {
			t.Errorf("the account is %s", account.Status)
		}
		w.wantOpen("of the other account", w.openOf("/social-accounts/"+other), 1, 2, 1)
	})
}

func TestPostsMoveToAnotherAccount(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		gone, next := w.newAccount(w.mine, "gone"), w.newAccount(w.mine, "next")
		draft, post, series := w.opened(w.author, "moved", gone)
		w.do(w.author, "PATCH", "/posts/"+post.ID, body{"target_overrides": []body{{"social_account_id": gone, "content": "for this account"}}}).want(200)
		path := "/social-accounts/" + gone
		for query, code := range map[string]schedctl.Code{
			"?move_to=" + gone: schedctl.ValidationFailed, "?move_to=acct_nobody": schedctl.ValidationFailed,
			"?move_to=" + w.other.account: schedctl.InvalidSocialAccounts, "?posts=keep&move_to=" + next: schedctl.ValidationFailed,
		} {
			w.do(nil, "DELETE", path+query, nil).refused(code)
		}

		w.limit(next, 5)
		refusal := w.do(nil, "DELETE", path+"?move_to="+next, nil).refused(schedctl.ValidationFailed)
		var named []string
		for _, d := range refusal.Details {
			named = append(named, d.Field)
		}
		if diff := cmp.Diff([]string{series.ID, post.ID}, named); diff != "" {
			t.Errorf("the refusal names (-want +got):\n%s", diff)
		}
		if got := w.get(post.ID); got.Version != post.Version+1 || w.get(draft.ID).Version != draft.Version {
			t.Error("a refused move has changed posts")
		}

		w.limit(next, 500)
		w.wantOpen("moved", w.removed(path+"?move_to="+next), 0, 0, 0)
		w.wantOpen("of the next account", w.openOf("/social-accounts/"+next), 1, 2, 1)
		got := w.get(post.ID)
		if got.Status != schedctl.Scheduled || got.Targets[0].SocialAccountID != next || len(got.TargetOverrides) != 1 || *got.TargetOverrides[0].Content != "for this account" {
			t.Errorf("the post is %+v", got)
		}
	})
}

func TestReleasingPostsNeedsTheRightsForThem(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		id, by := w.leaver(func(*schedctl.APIKey) {})
		_, post, _ := w.opened(by, "a", w.mine.account)
		for name, change := range map[string]func(*schedctl.APIKey){
			string(schedctl.InsufficientScope): func(k *schedctl.APIKey) {
				k.Scopes = []schedctl.Scope{schedctl.ScopeKeysWrite, schedctl.ScopeAccountsWrite, schedctl.ScopePostsRead}
			},
			string(schedctl.ValidationFailed): func(k *schedctl.APIKey) { k.Restricted = true },
		} {
			key := as(w.newKey(w.mine.workspace, change))
			w.do(key, "DELETE", "/api-keys/"+id+"?posts=cancel", nil).refused(schedctl.Code(name))
			w.do(key, "DELETE", "/social-accounts/"+w.mine.account+"?posts=cancel", nil).refused(schedctl.Code(name))
		}
		limited := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{w.mine.account} }))
		w.do(limited, "GET", "/api-keys/"+id, nil).refused(schedctl.NotFound)
		w.do(limited, "DELETE", "/api-keys/"+id+"?posts=cancel", nil).refused(schedctl.NotFound)
		if got := w.get(post.ID); got.Version != post.Version {
			t.Errorf("the post has changed: %s", got.Status)
		}
		w.do(by, "GET", "/posts", nil).want(200) // the key is still valid
	})
}
