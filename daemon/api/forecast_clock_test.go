package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
)

// TestForecastOfClockChanges schedules posts for times that the clocks of Berlin skip on
// 2000-03-26, and show twice on 2000-10-29. The bubble starts on 2000-01-01.
func TestForecastOfClockChanges(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		daily := func(name, start string) string {
			t.Helper()
			return f.do(nil, "POST", "/series", body{
				"name": name, "content": name, "social_account_ids": []string{f.mine.account}, "timezone": "Europe/Berlin", "start": start, "rule": "FREQ=DAILY;COUNT=3",
			}).want(201).series().Series.ID
		}
		early := daily("early", "2000-03-25T02:30")
		list := f.forecast(nil, "?days=120")
		if list.Count != 1 {
			t.Fatalf("before its post is made, the forecast has %+v", list.Results)
		}
		if e := list.Results[0]; e.Kind != apiv1.ForecastClockChange || len(e.PostIDs) > 0 || e.Command != "schedctl series skip "+early+" 2000-03-26T02:30" ||
			!strings.Contains(e.Message, `series "early": the clocks of Europe/Berlin skip 02:30 on 2000-03-26; it is published at 2000-03-26T01:00:00Z`) {
			t.Errorf("the occurrence is %+v", e)
		}
		f.do(nil, "POST", "/series/"+early+"/skip", body{"occurrence": "2000-03-26T02:30"}).want(200)
		if got := f.forecast(nil, "?days=120"); got.Count != 0 {
			t.Errorf("a skipped occurrence is in %+v", got.Results)
		}
		time.Sleep(time.Until(time.Date(2000, 3, 20, 0, 0, 0, 0, time.UTC)))
		night := daily("every morning", "2000-03-25T09:00")
		if got := f.forecast(nil, ""); got.Count != 0 {
			t.Errorf("two mornings are closer than 24 h: %+v", got.Results)
		}
		f.do(nil, "POST", "/series/"+night+"/end", nil).want(200)
		time.Sleep(time.Until(time.Date(2000, 10, 20, 0, 0, 0, 0, time.UTC)))
		daily("twice", "2000-10-28T02:30")
		f.do(nil, "POST", "/queues", body{"name": "night", "timezone": "Europe/Berlin", "times": []body{everyDay("02:15")}}).want(201)
		f.do(nil, "POST", "/posts", body{"content": "slot", "social_account_ids": []string{f.mine.account}, "publish_at": "next-slot", "not_before": "2000-10-28T12:00:00Z"}).want(201)
		list = f.forecast(nil, "")
		if list.Count != 2 {
			t.Fatalf("the forecast has %+v", list.Results)
		}
		for i, shown := range []string{"02:15", "02:30"} {
			e := list.Results[i]
			if e.Kind != apiv1.ForecastClockChange || len(e.PostIDs) != 1 || !strings.Contains(e.Message, "the clocks of Europe/Berlin show "+shown+" on 2000-10-29 twice; it is published the first time") {
				t.Fatalf("the post is %+v", e)
			}
			second := e.At.Add(time.Hour)
			if want := "schedctl post edit " + e.PostIDs[0] + " --at " + apiv1.NewTime(second).String(); e.Command != want {
				t.Errorf("the command is %q, want %q", e.Command, want)
			}
			f.do(nil, "PATCH", "/posts/"+e.PostIDs[0], body{"publish_at": second}).want(200)
		}
		if got := f.forecast(nil, ""); got.Count != 0 {
			t.Errorf("mended: %+v", got.Results)
		}
	})
}

// TestForecastOfSeries names a series that makes no posts because it is not approved.
func TestForecastOfSeries(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		id := f.do(nil, "POST", "/series", body{
			"name": "weekly", "content": "again", "social_account_ids": []string{f.mine.account}, "timezone": "UTC", "start": "2000-01-05T09:00", "rule": "FREQ=WEEKLY", "ahead_days": 1,
		}).want(201).series().Series.ID
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Approvals = schedctl.ApprovalsAll })
		got := apiv1.ForecastList{}
		for _, e := range f.forecast(nil, "").Results {
			if strings.Contains(e.Message, `the series "weekly" needs an approval`) {
				got.Results = append(got.Results, e)
			}
		}
		if len(got.Results) != 1 || got.Results[0].Command != "schedctl series submit "+id || got.Results[0].At.String() != "2000-01-12T09:00:00Z" {
			t.Errorf("the forecast has %+v", got.Results)
		}
	})
}

// TestForecastOfOccurrences checks the accounts of occurrences that are not posts yet.
func TestForecastOfOccurrences(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		id := f.do(nil, "POST", "/series", body{
			"name": "monthly", "content": "again", "social_account_ids": []string{f.mine.account}, "timezone": "UTC", "start": "2000-01-02T09:00", "rule": "FREQ=WEEKLY", "ahead_days": 1,
		}).want(201).series().Series.ID
		only := func() apiv1.ForecastEntry {
			t.Helper()
			got := f.forecast(nil, "")
			if got.Count != 1 {
				t.Fatalf("the forecast has %+v", got.Results)
			}
			return got.Results[0]
		}
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Expiry.At = time.Date(2000, 1, 10, 0, 0, 0, 0, time.UTC) })
		if e := only(); e.Kind != apiv1.ForecastTokenEnds || e.At.String() != "2000-01-16T09:00:00Z" || len(e.PostIDs) > 0 {
			t.Errorf("the credentials end: %+v", e)
		}
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Expiry.At = time.Date(2000, 1, 20, 0, 0, 0, 0, time.UTC) })
		if got := f.forecast(nil, "?days=21"); got.Count != 0 {
			t.Errorf("the credentials end after the last occurrence: %+v", got.Results)
		}
		f.do(nil, "POST", "/posts/"+schedctl.OccurrencePostID(id, "2000-01-02T09:00")+"/cancel", nil).want(200)
		f.changeAccount(f.mine.account, func(a *schedctl.Account) {
			a.Refused(&schedctl.TargetError{Kind: schedctl.KindAuth, Message: "revoked", Outcome: schedctl.OutcomeNotPublished}, time.Time{})
		})
		if e := only(); e.Kind != apiv1.ForecastAccountError || e.At.String() != "2000-01-09T09:00:00Z" || len(e.PostIDs) > 0 {
			t.Errorf("the account is refused: %+v", e)
		}
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		if e := only(); e.Kind != apiv1.ForecastAccountRemoved || e.At.String() != "2000-01-09T09:00:00Z" {
			t.Errorf("the account is removed: %+v", e)
		}
	})
}

// TestForecastOfFiles names files that cannot be published.
func TestForecastOfFiles(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newPictureFixture(t, store)
		asset := f.upload(mediatest.PNG(3, 3))
		f.create(body{"content": "with a picture", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour), "media": []body{{"id": asset.ID}}})
		if got := f.forecast(nil, ""); got.Count != 0 {
			t.Fatalf("before: %+v", got.Results)
		}
		f.update(func(tx storage.Tx) error {
			a, err := tx.MediaAsset(f.mine.workspace, asset.ID)
			if err != nil {
				return err
			}
			a.Status = schedctl.MediaDeleted
			return tx.PutMediaAsset(a)
		})
		got := f.forecast(nil, "")
		if got.Count != 1 || got.Results[0].Kind != apiv1.ForecastRefused || !strings.Contains(got.Results[0].Message, "the file "+asset.FileName+" was deleted") || !strings.HasSuffix(got.Results[0].Command, " --media FILE") {
			t.Errorf("the forecast has %+v", got.Results)
		}
	})
}
