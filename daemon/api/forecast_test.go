package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// oneForecast schedules a post for a time after the credentials of its account end.
func oneForecast(f *fixture) []string {
	f.t.Helper()
	p := f.create(body{"content": announcement, "social_account_ids": []string{f.mine.account}, "publish_at": in(72 * time.Hour)})
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Expiry.At = schedctl.Millis(time.Now().Add(24 * time.Hour)) })
	return []string{p.ID, p.Targets[0].ID}
}

// forecast returns the forecast of some days.
func (f *fixture) forecast(o option, query string) apiv1.ForecastList {
	f.t.Helper()
	return decodeAs[apiv1.ForecastList](f.t, f.do(o, "GET", "/forecast"+query, nil).want(200))
}

// at schedules a post for an account.
func (f *fixture) at(after time.Duration, text, account string) string {
	f.t.Helper()
	return f.create(body{"content": text, "social_account_ids": []string{account}, "publish_at": in(after)}).ID
}

// TestForecastKinds finds one thing of each kind, and nothing once it is mended.
func TestForecastKinds(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, tt := range map[string]struct {
		kind    apiv1.ForecastKind
		damage  func(f *fixture, account string) []string // returns the posts
		mend    func(f *fixture, account string)
		account bool
		message string
		command string
	}{
		"account error": {
			kind: apiv1.ForecastAccountError,
			damage: func(f *fixture, account string) []string {
				ids := []string{f.at(day, "one", account), f.at(2*day, "two", account)}
				f.changeAccount(account, func(a *schedctl.Account) {
					a.Refused(&schedctl.TargetError{Kind: schedctl.KindAuth, Code: "token_revoked", Message: "revoked; reconnect it with: schedctl account reconnect ACCOUNT", Outcome: schedctl.OutcomeNotPublished}, time.Time{})
				})
				return ids
			},
			mend:    func(f *fixture, account string) { f.changeAccount(account, func(a *schedctl.Account) { a.Accepted() }) },
			account: true, message: "refuses the account fake:broken, and its posts wait: revoked", command: "schedctl account reconnect fake:broken",
		},
		"blocked account": {
			kind: apiv1.ForecastAccountError,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.changeAccount(account, func(a *schedctl.Account) {
					a.Refused(&schedctl.TargetError{Kind: schedctl.KindAuth, Code: "blocked", Message: "blocked", Outcome: schedctl.OutcomeNotPublished}, time.Time{})
				})
				return []string{id}
			},
			mend:    func(f *fixture, account string) { f.changeAccount(account, func(a *schedctl.Account) { a.Accepted() }) },
			account: true, message: "blocked", command: "schedctl account verify fake:broken",
		},
		"account waits": {
			kind: apiv1.ForecastAccountWaits,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.at(3*day, "later", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.PausedUntil = schedctl.Millis(time.Now().Add(2 * day)) })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.PausedUntil = time.Time{} })
			},
			account: true, message: "the account fake:broken waits until", command: "schedctl account verify fake:broken",
		},
		"token ends": {
			kind: apiv1.ForecastTokenEnds,
			damage: func(f *fixture, account string) []string {
				f.at(day, "before", account)
				id := f.at(3*day, "after", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.Expiry.At = schedctl.Millis(time.Now().Add(2 * day)) })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.Expiry = schedctl.Expiry{} })
			},
			account: true, message: "the credentials of the account fake:broken end on", command: "schedctl account reconnect fake:broken",
		},
		"account warning": {
			kind: apiv1.ForecastAccountWarning,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.Warnings = []string{"no files", "no posts", "a hint"} })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.Warnings = nil })
			},
			account: true, message: "the account fake:broken cannot publish it: no posts", command: "schedctl account reconnect fake:broken",
		},
		"account removed": {
			kind: apiv1.ForecastAccountRemoved,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.Status = schedctl.AccountConnected })
			},
			account: true, message: "the account fake:broken is disconnected", command: "schedctl account reconnect ACCOUNT",
		},
		"proposal": {
			kind: apiv1.ForecastApprovalMissing,
			damage: func(f *fixture, account string) []string {
				p := f.do(as(f.scoped(schedctl.ScopePostsWrite)), "POST", "/posts", body{"content": "one", "social_account_ids": []string{account}, "proposed_at": in(day)}).want(201).post()
				f.do(as(f.scoped(schedctl.ScopePostsWrite)), "POST", "/posts/"+p.ID+"/submit", nil).want(200)
				return []string{p.ID}
			},
			mend: func(f *fixture, _ string) {
				f.do(nil, "POST", "/posts/"+f.forecast(nil, "").Results[0].PostIDs[0]+"/approve", nil).want(200)
			},
			message: "proposes this time and waits for the approval of another key", command: "schedctl post approve POST",
		},
		"not approved": {
			kind: apiv1.ForecastApprovalMissing,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.Approvals = schedctl.ApprovalsAll })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.Approvals = schedctl.ApprovalsOff })
			},
			message: "it needs an approval and has none", command: "schedctl post unschedule POST && schedctl post submit POST",
		},
		"refused": {
			kind: apiv1.ForecastRefused,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "too long for the new limit", account)
				f.limit(account, 5)
				return []string{id}
			},
			mend:    func(f *fixture, account string) { f.limit(account, 500) },
			account: true, message: "the account fake:broken would not accept it: the post has 26 characters and the network allows 5", command: "schedctl post edit POST --editor",
		},
		"network that does not respond": {
			kind: apiv1.ForecastAccountWaits,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.changeStored(id, func(p *schedctl.Post) { p.Rebook(time.Now().Add(-5*time.Minute), schedctl.Booking{}) })
				f.changeAccount(account, func(a *schedctl.Account) {
					a.DisruptedSince, a.PausedUntil = schedctl.Millis(time.Now().Add(-time.Hour)), schedctl.Millis(time.Now().Add(30*time.Second))
				})
				return []string{id}
			},
			mend:    func(f *fixture, account string) { f.changeAccount(account, func(a *schedctl.Account) { a.Accepted() }) },
			account: true, message: "its network has been unreachable since", command: "schedctl account verify fake:broken",
		},
		"blackout": {
			kind: apiv1.ForecastBlackout,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.do(nil, "POST", "/blackouts", body{"from": localIn(day - time.Hour), "to": localIn(day + 2*time.Hour), "timezone": "UTC", "mode": "avoid", "reason": "a fair"}).want(201)
				return []string{id}
			},
			mend: func(f *fixture, _ string) { f.endBlackouts() }, account: true,
			message: "it is in a blackout of the account fake:broken (a fair), from", command: "schedctl post edit POST --at ",
		},
		"several in a blackout": {
			kind: apiv1.ForecastBlackout,
			damage: func(f *fixture, account string) []string {
				ids := []string{f.at(day, "one", account), f.at(day+time.Hour, "two", account)}
				f.do(nil, "POST", "/blackouts", body{"from": localIn(day - time.Hour), "to": localIn(day + 2*time.Hour), "timezone": "UTC", "mode": "avoid"}).want(201)
				return ids
			},
			mend: func(f *fixture, _ string) { f.endBlackouts() }, account: true,
			message: "it is in a blackout of", command: "schedctl post schedule POST POST --shift ",
		},
		"pause of all": {
			kind: apiv1.ForecastPaused,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.do(nil, "POST", "/blackouts", body{"from": localIn(0), "timezone": "UTC", "mode": "hold"}).want(201)
				return []string{id}
			},
			mend: func(f *fixture, _ string) { f.endBlackouts() }, account: true,
			message: "is paused, and nothing is published on it until it is resumed", command: "schedctl resume",
		},
		"pause with an end": {
			kind: apiv1.ForecastPaused,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.do(nil, "POST", "/blackouts", body{"from": localIn(0), "to": localIn(5 * day), "timezone": "UTC", "mode": "hold", "social_account_ids": []string{account}}).want(201)
				return []string{id}
			},
			mend: func(f *fixture, _ string) { f.endBlackouts() }, account: true,
			message: "later than --max-lateness allows, and is not published", command: "schedctl resume --account fake:broken",
		},
		"a pause decides about a post in a blackout": {
			kind: apiv1.ForecastPaused,
			damage: func(f *fixture, account string) []string {
				id := f.at(day, "one", account)
				f.do(nil, "POST", "/blackouts", body{"from": localIn(day - time.Hour), "to": localIn(day + 2*time.Hour), "timezone": "UTC", "mode": "avoid"}).want(201)
				f.do(nil, "POST", "/blackouts", body{"from": localIn(0), "to": localIn(5 * day), "timezone": "UTC", "mode": "hold"}).want(201)
				return []string{id}
			},
			mend: func(f *fixture, _ string) { f.endBlackouts() }, account: true,
			message: "later than --max-lateness allows, and is not published", command: "schedctl resume",
		},
		"rate limit": {
			kind: apiv1.ForecastRateLimit,
			damage: func(f *fixture, account string) []string {
				f.at(day, "one", account)
				f.at(day+time.Hour, "two", account)
				id := f.at(day+2*time.Hour, "three", account)
				f.at(3*day, "four", account)
				f.changeAccount(account, func(a *schedctl.Account) { a.Limits.Posts, a.Limits.Window = 2, day })
				return []string{id}
			},
			mend: func(f *fixture, account string) {
				f.changeAccount(account, func(a *schedctl.Account) { a.Limits.Posts = 3 })
			},
			account: true, message: "accepts 2 posts in 24 h, and the account has as many before", command: "schedctl post edit POST --at ",
		},
		"duplicate": {
			kind: apiv1.ForecastDuplicate,
			damage: func(f *fixture, account string) []string {
				f.at(4*day, "same", account)
				return []string{f.at(day, "same", account), f.at(day+time.Hour, "same", account)}
			},
			mend: func(f *fixture, _ string) {
				f.do(nil, "PATCH", "/posts/"+f.forecast(nil, "").Results[0].PostIDs[1], body{"content": "other"}).want(200)
			},
			account: true, message: "gets the same text more than once less than 24 h apart", command: "schedctl post edit POST --editor",
		},
		"revoked key": {
			kind: apiv1.ForecastKeyRevoked,
			damage: func(f *fixture, account string) []string {
				secret := f.scoped(schedctl.ScopePostsWrite)
				id := f.do(as(secret), "POST", "/posts", body{"content": "one", "social_account_ids": []string{account}, "publish_at": in(day)}).want(201).post().ID
				hash, _ := schedctl.HashKeySecret(secret)
				f.update(func(tx storage.Tx) error {
					k, err := tx.KeyByHash(hash)
					if err != nil {
						return err
					}
					k.RevokedAt = schedctl.Millis(time.Now())
					return tx.PutKey(k)
				})
				return []string{id}
			},
			mend: func(f *fixture, _ string) {
				f.do(nil, "PATCH", "/posts/"+f.forecast(nil, "").Results[0].PostIDs[0], body{"labels": []string{"checked"}}).want(200)
			},
			message: "made this and is revoked since", command: "schedctl post show POST",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStores(t, func(t *testing.T, store storage.Store) {
				f := newFixtureOn(t, store, func(c *api.Config) { c.MaxLateness = day })
				account := f.newAccount(f.mine, "broken")
				if got := f.forecast(nil, ""); got.Count != 0 || got.Truncated || got.Results == nil {
					t.Fatalf("before: %+v", got)
				}
				want := tt.damage(f, account)
				got := f.forecast(nil, "")
				if got.Count != 1 || len(got.Results) != 1 {
					t.Fatalf("the forecast has %d results: %+v", got.Count, got.Results)
				}
				e := got.Results[0]
				if e.Kind != tt.kind || !strings.Contains(e.Message, tt.message) || (e.SocialAccountID != nil) != tt.account || tt.account && *e.SocialAccountID != account {
					t.Errorf("the entry is %+v", e)
				}
				if diff := cmp.Diff(want, e.PostIDs); diff != "" || e.PostCount != len(want) {
					t.Errorf("posts: %d %s", e.PostCount, diff)
				}
				command := strings.ReplaceAll(e.Command, account, "ACCOUNT")
				for _, id := range want {
					command = strings.ReplaceAll(command, id, "POST")
				}
				if !strings.HasPrefix(command, tt.command) {
					t.Errorf("the command is %q, want %q", command, tt.command)
				}
				if tt.mend(f, account); f.forecast(nil, "").Count != 0 {
					t.Errorf("mended: %+v", f.forecast(nil, "").Results)
				}
			})
		})
	}
}

