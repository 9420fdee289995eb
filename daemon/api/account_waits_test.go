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
			if dated := why != nil && why.Reason == apiv1.WaitsHold && why.Until.Equal(until); dated != tt.waits {
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

// TestRetryAndVerifyTryNow guards that a person need not wait for a rate limit to end.
func TestRetryAndVerifyTryNow(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		until := schedctl.Millis(time.Now().Add(2 * time.Hour).UTC())
		limit := func() {
			f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.PausedUntil, a.PausedBy = until, schedctl.KindRateLimited })
		}
		limit()
		p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
		f.changeStored(p.ID, func(p *schedctl.Post) {
			t := &p.Targets[0]
			t.Attempts, t.AskAt, t.NextAttemptAt = 1, until, t.PublishAt
			t.Error = &schedctl.TargetError{Kind: schedctl.KindRateLimited, Message: "too many requests", HTTPStatus: 429, Retryable: true, Outcome: schedctl.OutcomeNotPublished}
		})
		for _, read := range []func() apiv1.Post{
			func() apiv1.Post { return f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post() }, func() apiv1.Post { return f.list("").Results[0] },
		} {
			if w := read().Targets[0].Waits; w == nil || w.Reason != apiv1.WaitsRateLimited || !w.Until.Equal(until) {
				t.Errorf("the target waits: %+v", w)
			}
		}
		tried := func(how string) {
			t.Helper()
			if a := f.stored(f.mine.account); !a.PausedUntil.IsZero() || a.PausedBy != "" {
				t.Errorf("after %s, the account is paused until %s", how, a.PausedUntil)
			}
		}
		target := f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).want(202).post().Targets[0]
		if target.NextAttemptAt == nil || time.Until(target.NextAttemptAt.Time) > 0 {
			t.Errorf("after the retry, the next attempt is at %s", target.NextAttemptAt)
		}
		tried("the retry")
		limit()
		f.do(nil, "POST", "/social-accounts/"+f.mine.account+"/verify", nil).want(200)
		tried("the check")
		limit()
		f.do(nil, "POST", "/posts/"+f.inStatus(schedctl.Failed).ID+"/retry", nil).want(202)
		tried("the retry of a failed target")
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
		by                schedctl.ErrorKind
		want              string
	}{
		{now.Add(time.Hour), time.Time{}, "", apiv1.WaitsPause},
		{now.Add(time.Hour), time.Time{}, schedctl.KindPlatform, apiv1.WaitsPause},
		{now.Add(time.Hour), time.Time{}, schedctl.KindRateLimited, apiv1.WaitsRateLimited},
		{now.Add(time.Hour), now, schedctl.KindNetwork, apiv1.WaitsUnreachable},
		{now.Add(-time.Hour), now.Add(-2 * time.Hour), schedctl.KindRateLimited, ""},
	} {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) {
			a.PausedUntil, a.DisruptedSince, a.PausedBy = tt.paused, tt.disrupted, tt.by
		})
		if got := reason(); got != tt.want {
			t.Errorf("paused until %s, unreachable since %s: the reason is %q, want %q", tt.paused, tt.disrupted, got, tt.want)
		}
	}
}
