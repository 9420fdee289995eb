package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// expiring creates a key with all scopes that expires at a time.
func (f *fixture) expiring(at time.Time) string {
	f.t.Helper()
	return f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = schedctl.Millis(at) })
}

// limitedKey creates a key of my workspace with all scopes, limited to some
// accounts.
func (f *fixture) limitedKey(accounts ...string) string {
	f.t.Helper()
	return f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = accounts })
}

// TestNoKeyOutlivesItsMaker guards that a key with an expiry creates keys and
// workspaces that expire no later.
func TestNoKeyOutlivesItsMaker(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		end := schedctl.Millis(time.Now().Add(time.Hour))
		maker := as(f.expiring(end))
		text := func(at time.Time) string { return apiv1.NewTime(at).String() }

		for name, expires := range map[string]any{"none": "left out", "null": nil, "the same": text(end), "earlier": text(end.Add(-time.Minute))} {
			b := body{"name": name, "expires_at": expires}
			want := end
			switch name {
			case "none":
				delete(b, "expires_at")
			case "earlier":
				want = end.Add(-time.Minute)
			}
			made := f.newAPIKey(maker, b)
			if made.APIKey.ExpiresAt == nil || !made.APIKey.ExpiresAt.Equal(want) {
				t.Errorf("expires_at %s: the key expires at %v, want %s", name, made.APIKey.ExpiresAt, want)
			}
			if stored := f.keyOf(made.Secret); !stored.ExpiresAt.Equal(want) {
				t.Errorf("expires_at %s: the stored key expires at %s, want %s", name, stored.ExpiresAt, want)
			}
		}
		e := f.do(maker, "POST", "/api-keys", body{"name": "x", "expires_at": text(end.Add(time.Millisecond))}).refused(schedctl.ValidationFailed)
		if !strings.Contains(e.Message, end.UTC().Format(time.RFC3339)) {
			t.Errorf("the refusal does not say when the key expires: %s", e.Message)
		}

		child := f.newAPIKey(maker, body{"name": "child", "scopes": []string{"keys:write", "posts:read"}})
		grandchild := f.newAPIKey(as(child.Secret), body{"name": "grandchild"}).APIKey
		if grandchild.ExpiresAt == nil || !grandchild.ExpiresAt.Equal(end) {
			t.Errorf("the grandchild expires at %v", grandchild.ExpiresAt)
		}
		made := decodeAs[apiv1.CreatedWorkspace](t, f.do(maker, "POST", "/workspaces", body{"name": "new"}).want(201))
		if at := made.APIKey.ExpiresAt; at == nil || !at.Equal(end) || !f.keyOf(made.Secret).ExpiresAt.Equal(end) {
			t.Errorf("the key of the new workspace expires at %v", at)
		}
		if k := f.newAPIKey(nil, body{"name": "lasting"}).APIKey; k.ExpiresAt != nil {
			t.Errorf("a key made by a key without expiry expires at %s", k.ExpiresAt)
		}
	})
}

// TestRevocationSparesChildren guards that the keys that a revoked key created stay
// valid, because a key is replaced by one that it creates.
func TestRevocationSparesChildren(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	parent := f.newAPIKey(nil, body{"name": "parent", "scopes": []string{"keys:write", "posts:read"}})
	child := f.newAPIKey(as(parent.Secret), body{"name": "child"})
	f.do(nil, "DELETE", "/api-keys/"+parent.APIKey.ID, nil).want(204)
	f.do(as(child.Secret), "GET", "/me", nil).want(200)
}

// TestLastKeyWithoutExpiryStays guards that the last key without an expiry cannot
// be revoked: keys with an expiry cannot create one that replaces it.
func TestLastKeyWithoutExpiryStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	last := "/api-keys/" + f.keyOf(f.mine.key).ID
	expiring := f.expiring(time.Now().Add(time.Hour))
	f.do(nil, "DELETE", last, nil).refused(schedctl.ValidationFailed)
	f.do(as(expiring), "DELETE", "/api-keys/"+f.keyOf(expiring).ID, nil).want(204)
	f.newKey(f.mine.workspace, func(*schedctl.APIKey) {})
	f.do(nil, "DELETE", last, nil).want(204)
}

// TestLimitedKeySeesItselfAlone guards that a limited key lists only itself, and
// can revoke no other key.
func TestLimitedKeySeesItselfAlone(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		limited, twin := f.limitedKey(f.mine.account), f.limitedKey(f.mine.account)
		own := f.keyOf(limited).ID
		list := decodeAs[apiv1.APIKeyList](t, f.do(as(limited), "GET", "/api-keys", nil).want(200))
		if list.Count != 1 || len(list.Results) != 1 || list.Results[0].ID != own {
			t.Errorf("it sees %d keys: %+v", list.Count, list.Results)
		}
		for _, other := range []string{twin, f.mine.key, f.other.key} {
			f.do(as(limited), "DELETE", "/api-keys/"+f.keyOf(other).ID, nil).refused(schedctl.NotFound)
			f.do(as(other), "GET", "/me", nil).want(200)
		}
		f.do(as(limited), "DELETE", "/api-keys/"+own, nil).want(204)
		f.do(as(limited), "GET", "/me", nil).refused(schedctl.APIKeyRevoked)
	})
}