// localIn is a local time in UTC, for blackouts.
func localIn(after time.Duration) string {
	return string(schedctl.LocalTimeOf(time.Now().UTC().Add(after)))
}

// endBlackouts deletes all blackouts.
func (f *fixture) endBlackouts() {
	f.t.Helper()
	for _, b := range decodeAs[apiv1.BlackoutList](f.t, f.do(nil, "GET", "/blackouts", nil).want(200)).Results {
		f.do(nil, "DELETE", "/blackouts/"+b.ID, nil).want(204)
	}
}

// TestForecastDays checks the days of a forecast, and bad ones.
func TestForecastDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(30*24*time.Hour, "late", f.mine.account)
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
	for query, want := range map[string]int{"": 0, "?days=1": 0, "?days=31": 1, "?days=366": 1} {
		if got := f.forecast(nil, query); got.Count != want {
			t.Errorf("GET /forecast%s has %d results, want %d", query, got.Count, want)
		}
	}
	for _, query := range []string{"?days=0", "?days=-1", "?days=367", "?days=1e9", "?days=", "?days=1&days=2", "?day=1"} {
		f.do(nil, "GET", "/forecast"+query, nil).refused(schedctl.ValidationFailed)
	}
	f.do(as(f.scoped(schedctl.ScopeAccountsRead)), "GET", "/forecast", nil).refused(schedctl.InsufficientScope)
}

