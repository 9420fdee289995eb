package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// share makes a share.
func (f *fixture) share(o option, b body) apiv1.ShareAddress {
	f.t.Helper()
	return decodeAs[apiv1.ShareAddress](f.t, f.do(o, "POST", "/shares", b).want(http.StatusCreated))
}

// TestShares guards that the address of a share is shown once, and that a revoked share stays
// in the list.
func TestShares(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.share(nil, body{
		"kind": "review", "name": "Dana", "can": "decide", "filter": body{"social_account_ids": []string{f.mine.account}, "labels": []string{"launch"}, "approval": "pending"},
		"expires_at": in(time.Hour),
	})
	_, token, found := strings.Cut(made.URL, "/s/")
	if hash, ok := schedctl.HashShareToken(token); !found || !ok || hash == [32]byte{} {
		t.Errorf("the address %s has no token", made.URL)
	}
	path := "/shares/" + made.Share.ID
	if one := f.do(nil, "GET", path, nil).want(200); strings.Contains(string(one.body), token) {
		t.Error("the address is shown again")
	}
	f.do(nil, "DELETE", path, nil).want(204)
	first := decodeAs[apiv1.ShareEnvelope](t, f.do(nil, "GET", path, nil).want(200)).Share
	if first.RevokedAt == nil || first.Filter == nil || first.Can != "decide" || first.Name != "Dana" {
		t.Errorf("after a revocation: %+v", first)
	}
	f.do(nil, "DELETE", path, nil).want(204)
	list := decodeAs[apiv1.ShareList](t, f.do(nil, "GET", "/shares", nil).want(200))
	if list.Count != 1 || !list.Results[0].RevokedAt.Equal(first.RevokedAt.Time) {
		t.Errorf("after a second revocation: %+v", list)
	}
}

// TestSharesAreForPeople guards that keys without shares:write make no shares.
func TestSharesAreForPeople(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	share := body{"kind": "review", "name": "Dana"}
	f.do(as(f.scoped("posts:read", "posts:write")), "POST", "/shares", share).refused(schedctl.InsufficientScope)
	f.do(as(f.scoped("shares:write")), "POST", "/shares", share).refused(schedctl.InsufficientScope)
	f.do(nil, "POST", "/api-keys", body{"name": "x", "kind": "agent", "scopes": []string{"shares:write"}}).refused(schedctl.ValidationFailed)
	share["can"] = "decide"
	f.do(as(f.scoped("posts:read", "shares:write")), "POST", "/shares", share).refused(schedctl.InsufficientScope)
}

// TestUsesOfSharesAreCounted guards that opening an address is counted within a minute and at
// the end, that its pages count as uses but not as openings, and that no read writes.
func TestUsesOfSharesAreCounted(t *testing.T) {
	t.Parallel()
	bubble(t, func(f *fixture, updates *countedUpdates, stop func()) {
		t := f.t
		made := f.share(nil, body{"kind": "calendar", "name": "Client"})
		b := browser{f: f}
		time.Sleep(flushing)
		before := updates.n.Load()
		for range 3 {
			b.get(pathOf(made))
		}
		if updates.n.Load() != before {
			t.Errorf("3 pages made %d writes", updates.n.Load()-before)
		}
		shared := func() schedctl.Share {
			hash, _ := schedctl.HashShareToken(strings.TrimPrefix(pathOf(made), "/s/"))
			s, err := storage.Read(context.Background(), f.store.View, func(r storage.Reader) (schedctl.Share, error) { return r.ShareByHash(hash) })
			if err != nil {
				t.Error(err)
			}
			return s
		}
		used := time.Now()
		time.Sleep(flushing)
		if s := shared(); s.Uses != 3 || !s.LastUsedAt.Equal(schedctl.Millis(used)) {
			t.Errorf("%d uses, the last one at %s, want 3 and %s", s.Uses, s.LastUsedAt, used)
		}
		b.send(nil, "GET", pathOf(made)+"/"+schedctl.NewID(schedctl.PostPrefix, used), nil).want(http.StatusNotFound)
		b.get(pathOf(made))
		f.do(nil, "DELETE", "/shares/"+made.Share.ID, nil).want(http.StatusNoContent)
		stop()
		if s := shared(); s.Uses != 4 || s.RevokedAt.IsZero() {
			t.Errorf("%d uses, revoked at %s, want 4 of a revoked share", s.Uses, s.RevokedAt)
		}
	})
}
