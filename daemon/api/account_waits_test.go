package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
)

// TestAccountSaysUntilWhenItWaits holds an account until a date that is later than the late
// limit of one of its posts allows.
func TestAccountSaysUntilWhenItWaits(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		w := newReviewing(newPictureFixture(t, store, func(c *api.Config) { c.MaxLateness = 24 * time.Hour }))
		post := func(at time.Duration) string {
			t.Helper()
			return w.do(nil, "POST", "/posts", body{"content": "at " + at.String(), "social_account_ids": []string{w.mine.account}, "publish_at": in(at)}).want(201).post().ID
		}
		missed, waiting, later := post(time.Hour), post(30*time.Hour), post(60*time.Hour)
		account := func() apiv1.Account {
			t.Helper()
			return decodeAs[apiv1.AccountEnvelope](t, w.do(nil, "GET", "/social-accounts/"+w.mine.account, nil).want(200)).SocialAccount
		}
		if got := account().Waits; got != nil {
			t.Fatalf("before the hold, the account waits: %+v", got)
		}
		until := schedctl.Millis(time.Now().Add(48 * time.Hour).UTC())
		w.changeAccount(w.mine.account, func(a *schedctl.Account) {
			a.Status, a.PausedUntil = schedctl.AccountError, until
			a.Error = &schedctl.TargetError{Kind: schedctl.KindAuth, Code: "credits_depleted", Message: "the cap is reached", Outcome: schedctl.OutcomeNotPublished}
		})
		got := account().Waits
		if got == nil || got.Reason != apiv1.WaitsHold || !got.Until.Equal(until) {
			t.Fatalf("the account waits: %+v", got)
		}
		if !strings.Contains(got.Message, "due before: 2, of which 1 will be later") || !strings.Contains(got.Message, "("+missed+")") {
			t.Errorf("the account says: %s", got.Message)
		}
		list := decodeAs[apiv1.AccountList](t, w.do(nil, "GET", "/social-accounts", nil).want(200))
		for _, a := range list.Results {
			if (a.Waits != nil) != (a.ID == w.mine.account) {
				t.Errorf("in the list, %s waits: %+v", a.Name, a.Waits)
			}
		}
		for _, tt := range []struct {
			id          string
			waits, miss bool
		}{{missed, true, true}, {waiting, true, false}, {later, false, false}} {
			one := w.do(nil, "GET", "/posts/"+tt.id, nil).want(200).post()
			why := one.Targets[0].Waits
			if dated := why != nil && strings.Contains(*why, "waits until "+apiv1.NewTime(until).String()); dated != tt.waits {
				t.Errorf("the target of %q waits because of %v", one.Content, why)
			}
			if warned := strings.Contains(strings.Join(one.Warnings, "\n"), "later than --max-lateness"); warned != tt.miss {
				t.Errorf("%q has the warnings %q", one.Content, one.Warnings)
			}
		}
		w.changeAccount(w.mine.account, func(a *schedctl.Account) { a.Accepted() })
		if got, one := account().Waits, w.do(nil, "GET", "/posts/"+missed, nil).want(200).post(); got != nil || one.Warnings != nil || one.Targets[0].Waits != nil {
			t.Errorf("after the hold, the account waits: %+v, and the post warns: %q", got, one.Warnings)
		}
	})
}

// TestAccountSaysWhyItIsPaused checks the reasons of pauses of an account that is connected.
func TestAccountSaysWhyItIsPaused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	reason := func() string {
		t.Helper()
		a := decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "GET", "/social-accounts/"+f.mine.account, nil).want(200)).SocialAccount
		if a.Waits == nil {
			return ""
		}
		return a.Waits.Reason
	}
	now := time.Now()
	for _, tt := range []struct {
		paused, disrupted time.Time
		want              string
	}{
		{now.Add(time.Hour), time.Time{}, apiv1.WaitsPause},
		{now.Add(time.Hour), now, apiv1.WaitsUnreachable},
		{now.Add(-time.Hour), now.Add(-2 * time.Hour), ""},
	} {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.PausedUntil, a.DisruptedSince = tt.paused, tt.disrupted })
		if got := reason(); got != tt.want {
			t.Errorf("paused until %s, unreachable since %s: the reason is %q, want %q", tt.paused, tt.disrupted, got, tt.want)
		}
	}
}
