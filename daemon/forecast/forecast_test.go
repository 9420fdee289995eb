package forecast

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// rig is a store with an account.
type rig struct {
	*testing.T
	store   storage.Store
	ws      string
	account schedctl.Account
}

func newRig(t *testing.T, store storage.Store) *rig {
	t.Helper()
	now := schedctl.Millis(time.Now())
	r := &rig{T: t, store: store, ws: schedctl.NewID(schedctl.WorkspacePrefix, now)}
	r.account = schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.ws, Platform: "fake", Name: "a", Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
	}
	r.update(func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: r.ws, Name: "mine", CreatedAt: now}); err != nil {
			return err
		}
		return tx.PutAccount(r.account)
	})
	return r
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.store.Update(context.WithoutCancel(r.Context()), fn); err != nil {
		r.Fatal(err)
	}
}

// post schedules a post.
func (r *rig) post(text string, after time.Duration) string {
	r.Helper()
	now := schedctl.Millis(time.Now())
	p, events, err := schedctl.Create(schedctl.NewPost{
		WorkspaceID: r.ws, Content: schedctl.Content{Text: text}, Accounts: []schedctl.Account{r.account}, PublishAt: now.Add(after),
	}, now)
	if err != nil {
		r.Fatal(err)
	}
	r.update(func(tx storage.Tx) error {
		if err := tx.PutPost(p); err != nil {
			return err
		}
		return tx.AddEvents(events...)
	})
	return p.ID
}

// change changes the account.
func (r *rig) change(change func(*schedctl.Account)) {
	r.Helper()
	change(&r.account)
	r.update(func(tx storage.Tx) error { return tx.PutAccount(r.account) })
}

// announcer returns an announcer as after a start.
func (r *rig) announcer() *Announcer {
	cases := usecase.Service{Publishers: publish.NewRegistry(publishtest.NewFake("fake")), MaxLateness: 24 * time.Hour}
	return New(Config{Store: r.store, Cases: &cases, Logger: slog.New(slog.DiscardHandler)})
}

// announced returns the kinds and posts of the events so far.
func (r *rig) announced() (list []string) {
	r.Helper()
	err := r.store.View(context.WithoutCancel(r.Context()), func(reader storage.Reader) error {
		events, err := reader.Events("", 1000)
		for _, e := range events {
			if e.Type == schedctl.EventForecastAppeared {
				list = append(list, e.Error.Code+" "+e.PostID)
			}
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

func (r *rig) want(what string, want ...string) {
	r.Helper()
	if diff := cmp.Diff(want, r.announced()); diff != "" {
		r.Errorf("%s: %s", what, diff)
	}
}

// TestEachThingIsAnnouncedOnce announces what appears, after a restart too, and again only
// after it had passed.
func TestEachThingIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store)
		announce := func() {
			t.Helper()
			if err := r.announcer().announce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		first := r.post("one", time.Hour)
		r.post("next week", 7*24*time.Hour)
		announce()
		r.want("nothing is wrong")
		refuse := func(a *schedctl.Account) {
			a.Refused(&schedctl.TargetError{Kind: schedctl.KindAuth, Code: "token_revoked", Message: "revoked", Outcome: schedctl.OutcomeNotPublished}, time.Time{})
		}
		r.change(refuse)
		announce()
		r.want("the account is refused", "account_error "+first)
		second := r.post("two", 2*time.Hour)
		announce()
		r.want("another post has the same cause", "account_error "+first)
		third := r.post("two", 3*time.Hour)
		announce()
		r.want("a text is repeated", "account_error "+first, "duplicate "+second)
		r.change(func(a *schedctl.Account) { a.Accepted() })
		announce()
		r.change(refuse)
		announce()
		r.want("the account is refused again", "account_error "+first, "duplicate "+second, "account_error "+first)
		r.update(func(tx storage.Tx) error { return tx.DeletePost(r.ws, third) })
		r.change(func(a *schedctl.Account) { a.Accepted() })
		announce()
		err := store.View(t.Context(), func(reader storage.Reader) error {
			value, err := reader.Metadata(metadataName(r.ws))
			if value != nil {
				t.Errorf("when all has passed, the store has %d bytes", len(value))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestEventsNameNoOtherAccounts pauses two accounts: a key that is limited to one of them gets
// the event about its post.
func TestEventsNameNoOtherAccounts(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store)
		first, now := r.account, schedctl.Millis(time.Now())
		r.post("first", time.Hour)
		r.account.ID, r.account.Name = schedctl.NewID(schedctl.AccountPrefix, now), "other"
		r.change(func(*schedctl.Account) {})
		r.post("second", 2*time.Hour)
		hold := schedctl.Blackout{
			ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: r.ws, From: schedctl.LocalTimeOf(now.UTC()), Timezone: "UTC", Mode: schedctl.BlackoutHold,
			AccountIDs: []string{first.ID, r.account.ID}, Reason: "a secret", CreatedAt: now, UpdatedAt: now, Version: 1,
		}
		if err := hold.Resolve(); err != nil {
			t.Fatal(err)
		}
		r.update(func(tx storage.Tx) error {
			for _, a := range []schedctl.Account{first, r.account} {
				a.SetBlackout(&hold)
				if err := tx.PutAccount(a); err != nil {
					return err
				}
			}
			return tx.PutBlackout(hold)
		})
		if err := r.announcer().announce(t.Context()); err != nil {
			t.Fatal(err)
		}
		events, err := storage.Read(t.Context(), store.View, func(reader storage.Reader) ([]schedctl.Event, error) { return reader.Events("", 100) })
		if err != nil {
			t.Fatal(err)
		}
		e := events[len(events)-1]
		if e.Type != schedctl.EventForecastAppeared || e.Error.Code != "paused" || strings.Contains(e.Error.Message, "secret") || strings.Contains(e.Error.Message, "other") {
			t.Errorf("the event is %+v %+v", e, e.Error)
		}
	})
}

// TestNodesAnnounceOnce runs several announcers at the same time.
func TestNodesAnnounceOnce(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store)
		want := []string{}
		for n := range 20 {
			want = append(want, "refused "+r.post(fmt.Sprintf("%d %s", n, strings.Repeat("too long ", 100)), time.Hour+time.Duration(n)*time.Minute))
		}
		r.change(func(a *schedctl.Account) { a.Limits.MaxCharacters = 100 })
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := r.announcer().announce(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		r.want("all nodes", want...)
	})
}

// TestRunAnnounces announces within a minute of an event, and within 10 minutes when a post
// comes nearer.
func TestRunAnnounces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, storagetest.NewMemory())
		r.store.Notify(func(storage.Commit) {})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.announcer().Run(ctx) }()
		r.change(func(a *schedctl.Account) { a.Expiry.At = time.Now().Add(20 * time.Hour) })
		soon := r.post("soon", 22*time.Hour)
		time.Sleep(interval + time.Second)
		r.want("after a minute", "token_ends "+soon)
		r.change(func(a *schedctl.Account) { a.Expiry.At = time.Now().Add(50 * time.Hour) })
		later := r.post("later", 51*time.Hour)
		time.Sleep(26 * time.Hour)
		r.want("before the next one is near", "token_ends "+soon)
		time.Sleep(time.Hour + longest)
		r.want("when it is near", "token_ends "+soon, "token_ends "+later)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// panicking is a network whose check of a bad text panics. It counts the checks by their texts.