// TestLimitedKeySeesItsOwnAudit guards that all pages contain its own entries and
// no others.
func TestLimitedKeySeesItsOwnAudit(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		limited := f.limitedKey(f.mine.account)
		for _, id := range []string{"r0", "r1", "r2"} {
			f.do(header("X-Request-Id", "foreign-"+id), "POST", "/posts", body{"content": "x"}).want(201)
			f.do(all(as(limited), header("X-Request-Id", id)), "POST", "/posts", body{"content": "x"}).want(201)
		}
		var got []string
		for query := "?limit=2"; query != ""; {
			page := decodeAs[apiv1.AuditList](t, f.do(as(limited), "GET", "/audit"+query, nil).want(200))
			query = ""
			for _, e := range page.Results {
				got = append(got, e.RequestID)
			}
			if page.NextCursor != nil {
				query = "?limit=2&cursor=" + *page.NextCursor
				f.do(nil, "GET", "/audit"+query, nil).refused(schedctl.InvalidCursor)
			}
		}
		if want := []string{"r2", "r1", "r0"}; !cmp.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestLimitedAuditIsBounded guards that one page reads a bounded number of entries
// and has a cursor, however many entries other keys have.
func TestLimitedAuditIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	limited := f.limitedKey(f.mine.account)
	f.do(all(as(limited), header("X-Request-Id", "mine")), "POST", "/posts", body{"content": "x"}).want(201)
	another := f.keyOf(f.mine.key).ID
	f.update(func(tx storage.Tx) error {
		for range storage.ScanLimit + 1000 {
			now := time.Now()
			e := schedctl.AuditEntry{ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: f.mine.workspace, At: now, KeyID: another, Action: "createPost"}
			if err := tx.AddAudit(e); err != nil {
				return err
			}
		}
		return nil
	})
	page := decodeAs[apiv1.AuditList](t, f.do(as(limited), "GET", "/audit", nil).want(200))
	if page.Count != 0 || page.NextCursor == nil {
		t.Fatalf("the first page has %d entries and the cursor %v", page.Count, page.NextCursor)
	}
	page = decodeAs[apiv1.AuditList](t, f.do(as(limited), "GET", "/audit?cursor="+*page.NextCursor, nil).want(200))
	if page.Count != 1 || page.Results[0].RequestID != "mine" || page.NextCursor != nil {
		t.Errorf("the second page is %+v", page)
	}
}

// TestLimitedKeySeesNoRemovedAccount guards that a limited key sees a post that was
// moved off an account outside its limit, but nothing about that account.
func TestLimitedKeySeesNoRemovedAccount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		removed := f.newAccount(f.mine, "removed")
		limited := f.limitedKey(f.mine.account)
		p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account, removed}, "publish_at": in(time.Hour)})
		f.do(as(limited), "GET", "/posts/"+p.ID+"/timeline", nil).refused(schedctl.NotFound)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"social_account_ids": []string{f.mine.account}}).want(200)
		secrets := []string{removed}
		for _, target := range p.Targets {
			if target.SocialAccountID == removed {
				secrets = append(secrets, target.ID)
			}
		}
		for _, path := range []string{"/posts/" + p.ID, "/posts/" + p.ID + "/timeline", "/posts", "/audit", "/api-keys", "/social-accounts"} {
			r := f.do(as(limited), "GET", path, nil).want(200)
			for _, secret := range secrets {
				if strings.Contains(string(r.body), secret) {
					t.Errorf("GET %s shows %s: %s", path, secret, r.body)
				}
			}
		}
		mine := decodeAs[apiv1.Timeline](t, f.do(as(limited), "GET", "/posts/"+p.ID+"/timeline", nil).want(200))
		if all := f.timeline(p.ID); len(mine.Events) != len(all.Events)-1 {
			t.Errorf("the limited key sees %d events of %d", len(mine.Events), len(all.Events))
		}
	})
}

// TestLimitedStreamSeesNoRemovedAccount guards the same for streams that resume
// before the account was removed.
func TestLimitedStreamSeesNoRemovedAccount(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		removed := f.newAccount(f.mine, "removed")
		start := f.addEvents(1)[0]
		p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account, removed}, "publish_at": in(time.Hour)})
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"social_account_ids": []string{f.mine.account}}).want(200)
		last := f.create(body{"content": "last", "social_account_ids": []string{f.mine.account}})
		w := l.follow(as(f.limitedKey(f.mine.account)), resume(start))
		seen := 0
		for {
			e, _ := w.next()
			if e.Data.SocialAccountID != "" && e.Data.SocialAccountID != f.mine.account {
				t.Errorf("%s reveals the account %s", e.Type, e.Data.SocialAccountID)
			}
			if e.Data.PostID == last.ID {
				break
			}
			seen++
		}
		if want := len(f.timeline(p.ID).Events) - 1; seen != want {
			t.Errorf("the stream has %d events of the post, want %d", seen, want)
		}
	})
}