// TestForecastOfLimitedKey shows a key only the posts that it sees, and counts the others for
// the limits of networks.
func TestForecastOfLimitedKey(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		day := 24 * time.Hour
		mine, other := f.mine.account, f.newAccount(f.mine, "other")
		own := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{mine} }))
		f.create(body{"content": "both", "social_account_ids": []string{mine, other}, "publish_at": in(day)})
		f.at(day, "other", other)
		id := f.at(day+time.Hour, "mine", mine)
		for _, account := range []string{mine, other} {
			f.changeAccount(account, func(a *schedctl.Account) { a.Limits.Posts, a.Limits.Window = 1, day })
		}
		if got := f.forecast(nil, ""); got.Count != 2 {
			t.Errorf("a key for all accounts sees %+v", got.Results)
		}
		got := f.forecast(own, "")
		if got.Count != 1 || !slices.Equal(got.Results[0].PostIDs, []string{id}) {
			t.Errorf("a limited key sees %+v", got.Results)
		}
		if got := f.forecast(as(f.other.key), ""); got.Count != 0 {
			t.Errorf("another workspace sees %+v", got.Results)
		}
	})
}

// TestForecastCommandsAreSafe gives names to an account and a label that a shell would read as
// more than a word: a person copies commands from a forecast.
func TestForecastCommandsAreSafe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.create(body{"content": "one", "social_account_ids": []string{f.mine.account}, "publish_at": in(24 * time.Hour), "labels": []string{"$(reboot)"}})
	f.changeAccount(f.mine.account, func(a *schedctl.Account) {
		a.Name, a.Status = "a; reboot", schedctl.AccountError
	})
	hold := decodeAs[apiv1.BlackoutEnvelope](t, f.do(nil, "POST", "/blackouts", body{"from": localIn(0), "timezone": "UTC", "mode": "hold", "label": "$(reboot)"}).want(201)).Blackout
	var commands []string
	for _, e := range f.forecast(nil, "").Results {
		commands = append(commands, e.Command)
	}
	slices.Sort(commands)
	if diff := cmp.Diff([]string{"schedctl account verify " + f.mine.account, "schedctl blackout remove " + hold.ID}, commands); diff != "" {
		t.Error(diff)
	}
}

