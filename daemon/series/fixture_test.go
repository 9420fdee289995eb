package series_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// monday is 2027-03-01T12:00 in Berlin.
var monday = time.Date(2027, 3, 1, 11, 0, 0, 0, time.UTC)

// fixture is a workspace with two accounts, and a clock that tests move.
type fixture struct {
	*testing.T
	store    storage.Store
	ws       string
	accounts []schedctl.Account
	now      time.Time
	seen     string // the last event that a test has read
}

func onEveryEngine(t *testing.T, test func(*fixture)) {
	t.Helper()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		f := &fixture{T: t, store: store, now: monday, ws: schedctl.NewID(schedctl.WorkspacePrefix, monday)}
		f.update(func(tx storage.Tx) error {
			return tx.PutWorkspace(schedctl.Workspace{ID: f.ws, Name: "mine", CreatedAt: monday})
		})
		for n := range 2 {
			a := schedctl.Account{
				ID: schedctl.NewID(schedctl.AccountPrefix, monday), WorkspaceID: f.ws, Platform: "fake", Name: fmt.Sprint("account ", n),
				Status: schedctl.AccountConnected, CreatedAt: monday, UpdatedAt: monday,
			}
			f.accounts = append(f.accounts, a)
			f.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		}
		test(f)
	})
}

func (f *fixture) update(fn func(storage.Tx) error) {
	f.Helper()
	if err := f.store.Update(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) sweepAt() series.Sweep {
	return series.Sweep{Now: f.now, MaxLateness: 24 * time.Hour}
}

// create stores a series that starts at 9:00 on 2027-03-01 in Berlin, and makes its posts.
func (f *fixture) create(rule string, change func(*schedctl.Series)) string {
	f.Helper()
	template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: f.ws, Content: schedctl.Content{Text: "text"}, Accounts: f.accounts}, f.now)
	if err != nil {
		f.Fatal(err)
	}
	s := schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, f.now), WorkspaceID: f.ws, Name: "news", Template: template,
		Timezone: "Europe/Berlin", Start: "2027-03-01T09:00", Rule: rule, AheadDays: 14, State: schedctl.SeriesActive,
		CreatedAt: f.now, UpdatedAt: f.now, Version: 1,
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		f.Fatal(err)
	}
	s.Cursor = schedctl.LastPassed(f.now, loc)
	if change != nil {
		change(&s)
	}
	f.update(func(tx storage.Tx) error { return series.Make(tx, new(s.Clone()), f.sweepAt()) })
	return s.ID
}

func (f *fixture) series(id string) (s schedctl.Series) {
	f.Helper()
	f.view(func(r storage.Reader) (err error) {
		s, err = r.Series(f.ws, id)
		return err
	})
	return s
}

func (f *fixture) view(fn func(storage.Reader) error) {
	f.Helper()
	if err := f.store.View(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

// change changes a series in a transaction.
func (f *fixture) change(id string, fn func(storage.Tx, *schedctl.Series) error) {
	f.Helper()
	if err := f.try(id, fn); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) try(id string, fn func(storage.Tx, *schedctl.Series) error) error {
	return f.store.Update(context.WithoutCancel(f.Context()), func(tx storage.Tx) error {
		s, err := tx.Series(f.ws, id)
		if err != nil {
			return err
		}
		return fn(tx, &s)
	})
}

// sweep makes the occurrences that are due at a time.
func (f *fixture) sweep(id string, at time.Time) {
	f.Helper()
	f.now = at
	f.change(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Make(tx, s, f.sweepAt()) })
}

// posts returns the posts of a series in order of their occurrences.
func (f *fixture) posts(id string) (list []schedctl.Post) {
	f.Helper()
	f.view(func(r storage.Reader) error {
		page, err := r.Posts(storage.PostQuery{WorkspaceID: f.ws, SeriesID: id, Limit: 1000})
		list = page.Posts
		return err
	})
	slices.SortFunc(list, func(a, b schedctl.Post) int { return strings.Compare(string(a.Occurrence), string(b.Occurrence)) })
	return list
}

// shown is a post as tests compare it: its occurrence, its status if it is not scheduled,
// and its text if it is not "text".
func shown(p schedctl.Post) string {
	text := string(p.Occurrence)
	if s := p.Status(); s != schedctl.Scheduled {
		text += " " + string(s)
	}
	if p.Text != "text" {
		text += " " + p.Text
	}
	if p.Detached {
		text += " detached"
	}
	return text
}

func (f *fixture) wantPosts(id string, want ...string) {
	f.Helper()
	got := []string{}
	for _, p := range f.posts(id) {
		got = append(got, shown(p))
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		f.Errorf("posts (-want +got):\n%s", diff)
	}
}

// post returns the post of an occurrence.
func (f *fixture) post(id string, local schedctl.LocalTime) (p schedctl.Post) {
	f.Helper()
	f.view(func(r storage.Reader) (err error) {
		p, err = r.Post(f.ws, schedctl.OccurrencePostID(id, local))
		return err
	})
	return p
}

func (f *fixture) changePost(id string, local schedctl.LocalTime, change func(*schedctl.Post) error) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.ws, schedctl.OccurrencePostID(id, local))
		if err != nil {
			return err
		}
		if err := change(&p); err != nil {
			return err
		}
		return tx.PutPost(p)
	})
}

// publish makes a post published, as the deliverer does.
func (f *fixture) publish(id string, local schedctl.LocalTime) {
	f.Helper()
	f.changePost(id, local, func(p *schedctl.Post) error {
		for i := range p.Targets {
			t := &p.Targets[i]
			if _, err := p.Begin(schedctl.Claim{TargetID: t.ID}, p.PublishAt); err != nil {
				return err
			}
			if _, err := p.Finish(t.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1"}}, p.PublishAt); err != nil {
				return err
			}
		}
		return nil
	})
}

// cancel cancels a post as the API does.
func (f *fixture) cancel(id string, local schedctl.LocalTime) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.ws, schedctl.OccurrencePostID(id, local))
		if err != nil {
			return err
		}
		if _, err := p.Cancel(f.now); err != nil {
			return err
		}
		if err := series.LeaveOut(tx, &p, f.now); err != nil {
			return err
		}
		return tx.PutPost(p)
	})
}

func (f *fixture) account(i int, change func(*schedctl.Account)) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.ws, f.accounts[i].ID)
		if err != nil {
			return err
		}
		change(&a)
		return tx.PutAccount(a)
	})
}

// wantEvents compares the new events about series and removed posts.
func (f *fixture) wantEvents(want ...string) {
	f.Helper()
	got := []string{}
	f.view(func(r storage.Reader) error {
		events, err := r.Events(f.seen, 1000)
		for _, e := range events {
			f.seen = e.ID
			switch {
			case e.Skipped != nil:
				got = append(got, fmt.Sprintf("skipped %d %s %s %s", e.Skipped.Count, e.Skipped.Reason, e.Skipped.First, e.Skipped.Last))
			case e.Type == schedctl.EventSeriesEnded || e.Type == schedctl.EventPostRemoved:
				got = append(got, string(e.Type))
			}
		}
		return err
	})
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		f.Errorf("events (-want +got):\n%s", diff)
	}
}

func (f *fixture) wantCode(err error, code schedctl.Code) {
	f.Helper()
	if got := schedctl.CodeOf(err); got != code {
		f.Errorf("the error is %v, want %s", err, code)
	}
}

// at returns a time in March 2027 in Berlin, before the clocks change on the 28th.
func at(d, hour, minute int) time.Time { return time.Date(2027, 3, d, hour-1, minute, 0, 0, time.UTC) }