type panicking struct {
	*publishtest.Fake
	checks map[string]int
}

func (p panicking) Check(a schedctl.Account, c publish.Content) publish.Check {
	if p.checks[c.Text]++; c.Text == "bad" {
		panic("a bad text")
	}
	return p.Fake.Check(a, c)
}

// A check that panics does not end the daemon. The workspace is checked again after the longest
// time, and others are checked no more often than usual.
func TestACheckThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := newRig(t, storagetest.NewMemory())
		bad.store.Notify(func(storage.Commit) {})
		good := newRig(t, bad.store)
		bad.post("bad", time.Hour)
		good.post("good", time.Hour)
		network := panicking{publishtest.NewFake("fake"), map[string]int{}}
		a := good.announcer()
		a.cfg.Cases.Publishers = publish.NewRegistry(network)
		announce := func(what string, fails bool, want map[string]int) {
			t.Helper()
			if err := a.announce(t.Context()); (err != nil) != fails || fails && !strings.Contains(err.Error(), "a check panicked: a bad text") {
				t.Errorf("%s: the error is %v", what, err)
			}
			if diff := cmp.Diff(want, network.checks); diff != "" {
				t.Errorf("%s: checks, -want +got:\n%s", what, diff)
			}
		}
		announce("the first time", true, map[string]int{"bad": 1, "good": 1})
		time.Sleep(interval)
		announce("without an event", false, map[string]int{"bad": 1, "good": 1})
		good.post("another", 2*time.Hour)
		announce("after an event", false, map[string]int{"bad": 1, "good": 2, "another": 1})
		time.Sleep(longest - interval)
		good.post("third", 3*time.Hour)
		announce("after the longest time", true, map[string]int{"bad": 2, "good": 3, "another": 2, "third": 1})
	})
}

// TestAnnouncedIDsAreBounded keeps at most as many ids as metadata can have, those of the
// last forecast first.
func TestAnnouncedIDsAreBounded(t *testing.T) {
	t.Parallel()
	var found usecase.Forecast
	for n := range 500 {
		found.Entries = append(found.Entries, usecase.ForecastEntry{Cause: fmt.Sprint(n)})
	}
	var known ids
	next, news := known.next(found)
	if len(news) != 500 || len(next) != 500*idBytes {
		t.Fatalf("%d are new, %d bytes are stored", len(news), len(next))
	}
	for i := range found.Entries {
		found.Entries[i].Cause += " later"
	}
	found.Truncated = true
	next, news = next.next(found)
	if len(news) != 500 || len(next) != storage.MaxMetadata/idBytes*idBytes {
		t.Fatalf("%d are new, %d bytes are stored", len(news), len(next))
	}
	if _, news = next.next(found); len(news) != 0 {
		t.Errorf("%d are announced twice", len(news))
	}
}

// TestEventsSayWhatToDo checks the event about an entry, also of a long one.
func TestEventsSayWhatToDo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	e := usecase.ForecastEntry{SeriesID: "ser_1"}
	e.Kind, e.Message, e.Command = apiv1.ForecastClockChange, "it is late", "schedctl series skip x"
	got := eventOf(&e, "ws_1", now)
	if got.Type != schedctl.EventForecastAppeared || got.SeriesID != "ser_1" || got.PostID != "" || got.Error.Code != "clock_change" || got.Error.Message != "it is late; fix it with: schedctl series skip x" {
		t.Errorf("%+v %+v", got, got.Error)
	}
	e.Message = strings.Repeat("ä", 400)
	if got := eventOf(&e, "ws_1", now).Error.Message; len(got) > maxMessage || !strings.HasSuffix(got, "…") {
		t.Errorf("a long message has %d bytes and ends with %q", len(got), got[len(got)-5:])
	}
	for _, kind := range apiv1.ForecastKinds() {
		if errorKinds[kind] == "" {
			t.Errorf("%s has no kind of error", kind)
		}
	}
}