// TestForecastIsBounded reads a limited number of posts, and of bytes of their texts, and says
// so.
func TestForecastIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		posts   int
		text    string
		checked int
	}{
		"posts":      {posts: 2100, text: "text", checked: 2000},
		"long texts": {posts: 500, text: strings.Repeat("long ", 1000), checked: (2 << 20) / 5000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOn(t, storagetest.NewMemory())
			first := schedctl.Millis(time.Now().Add(time.Hour))
			f.update(func(tx storage.Tx) error {
				for n := range tt.posts {
					now, at := schedctl.Millis(time.Now()), first.Add(time.Duration(n)*time.Minute)
					err := tx.PutPost(schedctl.Post{
						ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.mine.workspace, Content: schedctl.Content{Text: tt.text}, PublishAt: at, CreatedAt: now, UpdatedAt: now, Version: 1,
						Targets: []schedctl.Target{{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: f.mine.account, Platform: "fake", Status: schedctl.Scheduled, PublishAt: at}},
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
			f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
			got := f.forecast(nil, "")
			if !got.Truncated || got.Count != 1 || !got.Until.Equal(first.Add(time.Duration(tt.checked)*time.Minute)) {
				t.Fatalf("truncated %v until %v, %d results", got.Truncated, got.Until, got.Count)
			}
			if e := got.Results[0]; e.PostCount != tt.checked || len(e.PostIDs) != 100 {
				t.Errorf("the entry has %d posts and names %d", e.PostCount, len(e.PostIDs))
			}
		})
	}
}
