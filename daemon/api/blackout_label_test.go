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

// campaignHold is a hold of posts with the label launch that has started and has no end.
func campaignHold(accounts ...string) body {
	b := pause()
	b["label"], b["social_account_ids"] = "launch", accounts
	return b
}

// TestHoldsOfLabels guards which posts a hold of a label is about, and who may make one.
func TestHoldsOfLabels(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		other := f.newAccount(f.mine, "other")
		post := func(account string, labels ...string) string {
			t.Helper()
			return f.create(body{"content": account + strings.Join(labels, " "), "social_account_ids": []string{account}, "publish_at": in(time.Hour), "labels": labels}).ID
		}
		held, elsewhere, free := post(f.mine.account, "sale", "launch"), post(other, "launch"), post(f.mine.account, "sale")
		would := campaignHold()
		would["dry_run"] = true
		want := []string{held, elsewhere}
		if got := f.do(nil, "POST", "/blackouts", would).want(201).blackout(); cmp.Diff(want, got.Scheduled) != "" || *got.Blackout.Label != "launch" {
			t.Errorf("before the hold: %+v", got)
		}
		if n := f.copies(f.mine.account); len(n) != 0 {
			t.Errorf("a dry run left the copies %v", n)
		}
		b := f.blackout(campaignHold())
		if got := f.do(nil, "GET", "/blackouts/"+b.ID, nil).want(200).blackout(); cmp.Diff(want, got.Scheduled) != "" {
			t.Errorf("the hold: %+v", got)
		}
		waits := func(id string) bool {
			t.Helper()
			why := f.do(nil, "GET", "/posts/"+id, nil).want(200).post().Targets[0].Waits
			return why != nil && why.Reason == apiv1.WaitsLabel && strings.Contains(why.Message, `held by label "launch"`)
		}
		if !waits(held) || !waits(elsewhere) || waits(free) {
			t.Error("the wrong posts wait")
		}
		forecast := f.do(nil, "GET", "/forecast", nil).want(200)
		if text := string(forecast.body); !strings.Contains(text, `posts with the label \"launch\" are paused, and none is published until it is resumed`) || !strings.Contains(text, `"schedctl resume --label launch"`) {
			t.Errorf("the forecast: %s", text)
		}
		warned := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", body{"content": "x", "labels": []string{"launch"}, "social_account_ids": []string{other}, "publish_at": in(time.Hour)}).want(200))
		if text := strings.Join(warned.Accounts[0].Warnings, "\n"); !strings.Contains(text, `held by label "launch"`) {
			t.Errorf("the validation warns: %q", text)
		}
		only := f.do(nil, "PATCH", "/blackouts/"+b.ID, body{"social_account_ids": []string{other}}).want(200).blackout()
		if cmp.Diff([]string{elsewhere}, only.Scheduled) != "" || waits(held) {
			t.Errorf("on one account: %+v", only)
		}
		all := f.do(nil, "PATCH", "/blackouts/"+b.ID, body{"label": nil}).want(200).blackout()
		if all.Blackout.Label != nil || waits(elsewhere) {
			t.Errorf("without the label: %+v", all.Blackout)
		}

		limited := as(f.limitedKey(other))
		f.do(limited, "POST", "/blackouts", campaignHold()).refused(schedctl.AccountNotAllowed)
		f.do(limited, "POST", "/blackouts", campaignHold(other)).want(201)
		f.do(limited, "POST", "/blackouts", campaignHold(f.mine.account)).refused(schedctl.AccountNotAllowed)
		for _, wrong := range []any{"", "a,b", strings.Repeat("x", 51), " x", 1} {
			b := campaignHold()
			b["label"] = wrong
			f.do(nil, "POST", "/blackouts", b).refused(schedctl.ValidationFailed)
		}
		avoid := christmas()
		avoid["label"] = "launch"
		f.do(nil, "POST", "/blackouts", avoid).refused(schedctl.ValidationFailed)
	})
}

// TestHoldsOfLabelsBlockNoSlots guards that queues ignore them, also with an end.
func TestHoldsOfLabelsBlockNoSlots(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := campaignHold()
	b["to"] = local(time.Now().AddDate(0, 0, 3))
	f.blackout(b)
	q := f.newQueue(body{"name": "hourly", "times": hourly()})
	got := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "next-slot", "queue_id": q.ID, "labels": []string{"launch"}})
	if until := time.Until(got.PublishAt.Time); until > 2*time.Hour {
		t.Errorf("the slot is in %s", until)
	}
}

func hourly() (times []body) {
	for h := range 24 {
		times = append(times, body{"days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, "at": time.Date(2026, 1, 1, h, 0, 0, 0, time.UTC).Format("15:04")})
	}
	return times
}

// TestPublishingSaysWhatHolds guards that the response of publish-now names the holds of the
// accounts that the key may see.
func TestPublishingSaysWhatHolds(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		other := f.newAccount(f.mine, "other")
		f.blackout(campaignHold(other))
		published := func(labels ...string) []string {
			t.Helper()
			draft := f.create(body{"content": "Hello" + strings.Join(labels, " "), "social_account_ids": []string{f.mine.account, other}, "labels": labels})
			return f.do(nil, "POST", "/posts/"+draft.ID+"/publish-now", nil).want(202).post().Warnings
		}
		if got := published("launch"); len(got) != 1 || !strings.Contains(got[0], `:other: held by label`) || !strings.HasSuffix(got[0], `held by label "launch"; the post waits until the hold ends`) {
			t.Errorf("with the label: %q", got)
		}
		if got := published("sale"); got != nil {
			t.Errorf("without the label: %q", got)
		}
	})
}
