package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestForecastKeepsOtherAccounts removes one account of a post: the command leaves the post
// on the others, and cancels it only if there are none.
func TestForecastKeepsOtherAccounts(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		unknown := schedctl.NewID(schedctl.AccountPrefix, time.Now())
		others := []string{f.newAccount(f.mine, "first"), f.newAccount(f.mine, "second")}
		both := f.create(body{
			"content": "both", "social_account_ids": []string{f.mine.account, others[0], others[1]}, "publish_at": in(2 * time.Hour),
			"target_overrides": []body{override(f.mine.account, "own text", nil)},
		}).ID
		loseAccount := func(id string) {
			f.changeStored(id, func(p *schedctl.Post) { p.Targets[0].AccountID = unknown })
		}
		only := func() apiv1.ForecastEntry {
			t.Helper()
			got := f.forecast(nil, "")
			if got.Count != 1 || got.Results[0].Kind != apiv1.ForecastAccountRemoved {
				t.Fatalf("the forecast has %+v", got.Results)
			}
			return got.Results[0]
		}
		loseAccount(both)
		alone := f.at(time.Hour, "alone", f.mine.account)
		loseAccount(alone)
		e := only()
		if want := "schedctl post edit " + both + " --to fake:first --to fake:second"; e.Command != want || e.PostCount != 2 || !strings.HasSuffix(e.Message, "; give the posts other accounts") {
			t.Errorf("the entry is %+v, want the command %q", e, want)
		}
		f.changeAccount(others[1], func(a *schedctl.Account) { a.Name = "a; reboot" })
		if e, want := only(), "schedctl post edit "+both+" --to fake:first --to "+others[1]; e.Command != want {
			t.Errorf("with an unsafe name, the command is %q, want %q", e.Command, want)
		}
		f.changeStored(both, func(p *schedctl.Post) { p.Targets[1].Status = schedctl.Published })
		if e, want := only(), "schedctl post show "+both; e.Command != want {
			t.Errorf("when it is published in part, the command is %q, want %q", e.Command, want)
		}
		f.changeStored(both, func(p *schedctl.Post) { p.Targets[1].Status = schedctl.Scheduled })
		f.do(nil, "PATCH", "/posts/"+both, body{"social_account_ids": others}).want(200)
		if e, want := only(), "schedctl post cancel "+alone; e.Command != want || !strings.HasSuffix(e.Message, "or cancel them") {
			t.Errorf("the entry is %+v, want the command %q", e, want)
		}
	})
}

// TestForecastSaysThatItIsCut reads a limited number of published posts, and says so.
func TestForecastSaysThatItIsCut(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory())
	published := func(n int) {
		f.update(func(tx storage.Tx) error {
			for i := range n {
				now := schedctl.Millis(time.Now())
				at := now.Add(-time.Duration(i+1) * time.Second)
				err := tx.PutPost(schedctl.Post{
					ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.mine.workspace, Content: schedctl.Content{Text: "text"}, PublishAt: at, CreatedAt: at, UpdatedAt: at, Version: 1,
					Targets: []schedctl.Target{{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: f.mine.account, Platform: "fake", Status: schedctl.Published, PublishAt: at}},
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	published(1000)
	if got := f.forecast(nil, ""); got.Truncated {
		t.Errorf("with 1,000 published posts it is truncated, until %v", got.Until)
	}
	published(1)
	got := f.forecast(nil, "")
	if !got.Truncated || time.Until(got.Until.Time) < 20*24*time.Hour {
		t.Errorf("with 1,001 published posts: truncated %v, until %v", got.Truncated, got.Until)
	}
}
